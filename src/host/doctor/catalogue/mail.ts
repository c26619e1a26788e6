import type { Entry } from "./entry.ts";

const NOT_SENT = "Mail to other domains waits, and fails after some 41 hours.";
const CLEAR = "Mail to you travels unencrypted, or is not delivered by senders that insist on TLS.";
const NO_PAGE = "Programs and people do not reach their mailboxes.";

/** Findings about incoming connections to the machine and outgoing ones from it. */
export const MAIL = {
  "inbound.closed": {
    level: "broken",
    meaning: "Nothing answers on port 25 of the host that the MX record names.",
    cost: "Mail from outside does not arrive; senders give up after some days.",
    fix: "The command changes the setting that keeps SMTP away from port 25, or opens a firewall of this machine. A provider's firewall is opened in its own console. Restart the server after a change of settings.",
  },
  "inbound.refused": {
    level: "broken",
    meaning: "The host of the MX record answers on port 25, but does not begin a session.",
    cost: "Mail from outside does not arrive.",
    fix: "The command shows what it says.",
  },
  "inbound.recipient": {
    level: "broken",
    meaning: "The host of the MX record does not accept mail for the domain.",
    cost: "Mail from outside does not arrive.",
    fix: "The command repeats the conversation. On this server, `MAIL_DOMAIN` must be the domain; on a gateway in front of it, let it forward mail for the domain.",
  },
  "inbound.open-relay": {
    level: "broken",
    meaning: "The host of the MX record accepts mail for any domain (an open relay).",
    cost: "Spammers send through it within hours, and its address lands on blocklists.",
    fix: "This server never does that, so a gateway stands in front of it. The command closes Postfix.",
  },
  "inbound.no-tls": {
    level: "warning",
    meaning: "The host of the MX record does not offer STARTTLS.",
    cost: CLEAR,
    fix: "Get a certificate for the host, and set [`SMTP_TLS_CERT`](configuration.md#smtp_tls_cert) and [`SMTP_TLS_KEY`](configuration.md#smtp_tls_key) to its files.",
  },
  "inbound.tls-failed": {
    level: "broken",
    meaning: "The host of the MX record offers STARTTLS, but the TLS handshake fails.",
    cost: "Senders that use TLS where it is offered do not deliver.",
    fix: "The command shows where it fails.",
  },
  "inbound.certificate-expired": {
    level: "broken",
    meaning: "The certificate of SMTP has expired.",
    cost: CLEAR,
    fix: "The command renews it. Restart the server if it does not read the files by itself.",
  },
  "inbound.certificate-ending": {
    level: "warning",
    meaning: "The certificate of SMTP expires within 14 days.",
    cost: CLEAR,
    fix: "The command renews it; find out why it was not renewed by itself.",
  },
  "inbound.certificate-name": {
    level: "warning",
    meaning: "The certificate of SMTP is for another name than the host of the MX record.",
    cost: CLEAR,
    fix: "The command gets one for the name.",
  },
  "inbound.certificate-untrusted": {
    level: "warning",
    meaning:
      "The certificate of SMTP is not signed by an authority that senders trust, or an intermediate certificate is missing.",
    cost: CLEAR,
    fix: "The command gets one that is trusted. If you have one: `SMTP_TLS_CERT` must name the file with the whole chain (`fullchain.pem`).",
  },
  "inbound.unchecked": {
    level: "warning",
    meaning: "Others reach the SMTP listener, and it does not check who sent a mail (`SENDER_CHECKS=off`).",
    cost: "Strangers can write in any name; no sender is verified, so rules refuse the allowed senders who must be.",
    fix: "The command turns the [checks](authentication.md) on. They need DNS: where the system has no resolver, name one in [`RESOLVER`](configuration.md#resolver). If a gateway hands the mail over, let it use [`/v1/inbound`](deployment.md#mail-through-a-gateway-of-yours).",
  },
  "https.plain": {
    level: "warning",
    meaning: "`PUBLIC_URL` is an address without TLS.",
    cost: "Keys and mail travel unencrypted.",
    fix: "The command changes the setting; a TLS proxy or a certificate must be there.",
  },
  "https.unreachable": {
    level: "broken",
    meaning: "Nothing answers at `PUBLIC_URL`.",
    cost: NO_PAGE,
    fix: "The command shows why. A machine that cannot reach its own public address (some routers) sees this too, although others reach it.",
  },
  "https.other": {
    level: "broken",
    meaning: "Something else than this server answers at `PUBLIC_URL`.",
    cost: NO_PAGE,
    fix: "The command shows what answers. Let the proxy forward everything to `HOST` and `PORT`.",
  },
  "https.no-redirect": {
    level: "warning",
    meaning: "Port 80 of the host of `PUBLIC_URL` does not lead to HTTPS.",
    cost: "Whoever types the name without `https` gets no page, and certbot cannot renew a certificate through `ACME_WEBROOT`.",
    fix: "The command shows who answers. With the units, `systemctl enable --now mailkeep-redirect.socket`, then `systemctl restart mailkeep`, opens the port; a firewall may close it.",
  },
  "https.certificate-expired": {
    level: "broken",
    meaning: "The certificate of `PUBLIC_URL` has expired.",
    cost: NO_PAGE,
    fix: "The command renews it. Caddy renews by itself: look into its log.",
  },
  "https.certificate-ending": {
    level: "warning",
    meaning: "The certificate of `PUBLIC_URL` expires within 14 days.",
    cost: "After that, programs and people cannot reach their mailboxes.",
    fix: "The command renews it; find out why it was not renewed by itself.",
  },
  "https.certificate-name": {
    level: "broken",
    meaning: "The certificate of `PUBLIC_URL` is for another name.",
    cost: NO_PAGE,
    fix: "The command gets one for the name.",
  },
  "https.certificate-untrusted": {
    level: "broken",
    meaning:
      "The certificate of `PUBLIC_URL` is not signed by an authority that clients trust, or an intermediate certificate is missing.",
    cost: NO_PAGE,
    fix: "The command gets one that is trusted. A server that has one must send the whole chain (`fullchain.pem`).",
  },
  "relay.unknown-host": {
    level: "broken",
    meaning: "The host of `SMTP_URL` has no address.",
    cost: NOT_SENT,
    fix: "Correct the host in `SMTP_URL`.",
  },
  "relay.unreachable": {
    level: "broken",
    meaning: "The relay of `SMTP_URL` cannot be reached.",
    cost: NOT_SENT,
    fix: "Many providers close ports 25 and 465: the command changes to port 587 with STARTTLS. On 587 already, it is the host or a firewall.",
  },
  "relay.refused": {
    level: "broken",
    meaning: "The relay does not begin a session with this machine.",
    cost: NOT_SENT,
    fix: "The command shows what it says; the title has it too.",
  },
  "relay.no-tls": {
    level: "broken",
    meaning: "The relay does not offer STARTTLS, which `SMTP_URL` requires.",
    cost: NOT_SENT,
    fix: "The command changes to TLS from the first byte on port 465. Only inside a network of your own, `?ignoreTLS=true` sends in clear.",
  },
  "relay.certificate": {
    level: "broken",
    meaning:
      "The certificate of the relay is not valid for its name, or is not signed by an authority that the server trusts.",
    cost: NOT_SENT,
    fix: "The command shows the certificate. `SMTP_URL` must name the host that it is for; add an authority of your own by `NODE_EXTRA_CA_CERTS`.",
  },
  "relay.login": {
    level: "broken",
    meaning: "The relay refuses the user and the password of `SMTP_URL`.",
    cost: NOT_SENT,
    fix: "Put the right user and password into the command, percent-encoded.",
  },
  "relay.no-login": {
    level: "broken",
    meaning: "The relay offers no login of the kind that `SMTP_URL` has.",
    cost: NOT_SENT,
    fix: "The command chooses the other common kind.",
  },
  "outward.closed": {
    level: "warning",
    meaning: "This machine cannot connect to the host and port that `--outward` names.",
    cost: "Mail cannot be handed over there. Mail through the relay of `SMTP_URL` is not affected.",
    fix: "The command tries again. Many providers open port 25 on request.",
  },
} as const satisfies Record<string, Entry>;
