import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  DIRECTORY_SHARDS,
  directoryShard,
  shardName,
  type DirectoryReport,
} from "../../src/contract/directory.ts";
import { ask, createMailbox, OPERATOR } from "../harness.ts";

interface Page {
  mailboxes: {
    mailbox: string;
    kind: string;
    status: string;
    created_at: string;
    expires_at: string | null;
  }[];
  next_cursor: string | null;
}

const COUNT = 330;
const addressOf = (n: number) => `listed-${n}@mailkeep.test`;
const reportOf = (n: number, more: Partial<DirectoryReport> = {}): DirectoryReport => ({
  address: addressOf(n),
  kind: n % 2 === 0 ? "permanent" : "temporary",
  status: n % 10 === 0 ? "paused" : "active",
  created_at: 1_700_000_000_000 + n,
  expires_at: null,
  ...more,
});
const shardOf = (address: string) => env.DIRECTORY.getByName(directoryShard(address));
const report = async (entry: DirectoryReport) => shardOf(entry.address).report(entry);

async function walk(
  query: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = [];
  let page = 0;
  for (let cursor: string | null = ""; cursor !== null; page += 1) {
    if (page > 500) throw new Error("The cursor never ends");
    const { status, body }: { status: number; body: Page } = await ask(
      `/v1/mailboxes?${query}&cursor=${cursor}`,
      {
        key: OPERATOR,
      },
    );
    expect(status).toBe(200);
    seen.push(...body.mailboxes.map((entry) => entry.mailbox));
    cursor = body.next_cursor;
    await between(page);
  }
  return seen;
}

beforeAll(async () => {
  await Promise.all(Array.from({ length: COUNT }, (_, n) => report(reportOf(n))));
});

const isListed = (address: string) => /^listed-\d+@/.test(address);
const all = Array.from({ length: COUNT }, (_, n) => addressOf(n)).toSorted();

describe("the operator's list of mailboxes", () => {
  it.each([1, 7, 100])(
    "shows each once, over all shards, %i to a page",
    async (limit) => {
      const seen = (await walk(`limit=${limit}`)).filter(isListed);
      expect(seen.toSorted()).toEqual(all);
    },
    60_000,
  );

  it("fills its pages across shards", async () => {
    const { body } = await ask<Page>("/v1/mailboxes?limit=100", { key: OPERATOR });
    expect(body.mailboxes).toHaveLength(100);
    expect(new Set(body.mailboxes.map((entry) => directoryShard(entry.mailbox))).size).toBeGreaterThan(1);
  });

  it("shows what a mailbox reported", async () => {
    const address = `telling-${crypto.randomUUID()}@mailkeep.test`;
    await report({
      address,
      kind: "temporary",
      status: "paused",
      created_at: Date.UTC(2026, 0, 1),
      expires_at: Date.UTC(2199, 0, 1),
    });
    const { body } = await ask<Page>("/v1/mailboxes?limit=100&status=paused", { key: OPERATOR });
    expect(body.mailboxes).toContainEqual({
      mailbox: address,
      kind: "temporary",
      status: "paused",
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2199-01-01T00:00:00.000Z",
    });
  });

  it("is narrowed by status, each page as full as can be", async () => {
    const paused = (await walk("status=paused&limit=9")).filter(isListed);
    expect(paused.toSorted()).toEqual(all.filter((address) => /0@/.test(address)));
    const active = (await walk("status=active&limit=100")).filter(isListed);
    expect(active.toSorted()).toEqual(all.filter((address) => !/0@/.test(address)));
    expect((await walk("status=")).filter(isListed).length).toBe(COUNT);
    expect((await ask("/v1/mailboxes?status=closing", { key: OPERATOR })).status).toBe(400);
  });

  it("keeps its position while mailboxes are made and erased", async () => {
    let extra = 0;
    const seen = await walk("limit=40", async (page) => {
      for (let n = 0; n < 5; n += 1) {
        extra += 1;
        await report(reportOf(0, { address: `between-${extra}-${Math.random()}@mailkeep.test` }));
      }
      if (page === 0) await shardOf("none@mailkeep.test").remove("none@mailkeep.test");
    });
    expect(seen.filter(isListed).toSorted()).toEqual(all);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each(["x", "g-", "0", "-", "00-", "0-!", "%00"])(
    "refuses a cursor it never gave: %s",
    async (cursor) => {
      const { status, body } = await ask(`/v1/mailboxes?cursor=${cursor}`, { key: OPERATOR });
      expect(status).toBe(400);
      expect(body).toMatchObject({ details: [{ path: "cursor" }] });
    },
  );

  it("does not show an expired mailbox, nor one that is being erased", async () => {
    const over = `over-${crypto.randomUUID()}@mailkeep.test`;
    const closing = `closing-${crypto.randomUUID()}@mailkeep.test`;
    await report(reportOf(1, { address: over, expires_at: Date.now() - 1 }));
    await report(reportOf(1, { address: closing }));
    await report(reportOf(1, { address: closing, status: "closing" }));
    const seen = await walk("limit=100");
    expect(seen).not.toContain(over);
    expect(seen).not.toContain(closing);
  });

  it("is for the operator alone", async () => {
    const { api_key } = await createMailbox();
    expect((await ask("/v1/mailboxes", { key: api_key })).status).toBe(403);
    expect((await ask("/v1/mailboxes")).status).toBe(401);
  });
});

describe("a directory shard", () => {
  it("stores a repeated or corrected report as one entry", async () => {
    const address = `twice-${crypto.randomUUID()}@mailkeep.test`;
    await report(reportOf(1, { address }));
    await report(reportOf(1, { address }));
    await report(reportOf(1, { address, status: "paused" }));
    const entries = await shardOf(address).list({ after: "", status: null, limit: 1_000 });
    expect(entries.filter((entry) => entry.address === address)).toMatchObject([{ status: "paused" }]);
  });

  it("removes an entry, and accepts the removal of an unknown one", async () => {
    const address = `gone-${crypto.randomUUID()}@mailkeep.test`;
    await report(reportOf(1, { address }));
    await shardOf(address).remove(address);
    await shardOf(address).remove(address);
    const entries = await shardOf(address).list({ after: "", status: null, limit: 1_000 });
    expect(entries.map((entry) => entry.address)).not.toContain(address);
  });

  it("holds its share: sixteen shards, none with twice the mean of 16,000 addresses", () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 16_000; n += 1) {
      const shard = directoryShard(addressOf(n));
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(
      Array.from({ length: DIRECTORY_SHARDS }, (_, index) => shardName(index)).toSorted(),
    );
    expect(Math.max(...counts.values())).toBeLessThan(2_000);
  });

  it("answers no HTTP request", async () => {
    // The package warns of each.
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const response = await runInDurableObject(shardOf(addressOf(1)), (instance) =>
      instance.onRequest(new Request("https://directory.example/")),
    );
    expect(response.status).toBe(404);
  });
});
