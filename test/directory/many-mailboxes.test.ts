import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { directoryShard } from "../../src/contract/directory.ts";
import { ask, OPERATOR } from "../harness.ts";

const COUNT = 10_000;
const PAGE = 100;
/** Reports under way at once. */
const AT_ONCE = 200;

interface Page {
  mailboxes: { mailbox: string }[];
  next_cursor: string | null;
}

const addresses = Array.from({ length: COUNT }, (_, n) => `one-of-many-${n}@mailkeep.test`);

async function report(address: string): Promise<void> {
  const made = { created_at: 1_700_000_000_000, expires_at: null };
  const directory = env.DIRECTORY.getByName(directoryShard(address));
  await directory.report({ address, kind: "permanent", status: "active", ...made });
}

it("lists 10,000 mailboxes by cursor, each once, and no page is short", { timeout: 120_000 }, async () => {
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    await Promise.all(addresses.slice(from, from + AT_ONCE).map(report));
  }
  const pages: string[][] = [];
  for (let cursor: string | null = ""; cursor !== null && pages.length <= COUNT / PAGE;) {
    const { body }: { body: Page } = await ask(`/v1/mailboxes?limit=${PAGE}&cursor=${cursor}`, {
      key: OPERATOR,
    });
    pages.push(body.mailboxes.map(({ mailbox }) => mailbox));
    cursor = body.next_cursor;
  }
  expect(pages.map((page) => page.length)).toEqual(Array.from({ length: COUNT / PAGE }, () => PAGE));
  expect(pages.flat().toSorted()).toEqual(addresses.toSorted());
});
