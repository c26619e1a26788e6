import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { writeCursor } from "../../src/mailbox/page.ts";
import {
  actorOf,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  plainMessage,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

const costOf = async (box: TestMailbox, work: () => Promise<unknown>) => {
  await actorOf(box.mailbox).takeRowCost();
  await work();
  return actorOf(box.mailbox).takeRowCost();
};

async function fill(box: TestMailbox, from: number, to: number) {
  for (let n = from; n < to; n += 1) {
    const { status } = await deliver(box.mailbox, plainMessage({ subject: `Mail ${n}`, body: `Body ${n}` }));
    expect(status).toBe(202);
  }
}

/** Copies the newest mail `to - from` times: each copy is older than the one before, and has the same label and words. */
async function copiesOf(box: TestMailbox, from: number, to: number) {
  const copies = `WITH RECURSIVE copy (n) AS (SELECT ${from + 1} UNION ALL SELECT n + 1 FROM copy WHERE n < ${to})`;
  const newest = "(SELECT max(seq) FROM message)";
  const seq = "seq - n * 4096";
  for (const text of [
    `${copies} INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
      attachment_count, labels, size_bytes) SELECT ${seq}, ${seq}, direction, status, listing, to_address, sender_folded,
      subject_folded, 0, labels, size_bytes FROM message, copy WHERE seq = ${newest}`,
    `${copies} INSERT INTO content (seq, detail, attachments, body) SELECT ${seq}, detail, attachments, body
      FROM content, copy WHERE seq = ${newest}`,
    `${copies} INSERT INTO message_label (label, seq) SELECT label, ${seq} FROM message_label, copy WHERE seq = ${newest}`,
    `${copies} INSERT INTO search (rowid, subject, names, addresses, body, code, attachments)
      SELECT ${newest} - n * 4096, 'otter', '', '', 'otter fox', '', '' FROM copy`,
    `${copies} INSERT INTO event (seq, kind, at, data) SELECT n + 1, kind, at, data FROM event, copy WHERE seq = 1`,
    `UPDATE account SET last_event = ${to + 1}`,
  ])
    await rowsOf(box.mailbox, text);
  await evict(box.mailbox);
}

/** Rows that each of the reads of a large mailbox costs. */
async function readsOf(box: TestMailbox, limit: number): Promise<Record<string, number>> {
  const [{ seq: middle } = { seq: 0 }] = await rowsOf<{ seq: number }>(
    box.mailbox,
    "SELECT seq FROM message ORDER BY seq LIMIT 1 OFFSET 300",
  );
  const paths = [
    "inbox?",
    `inbox?cursor=${writeCursor(middle)}&`,
    "inbox?label=code&",
    "inbox?from=ann&",
    "search?q=otter&",
    `search?q=otter&cursor=${writeCursor(Date.now() * 2_048, 0, middle)}&`,
    "search?q=otter+fox&",
    "search?q=otter+from:ann&",
    "search?q=label:code&",
    "threads?",
    `threads?cursor=${writeCursor(Date.now() * 2_048, middle)}&`,
    "changes?after=300&",
  ];
  const reads: Record<string, number> = {};
  for (const path of paths) {
    const cost = await costOf(box, async () => {
      expect((await api(`/v1/${path}limit=${limit}`, { key: box.api_key })).status).toBe(200);
    });
    reads[path.replace(/cursor=[^&]*/, "cursor")] = cost.read;
  }
  return reads;
}

describe("the cost of a mailbox, in rows read and written as the platform bills them,", () => {
  it("is the same with 50 and with 2,000 messages, for a page, an email and a receipt", async () => {
    const box = await createMailbox();
    // The first use of a key in an hour writes its time.
    await api("/v1/me", { key: box.api_key });
    const measured = [];
    for (const [from, to] of [
      [0, 50],
      [50, 2_000],
    ] as const) {
      await fill(box, from, to);
      const { body } = await ask<{ emails: { id: string }[] }>("/v1/inbox?limit=1", { key: box.api_key });
      const id = body.emails[0]?.id;
      const page = await costOf(box, () => api("/v1/inbox", { key: box.api_key }));
      const deep = await costOf(box, () => api("/v1/inbox?limit=40", { key: box.api_key }));
      const email = await costOf(box, () => api(`/v1/emails/${id}`, { key: box.api_key }));
      const receipt = await costOf(box, () => deliver(box.mailbox, plainMessage()));
      const waiting = await costOf(box, () => api("/v1/code?timeout=1", { key: box.api_key }));
      measured.push({ page, deep, email, receipt: receipt.written, waiting });
      expect(page.written).toBe(0);
      expect(page.read).toBeLessThanOrEqual(21);
      expect(deep.read).toBeLessThanOrEqual(41);
      expect(email.read).toBeLessThanOrEqual(2);
      expect(receipt.written).toBeLessThanOrEqual(8);
    }
    expect(measured[1]).toEqual(measured[0]);
  }, 120_000);

  it("grows neither with the mail nor with what matches, for lists, searches, threads and changes", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Otter", body: "The code is 482913" }));
    // The first use of a key in an hour writes its time.
    const { body } = await ask<{ next_cursor: string }>("/v1/search?q=otter&limit=1", { key: box.api_key });
    expect(body.next_cursor).toBeNull();
    const few = await copiesOf(box, 0, 600).then(() => readsOf(box, 20));
    const many = await copiesOf(box, 600, 6_000).then(() => readsOf(box, 21));
    for (const [name, read] of Object.entries(many)) {
      // Each answers one email more, and the full-text index may have a few segments more.
      expect({ name, isBounded: read <= 1.1 * (few[name] ?? 0) + 30 }).toEqual({ name, isBounded: true });
    }
  });

  it("is the same for any page by cursor as for the first", async () => {
    const box = await createMailbox();
    await fill(box, 0, 120);
    await api("/v1/me", { key: box.api_key });
    let cursor: string | null = "";
    for (let page = 0; page < 5; page += 1) {
      let next: string | null = null;
      const cost = await costOf(box, async () => {
        const { body } = await ask<{ next_cursor: string | null }>(`/v1/inbox?cursor=${cursor}`, {
          key: box.api_key,
        });
        next = body.next_cursor;
      });
      expect(cost.read).toBeLessThanOrEqual(21);
      cursor = next;
    }
  });

  it("does not grow with the thread for the receipt of a reply", async () => {
    const box = await createMailbox();
    const root = "<root@example.com>";
    // Beyond that it has its full-text index.
    await fill(box, 0, 40);
    await deliver(box.mailbox, plainMessage({ headers: [`References: ${root}`] }));
    const reply = () =>
      deliver(box.mailbox, plainMessage({ headers: [`References: ${root}`, `In-Reply-To: ${root}`] }));
    const first = await costOf(box, reply);
    for (let n = 0; n < 60; n += 1) await reply();
    const last = await costOf(box, reply);
    expect(last.written).toBe(first.written);
    expect(first.written).toBeLessThanOrEqual(8);
    // The full-text index reads one more row each time its segments grow sixteenfold.
    expect(last.read).toBeLessThanOrEqual(first.read + 2);
  });

  it("is nothing for a request with a wrong key", async () => {
    const box = await createMailbox();
    const wrong = `${box.api_key.slice(0, 35)}${"0".repeat(32)}`;
    const cost = await costOf(box, () => api("/v1/inbox", { key: wrong }));
    expect(cost).toEqual({ read: 0, written: 0 });
  });

  it("is at most one write an hour for the use of a key", async () => {
    const box = await createMailbox();
    const first = await costOf(box, () => api("/v1/me", { key: box.api_key }));
    expect(first.written).toBe(1);
    const second = await costOf(box, () => api("/v1/me", { key: box.api_key }));
    expect(second).toEqual({ read: 0, written: 0 });
  });

  it("includes no alarm in an empty mailbox, and one at the end of the log's retention after its first mail", async () => {
    const box = await createMailbox();
    expect(await alarmOf(box.mailbox)).toBeNull();
    await deliver(box.mailbox, plainMessage());
    const due = await alarmOf(box.mailbox);
    expect(due).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    await api("/v1/inbox", { key: box.api_key });
    const { body } = await deliver(box.mailbox, plainMessage());
    await ask(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    await ask("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    expect(await alarmOf(box.mailbox)).toBe(due);
  });

  it("includes no object in the bucket for mail that fits in a row", async () => {
    const box = await createMailbox();
    const before = (await env.BLOBS.list()).objects.length;
    await deliver(box.mailbox, plainMessage({ body: "x".repeat(400_000) }));
    expect((await env.BLOBS.list()).objects.length).toBe(before);
  });
});
