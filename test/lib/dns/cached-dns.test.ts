import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CachedDns, type Ask, type CacheOptions } from "../../../src/lib/dns/cached-dns.ts";

/** A cache in front of a resolver that notes what it is asked, with a clock that the test sets. */
function cacheOf(
  answer: (name: string) => { records: string[]; ttlSeconds: number } | null,
  options?: Partial<CacheOptions>,
) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const ask: Ask = async (name) => {
    asked.push(name);
    const found = answer(name);
    if (found === null) throw new Error("SERVFAIL");
    return { answer: { records: found.records, exists: true }, ttlSeconds: found.ttlSeconds };
  };
  const dns = new CachedDns(ask, { maxEntries: 100, maxChars: 100_000, now: () => clock.ms, ...options });
  return { asked, clock, dns };
}

describe("a resolver with a cache", () => {
  it("asks once within the TTL, whatever the case of the name, and again after it", async () => {
    const { dns, asked, clock } = cacheOf(() => ({ records: ["a"], ttlSeconds: 60 }));
    await dns.look("Example.org", "TXT");
    clock.ms = 59_999;
    expect((await dns.look("example.ORG", "TXT")).records).toEqual(["a"]);
    expect(asked).toEqual(["example.org"]);
    clock.ms = 60_000;
    await dns.look("example.org", "TXT");
    expect(asked).toHaveLength(2);
  });

  it.each([
    ["a TTL of 0", ["a"], 0, 30],
    ["a TTL of a week", ["a"], 604_800, 3_600],
    ["an empty answer with a TTL of a day", [], 86_400, 300],
  ])("keeps %s for a time within its bounds", async (_case, records, ttlSeconds, expected) => {
    const { dns, asked, clock } = cacheOf(() => ({ records, ttlSeconds }));
    await dns.look("example.org", "TXT");
    clock.ms = expected * 1_000 - 1;
    await dns.look("example.org", "TXT");
    expect(asked).toHaveLength(1);
    clock.ms += 1;
    await dns.look("example.org", "TXT");
    expect(asked).toHaveLength(2);
  });

  it("remembers a failure for a quarter of a minute", async () => {
    const { dns, asked, clock } = cacheOf(() => null);
    await expect(dns.look("example.org", "TXT")).rejects.toThrow("does not answer");
    clock.ms = 14_999;
    await expect(dns.look("example.org", "TXT")).rejects.toThrow("does not answer");
    expect(asked).toHaveLength(1);
    clock.ms = 15_000;
    await expect(dns.look("example.org", "TXT")).rejects.toThrow("does not answer");
    expect(asked).toHaveLength(2);
  });

  it("asks one question for all who ask the same at a time", async () => {
    const { dns, asked } = cacheOf(() => ({ records: ["a"], ttlSeconds: 60 }));
    await Promise.all(Array.from({ length: 50 }, () => dns.look("example.org", "TXT")));
    expect(asked).toHaveLength(1);
  });

  it("lets a caller give up while the question goes on for others", async () => {
    const waiting = Promise.withResolvers<void>();
    const ask: Ask = async () => {
      await waiting.promise;
      return { answer: { records: ["a"], exists: true }, ttlSeconds: 60 };
    };
    const dns = new CachedDns(ask, { maxEntries: 10, maxChars: 1_000 });
    const controller = new AbortController();
    const givenUp = dns.look("example.org", "TXT", controller.signal);
    const other = dns.look("example.org", "TXT");
    controller.abort();
    await expect(givenUp).rejects.toThrow("given up");
    waiting.resolve();
    expect((await other).records).toEqual(["a"]);
  });

  it.each(["localhost", "printer", "db.internal", "nas.local", "x.home.arpa", "a..b.org", "", "a\nb.org"])(
    "says without asking that %j does not exist in public DNS",
    async (name) => {
      const { dns, asked } = cacheOf(() => ({ records: ["a"], ttlSeconds: 60 }));
      expect(await dns.look(name, "A")).toEqual({ records: [], exists: false });
      expect(asked).toEqual([]);
    },
  );

  it("takes an answer that is too large for a failure", async () => {
    const { dns } = cacheOf((name) => ({
      records: name.startsWith("many") ? Array<string>(65).fill("a") : ["a".repeat(16_385)],
      ttlSeconds: 60,
    }));
    await expect(dns.look("many.example", "TXT")).rejects.toThrow("does not answer");
    await expect(dns.look("long.example", "TXT")).rejects.toThrow("does not answer");
  });

  it("keeps the answers in use, however many names a sender makes up", async () => {
    const { dns, asked } = cacheOf(() => ({ records: ["a"], ttlSeconds: 3_600 }));
    for (let use = 0; use < 2; use += 1) {
      for (let host = 0; host < 50; host += 1) await dns.look(`used${host}.example`, "TXT");
      // The share of new answers holds 25 names: they are asked for in time.
      for (let host = 0; host < 25; host += 1) await dns.look(`used${host}.example`, "TXT");
    }
    for (let name = 0; name < 10_000; name += 1) await dns.look(`random${name}.example`, "TXT");
    asked.length = 0;
    for (let host = 0; host < 25; host += 1) await dns.look(`used${host}.example`, "TXT");
    expect(asked).toEqual([]);
  });

  it("never holds more entries or characters than it may", async () => {
    const names = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 })), {
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(names, async (asks) => {
        const { dns } = cacheOf(
          (name) => ({ records: ["a".repeat(Number(name.split(".")[1]?.slice(1)))], ttlSeconds: 60 }),
          {
            maxEntries: 20,
            maxChars: 2_000,
          },
        );
        for (const [name, length] of asks) {
          await dns.look(`n${name}.s${length}.example`, "TXT");
          expect(dns.size.entries).toBeLessThanOrEqual(20);
          expect(dns.size.chars).toBeLessThanOrEqual(2_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});
