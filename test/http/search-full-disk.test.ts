import { describe, expect, it } from "vitest";
import { InboxQuery } from "../../src/contract/routes/emails.ts";
import type { CallFor } from "../../src/http/call.ts";
import type { emailRoutes } from "../../src/contract/routes/emails.ts";
import { emailHandlers } from "../../src/http/routes/emails.ts";
import { Waiting } from "../../src/service/wait.ts";

type SearchCall = CallFor<typeof emailRoutes.search>;

/** A call to search, in a mailbox whose first call fails so; the arguments of all calls go to `calls`. */
function callOf(error: Error, calls: unknown[]): SearchCall {
  const search = (access: unknown, filters: unknown, request: unknown) => {
    calls.push([access, request]);
    return Promise.resolve({ ok: true, value: `{"emails":[]}` });
  };
  const failing = {
    name: "box",
    search: (...args: [unknown, unknown, unknown]) => {
      void search(...args);
      return Promise.reject(error);
    },
  };
  const env = { MAILBOX: { getByName: (name: string) => (name === "box" ? { search } : null) } };
  const query = { ...InboxQuery.parse({ mode: "keyword" }), q: '"red fox"' };
  const access = { isCounted: false };
  const request = new Request("https://api.example/v1/search");
  return { env, mailbox: failing, access, request, ignored: [], input: { query } } as unknown as SearchCall;
}

/** The answer to a search that may wait. */
async function searched(call: SearchCall): Promise<unknown> {
  const begun = await emailHandlers.search(call);
  if (!begun.ok || !(begun.value instanceof Waiting)) throw new Error("The search does not wait");
  return begun.value.work;
}

describe("a search while the disk is full", () => {
  it("is repeated once, without writing, and counts as one call", async () => {
    const calls: unknown[] = [];
    // The words of the runtime, measured on a full file system.
    const answer = await searched(callOf(new Error("database or disk is full: SQLITE_FULL"), calls));
    expect(answer).toEqual({ ok: true, value: `{"emails":[]}` });
    expect(calls).toEqual([
      [{ isCounted: false }, expect.not.objectContaining({ isReadOnly: true })],
      [{ isCounted: true }, expect.objectContaining({ text: '"red fox"', isReadOnly: true })],
    ]);
  });

  it("fails at once for another reason", async () => {
    const calls: unknown[] = [];
    await expect(searched(callOf(new Error("syntax error"), calls))).rejects.toThrow("syntax");
    expect(calls).toHaveLength(1);
  });
});
