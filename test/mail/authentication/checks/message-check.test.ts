import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_SUCH_NAME, type Dns } from "../../../../src/lib/dns/dns.ts";
import type { Authentication } from "../../../../src/contract/message.ts";
import { checkedSenderOf, factsOfChecked } from "../../../../src/mail/authentication/checked-sender.ts";
import {
  checkMessage,
  MessageCheck,
  type CheckOptions,
} from "../../../../src/mail/authentication/checks/message-check.ts";
import type { Findings } from "../../../../src/mail/authentication/checks/findings.ts";
import { checkSpf, type Client } from "../../../../src/mail/authentication/checks/spf/spf.ts";
import { judge } from "../../../../src/mail/authentication/judge.ts";
import { keyRecord, sealed, signed } from "./signer.ts";
import { runs } from "../../../runs.ts";

const PLAIN =
  "From: Ann <ann@example.org>\r\nTo: bob@example.net\r\nSubject: Lunch\r\n" +
  "Date: Sun, 22 Nov 2026 10:00:00 +0000\r\n\r\nHello Bob,\r\nsee you at noon.\r\n";
const CLIENT = { address: "192.0.2.1", helo: "mail.example.org", mailFrom: "bounce@example.org" };
const ZONE: Record<string, string[]> = {
  "rsa1024._domainkey.example.org": [keyRecord("rsa1024")],
  "rsa2048._domainkey.example.org": [keyRecord("rsa2048")],
  "ed25519._domainkey.example.org": [keyRecord("ed25519")],
  "rsa1024._domainkey.other.example": [keyRecord("rsa1024")],
  "_dmarc.example.org": ["v=DMARC1; p=reject; np=quarantine"],
  "example.org": ["v=spf1 ip4:192.0.2.0/24 -all"],
};

/** A resolver that answers from a zone; null is a failure. Notes what it is asked. */
function dnsOf(zone: Record<string, string[] | null> = ZONE): Dns & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async look(name, type) {
      asked.push(`${type} ${name}`);
      const records = zone[name];
      if (records === null) throw new Error("SERVFAIL");
      return records === undefined ? NO_SUCH_NAME : { records: type === "TXT" ? records : [], exists: true };
    },
  };
}

const bytes = (raw: string): Buffer => Buffer.from(raw, "latin1");

type Judged = Findings & Pick<Authentication, "verdict">;

/** The findings about a message with what follows from them. */
const judged = (found: Findings): Judged => ({
  ...found,
  verdict: judge(factsOfChecked(checkedSenderOf(found))).verdict,
});

async function check(
  raw: string | Buffer,
  { client, ...options }: Partial<CheckOptions> & { client?: Client } = {},
): Promise<Judged> {
  const spf: CheckOptions["spf"] = client && ((lookUps) => checkSpf(client, lookUps));
  const message = typeof raw === "string" ? bytes(raw) : raw;
  return judged(await checkMessage(message, { dns: dnsOf(), ...(spf && { spf }), ...options }));
}

describe("who wrote a message", () => {
  it("is proven by an aligned signature, and by aligned SPF where there is a DMARC record", async () => {
    expect(await check(signed(PLAIN, { key: "rsa2048" }))).toEqual({
      fromDomain: "example.org",
      spf: null,
      signatures: [
        {
          domain: "example.org",
          selector: "rsa2048",
          algorithm: "rsa-sha256",
          bits: 2_048,
          result: "pass",
          aligned: true,
          covers: ["to"],
          reason: "",
        },
      ],
      dmarc: {
        result: "pass",
        isBySpf: false,
        record: "v=DMARC1; p=reject; np=quarantine",
        policy: "reject",
      },
      arc: null,
      verdict: "pass",
    });
    expect(await check(PLAIN, { client: CLIENT })).toMatchObject({
      spf: { result: "pass", domain: "example.org" },
      verdict: "pass",
    });
  });

  it("is not proven by SPF alone without a DMARC record, but by a signature", async () => {
    const dns = dnsOf({ ...ZONE, "_dmarc.example.org": [] });
    expect(await check(PLAIN, { client: CLIENT, dns })).toMatchObject({
      spf: { result: "pass" },
      dmarc: { result: "none" },
      verdict: "none",
    });
    expect(await check(signed(PLAIN, { key: "ed25519" }), { dns })).toMatchObject({
      dmarc: { result: "none" },
      verdict: "pass",
    });
  });

  it("fails where the owner of the domain has a record and nothing fits it", async () => {
    const stranger = { ...CLIENT, address: "198.51.100.9" };
    expect(await check(PLAIN, { client: stranger })).toMatchObject({
      dmarc: { policy: "reject" },
      verdict: "fail",
    });
    const other = signed(PLAIN, { key: "rsa1024", d: "other.example" });
    expect(await check(other, { client: stranger })).toMatchObject({
      signatures: [{ result: "pass", aligned: false }],
      verdict: "fail",
    });
  });

  it("is open where SPF is not known and no signature proves it", async () => {
    expect(await check(PLAIN)).toMatchObject({
      verdict: "none",
      dmarc: { result: "none", policy: "reject" },
    });
    const spf = { result: "pass", domain: "example.org" } as const;
    expect(await check(PLAIN, { spf })).toMatchObject({ spf, verdict: "pass" });
  });

  it("is a temporary error where DNS failed for what may prove it, and no error where something else does", async () => {
    const noKey = dnsOf({ ...ZONE, "rsa2048._domainkey.example.org": null });
    const once = signed(PLAIN, { key: "rsa2048" });
    expect(await check(once, { dns: noKey })).toMatchObject({ verdict: "temperror" });
    expect(await check(signed(once, { key: "ed25519" }), { dns: noKey })).toMatchObject({ verdict: "pass" });
    const noRecord = dnsOf({ ...ZONE, "_dmarc.example.org": null });
    expect(await check(PLAIN, { dns: noRecord, client: CLIENT })).toMatchObject({ verdict: "temperror" });
    // Whatever the record says, the very domain of From has signed.
    expect(await check(once, { dns: noRecord })).toMatchObject({
      verdict: "pass",
      dmarc: { result: "temperror" },
    });
  });

  it("is never proven by several From fields, in whichever order, nor by several addresses", async () => {
    const good = signed(PLAIN, { key: "rsa2048" });
    const twice = signed(`From: eve@example.org\r\n${PLAIN}`, { key: "rsa2048", h: "from:from:subject:to" });
    const listed = signed(PLAIN.replace("Ann <", "eve@other.example, Ann <"), { key: "rsa2048" });
    for (const raw of [`From: ceo@bank.example\r\n${good}`, `fRoM : x@y.example\r\n${good}`, twice, listed]) {
      expect(await check(raw, { client: CLIENT })).toMatchObject({ fromDomain: null, verdict: "fail" });
    }
    const oversigned = signed(PLAIN, { key: "rsa2048", h: "from:from:subject:to" });
    expect(await check(oversigned)).toMatchObject({ verdict: "pass" });
  });

  it("finds no header in a message that begins with an empty line", async () => {
    expect(await check(`\r\n${signed(PLAIN, { key: "rsa2048" })}`)).toMatchObject({
      fromDomain: null,
      verdict: "fail",
    });
  });

  it("names no author, and fails, where the From field has no address that can be read", async () => {
    for (const from of ["Ann", "", "<ann@example.org", "ann@example.org\0.bank.example"]) {
      const raw = signed(PLAIN.replace("Ann <ann@example.org>", from), { key: "rsa2048" });
      expect(await check(raw, { client: CLIENT })).toMatchObject({
        fromDomain: null,
        dmarc: { result: "permerror" },
        verdict: "fail",
      });
    }
  });

  it("is not proven for what stands behind an empty line that was put into the header", async () => {
    const raw = signed(PLAIN, { key: "rsa2048" });
    for (const [line, verdict] of [
      ["\r\n", "none"],
      ["\n", "none"],
      ["\r\r\n", "fail"],
      ["\r\r\r\n", "fail"],
    ]) {
      const changed = raw.replace("\r\n\r\n", `\r\n${line}Pay Eve.\r\n\r\n`);
      expect(await check(changed)).toMatchObject({ signatures: [{ result: "fail" }], verdict });
    }
  });

  it("takes the policy for subdomains that do not exist from np", async () => {
    const client = { ...CLIENT, address: "198.51.100.9" };
    const of = (name: string) => PLAIN.replace("ann@example.org", `ann@${name}.example.org`);
    expect((await check(of("missing"), { client })).dmarc.policy).toBe("quarantine");
    const zone = { ...ZONE, "there.example.org": ["x"] };
    const dns = dnsOf(zone);
    dns.look = async (name, type) =>
      type !== "TXT" && name === "there.example.org"
        ? { records: ["192.0.2.7"], exists: true }
        : dnsOf(zone).look(name, type);
    expect((await check(of("there"), { client, dns })).dmarc.policy).toBe("reject");
  });

  it("tells of a whole chain of ARC, which proves nothing by itself", async () => {
    const dns = dnsOf({ ...ZONE, "rsa2048._domainkey.forward.example": [keyRecord("rsa2048")] });
    const forwarded = sealed(PLAIN, { key: "rsa2048", instance: 1, chain: "none" });
    const client = { ...CLIENT, address: "198.51.100.9" };
    expect(await check(forwarded, { dns, client })).toMatchObject({
      arc: { result: "pass", domain: "forward.example" },
      verdict: "fail",
    });
    expect(await check(`${forwarded}more\r\n`, { dns, client })).toMatchObject({ arc: { result: "fail" } });
  });
});

describe("a signed message", () => {
  it("is not proven if its signature leaves out the Subject that is shown", async () => {
    const open = signed(PLAIN, { key: "rsa2048", h: "from:to:date" });
    expect((await check(open)).signatures).toMatchObject([
      { result: "fail", reason: "h= does not name Subject", domain: "example.org" },
    ]);
    const without = PLAIN.replace(/Subject: .*\r\n/, "");
    const results = async (raw: string) => (await check(raw)).signatures.map(({ result }) => result);
    expect(await results(signed(without, { key: "rsa2048", h: "from:to:date" }))).toEqual(["pass"]);
    expect(
      await results(`Subject: Eve\r\n${signed(without, { key: "rsa2048", h: "from:to:date" })}`),
    ).toEqual(["fail"]);
  });

  it("has a header of at most 10,000 lines, and a selector of at most 253 characters", async () => {
    const linesOf = (raw: string): number => raw.slice(0, raw.indexOf("\r\n\r\n")).split("\r\n").length;
    const whole = signed(PLAIN, { key: "rsa2048" });
    const long = (lines: number): string =>
      `X-Long: x\r\n${" \r\n".repeat(lines - linesOf(whole) - 1)}${whole}`;
    expect(linesOf(long(10_000))).toBe(10_000);
    expect((await check(long(10_000))).signatures).toMatchObject([{ result: "pass" }]);
    expect(await check(long(10_001))).toMatchObject({ fromDomain: null, signatures: [] });
    const longest = `${"a.".repeat(126)}a`;
    const named = async (s: string) =>
      (await check(signed(PLAIN, { key: "rsa2048", s }))).signatures.map((one) => [one.selector, one.result]);
    expect(await named(longest)).toEqual([[longest, "permerror"]]);
    expect(await named(`a${longest}`)).toEqual([["", "permerror"]]);
  });

  // The signature itself is left out: it is not signed. In the relaxed form blanks and the case of names may change.
  it.each(["simple/simple", "relaxed/relaxed"])(
    "fails after any change of one bit of what is signed (%s)",
    async (c) => {
      const raw = signed(PLAIN, { key: "ed25519", c });
      const end = raw.indexOf("\tb=") + 3;
      const start = raw.indexOf("\r\nFrom:");
      const places = Array.from({ length: raw.length }, (_, at) => at).filter(
        (at) => at < end || at >= start + 2,
      );
      const change = fc.tuple(fc.constantFrom(...places), fc.nat(7));
      await fc.assert(
        fc.asyncProperty(change, async ([at, bit]) => {
          const changed = bytes(raw);
          changed[at] = (changed[at] ?? 0) ^ (1 << bit);
          const isSame = c === "relaxed/relaxed" && relaxed(changed) === relaxed(bytes(raw));
          const facts = await check(changed);
          expect(isSame || facts.verdict !== "pass").toBe(true);
        }),
        { numRuns: runs(800) },
      );
    },
  );

  it("is verified the same in whatever pieces it comes", async () => {
    const raw = signed(`${PLAIN}a \t b\r\n\r\n \r\nend  `, { key: "ed25519" });
    const cuts = fc.array(fc.nat(raw.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const sorted = [0, ...places.toSorted((a, b) => a - b), raw.length];
        async function* pieces() {
          for (const [index, at] of sorted.slice(1).entries()) yield bytes(raw).subarray(sorted[index], at);
        }
        expect(judged(await checkMessage(pieces(), { dns: dnsOf() })).verdict).toBe("pass");
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("the look-ups of a message", () => {
  const begun = (): { check: MessageCheck; signals: AbortSignal[] } => {
    const signals: AbortSignal[] = [];
    const known = dnsOf();
    const dns: Dns = {
      look(name, type, signal) {
        if (signal !== undefined) signals.push(signal);
        return known.look(name, type);
      },
    };
    const check = new MessageCheck({ dns, spf: (lookUps) => checkSpf(CLIENT, lookUps) });
    check.push(bytes(signed(PLAIN, { key: "rsa1024" })));
    return { check, signals };
  };

  it("are ended when the message is given up, and not when it is finished", async () => {
    const givenUp = begun();
    givenUp.check.abandon();
    const finished = begun();
    await finished.check.finish();
    finished.check.abandon();
    expect(givenUp.signals.length).toBeGreaterThan(2);
    expect(givenUp.signals.every(({ aborted }) => aborted)).toBe(true);
    expect(finished.signals.length).toBeGreaterThan(2);
    expect(finished.signals.some(({ aborted }) => aborted)).toBe(false);
  });
});

/** A message as the relaxed form sees it: names in lower case, runs of blanks as one, and a line feed alone as a line end. */
function relaxed(message: Buffer): string {
  const text = message.toString("latin1").replace(/\r?\n/g, "\r\n");
  const split = text.indexOf("\r\n\r\n");
  const header = text.slice(0, split).replace(/^[^:\r\n]*(?=:)/gm, (name) => name.toLowerCase());
  return (header + text.slice(split))
    .replace(/[ \t]+/g, " ")
    .replace(/ ?: ?/g, ":")
    .replace(/ (?=\r\n)/g, "");
}

describe("a hostile message", () => {
  const signature = signed(PLAIN, { key: "rsa1024", d: "other.example" }).split("\r\nFrom:")[0] ?? "";

  it("has at most ten keys fetched, those that may prove From before others", async () => {
    const many = Array.from(
      { length: 150 },
      (_, index) => `${signature.replace("s=rsa1024", `s=s${index}`)}\r\n`,
    );
    const own = signed(PLAIN, { key: "rsa1024" });
    const dns = dnsOf();
    const facts = await check(`${many.slice(0, 60).join("")}${own}`, { dns });
    expect(facts.verdict).toBe("pass");
    expect(facts.signatures).toHaveLength(10);
    expect(dns.asked.filter((asked) => asked.includes("_domainkey"))).toHaveLength(10);
  });

  it("has at most 60 names looked up for its envelope", async () => {
    const zone: Record<string, string[]> = {
      ...ZONE,
      "evil.example": [`v=spf1 ${"mx:evil.example ".repeat(10)}-all`],
    };
    const dns = dnsOf(zone);
    const asked: string[] = [];
    dns.look = async (name, type) => {
      asked.push(name);
      if (type === "MX")
        return {
          records: Array.from({ length: 10 }, (_, index) => `1 h${index}-${asked.length}.evil.example`),
          exists: true,
        };
      return { records: zone[name] ?? [], exists: true };
    };
    const facts = await check(PLAIN, { dns, client: { ...CLIENT, mailFrom: "a@evil.example" } });
    expect(facts.spf?.result).toBe("temperror");
    expect(asked.filter((name) => name.endsWith("evil.example"))).toHaveLength(60);
  });

  it("is not waited for longer than DNS may take", async () => {
    const silent: Dns = {
      look: (_name, _type, signal) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("given up")))),
    };
    const controller = new AbortController();
    const checking = check(signed(PLAIN, { key: "rsa1024" }), {
      dns: silent,
      client: CLIENT,
      signal: controller.signal,
    });
    controller.abort();
    expect(await checking).toMatchObject({ spf: { result: "temperror" }, verdict: "temperror" });
  });

  /** Parts that break parsers, put together in any way. */
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        "DKIM-Signature:",
        "ARC-Seal:",
        "ARC-Message-Signature:",
        "ARC-Authentication-Results: i=1;",
        "From:",
        "\r\n",
        "\r\n ",
        " v=1;",
        " a=rsa-sha256;",
        " d=example.org;",
        " s=rsa1024;",
        " h=from:from:;",
        " b=;",
        " bh=AAAA;",
        " i=1;",
        " cv=none;",
        " l=99999999999;",
        " t=-1;",
        " x=9e9;",
        ";;;",
        "=",
        "\0",
        "\xff",
        "(((((",
        '"',
        "<",
        "@",
        ",",
        "__proto__=1;",
        " c=//;",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    ),
    { maxLength: 60 },
  );

  it("never makes the check throw, and is never believed", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (parts) => {
        const facts = await check(parts.join(""), { client: { ...CLIENT, address: "198.51.100.9" } });
        expect(facts.verdict).not.toBe("pass");
        for (const text of [
          facts.fromDomain ?? "",
          ...facts.signatures.flatMap((one) => [one.domain, one.selector, one.algorithm]),
        ]) {
          expect(text).toMatch(/^[!-~]*$/);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it("cannot make a record of DNS throw", async () => {
    const good = [
      keyRecord("rsa1024"),
      "v=DMARC1; p=reject",
      "v=spf1 a mx ptr include:%{d} exists:%{i}.%{l1r-} -all",
    ];
    const damaged = fc
      .tuple(fc.constantFrom(...good), fc.nat(300), fc.string({ maxLength: 8 }))
      .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at + more.length));
    const raw = signed(PLAIN, { key: "rsa1024" });
    await fc.assert(
      fc.asyncProperty(fc.array(damaged, { minLength: 1, maxLength: 3 }), async (records) => {
        const dns: Dns = { look: async () => ({ records, exists: true }) };
        expect((await check(raw, { dns, client: CLIENT })).signatures).toHaveLength(1);
      }),
      { numRuns: runs(300) },
    );
  });
});
