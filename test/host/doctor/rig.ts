import { execFile } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PRODUCT, VERSION } from "../../../src/contract/product.ts";
import { exitOf, type Finding } from "../../../src/host/doctor/finding.ts";
import { examineMachine } from "../../../src/host/doctor/machine.ts";
import { addressesOf, dnsOf } from "../../../src/host/doctor/ports/dns.ts";
import { dial } from "../../../src/host/doctor/ports/system.ts";
import type { Room, World } from "../../../src/host/doctor/ports/world.ts";
import { readMachine, type Given } from "../../../src/host/doctor/subject.ts";
import { writeLock } from "./lock-file.ts";
import { DnsServer } from "../../dns-server.ts";
import { say, SmtpPeer, type Plan } from "../../transport/smtp-peer.ts";
import { findProgram } from "../../pages/find-program.ts";

/** The rig makes certificates with openssl; where it is missing, its tests are skipped. */
export const NO_OPENSSL = findProgram("OPENSSL", ["openssl"]) === null;

const run = promisify(execFile);

export const DOMAIN = "agents.example.org";
export const HOST = "mail.example.org";
export const RELAY = "smtp.relay.example.net";
/** Public addresses; no connection to them leaves this machine. */
export const ADDRESS = "93.184.215.14";
const RELAY_ADDRESS = "93.184.216.20";
export const OTHER_ADDRESS = "93.184.217.30";
export const DAY_MS = 86_400_000;
export const GIB = 2 ** 30;
const OPERATOR = "operator-key-of-the-doctors-tests-012345";

/** A certificate signed by itself, and its key. */
export interface Certificate {
  cert: string;
  key: string;
}

async function certificate(folder: string, names: readonly string[]): Promise<Certificate> {
  const [first = ""] = names;
  const [key, cert] = [path.join(folder, `${first}.key`), path.join(folder, `${first}.crt`)];
  const subjects = names.map((name) => `DNS:${name}`).join(",");
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const who = ["-subj", `/CN=${first}`, "-addext", `subjectAltName=${subjects}`, "-days", "90"];
  await run("openssl", ["req", "-x509", ...kind, ...who, "-keyout", key, "-out", cert]);
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

/** The answers of a fake server, by path. */
export type Answers = Record<string, { status: number; body: string; asked?: (body: string) => void }>;

export const MAILBOX = `ann@${DOMAIN}`;
const ann = encodeURIComponent(MAILBOX);
const json = (value: unknown, status = 200) => ({ status, body: JSON.stringify(value) });
/** The fake server's answers about its one mailbox. */
export const infoOf = (more: object) => ({
  [`/v1/mailboxes/${ann}`]: json({ webhook_url: null, webhook_status: null, full: false, ...more }),
});
export const statsOf = (sending_obstacle: unknown) => ({
  [`/v1/stats?mailbox=${ann}`]: json({ sending_obstacle }),
});

/** A machine on which nothing is wrong, with a DNS of its own. Tests break one thing at a time. */
export class Rig {
  readonly folder: string;
  readonly envFile: string;
  readonly dataDir: string;
  readonly dkimFile: string;
  readonly dkimKey: string;
  /** Trusted by the world of this rig. */
  readonly good: Certificate;
  readonly dns: DnsServer;
  /** The hosts of the MX record and of the relay, as what they do now. */
  readonly inbound: SmtpPeer;
  readonly relay: SmtpPeer;
  readonly #local: http.Server;
  readonly #web: https.Server;
  readonly #redirect = http.createServer((_, response) => response.writeHead(308).end());
  readonly #authorities: readonly string[];
  /** `address:port` → port of this machine. */
  readonly ports = new Map<string, number>();
  answers: Answers = {};
  /** The requests to the fake server: method, where it is not GET, and path. */
  readonly asked: string[] = [];
  web: Answers = {};
  now = 0;
  room: Room = { bytes: 0, freeBytes: 0, files: 0, freeFiles: 0 };
  /** Files that this user may not look at. */
  readonly denied = new Set<string>();
  given: Omit<Given, "envFile">;
  resolver: string;

  private constructor(parts: Parts) {
    this.folder = parts.folder;
    this.envFile = path.join(this.folder, "mailkeep.env");
    this.dataDir = path.join(this.folder, "data");
    this.dkimFile = path.join(this.folder, "dkim.pem");
    this.dkimKey = parts.dkimKey;
    this.good = parts.good;
    this.#authorities = [parts.good.cert, parts.authority];
    this.dns = parts.dns;
    this.resolver = parts.dns.place;
    this.inbound = parts.inbound;
    this.relay = parts.relay;
    this.given = {
      addresses: [ADDRESS],
      clockUrl: new URL(`https://${HOST}/health`),
      outward: null,
      probe: false,
      resolverFrom: null,
    };
    this.#local = http.createServer((request, response) => this.#serve(this.answers, request, response));
    this.#web = https.createServer(parts.good, (request, response) =>
      this.#serve(this.web, request, response),
    );
  }

  static async start(): Promise<Rig> {
    const folder = await mkdtemp(path.join(tmpdir(), "mailkeep-doctor-"));
    const names = [HOST, `mta-sts.${DOMAIN}`, RELAY];
    const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const authority = path.resolve(import.meta.dirname, "../../transport/certificates/authority.pem");
    const rig = new Rig({
      folder,
      dkimKey: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      good: await certificate(folder, names),
      authority: await readFile(authority, "utf8"),
      dns: await DnsServer.start(),
      inbound: await SmtpPeer.start({}),
      relay: await SmtpPeer.start({}),
    });
    const servers = [rig.#local, rig.#web, rig.#redirect] as const;
    const [local = 0, web = 0, redirect = 0] = await Promise.all(servers.map(listening));
    rig.#home = { local, web, redirect };
    return rig;
  }

  #home = { local: 0, web: 0, redirect: 0 };

  /** The port of the fake server. */
  get localPort(): number {
    return this.#home.local;
  }

  async stop(): Promise<void> {
    this.dns.stop();
    this.inbound.stop();
    this.relay.stop();
    for (const server of [this.#local, this.#web, this.#redirect]) {
      server.close();
      server.closeAllConnections();
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Restores a machine on which nothing is wrong. */
  async reset(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true });
    await mkdir(path.join(this.dataDir, "do"), { recursive: true, mode: 0o700 });
    const secrets = { auth_token: OPERATOR, webhook_secret: "whsec_of-the-tests", key_secret: OPERATOR };
    await writeFile(path.join(this.dataDir, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
    writeLock(this.dataDir);
    await rm(this.envFile, { force: true });
    await writeFile(this.envFile, this.#settings(), { mode: 0o600 });
    await rm(this.dkimFile, { force: true });
    await writeFile(this.dkimFile, this.dkimKey, { mode: 0o600 });
    this.now = Date.now();
    this.room = { bytes: 100 * GIB, freeBytes: 50 * GIB, files: 1_000_000, freeFiles: 900_000 };
    this.given = {
      addresses: [ADDRESS],
      clockUrl: new URL(`https://${HOST}/health`),
      outward: null,
      probe: false,
      resolverFrom: null,
    };
    this.resolver = this.dns.place;
    this.#resetNetwork();
    this.#resetZone();
  }

  #settings(): string {
    const settings = {
      MAIL_DOMAIN: DOMAIN,
      PUBLIC_URL: `https://${HOST}`,
      DATA_DIR: this.dataDir,
      SMTP_HOST: "0.0.0.0",
      SMTP_PORT: "25",
      SMTP_URL: `smtp://user:password@${RELAY}:587`,
      DKIM_SELECTOR: "mk1",
      DKIM_PRIVATE_KEY: this.dkimFile,
    };
    return Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
  }

  #resetNetwork(): void {
    this.ports.clear();
    this.denied.clear();
    this.ports.set("127.0.0.1:8787", this.#home.local);
    this.ports.set(`${ADDRESS}:443`, this.#home.web);
    this.ports.set(`${ADDRESS}:25`, this.inbound.port);
    for (const port of [465, 587]) this.ports.set(`${RELAY_ADDRESS}:${port}`, this.relay.port);
    const health = { status: 200, body: JSON.stringify({ status: "ok", worker: PRODUCT, version: VERSION }) };
    this.answers = {
      "/health": health,
      "/v1/mailboxes?limit=1": json({ mailboxes: [] }),
      "/v1/mailboxes?limit=100": json({ mailboxes: [{ mailbox: MAILBOX, kind: "permanent" }] }),
      ...infoOf({}),
      ...statsOf(null),
      "/metrics": {
        status: 200,
        body: 'mailkeep_refusals_total{door="smtp",reason="unknown_mailbox"} 12\nmailkeep_refusals_total{door="http",reason="internal"} 1\n',
      },
      "POST /v1/mailboxes": json({ mailbox: `probe@${DOMAIN}`, api_key: "mk_probe" }, 201),
      "/v1/code?timeout=10": json({ code: "482913" }),
      [`DELETE /v1/mailboxes/${encodeURIComponent(`probe@${DOMAIN}`)}`]: json({ ok: true }),
    };
    this.asked.length = 0;
    this.ports.set("127.0.0.1:25", this.inbound.port);
    const policy = `version: STSv1\nmode: enforce\nmx: ${HOST}\nmax_age: 604800\n`;
    this.web = { "/health": health, "/.well-known/mta-sts.txt": { status: 200, body: policy } };
    this.present(this.good);
    replacePlan(this.inbound, {
      tls: this.good,
      offers: ["STARTTLS"],
      on: {
        RCPT: (talk, line) => talk.write(rcptReply(line)),
      },
    });
    replacePlan(this.relay, {
      tls: this.good,
      offers: ["STARTTLS"],
      offersSecured: ["AUTH PLAIN LOGIN"],
      on: { AUTH: say("235 2.7.0 welcome") },
    });
  }

  /** Port 80 of the machine leads to HTTPS. */
  redirect(): void {
    this.ports.set(`${ADDRESS}:80`, this.#home.redirect);
  }

  /** The certificate of PUBLIC_URL. */
  present(of: Certificate): void {
    this.#web.setSecureContext(of);
  }

  #resetZone(): void {
    const { zone } = this.dns;
    zone.clear();
    zone.set("NS", "example.org", "ns1.example.net.", "ns2.example.net.");
    zone.set("A", HOST, ADDRESS);
    zone.set("A", `mta-sts.${DOMAIN}`, ADDRESS);
    zone.set("MX", DOMAIN, `10 ${HOST}.`);
    zone.set("PTR", "14.215.184.93.in-addr.arpa", `${HOST}.`);
    zone.set("A", RELAY, RELAY_ADDRESS);
    zone.set("TXT", "relay.example.net", `"v=spf1 ip4:${RELAY_ADDRESS} -all"`);
    zone.set("TXT", DOMAIN, '"v=spf1 include:relay.example.net ~all"');
    zone.set("TXT", `_dmarc.${DOMAIN}`, '"v=DMARC1; p=none"');
    const spki = createPublicKey(this.dkimKey).export({ type: "spki", format: "der" }).toString("base64");
    const halves = [spki.slice(0, 200), spki.slice(200)];
    zone.set("TXT", `mk1._domainkey.${DOMAIN}`, `"v=DKIM1; k=rsa; p=${halves[0]}" "${halves[1]}"`);
    zone.set("TXT", `_mta-sts.${DOMAIN}`, '"v=STSv1; id=1"');
    zone.set("TXT", `_smtp._tls.${DOMAIN}`, `"v=TLSRPTv1; rua=mailto:postmaster@${DOMAIN}"`);
  }

  #serve(answers: Answers, request: http.IncomingMessage, response: http.ServerResponse): void {
    const what = request.method === "GET" ? (request.url ?? "") : `${request.method} ${request.url}`;
    this.asked.push(what);
    const { status, body, asked } = answers[what] ?? { status: 404, body: "no" };
    let sent = "";
    request.on("data", (chunk: Buffer) => (sent += chunk.toString("utf8")));
    request.on("end", () => {
      asked?.(sent);
      response.writeHead(status).end(body);
    });
  }

  /** The world as it is now; DNS is asked anew. */
  world(): World {
    const dns = dnsOf({ servers: [this.resolver] });
    return {
      dns,
      authorities: this.#authorities,
      addresses: (host) => addressesOf(dns, host),
      dial: ({ address, port }, signal) =>
        dial({ address: "127.0.0.1", port: this.ports.get(`${address}:${port}`) ?? CLOSED_PORT }, signal),
      now: () => this.now,
      stat: (file) =>
        this.denied.has(file)
          ? Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }))
          : stat(file),
      room: () => Promise.resolve(this.room),
      interfaces: () => [],
    };
  }

  /** Runs the doctor as an operator does with `--env-file`. */
  async diagnose(deadlineMs = 10_000): Promise<{ findings: Finding[]; exit: number }> {
    const subject = await readMachine({}, { ...this.given, envFile: this.envFile });
    const { signal } = new AbortController();
    const options = { command: "mailkeep-server doctor", deadlineMs, signal };
    const findings =
      "findings" in subject ? subject.findings : await examineMachine(subject.machine, this.world(), options);
    return { findings, exit: exitOf(findings) };
  }

  /** Does what a `fix` says: a command in a shell, or a record in the zone. */
  async apply(fix: string): Promise<void> {
    const record = /^(\S+)\. \d+ IN (\w+) (.+)$/.exec(fix);
    if (record === null) return void (await run("sh", ["-c", fix]));
    const [, name = "", type = "", data = ""] = record;
    const { zone } = this.dns;
    // A name has either an alias or records of its own (RFC 1034 §3.6.2).
    zone.set("CNAME", name);
    zone.set(type, name, data);
  }
}

interface Parts {
  folder: string;
  dkimKey: string;
  good: Certificate;
  authority: string;
  dns: DnsServer;
  inbound: SmtpPeer;
  relay: SmtpPeer;
}

/** Nobody has the address that the doctor asks for; the probe's mailbox is there. */
const rcptReply = (line: string): string => {
  if (!line.includes(DOMAIN)) return "550 5.7.1 no\r\n";
  return line.includes("mailkeep-doctor@") ? "550 5.1.1 who?\r\n" : "250 2.1.5 fine\r\n";
};

/** A port on which nothing listens: the first one, which only the system itself could give away. */
const CLOSED_PORT = 1;

/** A peer's plan is one object for its life. */
export function replacePlan(peer: SmtpPeer, plan: Plan): void {
  for (const name of Object.keys(peer.plan)) Reflect.deleteProperty(peer.plan, name);
  Object.assign(peer.plan, plan);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
