import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import type { Dns, RecordType } from "../../../../src/lib/dns/dns.ts";
import { checkSpf } from "../../../../src/mail/authentication/checks/spf/spf.ts";

/** The test cases of RFC 7208, as Debian's python3-spf has them. */
const SUITE = "/usr/share/doc/python3-spf/rfc7208-tests.yml.gz";

const Scenario = z.object({
  description: z.string(),
  tests: z.record(
    z.string(),
    z.object({
      helo: z.string(),
      host: z.string(),
      mailfrom: z.string().nullable(),
      result: z.union([z.string(), z.array(z.string())]),
    }),
  ),
  zonedata: z.record(z.string(), z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))),
});
type Scenario = z.output<typeof Scenario>;

/** A resolver that answers from the zone of a scenario. */
function dnsOf(zone: Scenario["zonedata"]): Dns {
  const names = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), records]));
  const look = async (name: string, type: RecordType, aliases = 0): ReturnType<Dns["look"]> => {
    const records = names.get(name.toLowerCase().replace(/\.$/, ""));
    if (records === undefined) return { records: [], exists: false };
    const given = records.flatMap((record) => (typeof record === "string" ? [] : Object.entries(record)));
    const has = (wanted: string): boolean => given.some(([kind, data]) => kind === wanted && data !== "NONE");
    // A record of type SPF stands for a TXT record too, unless the name has one.
    const isGenerated = !given.some(([kind]) => kind === "TXT");
    const wanted = type === "TXT" && isGenerated ? "SPF" : type;
    if (!has(wanted) && records.includes("TIMEOUT")) throw new Error("the resolver did not answer");
    const alias = given.find(([kind]) => kind === "CNAME");
    if (alias !== undefined && aliases < 8) return look(String(alias[1]), type, aliases + 1);
    const found = given.filter(([kind, data]) => kind === wanted && data !== "NONE");
    return { records: found.map(([, data]) => textOf(type, data)), exists: true };
  };
  return { look: (name, type) => look(name, type) };
}

function textOf(type: RecordType, data: unknown): string {
  const parts = Array.isArray(data) ? data.map(String) : [String(data)];
  if (type === "MX") return parts.join(" ").toLowerCase();
  if (type === "TXT") return Buffer.from(parts.join(""), "utf8").toString("latin1");
  return parts.join("").toLowerCase().replace(/\.$/, "");
}

const scenarios = existsSync(SUITE)
  ? parseAllDocuments(gunzipSync(readFileSync(SUITE)).toString("utf8")).flatMap((document) => {
      const json: unknown = document.toJS();
      return json === null ? [] : [Scenario.parse(json)];
    })
  : [];

const cases = scenarios.flatMap(({ description, tests, zonedata }) =>
  Object.entries(tests).map(([name, test]) => ({ name: `${description}: ${name}`, test, zonedata })),
);

describe.skipIf(scenarios.length === 0)(
  "SPF, by the test cases of RFC 7208 (skipped without python3-spf)",
  () => {
    it.each(cases)("$name", async ({ test, zonedata }) => {
      const client = { address: test.host, helo: test.helo, mailFrom: test.mailfrom ?? "" };
      const { result } = await checkSpf(client, {
        dns: dnsOf(zonedata),
        signal: new AbortController().signal,
      });
      expect([test.result].flat()).toContain(result);
    });

    it("are all there", () => {
      expect(cases.length).toBeGreaterThan(180);
    });
  },
);
