import { beforeEach, describe, expect, it, vi } from "vitest";
import { ADDRESS, NodeMailbox } from "./node-mailbox.ts";

const LARGE_BYTES = 1_000_000_000;

/** A mailbox, and what the process that holds files is asked; `stored` are the rows of the mailbox when it is asked. */
async function mailboxOf(bytes: number, answer: () => Promise<Response>) {
  const asked: { url: string; stored: number }[] = [];
  const MAILBOX_FILES = {
    fetch: (url: string) => {
      asked.push({ url, stored: mailbox.rows("SELECT one FROM account").length });
      return answer();
    },
  };
  const mailbox = await NodeMailbox.create({}, { MAILBOX_FILES });
  mailbox.storage.databaseBytes = bytes;
  return { mailbox, asked };
}

const held = async () => new Response(null, { status: 204 });

describe("the end of a mailbox", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });

  it("has a large file held before the runtime removes it", async () => {
    const { mailbox, asked } = await mailboxOf(LARGE_BYTES, held);
    await mailbox.life.lifecycle.end();
    expect(asked).toEqual([{ url: `http://files/hold?address=${encodeURIComponent(ADDRESS)}`, stored: 1 }]);
    expect(mailbox.storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
  });

  it("asks nobody to hold a small file", async () => {
    const { mailbox, asked } = await mailboxOf(1_000_000, held);
    await mailbox.life.lifecycle.end();
    expect(asked).toEqual([]);
  });

  it("erases everything although nobody holds the file", async () => {
    const { mailbox, asked } = await mailboxOf(LARGE_BYTES, () => Promise.reject(new Error("gone")));
    await mailbox.life.lifecycle.end();
    expect(asked).toHaveLength(1);
    expect(mailbox.storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
  });
});
