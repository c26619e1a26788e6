import { generateKeyPairSync } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { dkimSignature } from "../../src/outbound/dkim.ts";
import { quantile } from "./measure.ts";
import { cpuMs } from "./process-cost.ts";
import { Service } from "./service.ts";
import { SmtpConnection } from "./smtp-connection.ts";

/** The cost that checking the sender adds to a receipt by SMTP, with all answers of DNS in the cache. */
export interface SenderResults {
  count: number;
  /** Milliseconds from MAIL to the reply, with and without the check. */
  checkedP50Ms: number;
  uncheckedP50Ms: number;
  /** CPU of the listener and of workerd for each message, in ms. */
  checkedCpuMs: number;
  uncheckedCpuMs: number;
}

/** The means of the suite. */
export interface SenderSetting {
  tempDir: string;
  env: Record<string, string>;
  /** Registers something that must be ended, however the bench ends. */
  created: (end: () => Promise<void>) => void;
}

const ROUNDS = 12;
const PER_ROUND = 30;
const WARM_UP = 60;
/** Of an ordinary mail. */
const BODY = "A line of an ordinary mail, about as long as people write them.\r\n".repeat(30);
/** Asked of the bench's own resolver only. */
const DOMAIN = "bench-sender.com";
const DNS_TYPE_TXT = 16;
const SIDES = ["checked", "unchecked"] as const;

interface Side {
  service: Service;
  session: SmtpConnection;
  address: string;
  latenciesMs: number[];
}

/** Two services, one that checks and one that does not, take the same signed mails in turn. */
export async function measureSenders(
  { tempDir, env, created }: SenderSetting,
  say: (line: string) => void,
): Promise<SenderResults> {
  say("senders: receipts with and without a check of the sender");
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const resolver = await resolverOf({
    [DOMAIN]: "v=spf1 ip4:127.0.0.0/8 -all",
    [`s1._domainkey.${DOMAIN}`]: `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`,
    [`_dmarc.${DOMAIN}`]: "v=DMARC1; p=reject",
  });
  created(() => resolver.close());
  const open = async (name: (typeof SIDES)[number]): Promise<Side> => {
    const own = { ...env, SENDER_CHECKS: name === "checked" ? "on" : "off", DOH_URL: resolver.url };
    const service = await Service.start(path.join(tempDir, name), own);
    created(() => service.stop());
    const box = await service.mail(env["AUTH_TOKEN"] ?? "").mailboxes.create({ name: "box" });
    const session = await SmtpConnection.open(service.smtpPort, 0);
    return { service, session, address: box.mailbox, latenciesMs: [] };
  };
  const [checked, unchecked] = [await open("checked"), await open("unchecked")];
  const mails = await Promise.all(
    Array.from({ length: WARM_UP + ROUNDS * PER_ROUND }, (_, serial) => signedMail(serial, privateKey)),
  );
  for (const side of [checked, unchecked]) await deliver(side, mails.slice(0, WARM_UP));
  const costs = { checked: 0, unchecked: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const some = mails.slice(WARM_UP + round * PER_ROUND, WARM_UP + (round + 1) * PER_ROUND);
    // The first of a pair finds colder caches.
    const order = round % 2 === 0 ? SIDES : SIDES.toReversed();
    for (const name of order) {
      const side = name === "checked" ? checked : unchecked;
      const before = costOf(side);
      side.latenciesMs.push(...(await deliver(side, some)));
      costs[name] += costOf(side) - before;
    }
  }
  for (const { session, service } of [checked, unchecked]) {
    session.close();
    await service.stop();
  }
  const count = ROUNDS * PER_ROUND;
  return {
    count,
    checkedP50Ms: medianOf(checked),
    uncheckedP50Ms: medianOf(unchecked),
    checkedCpuMs: costs.checked / count,
    uncheckedCpuMs: costs.unchecked / count,
  };
}

function medianOf({ latenciesMs }: Side): number {
  return quantile(Float64Array.from(latenciesMs).toSorted(), 0.5);
}

async function deliver({ session, address }: Side, mails: readonly Buffer[]): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (const mail of mails) {
    const startMs = performance.now();
    await session.send(`ann@${DOMAIN}`, address, mail);
    latenciesMs.push(performance.now() - startMs);
  }
  return latenciesMs;
}

function costOf({ service }: Side): number {
  return cpuMs(service.nodePid) + cpuMs(service.workerdPid);
}

async function signedMail(serial: number, privateKey: string): Promise<Buffer> {
  const fields = [
    `From: Ann <ann@${DOMAIN}>`,
    "To: box@mailkeep.test",
    `Subject: Mail ${serial}`,
    "Date: Sun, 22 Nov 2026 10:00:00 +0000",
    `Message-ID: <${serial}@${DOMAIN}>`,
  ];
  const message = Buffer.from(`${fields.join("\r\n")}\r\n\r\n${BODY}`);
  const signature = await dkimSignature(once(message), { domain: DOMAIN, selector: "s1", privateKey });
  return Buffer.concat([Buffer.from(signature), message]);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

/** A resolver (`application/dns-json`) that knows some TXT records. */
async function resolverOf(
  texts: Readonly<Record<string, string>>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = http.createServer((req, res) => {
    const query = new URL(req.url ?? "/", "http://resolver").searchParams;
    const name = query.get("name") ?? "";
    const text = ["16", "TXT"].includes(query.get("type") ?? "") ? texts[name] : undefined;
    const answer =
      text === undefined ? {} : { Answer: [{ name, type: DNS_TYPE_TXT, TTL: 3_600, data: `"${text}"` }] };
    res.writeHead(200, { "Content-Type": "application/dns-json" });
    res.end(JSON.stringify({ Status: text === undefined ? 3 : 0, ...answer }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}/dns-query`, close };
}
