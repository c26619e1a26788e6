import { describe, expect, it } from "vitest";
import type { MailTables } from "../../src/mail/tables/mail-tables.ts";
import { tableLoader } from "../../src/service/load-tables.ts";

const TABLES: MailTables = {
  languages: [],
  carriers: {},
  currencies: {},
  cards: {},
  wallets: {},
  publicSuffixes: "",
  tokenWeights: "",
  tokenChars: "",
};

/** An isolate without tables, and static assets that answer in turn as `answers` says, and then with the tables. */
function isolate(answers: readonly Response[] = []) {
  const waiting = [...answers];
  const asked: string[] = [];
  const kept: MailTables[] = [];
  const assets = {
    fetch: async (request: Request) => {
      asked.push(new URL(request.url).pathname);
      // An answer takes longer than a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return waiting.shift() ?? Response.json(TABLES);
    },
  };
  const load = tableLoader({ has: () => kept.length > 0, provide: (tables) => void kept.push(tables) });
  return { asked, kept, load: () => load({ ASSETS: assets as unknown as Fetcher }) };
}

describe("Loading the tables by which mail is read", () => {
  it("asks once for all requests of an isolate, and never again", async () => {
    const { asked, kept, load } = isolate();
    await Promise.all([load(), load(), load()]);
    await load();
    expect(asked).toEqual([expect.stringMatching(/^\/assets\/tables\.[0-9a-f]{16}\.json$/)]);
    expect(kept).toEqual([TABLES]);
  });

  it("fails for the request that asked in vain, and not for the next one", async () => {
    const { asked, kept, load } = isolate([new Response(null, { status: 404 })]);
    const [first, second] = await Promise.allSettled([load(), load()]);
    expect(first).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("404") } });
    expect(second).toMatchObject({ status: "fulfilled" });
    expect(asked).toHaveLength(2);
    expect(kept).toEqual([TABLES]);
  });
});
