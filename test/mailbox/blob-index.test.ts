import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SMALL_MAILBOX } from "../../src/mailbox/account/account.ts";
import { SEQ_PER_MS } from "../../src/lib/ids.ts";
import { ROWS_A_TURN } from "../../src/mailbox/turns.ts";
import {
  actorOf,
  ask,
  createMailbox,
  deliver,
  evict,
  plainMessage,
  rowsOf,
  type TestMailbox,
  withBindings,
} from "../harness.ts";

const receive = ({ mailbox }: TestMailbox) => deliver(mailbox, plainMessage());
/** Receives a mail that is too large for a row of the mailbox. */
const receiveLarge = ({ mailbox }: TestMailbox) =>
  deliver(mailbox, plainMessage({ body: "x".repeat(600_000) }));

async function fill(box: TestMailbox, count: number) {
  for (let n = 0; n < count; n += 1) await receive(box);
}

/** Stores so many mails without blobs, older than all others. */
async function addOlder({ mailbox }: TestMailbox, count: number) {
  await rowsOf(
    mailbox,
    `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count})
      INSERT INTO content (seq, detail, attachments, body) SELECT seq - n * ${SEQ_PER_MS}, detail, attachments, '{}'
      FROM content, copy WHERE seq = (SELECT min(seq) FROM content)`,
  );
}

const isIndexed = async ({ mailbox }: TestMailbox) =>
  (await rowsOf(mailbox, "SELECT 1 FROM sqlite_master WHERE name = 'content_blobs'")).length === 1;

const costOf = async ({ mailbox }: TestMailbox, work: () => Promise<unknown>) => {
  await actorOf(mailbox).takeRowCost();
  await work();
  return actorOf(mailbox).takeRowCost();
};

const end = async ({ api_key }: TestMailbox) =>
  (await ask<{ r2_blobs_deleted: number }>("/v1/mailbox", { key: api_key, method: "DELETE" })).body
    .r2_blobs_deleted;

describe("the index of messages with blobs", () => {
  it("is made with the first email that is more than a small mailbox holds", async () => {
    const box = await createMailbox();
    await fill(box, SMALL_MAILBOX);
    expect(await isIndexed(box)).toBe(false);
    await receive(box);
    expect(await isIndexed(box)).toBe(true);
  });

  it("takes one row of a receipt with blobs, and none of another one", async () => {
    const box = await createMailbox();
    await receiveLarge(box);
    const small = await costOf(box, () => receiveLarge(box));
    await fill(box, SMALL_MAILBOX);
    const rows = async (work: () => Promise<unknown>) => (await costOf(box, work)).written;
    expect((await rows(() => receiveLarge(box))) - small.written).toBe(1);
    const plain = await rows(() => receive(box));
    await rowsOf(box.mailbox, "DROP INDEX content_blobs");
    expect(await rows(() => receive(box))).toBe(plain);
  });

  it("lets the end of a mailbox read as many rows as there are blobs, however many mails there are", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => void vi.restoreAllMocks());
    const readAtEnd = async ({ large, older }: { large: number; older: number }) => {
      const box = await createMailbox();
      await fill(box, SMALL_MAILBOX + 1);
      for (let n = 0; n < large; n += 1) await receiveLarge(box);
      await addOlder(box, older);
      // Its rows stay, and their cost is counted, while the directory keeps its address.
      const DIRECTORY = { getByName: () => ({ remove: () => Promise.reject(new Error("down")) }) };
      let read = 0;
      await withBindings(box.mailbox, { DIRECTORY }, async () => {
        ({ read } = await costOf(box, async () => expect(await end(box)).toBe(large)));
      });
      return read;
    };
    const few = await readAtEnd({ large: 1, older: 1 });
    expect(few).toBeGreaterThan(0);
    expect(await readAtEnd({ large: 1, older: 2 * ROWS_A_TURN })).toBe(few);
    expect(await readAtEnd({ large: 3, older: 1 })).toBeGreaterThan(few);
  });

  it("is made later for a mailbox of an earlier release, unless it has more mail than one turn looks at", async () => {
    const earlier = async (older: number, inbound: number) => {
      const box = await createMailbox();
      await receiveLarge(box);
      await addOlder(box, older);
      await rowsOf(box.mailbox, `UPDATE account SET inbound = ${inbound}`);
      await evict(box.mailbox);
      await receiveLarge(box);
      return box;
    };
    const small = await earlier(ROWS_A_TURN - 2, ROWS_A_TURN - 1);
    const large = await earlier(ROWS_A_TURN, ROWS_A_TURN + 1);
    // Reports are not counted as emails.
    const reports = await earlier(2 * ROWS_A_TURN, SMALL_MAILBOX);
    expect(await Promise.all([small, large, reports].map(isIndexed))).toEqual([true, false, false]);
    expect((await costOf(reports, () => receive(reports))).read).toBeLessThan(100);
    for (const box of [small, large, reports]) expect(await end(box)).toBe(2);
  });
});
