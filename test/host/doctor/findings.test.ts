import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CATALOGUE, TOPICS, type FindingId } from "../../../src/host/doctor/catalogue/catalogue.ts";
import { CLOUDFLARE } from "../../../src/host/doctor/catalogue/cloudflare.ts";
import { probeCheck } from "../../../src/host/doctor/checks/probe.ts";
import { DOCTOR_EXIT } from "../../../src/host/doctor/finding.ts";
import { readMachine } from "../../../src/host/doctor/subject.ts";
import { LOCK_FILE } from "../../../src/host/lock.ts";
import { hang, say } from "../../transport/smtp-peer.ts";
import {
  ADDRESS,
  DAY_MS,
  DOMAIN,
  GIB,
  HOST,
  infoOf,
  MAILBOX,
  OTHER_ADDRESS,
  RELAY,
  replacePlan,
  NO_OPENSSL,
  Rig,
  statsOf,
} from "./rig.ts";

const CERTIFICATES = path.resolve(import.meta.dirname, "../../transport/certificates");
const stored = (name: string) => ({
  cert: readFileSync(path.join(CERTIFICATES, `${name}.pem`), "utf8"),
  key: readFileSync(path.join(CERTIFICATES, "key.pem"), "utf8"),
});

/** How one finding is brought about, and how its fix is carried out. */
interface Row {
  id: FindingId;
  breaks: (rig: Rig) => void | Promise<void>;
  /** The form of the fix, where the test does not carry it out itself. */
  fix?: RegExp;
  /** Does what the fix tells a person or another program to do; without it the test runs the fix, or sets its record. */
  mends?: (rig: Rig, fix: string) => void | Promise<void>;
  /** Findings that the same fault brings with it. */
  also?: FindingId[];
  needsRoot?: boolean;
}

const set = (name: string, value: string) => async (rig: Rig) => {
  const text = await readFile(rig.envFile, "utf8");
  const others = text.split("\n").filter((line) => line !== "" && !line.startsWith(`${name}=`));
  await writeFile(rig.envFile, [...others, `${name}=${value}`, ""].join("\n"));
};
const zone =
  (type: string, name: string, ...data: string[]) =>
  ({ dns }: Rig) =>
    dns.zone.set(type, name, ...data);
const txt = (name: string, ...texts: string[]) => zone("TXT", name, ...texts.map((text) => `"${text}"`));
const policy = (text: string) => (rig: Rig) => {
  rig.web["/.well-known/mta-sts.txt"] = { status: 200, body: text };
};
const reset = (rig: Rig) => rig.reset();
const secretsOf = ({ dataDir }: Rig) => path.join(dataDir, "secrets.json");

/** The process of the test holds the lock. */
const RESTART = new RegExp(`^(?:kill ${process.pid}|systemctl restart mailkeep)$`);

const MACHINE: Row[] = [
  { id: "settings.wrong", breaks: set("PORT", "many") },
  { id: "settings.wrong", breaks: set("SMTP_TLS_KEY", "/nowhere"), fix: /SMTP_TLS_KEY/ },
  {
    id: "settings.unreadable",
    // A folder can be read as a file by nobody, root included.
    breaks: async (rig) => {
      await rename(rig.envFile, `${rig.envFile}.aside`);
      await mkdir(rig.envFile);
    },
    fix: /^sudo mailkeep-server doctor --env-file /,
    mends: async (rig) => {
      await rm(rig.envFile, { recursive: true });
      await rename(`${rig.envFile}.aside`, rig.envFile);
    },
  },
  {
    id: "settings.missing",
    breaks: (rig) => rename(rig.envFile, `${rig.envFile}.aside`),
    fix: /^touch \S+ && chmod 600 /,
    mends: async (rig, fix) => {
      await rig.apply(fix);
      await writeFile(rig.envFile, await readFile(`${rig.envFile}.aside`));
    },
  },
  { id: "files.open", breaks: (rig) => chmod(rig.dkimFile, 0o644) },
  { id: "secrets.open", breaks: (rig) => chmod(secretsOf(rig), 0o640) },
  {
    id: "secrets.damaged",
    breaks: (rig) => writeFile(secretsOf(rig), "{"),
  },
  {
    id: "secrets.lost",
    breaks: async (rig) => {
      await mkdir(path.join(rig.dataDir, "do/mailkeep-Mailbox"));
      await rename(secretsOf(rig), `${secretsOf(rig)}.aside`);
    },
    fix: /^ls -l /,
    mends: async (rig, fix) => {
      await rig.apply(fix);
      await rename(`${secretsOf(rig)}.aside`, secretsOf(rig));
    },
  },
  { id: "data.missing", breaks: (rig) => rm(rig.dataDir, { recursive: true }) },
  { id: "data.readonly", breaks: (rig) => chmod(rig.dataDir, 0o500) },
  {
    id: "data.unreadable",
    breaks: (rig) => void rig.denied.add(rig.dataDir),
    fix: /^sudo -u "\$\(stat -c %U \S+\)" mailkeep-server doctor$/,
    mends: (rig) => rig.denied.clear(),
  },
  { id: "data.open", breaks: (rig) => chmod(rig.dataDir, 0o755) },
  { id: "data.owner", breaks: (rig) => chown(path.join(rig.dataDir, "do"), 12_345, 12_345), needsRoot: true },
  {
    id: "disk.full",
    breaks: (rig) => void (rig.room.freeBytes = GIB / 8),
    mends: async (rig, fix) => {
      await rig.apply(fix);
      rig.room.freeBytes = 50 * GIB;
    },
  },
  {
    id: "disk.low",
    breaks: (rig) => void (rig.room.freeBytes = 3 * GIB),
    mends: async (rig, fix) => {
      await rig.apply(fix);
      rig.room.freeBytes = 50 * GIB;
    },
  },
  {
    id: "disk.inodes",
    breaks: (rig) => void (rig.room.freeFiles = 900),
    mends: async (rig, fix) => {
      await rig.apply(fix);
      rig.room.freeFiles = 900_000;
    },
  },
  {
    id: "clock.wrong",
    breaks: (rig) => void (rig.now += DAY_MS / 24),
    fix: /^timedatectl set-ntp true$/,
    mends: (rig) => void (rig.now = Date.now()),
  },
  {
    id: "clock.drifting",
    breaks: (rig) => void (rig.now -= 100_000),
    fix: /^timedatectl set-ntp true$/,
    mends: (rig) => void (rig.now = Date.now()),
  },
  {
    id: "server.down",
    breaks: (rig) => {
      rig.ports.delete("127.0.0.1:8787");
      return rm(path.join(rig.dataDir, LOCK_FILE));
    },
    fix: /^(?:mailkeep-server serve|systemctl start mailkeep)$/,
    mends: reset,
  },
  {
    id: "server.silent",
    breaks: (rig) => void rig.ports.delete("127.0.0.1:8787"),
    fix: RESTART,
    mends: reset,
  },
  {
    id: "server.other",
    breaks: (rig) => void (rig.answers["/health"] = { status: 200, body: "It works!" }),
    fix: /^ss -ltnp 'sport = :8787'$/,
    mends: reset,
  },
  {
    id: "server.failing",
    breaks: (rig) => void (rig.answers["/health"] = { status: 503, body: '{"error":"no"}' }),
    fix: /^curl -sS http:\/\/127\.0\.0\.1:8787\/health$/,
    mends: reset,
  },
  {
    id: "server.version",
    breaks: (rig) =>
      void (rig.answers["/health"] = { status: 200, body: '{"worker":"mailkeep","version":"0.0.1"}' }),
    fix: RESTART,
    mends: reset,
  },
  {
    id: "server.key",
    breaks: (rig) => void (rig.answers["/v1/mailboxes?limit=1"] = { status: 401, body: "{}" }),
    fix: RESTART,
    mends: reset,
  },
];

const RECORDS: Row[] = [
  {
    id: "resolver.silent",
    breaks: (rig) => void (rig.resolver = "127.0.0.1:1"),
    also: ["not-checked"],
    fix: /^mailkeep-server doctor --resolver 1\.1\.1\.1$/,
    mends: (rig) => void (rig.resolver = rig.dns.place),
  },
  {
    id: "not-checked",
    breaks: ({ dns }) => void dns.zone.broken.add(`_smtp._tls.${DOMAIN}`),
    fix: /^mailkeep-server doctor$/,
    mends: ({ dns }) => dns.zone.broken.clear(),
  },
  {
    id: "domain.reserved",
    breaks: set("MAIL_DOMAIN", "mailkeep.test"),
    mends: (rig, fix) => rig.apply(fix.replace("<your domain>", DOMAIN)),
  },
  {
    id: "ns.missing",
    breaks: zone("NS", "example.org"),
    fix: /^example\.org\. 3600 IN NS <name server of your DNS provider>\.$/,
    mends: (rig, fix) => rig.apply(fix.replace(/<.*>/, "ns1.example.net")),
  },
  {
    id: "address.missing",
    breaks: (rig) => {
      zone("A", HOST)(rig);
      rig.given.clockUrl = null;
    },
    also: ["mx.address"],
  },
  { id: "mx.missing", breaks: zone("MX", DOMAIN) },
  { id: "mx.null", breaks: zone("MX", DOMAIN, "0 .") },
  {
    id: "mx.elsewhere",
    breaks: (rig) => {
      zone("MX", DOMAIN, "10 mx.elsewhere.example.net.")(rig);
      zone("A", "mx.elsewhere.example.net", OTHER_ADDRESS)(rig);
      policy("version: STSv1\nmode: none\nmax_age: 1\n")(rig);
      zone("PTR", "30.217.184.93.in-addr.arpa", "mx.elsewhere.example.net.")(rig);
    },
    also: ["inbound.closed"],
  },
  {
    id: "mx.mixed",
    breaks: (rig) => {
      zone("MX", DOMAIN, `10 ${HOST}.`, "20 mx2.example.net.")(rig);
      zone("A", "mx2.example.net", OTHER_ADDRESS)(rig);
      zone("PTR", "30.217.184.93.in-addr.arpa", "mx2.example.net.")(rig);
      policy("version: STSv1\nmode: none\nmax_age: 1\n")(rig);
    },
    also: ["inbound.closed"],
  },
  {
    id: "mx.alias",
    breaks: (rig) => {
      zone("MX", DOMAIN, "10 mx.example.org.")(rig);
      zone("CNAME", "mx.example.org", `${HOST}.`)(rig);
      policy("version: STSv1\nmode: none\nmax_age: 1\n")(rig);
    },
    also: ["inbound.certificate-name"],
  },
  {
    id: "mx.literal",
    breaks: (rig) => {
      zone("MX", DOMAIN, `10 ${ADDRESS}.`)(rig);
      policy("version: STSv1\nmode: none\nmax_age: 1\n")(rig);
    },
  },
  {
    id: "mx.address",
    breaks: (rig) => {
      zone("MX", DOMAIN, "10 mx3.example.org.")(rig);
      policy("version: STSv1\nmode: enforce\nmx: mx3.example.org\nmax_age: 1\n")(rig);
      rig.inbound.plan.tls = rig.good;
      zone("PTR", "14.215.184.93.in-addr.arpa", `${HOST}.`)(rig);
    },
    mends: async (rig, fix) => {
      await rig.apply(fix);
      await rig.apply(`${DOMAIN}. 60 IN MX 10 ${HOST}.`);
      policy(`version: STSv1\nmode: enforce\nmx: ${HOST}\nmax_age: 1\n`)(rig);
    },
    fix: new RegExp(`^mx3\\.example\\.org\\. 3600 IN A ${ADDRESS}$`),
  },
  {
    id: "mx.private",
    breaks: (rig) => {
      zone("A", HOST, "10.0.0.7")(rig);
      rig.ports.set("10.0.0.7:25", rig.inbound.port);
      rig.ports.set("10.0.0.7:443", rig.ports.get(`${ADDRESS}:443`) ?? 0);
      zone("PTR", "7.0.0.10.in-addr.arpa", `${HOST}.`)(rig);
    },
  },
  { id: "ptr.missing", breaks: zone("PTR", "14.215.184.93.in-addr.arpa") },
  { id: "ptr.unconfirmed", breaks: zone("PTR", "14.215.184.93.in-addr.arpa", "host-14.example.net.") },
  { id: "spf.missing", breaks: zone("TXT", DOMAIN, '"some other text"') },
  {
    id: "spf.several",
    breaks: txt(DOMAIN, "v=spf1 include:relay.example.net -all", `v=spf1 ip4:${OTHER_ADDRESS} ~all`),
  },
  { id: "spf.syntax", breaks: txt(DOMAIN, "v=spf1 include:relay.example.net ipv4:1.2.3.4 ~all") },
  {
    id: "spf.lookups",
    breaks: (rig) => {
      const names = Array.from({ length: 11 }, (_, at) => `s${at}.example`);
      for (const name of names) txt(name, "v=spf1 -all")(rig);
      txt(DOMAIN, `v=spf1 ${names.map((name) => `include:${name}`).join(" ")} ~all`)(rig);
    },
  },
  {
    id: "spf.include",
    breaks: txt(DOMAIN, "v=spf1 include:gone.example.net include:relay.example.net ~all"),
  },
  {
    id: "spf.include",
    breaks: (rig) => {
      txt("loop.example.net", `v=spf1 include:${DOMAIN} -all`)(rig);
      txt(DOMAIN, "v=spf1 include:loop.example.net include:relay.example.net ~all")(rig);
    },
  },
  { id: "spf.relay", breaks: txt(DOMAIN, `v=spf1 ip4:${OTHER_ADDRESS} -all`) },
  { id: "spf.open", breaks: txt(DOMAIN, "v=spf1 include:relay.example.net +all") },
  { id: "dkim.missing", breaks: zone("TXT", `mk1._domainkey.${DOMAIN}`) },
  { id: "dkim.wrong", breaks: txt(`mk1._domainkey.${DOMAIN}`, "v=DKIM1; k=rsa; p=MIIBIjANBgkqh") },
  { id: "dmarc.missing", breaks: zone("TXT", `_dmarc.${DOMAIN}`) },
  { id: "dmarc.wrong", breaks: txt(`_dmarc.${DOMAIN}`, "v=DMARC1; rua=mailto:x@example.org") },
  { id: "mta-sts.record", breaks: txt(`_mta-sts.${DOMAIN}`, "v=STSv1; id=") },
  {
    id: "mta-sts.policy",
    breaks: (rig) => void delete rig.web["/.well-known/mta-sts.txt"],
    fix: /^curl -sSv https:\/\/mta-sts\.agents\.example\.org\/\.well-known\/mta-sts\.txt$/,
    mends: reset,
  },
  { id: "mta-sts.syntax", breaks: policy("version: STSv2\n"), fix: /^curl -sSv /, mends: reset },
  {
    id: "mta-sts.mx",
    breaks: (rig) => {
      policy("version: STSv1\nmode: enforce\nmx: *.example.org\nmax_age: 86400\n")(rig);
      zone("MX", DOMAIN, "10 mail.example.com.")(rig);
      zone("A", "mail.example.com", ADDRESS)(rig);
    },
    also: ["inbound.certificate-name"],
  },
  {
    id: "mta-sts.testing",
    breaks: (rig) => {
      policy("version: STSv1\nmode: testing\nmx: *.example.org\nmax_age: 86400\n")(rig);
      zone("MX", DOMAIN, "10 mail.example.com.")(rig);
      zone("A", "mail.example.com", ADDRESS)(rig);
    },
    also: ["inbound.certificate-name"],
  },
  { id: "tls-rpt.missing", breaks: zone("TXT", `_smtp._tls.${DOMAIN}`) },
  { id: "tls-rpt.wrong", breaks: txt(`_smtp._tls.${DOMAIN}`, "v=TLSRPTv1; rua=postmaster") },
];

const renewed = (rig: Rig) => {
  rig.present(rig.good);
  rig.inbound.plan.tls = rig.good;
};

const MAIL: Row[] = [
  {
    id: "inbound.closed",
    breaks: async (rig) => {
      await set("SMTP_PORT", "2525")(rig);
      rig.ports.delete(`${ADDRESS}:25`);
    },
    fix: /SMTP_PORT=25/,
    mends: async (rig, fix) => {
      await rig.apply(fix);
      // The restarted server listens where the settings say.
      const [, port = ""] = /^SMTP_PORT=(\d+)$/m.exec(await readFile(rig.envFile, "utf8")) ?? [];
      rig.ports.set(`${ADDRESS}:${port}`, rig.inbound.port);
    },
  },
  {
    id: "inbound.refused",
    breaks: (rig) => void (rig.inbound.plan.greeting = say("554 5.7.1 not today")),
    fix: /^openssl s_client -starttls smtp -connect mail\.example\.org:25$/,
    mends: reset,
  },
  {
    id: "inbound.recipient",
    breaks: (rig) => void (rig.inbound.plan.on = { RCPT: say("550 5.7.1 relaying denied") }),
    fix: /^swaks --server mail\.example\.org --to mailkeep-doctor@agents\.example\.org --quit-after RCPT$/,
    mends: reset,
  },
  {
    id: "inbound.open-relay",
    breaks: (rig) => void (rig.inbound.plan.on = {}),
    fix: /^postconf -e /,
    mends: reset,
  },
  {
    id: "inbound.no-tls",
    breaks: (rig) => void (rig.inbound.plan.offers = []),
    fix: /^certbot certonly .* SMTP_TLS_CERT=.* SMTP_TLS_KEY=/,
    mends: reset,
  },
  {
    id: "inbound.tls-failed",
    breaks: (rig) => void (rig.inbound.plan.on = { STARTTLS: say("454 4.7.0 not now") }),
    fix: /^openssl s_client /,
    mends: reset,
  },
  {
    id: "inbound.certificate-expired",
    breaks: (rig) => void (rig.inbound.plan.tls = stored("expired")),
    fix: /^certbot renew --cert-name mail\.example\.org --force-renewal$/,
    mends: renewed,
  },
  {
    id: "inbound.certificate-ending",
    breaks: (rig) => void (rig.now += 80 * DAY_MS),
    also: ["https.certificate-ending", "clock.wrong"],
    fix: /^certbot renew --cert-name mail\.example\.org --force-renewal$/,
    mends: (rig) => void (rig.now -= 80 * DAY_MS),
  },
  {
    id: "inbound.certificate-name",
    breaks: (rig) => void (rig.inbound.plan.tls = stored("other")),
    fix: /^certbot certonly --standalone -d mail\.example\.org$/,
    mends: renewed,
  },
  {
    id: "inbound.certificate-untrusted",
    breaks: (rig) => void (rig.inbound.plan.tls = stored("untrusted")),
    fix: /^certbot certonly --standalone -d mail\.example\.org$/,
    mends: renewed,
  },
  { id: "inbound.unchecked", breaks: set("SENDER_CHECKS", "off"), fix: /SENDER_CHECKS=on/ },
  { id: "https.plain", breaks: set("PUBLIC_URL", `http://${HOST}`) },
  {
    id: "https.unreachable",
    breaks: (rig) => {
      rig.ports.delete(`${ADDRESS}:443`);
      rig.given.clockUrl = null;
      zone("TXT", `_mta-sts.${DOMAIN}`)(rig);
    },
    also: ["not-checked"],
    fix: /^curl -sSv https:\/\/mail\.example\.org\/health$/,
    mends: reset,
  },
  {
    id: "https.other",
    breaks: (rig) => void (rig.web["/health"] = { status: 502, body: "Bad Gateway" }),
    fix: /^curl -sSv https:\/\/mail\.example\.org\/health$/,
    mends: reset,
  },
  {
    id: "https.no-redirect",
    breaks: set("ACME_WEBROOT", "/var/lib/mailkeep-acme"),
    fix: /^curl -sSI http:\/\/mail\.example\.org\/health$/,
    mends: (rig) => rig.redirect(),
  },
  {
    id: "https.certificate-expired",
    breaks: (rig) => rig.present(stored("expired")),
    also: ["mta-sts.policy"],
    fix: /^certbot renew --cert-name mail\.example\.org --force-renewal$/,
    mends: renewed,
  },
  {
    id: "https.certificate-ending",
    breaks: (rig) => void (rig.now += 80 * DAY_MS),
    also: ["inbound.certificate-ending", "clock.wrong"],
    fix: /^certbot renew --cert-name mail\.example\.org --force-renewal$/,
    mends: (rig) => void (rig.now -= 80 * DAY_MS),
  },
  {
    id: "https.certificate-name",
    breaks: (rig) => rig.present(stored("other")),
    also: ["mta-sts.policy"],
    fix: /^certbot certonly --standalone -d mail\.example\.org$/,
    mends: renewed,
  },
  {
    id: "https.certificate-untrusted",
    breaks: async (rig) => {
      await set("ACME_WEBROOT", "/var/lib/mailkeep-acme")(rig);
      rig.redirect();
      rig.present(stored("untrusted"));
    },
    also: ["mta-sts.policy"],
    fix: /^certbot certonly --webroot -w \/var\/lib\/mailkeep-acme -d mail\.example\.org$/,
    mends: renewed,
  },
  {
    id: "relay.unknown-host",
    breaks: set("SMTP_URL", "smtp://user:password@gone.relay.example.net:587"),
    fix: /SMTP_URL=smtp:\/\/<user>:<password>@<relay>:587/,
    mends: (rig, fix) => rig.apply(withRelay(fix)),
  },
  {
    id: "relay.unreachable",
    breaks: set("SMTP_URL", `smtp://user:password@${RELAY}:2587`),
    fix: /SMTP_URL=smtp:\/\/<user>:<password>@smtp\.relay\.example\.net:587/,
    mends: (rig, fix) => rig.apply(withRelay(fix)),
  },
  {
    id: "relay.refused",
    breaks: (rig) => void (rig.relay.plan.greeting = say("554 5.7.1 blocked")),
    fix: /^openssl s_client -starttls smtp -connect smtp\.relay\.example\.net:587$/,
    mends: reset,
  },
  {
    id: "relay.no-tls",
    breaks: (rig) => void (rig.relay.plan.offers = []),
    fix: /SMTP_URL=smtps:\/\/<user>:<password>@smtp\.relay\.example\.net:465/,
    mends: async (rig, fix) => {
      await rig.apply(withRelay(fix));
      rig.relay.plan.implicitTls = true;
    },
  },
  {
    id: "relay.certificate",
    breaks: (rig) => void (rig.relay.plan.tls = stored("other")),
    fix: /^openssl s_client /,
    mends: reset,
  },
  {
    id: "relay.login",
    breaks: (rig) => void (rig.relay.plan.on = { AUTH: say("535 5.7.8 wrong") }),
    fix: /SMTP_URL=smtp:\/\/<user>:<password>@smtp\.relay\.example\.net:587/,
    mends: async (rig, fix) => {
      await rig.apply(withRelay(fix, "right"));
      const right = Buffer.from("\0user\0right").toString("base64");
      const judge = (line: string) => (line.endsWith(right) ? "235 2.7.0 welcome" : "535 5.7.8 wrong");
      rig.relay.plan.on = { AUTH: (talk, line) => talk.write(`${judge(line)}\r\n`) };
    },
  },
  {
    id: "relay.no-login",
    breaks: async (rig) => {
      await set("SMTP_URL", `smtp://user:password@${RELAY}:587/?authMethod=LOGIN`)(rig);
      rig.relay.plan.offersSecured = ["AUTH PLAIN"];
    },
    fix: /authMethod=PLAIN/,
    mends: (rig, fix) => rig.apply(withRelay(fix)),
  },
  {
    id: "outward.closed",
    breaks: (rig) => void (rig.given.outward = { host: HOST, port: 2526 }),
    fix: /^nc -vz mail\.example\.org 2526$/,
    mends: (rig) => void rig.ports.set(`${ADDRESS}:2526`, rig.inbound.port),
  },
];

const URL_OF_HOOK = "https://hooks.example.net/it's?a=1&b=2";

const SERVICE: Row[] = [
  {
    id: "mailboxes.webhook-failed",
    breaks: (rig) =>
      void Object.assign(rig.answers, infoOf({ webhook_url: URL_OF_HOOK, webhook_status: "failed" })),
    fix: /^curl -sS -X PATCH 'http:\/\/127\.0\.0\.1:8787\/v1\/mailbox\?mailbox=ann%40agents\.example\.org' -H /,
    mends: async (rig, fix) => {
      const asked = (body: string) => {
        expect(JSON.parse(body)).toEqual({ webhook_url: URL_OF_HOOK });
        Object.assign(rig.answers, infoOf({ webhook_url: URL_OF_HOOK, webhook_status: "active" }));
      };
      rig.answers[`PATCH /v1/mailbox?mailbox=${encodeURIComponent(MAILBOX)}`] = {
        status: 200,
        body: "{}",
        asked,
      };
      await rig.apply(fix.replace(":8787", `:${rig.localPort}`));
    },
  },
  {
    id: "mailboxes.full",
    breaks: (rig) => void Object.assign(rig.answers, infoOf({ full: true })),
    fix: /MAILBOX_QUOTA_BYTES=10000000000/,
    mends: async (rig, fix) => {
      await rig.apply(fix);
      expect(await readFile(rig.envFile, "utf8")).toContain("MAILBOX_QUOTA_BYTES=10000000000");
      Object.assign(rig.answers, infoOf({ full: false }));
    },
  },
  {
    id: "mailboxes.sending",
    breaks: (rig) =>
      void Object.assign(rig.answers, statsOf({ reply: "535 5.7.8 wrong", at: "2026-11-22T10:00:00.000Z" })),
    fix: /SMTP_URL=smtp:\/\/<user>:<password>@<relay>:587/,
    mends: async (rig, fix) => {
      await rig.apply(withRelay(fix));
      // The next message goes out.
      Object.assign(rig.answers, statsOf(null));
    },
  },
  {
    id: "mailboxes.halted",
    breaks: (rig) => {
      const body = '{"status":"halted","reason":"A key leaked","halted_at":"2026-11-23T09:00:00.000Z"}';
      rig.answers["/v1/sending"] = { status: 200, body };
    },
    fix: /^curl -sS -X PATCH \S+\/v1\/sending\/resume -H "Authorization: Bearer \$/,
    mends: reset,
  },
  {
    id: "refusals.own",
    breaks: (rig) => {
      const body = 'mailkeep_refusals_total{door="smtp",reason="mailbox_full"} 3\n';
      rig.answers["/metrics"] = { status: 200, body };
    },
    fix: /^journalctl -u mailkeep --since -1d$/,
    mends: reset,
  },
  {
    id: "probe.failed",
    breaks: (rig) => {
      rig.given.probe = true;
      rig.answers["/v1/code?timeout=10"] = { status: 200, body: '{"code":null}' };
    },
    fix: /^journalctl -u mailkeep --since -10min$/,
    mends: (rig) => void (rig.answers["/v1/code?timeout=10"] = { status: 200, body: '{"code":"482913"}' }),
  },
];

/** The fix as an operator completes it. */
const withRelay = (fix: string, password = "password"): string =>
  fix.replace("<relay>", RELAY).replace("<user>", "user").replace("<password>", password);

const ROWS = [...MACHINE, ...RECORDS, ...MAIL, ...SERVICE];

describe.skipIf(NO_OPENSSL)("the doctor on a machine of one's own", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start();
  });
  afterAll(() => rig.stop());
  beforeEach(() => rig.reset());

  const problems = async (): Promise<string[]> => {
    const { findings } = await rig.diagnose();
    return findings.filter(({ level }) => level !== "ok").map(({ id }) => id);
  };

  it("finds no fault where there is none, names what it checked, and changes nothing", async () => {
    const { findings, exit } = await rig.diagnose();
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect(exit).toBe(DOCTOR_EXIT.ok);
    const looked = [
      "files",
      "secrets",
      "data",
      "disk",
      "server",
      "relay",
      "mailboxes",
      "refusals",
      "resolver",
      "ns",
      "address",
      "mx",
      "ptr",
    ];
    const named = ["inbound", "https", "spf", "dkim", "dmarc", "mta-sts", "tls-rpt", "clock"];
    expect(findings.map(({ id }) => id)).toEqual([...looked, ...named]);
    expect(rig.relay.commands.concat(rig.inbound.commands).filter((line) => line.startsWith("DATA"))).toEqual(
      [],
    );
  });

  it("sends a mail only with --probe, and erases the mailbox that it made", async () => {
    await rig.diagnose();
    expect(rig.asked.filter((one) => /^[A-Z]/.test(one))).toEqual([]);
    rig.given.probe = true;
    const { findings } = await rig.diagnose();
    expect(findings.find(({ id }) => id === "probe")?.title).toMatch(
      /made in \d+ ms, mail taken in \d+ ms, code/,
    );
    expect(rig.inbound.taken.at(-1)?.bytes.toString("utf8")).toContain("Your verification code is 482913.");
    expect(rig.asked.filter((one) => /^[A-Z]/.test(one))).toEqual([
      "POST /v1/mailboxes",
      "DELETE /v1/mailboxes/probe%40agents.example.org",
    ]);
  });

  it("looks at mailboxes of every page", async () => {
    const first = {
      mailboxes: [{ mailbox: "bob@agents.example.org", kind: "temporary" }],
      next_cursor: "a b",
    };
    const { "/v1/mailboxes?limit=100": last } = rig.answers;
    if (last === undefined) throw new Error("the fake server lists its mailbox");
    rig.answers["/v1/mailboxes?limit=100"] = { status: 200, body: JSON.stringify(first) };
    rig.answers["/v1/mailboxes?limit=100&cursor=a%20b"] = last;
    Object.assign(rig.answers, infoOf({ full: true }));
    const { findings } = await rig.diagnose();
    expect(findings.map(({ id }) => id)).toContain("mailboxes.full");
  });

  it("erases the mailbox that it made although its time is over", async () => {
    const subject = await readMachine({}, { ...rig.given, probe: true, envFile: rig.envFile });
    if (!("machine" in subject)) throw new Error("the settings are right");
    const over = new AbortController();
    replacePlan(rig.inbound, { on: { RCPT: () => over.abort() } });
    await expect(probeCheck.run(subject.machine, rig.world(), over.signal)).rejects.toThrow("aborted");
    expect(rig.asked.at(-1)).toBe("DELETE /v1/mailboxes/probe%40agents.example.org");
  });

  it("sends the operator key to nobody where no server holds the data folder", async () => {
    await rm(path.join(rig.dataDir, LOCK_FILE));
    rig.given.probe = true;
    const { findings } = await rig.diagnose();
    expect(rig.asked.filter((one) => /v1|metrics/.test(one))).toEqual([]);
    expect(findings.find(({ id }) => id === "server")?.title).toContain("no server that runs holds");
  });

  it.for(ROWS)("finds $id, and the printed fix removes it", async (row, { skip }) => {
    const { id, breaks, fix, mends, also = [], needsRoot = false } = row;
    skip(needsRoot && process.getuid?.() !== 0, "only root can give a file to another user");
    await breaks(rig);
    const { findings, exit } = await rig.diagnose();
    const wrong = findings.filter(({ level }) => level !== "ok");
    expect(new Set(wrong.map((finding) => finding.id))).toEqual(new Set([id, ...also]));
    const found = wrong.find((finding) => finding.id === id);
    const { level, cost } = CATALOGUE[id];
    expect(found).toMatchObject({ level, cost });
    expect(exit).not.toBe(DOCTOR_EXIT.ok);
    expect(found?.fix).toMatch(fix ?? /./);
    const settings = (): Promise<string | null> => readFile(rig.envFile, "utf8").catch(() => null);
    const before = await settings();
    const isTemplate = found?.fix.includes("<") === true && !/ IN [A-Z]+ /.test(found.fix);
    if (isTemplate) await rig.apply(found.fix);
    expect(await settings(), "with placeholders, the fix changes nothing").toBe(before);
    await (mends ?? ((one, text) => one.apply(text)))(rig, found?.fix ?? "");
    expect(await problems()).toEqual([]);
  });

  it("prints no command that loses a setting: the old line stays as a comment", async () => {
    await set("DKIM_SELECTOR", "no selector: it has blanks")(rig);
    await set("PORT", "many")(rig);
    const { findings } = await rig.diagnose();
    const fix = findings.find(({ title }) => title.includes("PORT"))?.fix ?? "";
    await rig.apply(fix);
    expect(await readFile(rig.envFile, "utf8")).toContain("#PORT=many\n");
  });

  it("checks the DNS of a reserved domain that a resolver of the operator's own knows", async () => {
    await set("MAIL_DOMAIN", "mail.test")(rig);
    await set("RESOLVER", rig.dns.place)(rig);
    const idsOf = async () =>
      (await rig.diagnose()).findings.filter(({ level }) => level !== "ok").map(({ id }) => id);
    expect(await idsOf()).toContain("domain.reserved");
    rig.dns.zone.set("NS", "mail.test", "ns.mail.test.");
    const found = await idsOf();
    expect(found).toContain("mx.missing");
    expect(found).not.toContain("domain.reserved");
  });

  it("has such a test for every finding of the catalogue", () => {
    const tested = [...ROWS.map(({ id }) => id), ...Object.keys(CLOUDFLARE)];
    expect(new Set(tested)).toEqual(new Set(Object.keys(CATALOGUE)));
  });

  it("has a topic for every finding", () => {
    const topics = Object.keys(CATALOGUE).flatMap((id) =>
      id === "not-checked" ? [] : id.split(".").slice(0, 1),
    );
    expect(TOPICS).toEqual(expect.arrayContaining(topics));
  });

  it("ends a check that gets no answer, and keeps what the others found", async () => {
    rig.inbound.plan.greeting = hang;
    zone("TXT", `_dmarc.${DOMAIN}`)(rig);
    const { findings, exit } = await rig.diagnose(3_000);
    const wrong = findings.filter(({ level }) => level !== "ok").map(({ id, title }) => [id, title]);
    expect(wrong).toEqual([
      [expect.stringMatching(/^(?:not-checked|inbound\.refused)$/), expect.stringContaining("inbound")],
      ["dmarc.missing", expect.any(String)],
    ]);
    expect(exit).toBe(DOCTOR_EXIT.warnings);
  });
});
