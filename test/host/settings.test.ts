import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { configOf } from "../../src/config/env.ts";
import { bindingsOf } from "../../src/host/bindings.ts";
import { Refusal } from "../../src/host/refusal.ts";
import { readSettings } from "../../src/host/settings.ts";

const SECRETS = { authToken: "a".repeat(32), webhookSecret: "w".repeat(16), keySecret: "k".repeat(32) };
const CERTIFICATES = path.resolve(import.meta.dirname, "../transport/certificates");
const certificate = (name: string): string => path.join(CERTIFICATES, name);
const RSA_KEY = String(
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
);

const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The path of a file with this content. */
function file(name: string, content: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

/** The lines of the refusal. */
function refusalOf(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof Refusal) return error.message.split("\n");
    throw error;
  }
  throw new Error("the settings were accepted");
}

/** The configuration of the worker when `npm start` runs with these variables. */
const workerConfig = (env: Record<string, string>) => configOf(bindingsOf(readSettings(env), SECRETS));

describe("the settings of TLS, load balancers and MTA-STS", () => {
  const pair = { TLS_CERT: certificate("localhost.pem"), TLS_KEY: certificate("key.pem") };

  it("take the certificate of HTTPS for STARTTLS where SMTP has none of its own", () => {
    const { httpTls, tls } = readSettings(pair);
    expect([httpTls?.certFile, tls?.certFile]).toEqual([pair.TLS_CERT, pair.TLS_CERT]);
    const own = { SMTP_TLS_CERT: certificate("other.pem"), SMTP_TLS_KEY: pair.TLS_KEY };
    expect(readSettings({ ...pair, ...own }).tls?.certFile).toBe(own.SMTP_TLS_CERT);
    expect(readSettings(own)).toMatchObject({ httpTls: null, tls: { certFile: own.SMTP_TLS_CERT } });
  });

  it.each([
    [{ TLS_CERT: pair.TLS_CERT }, "TLS_CERT and TLS_KEY must be set together"],
    [{ TLS_KEY: pair.TLS_KEY }, "TLS_CERT and TLS_KEY must be set together"],
    [{ ...pair, TLS_KEY: "/nowhere" }, "TLS_KEY names a file that cannot be read (ENOENT): /nowhere"],
    [
      { ...pair, TLS_KEY: pair.TLS_CERT },
      `TLS_KEY names a file without a private key in PEM: ${pair.TLS_CERT}`,
    ],
    [
      { HTTP_REDIRECT_PORT: "80" },
      "HTTP_REDIRECT_PORT needs TLS_CERT: without it there is no https to lead to",
    ],
    [{ ...pair, HTTP_REDIRECT_PORT: "8787" }, "HTTP_REDIRECT_PORT must be another port than PORT"],
    [
      { MTA_STS: "testing" },
      "MTA_STS needs MTA_STS_MX or MAIL_HOST: senders must know the hosts that your MX records name",
    ],
  ])("refuse %j in one line", (env: Record<string, string>, line) => {
    expect(refusalOf(env)).toEqual([line]);
  });

  it("refuse a key of another certificate", () => {
    const env = { ...pair, TLS_KEY: file("foreign.pem", RSA_KEY) };
    expect(refusalOf(env)).toEqual([
      expect.stringMatching(/^TLS_CERT and TLS_KEY must be a certificate and its own key/),
    ]);
  });

  it.each([
    ["PROXY_PROTOCOL_FROM", "proxies"],
    ["SMTP_NO_PAUSE_FROM", "unpaused"],
  ] as const)("read the networks of %s, and single addresses as networks of their own", (name, member) => {
    const read = (text: string) => readSettings({ [name]: text })[member];
    expect(read("10.0.0.0/8, 192.0.2.7,2001:db8::/32,::1")).toEqual([
      "10.0.0.0/8",
      "192.0.2.7/32",
      "2001:db8::/32",
      "::1/128",
    ]);
    for (const wrong of [
      "10/8",
      "10.0.0.0/33",
      "2001:db8::/129",
      "fe80::1%eth0",
      "host.example",
      "10.0.0.0/8,,",
      "1",
    ]) {
      expect(refusalOf({ [name]: wrong })).toEqual([
        expect.stringMatching(new RegExp(`^${name} must be networks such as`)),
      ]);
    }
  });

  it("count a load balancer as a way for others to the server", () => {
    expect(workerConfig({ PROXY_PROTOCOL_FROM: "10.0.0.0/8" }).claimApproval).toBe("operator");
  });

  it("make the policy of MTA-STS, its hosts in the form of DNS", () => {
    const policy = (env: Record<string, string>) => workerConfig(env).mtaSts;
    expect(policy({})).toBeNull();
    expect(policy({ MTA_STS: "off", MTA_STS_MX: "a.example" })).toBeNull();
    const hosts = { MTA_STS_MX: "Mail.Example.org., *.mx.example.org" };
    expect(policy({ MTA_STS: "testing", ...hosts })).toEqual({
      mode: "testing",
      hosts: ["mail.example.org", "*.mx.example.org"],
      maxAgeSeconds: 604_800,
    });
    expect(policy({ MTA_STS: "enforce", MAIL_HOST: "mx.example.org" })?.hosts).toEqual(["mx.example.org"]);
    for (const wrong of ["*", "a.*.example", "**.example", "mail.example;x", "a.example\nmode: none"]) {
      expect(refusalOf({ MTA_STS: "enforce", MTA_STS_MX: wrong })).toEqual([
        expect.stringMatching(/^MTA_STS_MX must be /),
      ]);
    }
  });
});

describe("the settings of npm start", () => {
  it("have defaults for one machine", () => {
    expect(readSettings({})).toMatchObject({
      dataDir: path.resolve("data"),
      host: "127.0.0.1",
      port: 8787,
      smtpHost: "127.0.0.1",
      smtpPort: 2525,
      tls: null,
      relayAuthorities: [],
      workerVariables: {},
      readyJson: false,
    });
    expect(workerConfig({})).toMatchObject({
      mailDomain: "mailkeep.test",
      outbound: "local",
      claimApproval: "open",
      bootstrapPerHour: 1_000,
      trustClientAddress: false,
    });
  });

  it("let SMTP listen where HTTP does, unless SMTP_HOST is set", () => {
    expect(readSettings({ HOST: "0.0.0.0" }).smtpHost).toBe("0.0.0.0");
    expect(readSettings({ HOST: "0.0.0.0", SMTP_HOST: "127.0.0.1" }).smtpHost).toBe("127.0.0.1");
  });

  it("may choose free ports, and one port on two addresses", () => {
    expect(readSettings({ PORT: "0", SMTP_PORT: "0" })).toMatchObject({ port: 0, smtpPort: 0 });
    readSettings({ PORT: "25", SMTP_PORT: "25", HOST: "127.0.0.1", SMTP_HOST: "192.0.2.1" });
  });

  it("reach the worker where they are set, and no other variables do", () => {
    const { workerVariables } = readSettings({ BOOTSTRAP: "off", PATH: "/bin", PORT: "80", ALLOW_HTTP: "" });
    expect(workerVariables).toEqual({ BOOTSTRAP: "off" });
    expect(
      workerConfig({ BOOTSTRAP: "No", BAD_KEY_LIMIT: "5", DKIM_DOMAIN: "Bücher.example." }),
    ).toMatchObject({
      bootstrapEnabled: false,
      badKeysPerMinute: 5,
    });
  });

  it("reach the worker with the secrets of the data folder", () => {
    expect(bindingsOf(readSettings({}), SECRETS)).toEqual({
      CLAIM_APPROVAL: "open",
      BOOTSTRAP_PER_HOUR: "1000",
      AUTH_TOKEN: SECRETS.authToken,
      WEBHOOK_SECRET: SECRETS.webhookSecret,
      KEY_SECRET: SECRETS.keySecret,
    });
    const previous = "p".repeat(16);
    expect(workerConfig({ WEBHOOK_SECRET_PREVIOUS: previous }).webhookSecretBefore).toBe(previous);
  });

  it("take a DKIM key as PEM, as PEM in one line, and as the path of its file", () => {
    const told = { DKIM_SELECTOR: "s1", DKIM_DOMAIN: "Bücher.example." };
    for (const key of [RSA_KEY, RSA_KEY.replaceAll("\n", "\\n"), file("dkim.pem", RSA_KEY)]) {
      expect(workerConfig({ ...told, DKIM_PRIVATE_KEY: key }).dkim).toEqual({
        domain: "xn--bcher-kva.example",
        selector: "s1",
        privateKey: RSA_KEY,
      });
    }
  });

  it("take a certificate and its key for STARTTLS, and authorities of a relay", () => {
    const tls = { SMTP_TLS_CERT: certificate("localhost.pem"), SMTP_TLS_KEY: certificate("key.pem") };
    expect(readSettings(tls).tls?.key).toContain("PRIVATE KEY");
    expect(readSettings({ NODE_EXTRA_CA_CERTS: certificate("authority.pem") }).relayAuthorities).toHaveLength(
      1,
    );
  });
});

describe("the resolver", () => {
  it("is RESOLVER in either form, which wins over its older names; else these, or that of the system", () => {
    const old = { DNS_SERVERS: "192.0.2.1", DOH_URL: "https://dns.example/q" };
    const of = (env: Record<string, string>) => readSettings(env).resolver;
    expect(of({ ...old, RESOLVER: "[2001:db8::1]:53, 192.0.2.2" })).toEqual({
      variable: "RESOLVER",
      place: { servers: ["[2001:db8::1]:53", "192.0.2.2"] },
    });
    expect(of({ ...old, RESOLVER: "https://other.example/q" })?.place).toEqual({
      url: "https://other.example/q",
    });
    expect(of(old)).toEqual({ variable: "DNS_SERVERS", place: { servers: ["192.0.2.1"] } });
    expect(of({ DOH_URL: old.DOH_URL })).toEqual({ variable: "DOH_URL", place: { url: old.DOH_URL } });
    expect(of({})).toBeNull();
  });
});

describe("wrong settings", () => {
  it.each([
    [
      "CLAIM_TTL_SECONDS",
      "5",
      'must be a whole number from 30 to 3600, not "5". Change it, or remove it to use 600',
    ],
    [
      "PORT",
      "65536",
      'must be a whole number from 0 to 65535, not "65536". Change it, or remove it to use 8787',
    ],
    ["BAD_KEY_LIMIT", "many", "must be a whole number from 0 "],
    ["ALLOW_HTTP", "perhaps", 'must be true or false (or 1 and 0, on and off, yes and no), not "perhaps".'],
    ["OUTBOUND", "smpt", 'must be local, smtp, worker-mailer, cloudflare or none, not "smpt".'],
    ["MAIL_DOMAIN", "no domain", 'must be a domain name such as agents.example.org, not "no domain".'],
    ["POSTMASTER", "me", 'must be an email address, not "me".'],
    ["PUBLIC_URL", "ftp://example.com", 'must be an http or https URL, not "ftp://example.com".'],
    ["DOH_URL", "htp://me:pass@dns.example", 'must be an http or https URL, not "htp://…@dns.example".'],
    [
      "HOST",
      "http://localhost",
      "must be a host name or an IP address of this machine, without a port, not ",
    ],
    ["BOOTSTRAP_PER_HOUR", "x".repeat(200), `not "${"x".repeat(80)}…". Change it, or remove it`],
  ])("are named with value, range and next step: %s=%j", (name, value, rest) => {
    const [line, ...others] = refusalOf({ [name]: value });
    expect(others).toEqual([]);
    expect(line?.startsWith(`${name} `)).toBe(true);
    expect(line).toContain(rest);
  });

  it.each([
    ["PORT", "http"],
    ["SMTP_PORT", "-1"],
    ["MAIL_DOMAIN", "-x.test"],
    ["MAIL_DOMAIN", "127.0.0.1"],
    ["MAIL_DOMAIN", "me@agents.example"],
    ["MAIL_DOMAIN", " "],
    ["BOOTSTRAP", "maybe"],
    ["TRUST_CLIENT_ADDRESS", "2"],
    ["DEFAULT_MAILBOX", "me"],
    ["ALLOW_PRIVATE_WEBHOOKS", "sometimes"],
    ["EVENT_RETENTION_DAYS", "a week"],
    ["EVENT_RETENTION_DAYS", "0"],
    ["DOH_URL", "dns.example.com"],
    ["RESOLVER", "dns.example.com"],
    ["RESOLVER", "192.0.2.1,https://dns.example.com"],
    ["MAIL_HOST", "mx1.example.com mx2.example.com"],
    ["SPF_MECHANISMS", 'include:"x"'],
    ["CLAIM_APPROVAL", "all"],
    ["OUTBOUND", "cloudflare"],
    ["DKIM_DOMAIN", "_x.example"],
    ["EMBEDDINGS_MODEL", "tiny"],
    ["NODE_EXTRA_CA_CERTS", "/nowhere/authority.pem"],
    ["NODE_EXTRA_CA_CERTS", import.meta.filename],
    ["NODE_EXTRA_CA_CERTS", import.meta.dirname],
    ["MAILKEEP_READY", "yaml"],
  ])("are one line each: %s=%j", (name, value) => {
    const lines = refusalOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} `));
  });

  it("are reported together, one line each", () => {
    const lines = refusalOf({
      CLAIM_TTL_SECONDS: "5",
      PORT: "http",
      OUTBOUND: "smtp",
      SMTP_TLS_CERT: certificate("localhost.pem"),
      NODE_EXTRA_CA_CERTS: "/nowhere/authority.pem",
    });
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual([
      "CLAIM_TTL_SECONDS",
      "SMTP_URL",
      "PORT",
      "SMTP_TLS_CERT",
      "NODE_EXTRA_CA_CERTS",
    ]);
  });

  it.each([
    ["AUTH_TOKEN", "hunter2", "must have at least 32 characters: `openssl rand"],
    ["AUTH_TOKEN", "", "is empty: give it a value, or remove it"],
    ["AUTH_TOKEN", `${"hunter2".repeat(6)}\n`, "must be printable ASCII without spaces around it"],
    ["KEY_SECRET", "hunter2", "must have at least 32 characters: `openssl rand"],
    ["KEY_SECRET", "", "is empty"],
    ["WEBHOOK_SECRET", "hunter2", "must have at least 16 characters: `openssl rand"],
    ["WEBHOOK_SECRET_PREVIOUS", "hunter2", "must have at least 16 characters: `openssl rand"],
    ["SMTP_URL", "smtp://me:hunter2@relay.example?tls=no", "has an option that cannot be used: tls"],
    ["SMTP_URL", "hunter2", "is no URL"],
    ["EMBEDDINGS_URL", "https://me:hunter2@x.example/v1", "must not hold a user or a password"],
    ["DKIM_PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\nhunter2", "must be an RSA private key"],
  ])("never show a secret: %s=%j", (name, value, rule) => {
    const lines = refusalOf({
      EMBEDDINGS_MODEL: "tiny",
      EMBEDDINGS_URL: "https://x.example",
      DKIM_SELECTOR: "",
      [name]: value,
    });
    expect(lines.join("\n")).toContain(`${name} ${rule}`);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  it("are accepted at the ends of their range, and not beyond", () => {
    for (const [name, least] of [
      ["AUTH_TOKEN", 32],
      ["KEY_SECRET", 32],
      ["WEBHOOK_SECRET", 16],
    ] as const) {
      expect(readSettings({ [name]: "x".repeat(least) }).worker[name]).toHaveLength(least);
      expect(() => readSettings({ [name]: "x".repeat(least - 1) })).toThrow(Refusal);
    }
    for (const seconds of ["30", "3600"]) readSettings({ CLAIM_TTL_SECONDS: seconds });
    for (const seconds of ["29", "3601"]) {
      expect(() => readSettings({ CLAIM_TTL_SECONDS: seconds })).toThrow(Refusal);
    }
  });

  it.each([
    [
      "an empty key",
      "localhost.pem",
      "empty.pem",
      /^SMTP_TLS_KEY names a file without a private key in PEM: /,
    ],
    [
      "an empty certificate",
      "empty.pem",
      "key.pem",
      /^SMTP_TLS_CERT names a file without a certificate in PEM: /,
    ],
    [
      "a key that is none",
      "localhost.pem",
      "authority.pem",
      /^SMTP_TLS_KEY names a file without a private key/,
    ],
    [
      "the key of another certificate",
      "localhost.pem",
      "rsa.pem",
      /^SMTP_TLS_CERT and SMTP_TLS_KEY must be a certificate and its own key/,
    ],
    [
      "a missing file",
      "localhost.pem",
      "missing.pem",
      /^SMTP_TLS_KEY names a file that cannot be read \(ENOENT\): /,
    ],
  ])("are files of STARTTLS with %s", (_, cert, key, line) => {
    file("empty.pem", "");
    file("rsa.pem", RSA_KEY);
    const own = (name: string) =>
      ["empty.pem", "rsa.pem", "missing.pem"].includes(name) ? path.join(folder, name) : certificate(name);
    expect(refusalOf({ SMTP_TLS_CERT: own(cert), SMTP_TLS_KEY: own(key) })).toEqual([
      expect.stringMatching(line),
    ]);
  });

  it("are a DKIM key that cannot sign: none in the file, or one that is not RSA", () => {
    const told = { DKIM_SELECTOR: "s1" };
    for (const key of [path.resolve(import.meta.dirname, "../../LICENSE"), certificate("key.pem")]) {
      expect(refusalOf({ ...told, DKIM_PRIVATE_KEY: key })).toEqual([
        expect.stringMatching(/^DKIM_PRIVATE_KEY must be an RSA private key in PEM/),
      ]);
    }
  });

  it.each([
    [{ PORT: "2525" }, "PORT and SMTP_PORT must be different ports"],
    [{ PORT: "80", SMTP_PORT: "80", HOST: "::" }, "PORT and SMTP_PORT must be different ports"],
    [{ DKIM_SELECTOR: "s1" }, "DKIM_PRIVATE_KEY and DKIM_SELECTOR must be set together"],
    [{ TURNSTILE_SITE_KEY: "site" }, "TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY must be set together"],
    [{ SMTP_TLS_KEY: "key.pem" }, "SMTP_TLS_CERT and SMTP_TLS_KEY must be set together"],
    [{ OUTBOUND: "worker-mailer" }, "SMTP_URL must be set if OUTBOUND is smtp or worker-mailer"],
    [{ EMBEDDINGS_URL: "https://x.example" }, "EMBEDDINGS_MODEL must be set if EMBEDDINGS_URL is"],
  ])("contradict each other: %j", (env: Record<string, string>, line) => {
    expect(refusalOf(env)).toEqual([line]);
  });
});
