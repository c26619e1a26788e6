import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { exitOf, wrong } from "../../../src/host/doctor/finding.ts";
import { DohServer } from "../../served/doh-server.ts";
import { addressesOf, dnsOf } from "../../../src/host/doctor/ports/dns.ts";
import { isName, recordLine, reverseName, tagsOf } from "../../../src/host/doctor/records.ts";
import { setCommand } from "../../../src/host/doctor/setting-command.ts";
import { shellWord } from "../../../src/host/doctor/shell-word.ts";
import { readSpf, termsOf } from "../../../src/host/doctor/spf.ts";
import { screen } from "../../../src/server/commands/doctor.ts";
import { plain } from "../../../src/cli/terminal/style.ts";
import { say } from "../../transport/smtp-peer.ts";
import { execFileSync } from "node:child_process";
import { ADDRESS, DOMAIN, HOST, NO_OPENSSL, Rig } from "./rig.ts";

/** No character of it moves the cursor or turns the direction of writing. */
const SAFE = /^[^\p{Cc}\p{Cf}]*$/u;

describe.skipIf(NO_OPENSSL)("the doctor before hostile answers", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start();
  });
  afterAll(() => rig.stop());
  beforeEach(() => rig.reset());

  const shown = async (): Promise<string[]> => {
    const { findings } = await rig.diagnose();
    return screen(findings, plain);
  };

  it("shows control characters of records and replies as symbols or not at all", async () => {
    const { zone } = rig.dns;
    const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil";
    zone.set("TXT", DOMAIN, `"v=spf1 ${evil} ~all"`);
    zone.set("TXT", `_dmarc.${DOMAIN}`, `"v=DMARC1; p=${evil}"`);
    zone.set("TXT", `_mta-sts.${DOMAIN}`, `"v=STSv1; id=${evil}"`);
    zone.set("TXT", `mk1._domainkey.${DOMAIN}`, `"${evil}"`);
    rig.inbound.plan.greeting = say(`554 ${evil}`);
    rig.relay.plan.on = { AUTH: say(`535 ${evil}`) };
    rig.answers["/health"] = { status: 503, body: evil };
    const lines = await shown();
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(line).toMatch(SAFE);
  });

  it("bounds large answers: a record of 60 KB, fifty hosts, an endless page", async () => {
    const { zone } = rig.dns;
    const strings = Array.from({ length: 200 }, () => `"${"x".repeat(250)}"`).join(" ");
    zone.set("TXT", DOMAIN, `"v=spf1 " ${strings} " ~all"`);
    zone.set("MX", DOMAIN, ...Array.from({ length: 200 }, (_, at) => `${at} mx${at}.example.org.`));
    rig.web["/health"] = { status: 200, body: "y".repeat(5_000_000) };
    const { findings } = await rig.diagnose();
    for (const { title, fix } of findings)
      expect([title.length < 700, fix.length < 5_000]).toEqual([true, true]);
    expect(rig.dns.zone.asked.length).toBeLessThan(150);
  });

  it("comes to an end with aliases and SPF records that lead in circles", async () => {
    const { zone } = rig.dns;
    zone.set("TXT", DOMAIN, '"v=spf1 include:a.example.net ~all"');
    zone.set("TXT", "a.example.net", '"v=spf1 include:b.example.net include:b.example.net ~all"');
    zone.set("TXT", "b.example.net", '"v=spf1 include:a.example.net redirect=b.example.net"');
    const { findings } = await rig.diagnose();
    expect(findings.find(({ level }) => level !== "ok")).toMatchObject({ id: "spf.include" });
  });

  it("asks at most thirty names for one SPF record, however many it includes", async () => {
    const { zone } = rig.dns;
    for (let at = 0; at < 100; at += 1) {
      zone.set(
        "TXT",
        `l${at}.example.net`,
        `"v=spf1 include:l${at + 1}.example.net a:x${at}.example.net -all"`,
      );
    }
    zone.asked.length = 0;
    const tree = await readSpf(
      dnsOf({ servers: [rig.dns.place] }),
      DOMAIN,
      "v=spf1 include:l0.example.net -all",
    );
    expect(tree.lookups).toBeGreaterThan(10);
    expect(zone.asked.filter((question) => question.startsWith("TXT ")).length).toBeLessThanOrEqual(30);
  });

  it("puts no name of a stranger into a command line or a record unless it is a host name", async () => {
    const { zone } = rig.dns;
    const evil = "$(touch${IFS}owned).example.org";
    zone.set("MX", DOMAIN, `10 ${evil}.`);
    zone.set("A", evil, ADDRESS);
    zone.set("TXT", DOMAIN, '"v=spf1 include:$(touch.example.org ~all"');
    zone.set("PTR", "14.215.184.93.in-addr.arpa", `${evil}.`);
    const { findings } = await rig.diagnose();
    expect(findings.filter(({ level }) => level !== "ok").length).toBeGreaterThan(0);
    for (const { fix } of findings) expect(fix).not.toContain("$(touch");
  });

  it("reads a TXT record over TCP that does not fit into a datagram", async () => {
    const { zone } = rig.dns;
    const texts = Array.from({ length: 20 }, (_, at) => `"token-${at}=${"z".repeat(200)}"`);
    zone.set("TXT", DOMAIN, ...texts, '"v=spf1 include:relay.example.net ~all"');
    const { findings } = await rig.diagnose();
    expect(findings.find(({ id }) => id === "spf")).toBeDefined();
  });

  it("tells records that cannot be looked up from records that do not exist", async () => {
    const { zone } = rig.dns;
    zone.broken.add(DOMAIN);
    await expect(dnsOf({ servers: [rig.dns.place] }).look("MX", DOMAIN)).rejects.toThrow(
      /SERVFAIL|ESERVFAIL/,
    );
    expect(await addressesOf(dnsOf({ servers: [rig.dns.place] }), "nowhere.example.org")).toEqual([]);
    expect(await addressesOf(dnsOf({ servers: [rig.dns.place] }), HOST)).toEqual([ADDRESS]);
  });

  it("asks a URL that answers application/dns-json the same as a server", async () => {
    const doh = await DohServer.start(rig.dns.zone);
    try {
      const [url, server] = [dnsOf({ url: doh.url }), dnsOf({ servers: [rig.dns.place] })];
      for (const type of ["A", "AAAA", "NS", "CNAME", "MX", "TXT"] as const)
        for (const name of [DOMAIN, HOST, "nowhere.example.org"])
          expect([type, name, await url.look(type, name)]).toEqual([
            type,
            name,
            await server.look(type, name),
          ]);
      rig.dns.zone.broken.add(DOMAIN);
      await expect(dnsOf({ url: doh.url }).look("MX", DOMAIN)).rejects.toMatchObject({ isSilent: false });
    } finally {
      doh.stop();
    }
    await expect(dnsOf({ url: doh.url }).look("MX", DOMAIN)).rejects.toMatchObject({ isSilent: true });
  });
});

describe("parts of the doctor", () => {
  it("writes any word so that a shell reads it unchanged", () => {
    const word = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), (words) => {
        const line = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
        const read = execFileSync("sh", ["-c", line]).toString("utf8");
        expect(read).toBe(words.map((text) => `${text.toWellFormed()}\0`).join(""));
      }),
      { numRuns: 20 },
    );
  });

  it("reads any text as an SPF record without a fault, and loses no word of it", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[!-~]{1,20}$/), { maxLength: 20 }), (words) => {
        const { terms, unreadable } = termsOf(["v=spf1", ...words].join(" "));
        const texts = [...terms.map(({ text }) => text), ...unreadable];
        expect(new Set(texts)).toEqual(new Set(words));
      }),
    );
  });

  it.each([
    ["ip4:192.0.2.0/24", true],
    ["ip4:192.0.2.0/33", false],
    ["ip4:192.0.2", false],
    ["ip6:2001:db8::/32", true],
    ["ip6:192.0.2.1", false],
    ["include:", false],
    ["include", false],
    ["a", true],
    ["a/24//64", true],
    ["mx:example.org/24", true],
    ["-ALL", true],
    ["all:example.org", false],
    ["exists:%{i}._spf.example.org", true],
    ["redirect=_spf.example.org", true],
    ["unknown=thing", true],
    ["ipv4:192.0.2.1", false],
  ])("reads the SPF term %s: %s", (word, isReadable) => {
    expect(termsOf(`v=spf1 ${word}`).unreadable).toEqual(isReadable ? [] : [word]);
  });

  it("names the reverse of IPv4 and IPv6 addresses", () => {
    expect(reverseName("192.0.2.1")).toBe("1.2.0.192.in-addr.arpa");
    expect(reverseName("2001:db8::1")).toBe(`1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`);
    expect(reverseName("::1")).toBe(`1.${"0.".repeat(31)}ip6.arpa`);
  });

  it("takes only names of hosts for names", () => {
    for (const name of ["example.org", "_dmarc.example.org", "a-b.example", "xn--nxasmq6b.example"]) {
      expect([name, isName(name)]).toEqual([name, true]);
    }
    for (const name of ["", "-a.example", "a b", "a;b.example", "$(a)", "a..b", `${"a".repeat(254)}`]) {
      expect([name, isName(name)]).toEqual([name, false]);
    }
  });

  it("cuts a long TXT record into strings of 255 characters", () => {
    const line = recordLine("example.org", "TXT", `${"a".repeat(300)}"`);
    expect(line).toBe(`example.org. 3600 IN TXT "${"a".repeat(255)}" "${"a".repeat(45)}\\""`);
  });

  it("reads the tags of a record; of two equal ones the first", () => {
    expect([...tagsOf("v=DMARC1; P = none;; p=reject; =x; rua=mailto:a=b")]).toEqual([
      ["v", "DMARC1"],
      ["p", "none"],
      ["rua", "mailto:a=b"],
    ]);
  });

  it("sets a variable in a file or in the shell", () => {
    expect(setCommand("/etc/a b", "X", "1 2")).toBe(
      String.raw`sed -i 's/^X=/#&/' '/etc/a b' && printf '%s\n' 'X=1 2' >> '/etc/a b'`,
    );
    expect(setCommand(null, "X", "1")).toBe("export X=1");
  });

  it("answers with the exit code of the worst finding", () => {
    const transient = wrong("not-checked", "", "");
    const denied = wrong("data.unreadable", "", "");
    const warning = wrong("mx.mixed", "", "");
    const broken = wrong("mx.missing", "", "");
    expect(exitOf([])).toBe(0);
    expect(exitOf([transient])).toBe(1);
    expect(exitOf([transient, warning])).toBe(8);
    expect(exitOf([transient, warning, denied])).toBe(4);
    expect(exitOf([transient, warning, denied, broken])).toBe(9);
  });
});
