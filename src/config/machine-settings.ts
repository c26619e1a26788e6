import { anyText, flag, ipPlaces, networks, oneOf, textLike, wholeNumber } from "./kinds.ts";
import { setting } from "./setting.ts";

/** A port; 0 lets the system choose a free one. */
const port = wholeNumber(0, 65_535);
const host = textLike(/^[A-Za-z0-9_.:%-]+$/, "a host name or an IP address of this machine, without a port");
const file = { ...anyText, values: "the path of a PEM file" };

/** Every variable that only `npm start` reads. */
export const MACHINE_SETTINGS = {
  DATA_DIR: setting({ ...anyText, values: "the path of a folder" }, "./data", {
    group: "Only npm start",
    meaning:
      "The folder that holds everything, synced to disk before it is acknowledged. Its `secrets.json` (mode 0600) holds the keys.",
  }),
  HOST: setting(host, "127.0.0.1", {
    group: "Only npm start",
    meaning: "The address that HTTP listens on. `0.0.0.0` and `::` are all addresses of the machine.",
  }),
  PORT: setting(port, 8787, {
    group: "Only npm start",
    meaning: "The port that HTTP listens on. `0`: any free one.",
  }),
  TLS_CERT: setting(file, null, {
    group: "Only npm start",
    meaning:
      "The certificate, with its chain, for HTTPS on `PORT`, and for STARTTLS where `SMTP_TLS_CERT` is not set. The file is read again when it changes. Set it together with `TLS_KEY`.",
    defaultWords: "none: `PORT` speaks plain http",
  }),
  TLS_KEY: setting(file, null, {
    group: "Only npm start",
    meaning: "The private key of that certificate, without a passphrase.",
  }),
  HTTP_REDIRECT_PORT: setting(port, null, {
    group: "Only npm start",
    meaning:
      "A port that answers plain http with a redirect to https. A socket that systemd hands over takes its place. It needs `TLS_CERT`. A call that has a key or changes something is refused there, because its contents have crossed the network unencrypted.",
    defaultWords: "none",
  }),
  ACME_WEBROOT: setting({ ...anyText, values: "the path of a folder" }, null, {
    group: "Only npm start",
    meaning:
      "The folder in which certbot, or another ACME client, puts the files that prove that a name is yours (`--webroot-path`). The port of `HTTP_REDIRECT_PORT`, or the socket in its place, serves those below `.well-known/acme-challenge`.",
    defaultWords: "none",
  }),
  PROXY_PROTOCOL_FROM: setting(networks, null, {
    group: "Only npm start",
    meaning:
      "Load balancers that begin each connection, for HTTP and for SMTP, with a header of the PROXY protocol (version 1 or 2). The address in it counts as the client's. A connection from these networks without the header is closed; a connection from elsewhere must not have the header.",
    defaultWords: "none",
  }),
  SMTP_HOST: setting(host, null, {
    group: "Only npm start",
    meaning:
      "The address that SMTP listens on, for incoming mail. (The relay for outgoing mail is `SMTP_URL`.)",
    defaultWords: "`HOST`",
  }),
  SMTP_PORT: setting(port, 2525, {
    group: "Only npm start",
    meaning:
      "The port that SMTP listens on. `0`: any free one. Mail servers deliver to port 25: set it, or redirect it.",
  }),
  SMTP_NO_PAUSE_FROM: setting(networks, null, {
    group: "Only npm start",
    meaning:
      "Servers of yours that deliver mail by SMTP, such as a gateway in front. They get the greeting at once, as this machine does. Everybody else waits 100 ms for it, which catches senders of spam that talk before they are asked.",
    defaultWords: "none",
  }),
  SENDER_CHECKS: setting(flag, null, {
    group: "Receiving mail",
    meaning:
      "Check who sent each mail that comes by SMTP (SPF, DKIM, DMARC, ARC: [authentication.md](authentication.md)). It needs DNS. Without it, `authentication` of such mail is null.",
    defaultWords:
      "on, but off where only this machine reaches SMTP: `SMTP_HOST` is a loopback address, and `PROXY_PROTOCOL_FROM` is not set",
  }),
  DNS_SERVERS: setting(ipPlaces, null, {
    group: "Receiving mail",
    meaning:
      "The older name of `RESOLVER` for DNS servers by their addresses, for mail that comes by SMTP and for the doctor only.",
    defaultWords: "`DOH_URL`, if it is set; else the resolvers of the system",
  }),
  SMTP_TLS_CERT: setting(file, null, {
    group: "Only npm start",
    meaning:
      "The certificate, with its chain, with which SMTP offers STARTTLS. The file is read again when it changes. Set it together with `SMTP_TLS_KEY`.",
    defaultWords: "`TLS_CERT`; without both, SMTP offers no TLS",
  }),
  SMTP_TLS_KEY: setting(file, null, {
    group: "Only npm start",
    meaning: "The private key of that certificate, without a passphrase.",
  }),
  NODE_EXTRA_CA_CERTS: setting(file, null, {
    group: "Only npm start",
    meaning: "Certificates of further authorities that may have signed the certificate of the relay.",
  }),
  METRICS_PORT: setting(port, null, {
    group: "Logs and monitoring",
    meaning:
      "The port for Prometheus: `/metrics` of the server and of the worker, without a key ([operating.md](operating.md#metrics)). `0`: any free one.",
    defaultWords: "none: only `/metrics` of the worker, with the operator key",
  }),
  METRICS_HOST: setting(host, "127.0.0.1", {
    group: "Logs and monitoring",
    meaning: "The address that `METRICS_PORT` listens on. Everybody who reaches it can read the metrics.",
  }),
  MAILKEEP_READY: setting(oneOf(["json"]), null, {
    group: "Only npm start",
    meaning: "`json` prints one line of JSON when the server is ready, for programs that start it.",
    defaultWords: "a screen for people",
  }),
};
