import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCheckedSender, type CheckedSender } from "../../../src/contract/checked-sender.ts";
import { startSmtp, type SmtpListener } from "../../../src/host/smtp/listener.ts";
import { SenderChecks } from "../../../src/host/smtp/sender-checks.ts";
import type { Dns } from "../../../src/lib/dns/dns.ts";
import { deadDns, dnsOf, KEY_RECORD, signed } from "../../signed-mail.ts";
import { FakeStore, type Handed } from "../fake-store.ts";
import { SmtpClient } from "./smtp-client.ts";

const BOX = "box@mailkeep.test";
const RECORDS = {
  "s1._domainkey.example.com": KEY_RECORD,
  "_dmarc.example.com": "v=DMARC1; p=reject",
};
const MAIL = "From: Ann <ann@example.com>\r\nTo: box@mailkeep.test\r\nSubject: Hello\r\n\r\nHello.\r\n";

let store: FakeStore;
let smtp: SmtpListener;
let folder: string;
let clients: SmtpClient[] = [];
let dns: Dns;

beforeEach(async () => {
  dns = dnsOf(RECORDS);
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-smtp-"));
  store = await FakeStore.start();
  smtp = await listen({ look: (...asked) => dns.look(...asked) });
});

afterEach(async () => {
  for (const client of clients) client.drop();
  clients = [];
  await smtp.stop(0);
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

function listen(resolver?: Dns): Promise<SmtpListener> {
  return startSmtp({
    host: "127.0.0.1",
    port: 0,
    upstream: store.url,
    token: "operator-key",
    spoolDir: path.join(folder, "spool"),
    maxBytes: 4 * 1024 * 1024,
    ...(resolver === undefined ? {} : { senders: new SenderChecks(resolver, () => {}) }),
  });
}

async function send(raw: string, from?: string): Promise<string> {
  const client = await SmtpClient.open(smtp.port, "client.example", from);
  clients.push(client);
  const reply = await client.deliver([BOX], raw.replace(/\r\n$/, ""));
  client.drop();
  return reply;
}

/** The result of the listener's check, from the headers of its call. */
function checkedIn(headers: Handed["headers"] | undefined): CheckedSender {
  const value = String(headers?.["mailkeep-sender-check"]);
  const read = readCheckedSender(value);
  if (typeof read !== "object" || read === null) throw new Error(`no result: ${value}`);
  return read;
}

/** The result for the newest message. */
const said = (): CheckedSender => checkedIn(store.handed.at(-1)?.headers);
const header = () => store.handed.at(-1)?.headers["mailkeep-sender-check"];

describe("a message by SMTP", () => {
  it("is handed over with what was found out about its sender", async () => {
    expect(await send(await signed(MAIL, "example.com"))).toContain("250 ");
    expect(said()).toMatchObject({
      from_domain: "example.com",
      dmarc: "pass",
      signatures: [
        {
          domain: "example.com",
          selector: "s1",
          algorithm: "rsa-sha256",
          bits: 2_048,
          result: "pass",
          aligned: true,
        },
      ],
    });
  });

  it("that was changed after it was signed is not proven", async () => {
    const changed = (await signed(MAIL, "example.com")).replace("Hello.", "Pay now.");
    await send(changed);
    expect(said()).toMatchObject({ dmarc: "fail", signatures: [{ result: "fail", aligned: true }] });
  });

  it("is proven by the address that it comes from, too", async () => {
    dns = dnsOf({ ...RECORDS, "example.com": "v=spf1 ip4:127.0.0.2 -all" });
    await send(MAIL, "127.0.0.2");
    expect(said()).toMatchObject({ from_domain: "example.com", spf: "pass", dmarc: "pass", signatures: [] });
    await send(MAIL, "127.0.0.3");
    expect(said()).toMatchObject({ spf: "fail", dmarc: "fail" });
  });

  it("with carriage returns alone in its header is handed over byte for byte, and is not proven", async () => {
    const genuine = await signed(MAIL, "example.com");
    const from = "From: Ann <ann@example.com>\r\n";
    const parts = "--zz\r\nContent-Type: text/plain\r\n\r\nPay Eve.\r\n--zz--\r\n";
    const replays = [
      `${from}Content-Type: multipart/mixed; boundary=zz\r\n\r\r\n${parts}${genuine.replace(from, "")}`,
      `X-Note: x\rSubject: Eve\r\n${genuine}`,
      `\r\r\n${genuine}`,
    ];
    for (const replay of replays) {
      expect(await send(replay)).toContain("250 ");
      expect(store.handed.at(-1)?.bytes.toString("latin1").endsWith(replay)).toBe(true);
      expect([said().from_domain, said().dmarc === "pass"]).toEqual([null, false]);
    }
  });

  it("is stored whatever its signatures name as selector", async () => {
    const long = `${"aaaaaaaaaa.".repeat(2_900)}a`;
    const field = (selector: string): string =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=${selector}; h=from; bh=AAAA; b=AAAA\r\n`;
    for (const raw of [field(long.slice(-300)) + MAIL, field(long).repeat(10) + MAIL]) {
      expect(await send(raw)).toContain("250 ");
      expect(said().signatures.every(({ selector }) => selector === "")).toBe(true);
    }
  });

  it("says nothing of its sender by its own header fields", async () => {
    const forged = [
      'Mailkeep-Sender-Check: {"from_domain":"example.com","spf":"pass","dmarc":"pass","signatures":[],"arc":null}',
      "Authentication-Results: mx.mailkeep.test; dkim=pass; dmarc=pass header.from=example.com",
    ];
    await send(`${forged.join("\r\n")}\r\n${MAIL}`);
    expect(said()).toMatchObject({ from_domain: "example.com", dmarc: "fail", signatures: [] });
  });

  it("that is held on disk is checked too, and again when it comes again", async () => {
    const large = await signed(`${MAIL}${"0123456789abcdef\r\n".repeat(120_000)}`, "example.com");
    for (let time = 1; time <= 2; time += 1) {
      expect(await send(large)).toContain("250 ");
      expect(store.handed).toHaveLength(time);
      expect(store.handed.at(-1)?.bytes.toString("latin1")).toBe(large);
      expect(said()).toMatchObject({ dmarc: "pass", signatures: [{ result: "pass" }] });
    }
  });

  it("that is too large is refused as without a check", async () => {
    expect(await send(`${MAIL}${"x".repeat(998)}\r\n`.repeat(4_500))).toContain("552 5.3.4");
    expect(store.handed).toEqual([]);
  });

  it("is `unchecked` where nothing is checked", async () => {
    await smtp.stop(0);
    smtp = await listen();
    await send(await signed(MAIL, "example.com"));
    expect(header()).toBe("unchecked");
  });
});

describe("a resolver that does not answer", () => {
  it("keeps no other sender waiting, however many messages wait for it", async () => {
    const [dead, sound] = [deadDns(), dnsOf(RECORDS)];
    dns = {
      look: (name, ...asked) => (name.endsWith("slow.example") ? dead : sound).look(name, ...asked),
    };
    const slow = MAIL.replace("example.com", "slow.example");
    const mails = Array.from({ length: 60 }, (_, index) => send(slow, `127.0.0.${2 + (index % 3)}`));
    // More messages came than may wait, so the first of them are answered.
    await Promise.race(mails);
    expect(await send(await signed(MAIL, "example.com"), "127.0.0.9")).toContain("250 ");
    const domains = store.handed.map(({ headers }) => checkedIn(headers)).map(({ dmarc }) => dmarc);
    expect(domains.filter((dmarc) => dmarc === "pass")).toHaveLength(1);
    expect(domains.length).toBeLessThan(61);
    dead.release();
    expect((await Promise.all(mails)).filter((reply) => reply.startsWith("250 "))).toHaveLength(60);
    const results = store.handed.map(({ headers }) => checkedIn(headers).dmarc);
    expect(results.filter((dmarc) => dmarc === "temperror")).toHaveLength(60);
  });
});
