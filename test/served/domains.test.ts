import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Domain, DomainCheck } from "../../src/contract/domain.ts";
import type { EmailPage } from "../../src/contract/message.ts";
import { KEY_RECORD, signed } from "../signed-mail.ts";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import type { MailboxKey, Told } from "./client.ts";
import { DnsServer } from "../dns-server.ts";
import { DohServer } from "./doh-server.ts";
import { message } from "./messages.ts";
import { copies, reading, send } from "./outgoing.ts";
import { makeDataDir, removeDataDir, Server } from "./server.ts";
import { deliver } from "./smtp.ts";

const DAY_MS = 86_400_000;
const POLL_MS = 50;
const PATIENCE_MS = 30_000;
const DOMAIN = "shop.example.org";

let doh: DohServer;
let relay: SmtpPeer;
let server: Server;
let dataDir: string;
let box: MailboxKey;

const start = () =>
  Server.start({
    dataDir,
    env: {
      SMTP_URL: relay.url(),
      DOH_URL: doh.url,
      MAIL_HOST: "mx.mailkeep.test",
      SPF_MECHANISMS: "include:_spf.mailkeep.test",
      SENDER_CHECKS: "on",
    },
  });

beforeAll(async () => {
  dataDir = await makeDataDir();
  doh = await DohServer.start();
  relay = await SmtpPeer.start();
  server = await start();
  box = await server.service.createMailbox();
}, 120_000);

afterAll(async () => {
  await server.stop();
  doh.stop();
  relay.stop();
  await removeDataDir(dataDir);
});

const add = (mailbox: MailboxKey, domain: string): Promise<Told<Domain>> =>
  server.service.ask<Domain>("/v1/domains", { key: mailbox.api_key, json: { domain } });
const verify = (mailbox: MailboxKey, id: string): Promise<Told<DomainCheck>> =>
  server.service.ask<DomainCheck>(`/v1/domains/${id}/verify`, { key: mailbox.api_key, method: "POST" });
const rcpt = async (address: string): Promise<string> => {
  const { rcpt: replies } = await deliver(server.smtpPort, {
    from: "ann@elsewhere.example",
    to: [address],
    bytes: message(),
  });
  return replies[0] ?? "";
};

/** The DKIM and DMARC results of a message by the mailauth library, with the same DNS. */
async function dkimOf(bytes: Buffer) {
  const { results } = await dkimVerify(bytes, {
    resolver: async (name: string) => {
      const answer = await fetch(`${doh.url}?name=${name}&type=TXT`);
      const { Answer = [] } = (await answer.json()) as { Answer?: { data: string }[] };
      if (Answer.length === 0)
        throw Object.assign(new Error(`Nothing is known of ${name}`), { code: "ENOTFOUND" });
      return Answer.map(({ data }) => Array.from(data.matchAll(/"([^"]*)"/g), ([, text = ""]) => text));
    },
  });
  return results.map(({ signingDomain, status }) => ({
    domain: signingDomain,
    result: status.result,
    aligned: status.aligned,
  }));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("What was waited for did not happen");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

describe("a custom domain, from adding it to losing it", () => {
  let domain: Domain;

  it("is added, and mail to it is refused while it is pending", async () => {
    const added = await add(box, DOMAIN);
    expect([added.status, added.body]).toMatchObject([201, { domain: DOMAIN, status: "pending" }]);
    domain = added.body;
    expect(domain.dns_records).toMatchObject({
      mx: { value: "mx.mailkeep.test" },
      spf: { value: "v=spf1 include:_spf.mailkeep.test ~all" },
    });
    expect(await rcpt(`sales@${DOMAIN}`)).toMatch(/^550 5\.1\.1 /);
    expect((await verify(box, domain.id)).body).toMatchObject({ status: "pending", mx_verified: false });
    const early = await send(server.service, box, { from: `x@${DOMAIN}`, to: "ann@elsewhere.example" });
    expect(early.status).toBe(403);
  });

  it("is verified once its records are set, by the configured resolver", async () => {
    doh.zone.publish(domain.dns_records);
    const { status, body } = await verify(box, domain.id);
    expect([status, body]).toMatchObject([
      200,
      {
        status: "verified",
        mx_verified: true,
        spf_verified: true,
        dkim_verified: true,
        dmarc_verified: true,
      },
    ]);
  });

  it("receives mail for any of its addresses over SMTP, also after a restart of the runtime", async () => {
    for (const local of ["sales", "Postmaster", "any.thing+tag"]) {
      const { data } = await deliver(server.smtpPort, {
        from: "ann@elsewhere.example",
        to: [`${local}@${DOMAIN}`],
        bytes: message({ subject: `For ${local}` }),
      });
      expect(data).toMatch(/^250 /);
    }
    await server.killWorkerd();
    await server.answers();
    expect(await rcpt(`later@${DOMAIN}`)).toMatch(/^250 /);
    const inbox = await server.service.inbox(box.api_key);
    expect(inbox.map(({ to_address }) => to_address).toReversed()).toEqual([
      `sales@${DOMAIN}`,
      `postmaster@${DOMAIN}`,
      `any.thing+tag@${DOMAIN}`,
      `later@${DOMAIN}`,
    ]);
    expect(await rcpt(`x@sub.${DOMAIN}`)).toMatch(/^550 5\.1\.1 /);
    expect(await rcpt("x@example.org")).toMatch(/^550 5\.1\.1 /);
  });

  it("sends mail that is signed with its key and passes DMARC", async () => {
    const mail = { from: `Sales <sales@${DOMAIN}>`, to: "ann@elsewhere.example", html: "<p>Grüße" };
    const { body } = await send(server.service, box, mail, { wait: 30 });
    expect(body).toMatchObject({ status: "sent" });
    const [copy] = copies(relay, body.message_id);
    const bytes = copy?.bytes ?? Buffer.alloc(0);
    expect(bytes.toString()).toContain(`From: Sales <sales@${DOMAIN}>`);
    expect(await dkimOf(bytes)).toEqual([{ domain: DOMAIN, result: "pass", aligned: DOMAIN }]);
    const forged = Buffer.from(bytes.toString("latin1").replace("sales@", "boss@"), "latin1");
    expect(await dkimOf(forged)).toMatchObject([{ result: "fail" }]);
    expect(copy?.commands.find((line) => line.startsWith("MAIL FROM"))).toMatch(/@mailkeep\.test>/);
  });

  it("answers mail from the address that received it", async () => {
    const [first] = (await server.service.inbox(box.api_key)).toReversed();
    const reply = await server.service.ask<{ id: string }>(`/v1/emails/${first?.id ?? ""}/reply?wait=30`, {
      key: box.api_key,
      json: { text: "Yes." },
    });
    const sent = await reading(server.service, box, reply.body.id, ({ status }) => status === "sent");
    expect(sent.from_address).toBe(`sales@${DOMAIN}`);
  });

  it("cannot be verified by another mailbox, even with its own records", async () => {
    const thief = await server.service.createMailbox();
    const { body } = await add(thief, DOMAIN);
    expect((await verify(thief, body.id)).body).toMatchObject({ status: "pending", dkim_verified: false });
    doh.zone.publish(body.dns_records, ["dkim"]);
    expect((await verify(thief, body.id)).status).toBe(409);
    for (const name of ["mailkeep.test", "x.mailkeep.test", "127.0.0.1", "com"]) {
      expect([name, (await add(thief, name)).status]).toEqual([name, 400]);
    }
    const stolen = await send(server.service, thief, { from: `x@${DOMAIN}`, to: "ann@elsewhere.example" });
    expect(stolen.status).toBe(403);
  });

  it("fails when its records are missing for a week, and then sends and receives nothing", async () => {
    doh.zone.set("MX", DOMAIN);
    const { body } = await verify(box, domain.id);
    expect(body).toMatchObject({ status: "verified", mx_verified: false });
    expect(await rcpt(`still@${DOMAIN}`)).toMatch(/^250 /);
    await server.stop();
    passTime(dataDir, 7 * DAY_MS);
    server = await start();
    const state = () => server.service.get<Domain>(`/v1/domains/${domain.id}`, box.api_key);
    await until(async () => (await state()).status === "failed");
    expect((await state()).message).toContain("is lost");
    await until(async () => (await rcpt(`x@${DOMAIN}`)).startsWith("550 5.1.1 "));
    const refused = await send(server.service, box, { from: `x@${DOMAIN}`, to: "ann@elsewhere.example" });
    expect([refused.status, refused.body]).toMatchObject([403, { message: expect.any(String) as string }]);
  });

  it("can be verified again when they are set, and is free when it is removed", async () => {
    doh.zone.publish(domain.dns_records);
    expect((await verify(box, domain.id)).body.status).toBe("verified");
    expect(await rcpt(`x@${DOMAIN}`)).toMatch(/^250 /);
    const gone = await server.service.ask(`/v1/domains/${domain.id}`, { key: box.api_key, method: "DELETE" });
    expect([gone.status, gone.body]).toEqual([200, { ok: true, deleted: DOMAIN }]);
    // The listener knows a recipient for two seconds; until then the message itself is refused.
    await until(async () => (await rcpt(`x@${DOMAIN}`)).startsWith("550 5.1.1 "));
  });
});

describe("two mailboxes that verify one domain at the same moment", () => {
  it("cannot both succeed", async () => {
    const name = "raced.example.org";
    const boxes = [await server.service.createMailbox(), await server.service.createMailbox()];
    const asked = await Promise.all(boxes.map(async (own) => ({ own, ...(await add(own, name)).body })));
    for (const { dns_records } of asked) doh.zone.publish(dns_records);
    const said = await Promise.all(asked.map(({ own, id }) => verify(own, id)));
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });
});

describe("who sent a mail by SMTP", () => {
  it("is found out by the server, and shown", async () => {
    const sender = "sender.example.org";
    doh.zone.set(
      "TXT",
      `s1._domainkey.${sender}`,
      (KEY_RECORD.match(/.{1,200}/g) ?? []).map((text) => `"${text}"`).join(" "),
    );
    doh.zone.set("TXT", `_dmarc.${sender}`, '"v=DMARC1; p=reject"');
    const text = `From: Ann <ann@${sender}>\r\nSubject: Signed\r\nMessage-ID: <signed@${sender}>\r\n\r\nHello.\r\n`;
    const own = await server.service.createMailbox();
    const mails = [
      await signed(text, sender),
      text.replace("<signed", "<forged").replace("Signed", "Forged"),
    ];
    for (const mail of mails) {
      const { data } = await deliver(server.smtpPort, {
        from: `ann@${sender}`,
        to: [own.mailbox],
        bytes: Buffer.from(mail),
      });
      expect(data).toContain("250 ");
    }
    const inbox = await server.service.ask<EmailPage>("/v1/inbox", { key: own.api_key });
    expect(inbox.body.emails.map(({ subject, sender_verified }) => [subject, sender_verified])).toEqual([
      ["Forged", false],
      ["Signed", true],
    ]);
    const email = await server.service.email(own.api_key, inbox.body.emails[1]?.id ?? "");
    expect(email.authentication).toMatchObject({
      verdict: "pass",
      aligned_domain: sender,
      checked_by: "self",
      dkim: "pass",
      dmarc: "pass",
    });
  });
});

describe("mail for domains that nobody holds", () => {
  it("leaves no file behind after the next start", async () => {
    const files = () => readdirSync(path.join(dataDir, "do", "mailkeep-Domain")).filter(isObject);
    for (let count = 0; count < 5; count += 1) await rcpt(`x@nobody-${count}.example`);
    await server.stop();
    expect(files().length).toBeGreaterThan(1);
    server = await start();
    // The object of the domain that is held.
    expect(files()).toHaveLength(1);
  });
});

const isObject = (name: string): boolean => /^[0-9a-f]{64}\.sqlite$/.test(name);

/** Moves the stored times of domains back by `ms`, as if so much time had passed. The server must not run. */
function passTime(dir: string, ms: number): void {
  const folder = path.join(dir, "do", "mailkeep-Mailbox");
  for (const file of readdirSync(folder).filter(isObject)) {
    const db = new DatabaseSync(path.join(folder, file));
    const table = db.prepare("SELECT name FROM sqlite_master WHERE name = 'domain'").get();
    if (table !== undefined) {
      db.prepare("UPDATE domain SET gone_at = gone_at - ?, seen_at = seen_at - ?, due_at = due_at - ?").run(
        ms,
        ms,
        ms,
      );
    }
    db.close();
  }
}

describe("RESOLVER as the address of a DNS server", () => {
  it("is asked over UDP for custom domains, and for who sent mail by SMTP and by /v1/inbound", async () => {
    const dns = await DnsServer.start();
    const env = { RESOLVER: `127.0.0.1:1,${dns.place}`, DOH_URL: "http://127.0.0.1:1/", SENDER_CHECKS: "on" };
    const own = await Server.start({ env });
    try {
      const { service } = own;
      const other = await service.createMailbox();
      const { body } = await service.ask<Domain>("/v1/domains", {
        key: other.api_key,
        json: { domain: "udp.example.org" },
      });
      dns.zone.publish(body.dns_records);
      const checked = await service.ask<DomainCheck>(`/v1/domains/${body.id}/verify`, {
        key: other.api_key,
        method: "POST",
      });
      expect(checked.body).toMatchObject({ status: "verified", spf_verified: true, dkim_verified: true });
      const bytes = message({ from: "ann@smtp.example.org" });
      await deliver(own.smtpPort, { from: "ann@smtp.example.org", to: [other.mailbox], bytes });
      await service.handOver(other.mailbox, message({ from: "ann@inbound.example.org" }));
      const { asked } = dns.zone;
      expect(asked).toEqual(
        expect.arrayContaining(["TXT _dmarc.smtp.example.org", "TXT _dmarc.inbound.example.org"]),
      );
    } finally {
      await own.stop();
      dns.stop();
    }
  });
});
