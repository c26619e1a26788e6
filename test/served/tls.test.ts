import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mtaStsRecord } from "../../src/mail/mta-sts.ts";
import { version1, version2 } from "../host/front/proxy-headers.ts";
import { PAIR, pem, Wire } from "../host/front/rig.ts";
import { Server } from "./server.ts";

const CERTIFICATES = path.resolve(import.meta.dirname, "../transport/certificates");
const AUTHORITY = path.join(CERTIFICATES, "authority.pem");
const DOMAIN = "agents.example";
/** Connections from here begin with a header of the PROXY protocol. */
const BALANCER = "127.0.0.2";
const BOOTSTRAPS = 3;

const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-tls-"));
const certFile = path.join(folder, "fullchain.pem");
const keyFile = path.join(folder, "privkey.pem");
let server: Server;
let port: number;
let redirectPort: number;

beforeAll(async () => {
  writeFileSync(certFile, PAIR.cert);
  writeFileSync(keyFile, PAIR.key);
  redirectPort = await freePort();
  server = await Server.start({
    env: {
      MAIL_DOMAIN: DOMAIN,
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      HTTP_REDIRECT_PORT: String(redirectPort),
      PROXY_PROTOCOL_FROM: `${BALANCER}, 2001:db8::/32`,
      BOOTSTRAP_PER_HOUR: String(BOOTSTRAPS),
      MTA_STS: "enforce",
      MTA_STS_MX: "mail.example.org,*.mx.example.org",
    },
  });
  port = Number(new URL(server.url).port);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return free;
}

interface Told {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A call over https, whose certificate must be right. */
function ask(route: string, options: https.RequestOptions & { body?: string } = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const trusted = {
      host: "127.0.0.1",
      port,
      path: route,
      ca: pem("authority"),
      servername: "localhost",
      agent: false,
    };
    const request = https.request({ ...trusted, ...rest });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on("error", reject);
    });
    request.end(body);
  });
}

const operator = (): Record<string, string> => ({ Authorization: `Bearer ${server.token}` });

let made = 0;
async function makeBox(): Promise<{ mailbox: string; api_key: string }> {
  made += 1;
  const headers = { ...operator(), "Content-Type": "application/json" };
  const { text } = await ask("/v1/mailboxes", { method: "POST", headers, body: `{"name":"box-${made}"}` });
  return JSON.parse(text) as { mailbox: string; api_key: string };
}

/** The only mail of a mailbox, once it is there. */
async function onlyMail(
  key: string,
): Promise<{ id: string; metadata: Record<string, unknown>; attachments: { id: string }[] }> {
  const headers = { Authorization: `Bearer ${key}` };
  const { text } = await ask("/v1/inbox", { headers });
  const { emails } = JSON.parse(text) as { emails: { id: string }[] };
  expect(emails).toHaveLength(1);
  const email = await ask(`/v1/emails/${emails[0]?.id}`, { headers });
  return JSON.parse(email.text) as Awaited<ReturnType<typeof onlyMail>>;
}

/** A line-by-line SMTP client, before or inside TLS. */
async function say(wire: Wire, line: string, pattern = /^\d{3} .*\r\n$/m): Promise<string> {
  wire.text = "";
  wire.send(`${line}\r\n`);
  return wire.heard(pattern);
}

/** An SMTP session inside TLS. */
async function secured(wire: Wire, servername = "localhost"): Promise<Wire> {
  await wire.heard(/^220 /);
  await say(wire, "EHLO client.example");
  await say(wire, "STARTTLS");
  wire.socket.removeAllListeners("data");
  const inner = new Wire(connectTls({ socket: wire.socket, ca: pem("authority"), servername }));
  await once(inner.socket, "secureConnect");
  return inner;
}

/** Lays certificate and key into the files, one after the other, and waits until they are in use. */
async function renew(pair: { cert: string; key: string }): Promise<void> {
  const count = (): number => server.process.stderr.split("is in use").length;
  const before = count();
  writeFileSync(keyFile, pair.key);
  writeFileSync(certFile, pair.cert);
  await expect.poll(count, { timeout: 30_000 }).toBe(before + 1);
}

describe("a server with a certificate", () => {
  it("serves https, and says so in links and cookies", async () => {
    const made = JSON.parse(
      (await ask("/v1/bootstrap", { method: "POST", headers: { Host: DOMAIN } })).text,
    ) as {
      upgrade: { url: string };
    };
    expect(made.upgrade.url).toBe(`https://${DOMAIN}/claim`);
    const signedIn = await ask("/operator/session", {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: `https://${DOMAIN}`, Host: DOMAIN },
      body: JSON.stringify({ key: server.token }),
    });
    expect(String(signedIn.headers["set-cookie"])).toMatch(/^__Host-.*; Secure/);
  });

  it("redirects plain http on its other port to https", async () => {
    const wire = Wire.plain(redirectPort).send(
      "GET /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect(await wire.closed()).toContain(`\r\nLocation: https://localhost:${port}/docs\r\n`);
  });

  it("replaces the certificate under open connections: a stream, a waiting call and a half-sent mail go on", async () => {
    const box = await makeBox();
    const key = `Authorization: Bearer ${box.api_key}\r\n`;
    const stream = Wire.tls(port).send(`GET /v1/events HTTP/1.1\r\nHost: localhost\r\n${key}\r\n`);
    await stream.heard(/text\/event-stream[\s\S]*\r\n\r\n/);
    const open = Wire.tls(port).send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await open.heard(/\}$/);
    const mail = await secured(Wire.plain(server.smtpPort));
    await say(mail, "EHLO client.example");
    await say(mail, "MAIL FROM:<shop@example.com>");
    await say(mail, `RCPT TO:<${box.mailbox}>`);
    await say(mail, "DATA");
    mail.send("Subject: under way\r\n\r\nfirst half\r\n");

    await renew({ cert: pem("other"), key: pem("key") });
    const other = { servername: "other.example" };
    await once(Wire.tls(port, other).socket, "secureConnect");
    (await secured(Wire.plain(server.smtpPort), "other.example")).socket.destroy();

    expect(await say(mail, "second half\r\n.")).toMatch(/^250 /);
    await stream.heard(/event: message\.received/);
    open.text = "";
    expect(await open.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").heard(/\}$/)).toMatch(
      /^HTTP\/1\.1 200/,
    );
    for (const wire of [stream, open, mail]) wire.socket.destroy();
    await renew(PAIR);
    expect((await onlyMail(box.api_key)).id).toMatch(/./);
  });

  it("answers again after its runtime died", async () => {
    expect(await server.killWorkerd()).toBe(true);
    await expect.poll(async () => (await ask("/health")).status, { timeout: 30_000 }).toBe(200);
  });
});

describe("behind a load balancer with the PROXY protocol", () => {
  /** A connection that the balancer opens for a client. */
  const through = (header: Buffer, to: number): Wire => {
    const wire = new Wire(connect({ port: to, host: "127.0.0.1", localAddress: BALANCER }));
    return wire.send(header);
  };

  it("counts each client's calls by the address in the header", async () => {
    const bootstrap = async (client: string): Promise<number> => {
      const wire = through(version1(client), port);
      wire.socket.removeAllListeners("data");
      const inner = new Wire(
        connectTls({ socket: wire.socket, ca: pem("authority"), servername: "localhost" }),
      );
      const forged = "CF-Connecting-IP: 203.0.113.99\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      const text = await inner.send(`POST /v1/bootstrap HTTP/1.1\r\nHost: localhost\r\n${forged}`).closed();
      return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
    };
    const statuses: number[] = [];
    for (let count = 0; count <= BOOTSTRAPS; count += 1) statuses.push(await bootstrap("192.0.2.1"));
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect(await bootstrap("192.0.2.2")).toBe(201);
  });

  it("stores the client's address with a mail, for both versions of the protocol", async () => {
    const four = Buffer.from([198, 51, 100, 7, 192, 0, 2, 1, 0, 1, 0, 25]);
    for (const [header, address] of [
      [version1("198.51.100.6"), "198.51.100.6"],
      [version2(0x21, 0x11, four), "198.51.100.7"],
      [version1("2001:db8::7"), "2001:db8::7"],
      [version2(0x20, 0x00, Buffer.alloc(0)), BALANCER],
    ] as const) {
      const box = await makeBox();
      const wire = await secured(through(header, server.smtpPort));
      await say(wire, "EHLO client.example");
      await say(wire, "MAIL FROM:<shop@example.com>");
      await say(wire, `RCPT TO:<${box.mailbox}>`);
      await say(wire, "DATA");
      expect(await say(wire, "Subject: hello\r\n\r\nhello\r\n.")).toMatch(/^250 /);
      wire.socket.destroy();
      expect((await onlyMail(box.api_key)).metadata).toMatchObject({ client_address: address });
    }
  });

  it("closes a connection of the balancer without a header, and takes none from elsewhere", async () => {
    const missing = through(Buffer.from("EHLO client.example\r\n"), server.smtpPort);
    expect(await missing.closed()).toBe("");
    for (const header of [version1("192.0.2.1"), version2(0x21, 0x11, Buffer.alloc(12))]) {
      // For a client that is greeted without a pause, a header is a command that does not exist.
      const forged = await Wire.plain(server.smtpPort).send(header).send("\r\nQUIT\r\n").closed();
      expect(forged).toMatch(/^220 [^\r]*\r\n5\d\d /);
      expect(await Wire.plain(port).send(header).closed()).not.toContain("HTTP/1.1 2");
    }
  });
});

describe("STARTTLS", () => {
  it("discards everything that came before the handshake, and runs no command of it", async () => {
    const box = await makeBox();
    const wire = Wire.plain(server.smtpPort);
    await wire.heard(/^220 /);
    expect(await say(wire, "EHLO before.example")).toContain("250-STARTTLS");
    await say(wire, "MAIL FROM:<before@example.com>");
    await say(wire, `STARTTLS\r\nRCPT TO:<${box.mailbox}>\r\nRSET\r\nNOOP injected`);
    wire.socket.removeAllListeners("data");
    const inner = new Wire(
      connectTls({ socket: wire.socket, ca: pem("authority"), servername: "localhost" }),
    );
    // The first reply is that to the first command inside TLS: nothing before it was answered there.
    expect(await say(inner, `RCPT TO:<${box.mailbox}>`)).toMatch(/^503 [^\r]*\r\n$/);
    expect(await say(inner, "MAIL FROM:<inside@example.com>")).toMatch(/^503 /);
    const hello = await say(inner, "EHLO inside.example");
    expect(hello).not.toContain("STARTTLS");
    expect(await say(inner, "STARTTLS")).toMatch(/^503 /);
    expect(await say(inner, `RCPT TO:<${box.mailbox}>`)).toMatch(/^503 /);
    expect(await say(inner, "MAIL FROM:<inside@example.com>")).toMatch(/^250 /);
    inner.socket.destroy();
  });

  it("offers nothing before TLS 1.2", async () => {
    const wire = Wire.plain(server.smtpPort);
    await wire.heard(/^220 /);
    await say(wire, "EHLO client.example");
    await say(wire, "STARTTLS");
    wire.socket.removeAllListeners("data");
    const inner = connectTls({
      socket: wire.socket,
      rejectUnauthorized: false,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const [error] = (await once(inner, "error")) as [Error];
    expect(error.message).toMatch(/protocol version|alert/);
  });
});

/** Null where a program says this of itself, else why its test is skipped. */
function missing(program: string, argument: string, said: string): string | null {
  try {
    const text = execFileSync(program, [argument], { stdio: ["ignore", "pipe", "ignore"] }).toString();
    return text.includes(said) ? null : `${program} does not say ${said}`;
  } catch {
    return `${program} is not installed`;
  }
}

const swaks = missing("swaks", "--support", "TLS supported");
const openssl = missing("openssl", "version", "OpenSSL");
const note = (reason: string | null): string => (reason === null ? "" : ` (skipped: ${reason})`);

describe("a real client", () => {
  it.skipIf(swaks !== null)(
    `sends a mail through STARTTLS and checks the certificate: swaks${note(swaks)}`,
    async () => {
      const box = await makeBox();
      const common = [
        "--server",
        `127.0.0.1:${server.smtpPort}`,
        "--from",
        "shop@example.com",
        "--to",
        box.mailbox,
      ];
      const strict = ["--tls", "--tls-verify", "--tls-ca-path", AUTHORITY, "--tls-sni", "localhost"];
      const { stdout } = await promisify(execFile)("swaks", [...common, ...strict]);
      expect(stdout).toMatch(/TLS started with cipher TLSv1\.[23]/);
      expect((await onlyMail(box.api_key)).metadata).toMatchObject({ helo: expect.any(String) });
      const unknown = ["--tls", "--tls-verify", "--tls-ca-path", path.join(CERTIFICATES, "untrusted.pem")];
      await expect(promisify(execFile)("swaks", [...common, ...unknown])).rejects.toThrow("Command failed");
    },
  );

  it.skipIf(openssl !== null)(`finds chain and name of STARTTLS right: openssl${note(openssl)}`, async () => {
    const verify = async (name: string): Promise<string> => {
      const at = ["-connect", `127.0.0.1:${server.smtpPort}`, "-starttls", "smtp", "-brief"];
      const trust = ["-CAfile", AUTHORITY, "-verify_hostname", name, "-verify_return_error"];
      const client = spawn("openssl", ["s_client", ...at, ...trust], { stdio: ["pipe", "pipe", "pipe"] });
      let text = "";
      client.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
      client.stdout.resume();
      client.stdin.end("QUIT\r\n");
      await once(client, "close");
      return text;
    };
    expect(await verify("localhost")).toContain("Verification: OK");
    expect(await verify("elsewhere.example")).toMatch(/hostname mismatch/i);
  });
});

/** A report as RFC 8460 §3 describes it. */
function tlsReport(to: string, report: Buffer): string {
  return [
    "From: tlsrpt@mail.sender.example",
    `To: ${to}`,
    "Subject: Report Domain: agents.example Submitter: mail.sender.example",
    " Report-ID: <735ff.e317+bf22029@mail.sender.example>",
    "TLS-Report-Domain: agents.example",
    "TLS-Report-Submitter: mail.sender.example",
    "Message-ID: <735ff.e317@mail.sender.example>",
    "Date: Fri, 20 Nov 2026 08:00:00 +0000",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type="tlsrpt"; boundary="part"',
    "",
    "--part",
    'Content-Type: text/plain; charset="us-ascii"',
    "",
    "This is an aggregate TLS report from mail.sender.example.",
    "",
    "--part",
    "Content-Type: application/tlsrpt+gzip",
    "Content-Transfer-Encoding: base64",
    'Content-Disposition: attachment; filename="mail.sender.example!agents.example!1763510400!1763596799!001.json.gz"',
    "",
    `${report.toString("base64")}`,
    "",
    "--part--",
    "",
  ].join("\r\n");
}

describe("for those who send mail here", () => {
  it("the policy says which hosts and certificates are right (MTA-STS), at its own host only", async () => {
    const at = (host: string): Promise<Told> => ask("/.well-known/mta-sts.txt", { headers: { Host: host } });
    const policy = await at(`mta-sts.${DOMAIN}`);
    expect(policy.headers["content-type"]).toMatch(/^text\/plain\b/);
    expect(policy.text).toBe(
      "version: STSv1\r\nmode: enforce\r\nmx: mail.example.org\r\nmx: *.mx.example.org\r\nmax_age: 604800\r\n",
    );
    expect((await at("mta-sts.custom.example")).text).toBe(policy.text);
    expect((await at(DOMAIN)).status).toBe(404);
    const hosts = ["mail.example.org", "*.mx.example.org"];
    expect(mtaStsRecord({ mode: "enforce", hosts, maxAgeSeconds: 604_800 })).toMatch(
      /^v=STSv1; id=[0-9a-f]{20};$/,
    );
  });

  it("a report about TLS comes as a mail, its compressed file unchanged (TLS-RPT)", async () => {
    const box = await makeBox();
    const report = gzipSync(JSON.stringify({ "organization-name": "Company", policies: [] }));
    const mail = tlsReport(box.mailbox, report);
    const url = `/v1/inbound?from=noreply@example.com&to=${encodeURIComponent(box.mailbox)}`;
    const headers = { ...operator(), "Content-Type": "message/rfc822" };
    expect((await ask(url, { method: "POST", headers, body: mail })).status).toBe(202);
    const { attachments } = await onlyMail(box.api_key);
    expect(attachments).toMatchObject([{ content_type: "application/tlsrpt+gzip" }]);
    const file = await new Promise<Buffer>((resolve, reject) => {
      const route = `/v1/attachments/${attachments[0]?.id}`;
      const key = { Authorization: `Bearer ${box.api_key}` };
      const request = https.get(
        { host: "127.0.0.1", port, path: route, ca: pem("authority"), servername: "localhost", headers: key },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => resolve(Buffer.concat(chunks)));
        },
      );
      request.on("error", reject);
    });
    expect(JSON.parse(gunzipSync(file).toString())).toEqual({ "organization-name": "Company", policies: [] });
  });
});
