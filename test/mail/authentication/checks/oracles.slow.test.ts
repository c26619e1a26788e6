import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { authenticate } from "mailauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { askServers } from "../../../../src/host/dns/server-dns.ts";
import { CachedDns } from "../../../../src/lib/dns/cached-dns.ts";
import type { LookUps } from "../../../../src/lib/dns/limited-dns.ts";
import type { Dns, RecordType } from "../../../../src/lib/dns/dns.ts";
import { checkMessage } from "../../../../src/mail/authentication/checks/message-check.ts";
import type { Findings } from "../../../../src/mail/authentication/checks/findings.ts";
import { checkedSenderOf, factsOfChecked } from "../../../../src/mail/authentication/checked-sender.ts";
import { checkSpf } from "../../../../src/mail/authentication/checks/spf/spf.ts";
import { judge } from "../../../../src/mail/authentication/judge.ts";
import { organizationalDomain } from "../../../../src/mail/address/public-suffix.ts";
import { DnsServer } from "../../../dns-server.ts";
import { Zone } from "../../../dns-zone.ts";
import { makeCorpus, type Case, type CorpusZone } from "./corpus.ts";
import { EXPLAINED } from "./explained.ts";

/** Debian's, not one that a version manager put in front. */
const PYTHON = "/usr/bin/python3";
const hasOracles =
  spawnSync(PYTHON, ["-c", "import dkim, spf, authheaders, ctypes; ctypes.CDLL('libopendmarc.so.2')"])
    .status === 0;

const OracleAnswer = z.object({
  name: z.string(),
  dkim: z.array(z.boolean()),
  arc: z.string(),
  spf: z.string(),
  authheaders: z.string(),
  opendmarc: z.string().nullable(),
});
type OracleAnswer = z.output<typeof OracleAnswer>;

const now = Math.floor(Date.now() / 1_000);
const { cases, zone } = makeCorpus(now);
const ours = new Map<string, Findings>();
let server: DnsServer;
let dns: CachedDns;

beforeAll(async () => {
  server = await DnsServer.start(zoneOf(zone));
  const ask = askServers([{ host: "127.0.0.1", port: server.port }]);
  dns = new CachedDns(ask, { maxEntries: 10_000, maxChars: 10_000_000 });
  for (const one of cases) {
    const raw = Buffer.from(one.raw, "latin1");
    const spf = (lookUps: LookUps) => checkSpf(one.client, lookUps);
    ours.set(one.name, await checkMessage(raw, { dns, spf }));
  }
}, 120_000);

afterAll(() => server.stop());

describe("the corpus", () => {
  it("has at least 500 messages, of which each result is that of some", () => {
    expect(cases.length).toBeGreaterThan(500);
    const results = [...ours.values()];
    const all = (values: (string | undefined)[]) =>
      [...new Set(values.map(String))].toSorted((a, b) => (a < b ? -1 : 1));
    expect(all(results.map((found) => judge(factsOfChecked(checkedSenderOf(found))).verdict))).toEqual([
      "fail",
      "none",
      "pass",
      "temperror",
    ]);
    expect(all(results.flatMap(({ signatures }) => signatures.map(({ result }) => result)))).toEqual([
      "fail",
      "none",
      "pass",
      "permerror",
      "temperror",
    ]);
    expect(all(results.map(({ spf }) => spf?.result))).toEqual([
      "fail",
      "neutral",
      "none",
      "pass",
      "permerror",
      "softfail",
      "temperror",
    ]);
    expect(all(results.map(({ arc }) => arc?.result ?? ""))).toEqual(["", "fail", "pass"]);
  });
});

describe.skipIf(!hasOracles)(
  "other implementations (skipped without python3-dkim, python3-authheaders, python3-spf, libopendmarc2)",
  () => {
    let answers: Map<string, OracleAnswer>;

    beforeAll(async () => {
      answers = await askOracles();
    }, 120_000);

    it("agree with ours about every message, but for differences that an RFC explains", async () => {
      const found: string[] = [];
      for (const one of cases) {
        const answer = answers.get(one.name);
        const own = ours.get(one.name);
        if (answer === undefined || own === undefined) throw new Error(`no answer about ${one.name}`);
        found.push(...differences(one.name, own, { ...answer, ...(await askMailauth(one)) }));
      }
      const unexplained = found.filter((line) => !EXPLAINED.some(({ difference }) => difference.test(line)));
      expect(unexplained).toEqual([]);
      const unused = EXPLAINED.filter(({ difference }) => !found.some((line) => difference.test(line)));
      expect(unused).toEqual([]);
    }, 120_000);
  },
);

/** A line for each thing that an oracle says and we do not: `<oracle> <method>, <name>: <ours> / <theirs>`. */
function differences(name: string, own: Findings, theirs: OracleAnswer & Mailauth): string[] {
  const passes = own.signatures.map(({ result }) => result === "pass");
  const arc = own.arc?.result ?? "none";
  const pairs: [string, unknown, unknown][] = [
    ["dkimpy dkim", passes.join(), theirs.dkim.slice(0, passes.length).join()],
    ["mailauth dkim", passes.join(), theirs.mailauthDkim.slice(0, passes.length).join()],
    ["dkimpy arc", arc, theirs.arc],
    ["mailauth arc", arc, theirs.mailauthArc],
    ["pyspf spf", own.spf?.result, theirs.spf],
    ["mailauth spf", own.spf?.result, theirs.mailauthSpf],
    ["authheaders dmarc", own.dmarc.result, theirs.authheaders],
    ["mailauth dmarc", own.dmarc.result, theirs.mailauthDmarc],
    ["opendmarc dmarc", own.dmarc.result, theirs.opendmarc ?? own.dmarc.result],
  ];
  return pairs.flatMap(([what, mine, other]) =>
    mine === other ? [] : [`${what}, ${name}: ${String(mine)} / ${String(other)}`],
  );
}

/** Asks all oracles of Debian about all messages, in one process. */
async function askOracles(): Promise<Map<string, OracleAnswer>> {
  const child = spawn(PYTHON, [path.join(import.meta.dirname, "oracles.py")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = new Map<string, OracleAnswer>();
  const done = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = OracleAnswer.parse(JSON.parse(line));
      answers.set(answer.name, answer);
    }
  })();
  child.stdin.write(`${JSON.stringify(zone)}\n`);
  for (const one of cases) child.stdin.write(`${JSON.stringify(questionAbout(one))}\n`);
  child.stdin.end();
  await done;
  return answers;
}

/** A message, and for the oracles of DMARC what SPF and DKIM said of it. */
function questionAbout({ name, raw, client }: Case) {
  const own = ours.get(name);
  if (own === undefined) throw new Error(`no facts about ${name}`);
  const fromDomain = own.fromDomain ?? "";
  const organization = organizationalDomain(fromDomain) ?? "";
  const isOwn = zone.records[`TXT _dmarc.${fromDomain}`] !== undefined;
  return {
    name,
    raw: Buffer.from(raw, "latin1").toString("base64"),
    ...client,
    spf: own.spf?.result,
    spfDomain: own.spf?.domain,
    passed: own.signatures.flatMap(({ result, domain }) => (result === "pass" ? [domain] : [])),
    fromDomain,
    record: own.dmarc.record,
    recordAt: isOwn ? fromDomain : organization,
    organization,
  };
}

interface Mailauth {
  mailauthDkim: boolean[];
  mailauthSpf: string;
  mailauthDmarc: string;
  mailauthArc: string;
}

async function askMailauth({ raw, client }: Case): Promise<Mailauth> {
  const said = await authenticate(Buffer.from(raw, "latin1"), {
    ip: client.address,
    helo: client.helo,
    sender: client.mailFrom,
    mta: "mx.example.net",
    minBitLength: 1_024,
    strict: true,
    disableBimi: true,
    resolver: (name: string, type: string) => resolveFor(name, type),
  });
  return {
    mailauthDkim: said.dkim.results
      .filter((one) => one.signingDomain !== undefined)
      .map((one) => one.status.result === "pass"),
    mailauthSpf: said.spf === false ? "none" : said.spf.status.result,
    mailauthDmarc: said.dmarc === false ? "none" : said.dmarc.status.result,
    mailauthArc: said.arc === false ? "none" : said.arc.status.result,
  };
}

const TYPES: readonly string[] = ["A", "AAAA", "MX", "PTR", "TXT"] satisfies RecordType[];
const isType = (type: string): type is RecordType => TYPES.includes(type);

/** Answers as node:dns does. */
async function resolveFor(name: string, type: string): Promise<string[] | string[][]> {
  if (!isType(type)) throw Object.assign(new Error("none"), { code: "ENODATA" });
  const answer = await look(dns, name, type);
  if (answer.records.length === 0) {
    throw Object.assign(new Error("none"), { code: answer.exists ? "ENODATA" : "ENOTFOUND" });
  }
  if (type === "TXT") return answer.records.map((text) => [text]);
  if (type !== "MX") return [...answer.records];
  const hosts: unknown[] = answer.records.map((text) => {
    const [priority, exchange] = text.split(" ");
    return { priority: Number(priority), exchange };
  });
  // The type of a resolver knows no records of mail hosts, which mailauth asks for all the same.
  return hosts as string[];
}

async function look(resolver: Dns, name: string, type: RecordType): ReturnType<Dns["look"]> {
  try {
    return await resolver.look(name, type);
  } catch (error) {
    throw Object.assign(new Error("failed", { cause: error }), { code: "ESERVFAIL" });
  }
}

function zoneOf({ records, broken }: CorpusZone): Zone {
  const made = new Zone();
  for (const [key, data] of Object.entries(records)) {
    const [type = "", name = ""] = key.split(" ");
    made.set(type, name.toLowerCase(), ...data.map((text) => (type === "TXT" ? quoted(text) : text)));
  }
  for (const name of broken) made.broken.add(name);
  return made;
}

/** A text as strings of a zone file, each of at most 255 bytes. */
function quoted(text: string): string {
  const strings = text.match(/.{1,255}/gs) ?? [""];
  return strings.map((one) => `"${one.replace(/["\\]/g, "\\$&")}"`).join(" ");
}
