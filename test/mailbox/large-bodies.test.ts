import { runInDurableObject } from "cloudflare:test";
import { EARLIER_STEPS } from "../../src/mailbox/earlier-schema.ts";
import { SCHEMAS } from "../../src/mailbox/schemas.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import {
  actorOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  message,
  OPERATOR,
  plainMessage,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

const UTF8 = ["Content-Type: text/plain; charset=utf-8"];
/** Text and message are each too large for a row, and below every limit. */
const LARGE = `Order number: HB-2025-00391\n${"A line of words.\n".repeat(40_000)}`;
/** Fits a row as text, but not as JSON, which is three times as long. */
const ESCAPED = `Order number: HB-2025-00391\n${'"\\'.repeat(200_000)}`;
const OVER = `Order number: HB-2025-00391\n${"é".repeat(600_000)}`;

interface Read {
  email: Email;
  thread: { emails: Email[] };
  extraction: { text_truncated: boolean; extraction: { order_id: string | null } };
}

async function read({ api_key: key }: TestMailbox, id: string): Promise<Read> {
  const email = await ask<Email>(`/v1/emails/${id}`, { key });
  const thread = await ask<Read["thread"]>(`/v1/threads/${id}`, { key });
  const extraction = await ask<Read["extraction"]>("/v1/extract", {
    key,
    json: { email_id: id, type: "order" },
  });
  expect([email.status, thread.status, extraction.status]).toEqual([200, 200, 200]);
  return { email: email.body, thread: thread.body, extraction: extraction.body };
}

/** Makes the raw message unreadable: an answer after that does not need it. */
async function loseRaw(box: TestMailbox): Promise<void> {
  const rows = await rowsOf<{ raw_key: string | null }>(box.mailbox, "SELECT raw_key FROM content");
  for (const { raw_key } of rows) if (raw_key !== null) await env.BLOBS.delete(raw_key);
  await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
    state.storage.sql.exec("UPDATE content SET raw = NULL WHERE raw IS NOT NULL");
  });
}

const chunksOf = (box: TestMailbox) =>
  rowsOf<{ bytes: number }>(box.mailbox, "SELECT octet_length(bytes) AS bytes FROM blob_chunk");

describe("texts too large for a row", () => {
  it.each([
    ["of a large message", LARGE, false],
    ["that JSON makes large", ESCAPED, false],
    ["over the limit", OVER, true],
  ])("are read without the raw message: %s", async (_, body, isTruncated) => {
    const box = await createMailbox();
    const sent = await deliver(box.mailbox, plainMessage({ body, headers: UTF8 }));
    await loseRaw(box);
    const { email, thread, extraction } = await read(box, sent.body.id);
    const kept = isTruncated ? body.slice(0, email.body_text.length) : `${body}`.trimEnd();
    expect(email.body_text.trimEnd() === kept).toBe(true);
    expect(email.text_new.trimEnd() === kept).toBe(true);
    expect(email).toMatchObject({ text_truncated: isTruncated, subject: "Hello", body_html: "" });
    expect(email.headers.subject).toBe("Hello");
    expect(thread.emails).toEqual([email]);
    expect(extraction).toMatchObject({
      text_truncated: isTruncated,
      extraction: { order_id: "HB-2025-00391" },
    });
    const found = await ask<{ emails: Email[] }>("/v1/search?q=hello", { key: box.api_key });
    expect(found.body.emails).toMatchObject([{ text_truncated: isTruncated }]);
    const inbox = await ask<{ emails: Email[] }>("/v1/inbox", { key: box.api_key });
    expect(inbox.body.emails).toMatchObject([{ text_truncated: isTruncated }]);
  });

  it("keep new and quoted text apart", async () => {
    const box = await createMailbox();
    const quoted = "> an old line\n".repeat(30_000);
    const sent = await deliver(box.mailbox, plainMessage({ body: `New words.\n\n${quoted}`, headers: UTF8 }));
    const { email } = await read(box, sent.body.id);
    expect(email.text_new).toBe("New words.");
    expect(email.body_text.endsWith("> an old line\n") || email.body_text.endsWith("> an old line")).toBe(
      true,
    );
  });

  it("are stored in rows of at most a megabyte, and erased with their email", async () => {
    const box = await createMailbox();
    const body = "\x01".repeat(1_500_000);
    const sent = await deliver(box.mailbox, plainMessage({ body, headers: UTF8 }));
    const chunks = await chunksOf(box);
    expect(chunks.length).toBeGreaterThan(5);
    expect(Math.max(...chunks.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1_000_000);
    const { email } = await read(box, sent.body.id);
    expect(email.body_text === body.slice(0, 1_000_000)).toBe(true);
    await ask(`/v1/emails/${sent.body.id}`, { key: box.api_key, method: "DELETE" });
    await runInDurableObject(actorOf(box.mailbox), (mailbox) => mailbox.onAlarm());
    expect(await chunksOf(box)).toEqual([]);
  });

  it("are stored once if the message comes twice", async () => {
    const box = await createMailbox();
    for (const body of [LARGE, ESCAPED]) {
      const raw = plainMessage({ body, headers: [...UTF8, `Message-ID: <${body.length}@example.com>`] });
      await deliver(box.mailbox, raw);
      const before = await chunksOf(box);
      expect((await deliver(box.mailbox, raw)).body.duplicate).toBe(true);
      expect(await chunksOf(box)).toEqual(before);
    }
  });

  it("can be replied to and forwarded", async () => {
    const box = await createMailbox();
    const sent = await deliver(box.mailbox, plainMessage({ body: ESCAPED.slice(0, 300_000), headers: UTF8 }));
    await loseRaw(box);
    const reply = await ask("/v1/emails/" + sent.body.id + "/reply", {
      key: box.api_key,
      json: { text: "Thank you." },
    });
    expect(reply.status).toBeLessThan(300);
  });
});

/** Changes the rows of a mailbox to those that an earlier release stored for large mail. */
async function asBefore(box: TestMailbox): Promise<void> {
  await runInDurableObject(actorOf(box.mailbox), ({ life }, state) => {
    const { sql } = state.storage;
    // That version had made all tables, in one chain of steps.
    life.context.late.flush();
    life.searchIndex.complete();
    for (const schema of SCHEMAS) life.context.schemas.make(schema);
    // It had no index of blobs.
    sql.exec("DROP INDEX content_blobs");
    sql.exec("CREATE TABLE migration (id TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID");
    // All keys were rows.
    sql.exec(`INSERT INTO api_key SELECT first_key ->> 'id', first_key ->> 'secret_hash', first_key ->> 'scope',
      first_key ->> 'created_at', first_key ->> 'expires_at', first_key ->> 'last_used_at' FROM account`);
    // Columns of later steps, which are taken again when the mailbox opens.
    for (const column of ["webhook_recovery", "first_key", "steps"]) {
      sql.exec(`ALTER TABLE account DROP COLUMN ${column}`);
    }
    sql.exec("ALTER TABLE content DROP COLUMN words");
    for (const column of ["failing_since", "recovery", "missed"]) {
      sql.exec(`ALTER TABLE webhook_target DROP COLUMN ${column}`);
    }
    sql.exec("DROP INDEX delivery_undelivered");
    sql.exec("ALTER TABLE delivery DROP COLUMN arrived");
    sql.exec("ALTER TABLE embedding_state DROP COLUMN renew");
    for (const [position, { id }] of EARLIER_STEPS.slice(0, -1).entries()) {
      sql.exec("INSERT INTO migration (id, position) VALUES (?, ?)", id, position);
    }
    sql.exec("DELETE FROM blob_chunk");
    sql.exec("ALTER TABLE content DROP COLUMN body_key");
    sql.exec("ALTER TABLE content DROP COLUMN body_layout");
    sql.exec("UPDATE message SET listing = json_remove(listing, '$.text_truncated')");
  });
  await evict(box.mailbox);
}

describe("large mail that an earlier release stored", () => {
  it.each([
    ["in the bucket", LARGE, false],
    ["in a row", ESCAPED, false],
    ["with a text over the limit", OVER, true],
  ])("is read once from its raw message, then from stored rows: %s", async (_, body, isTruncated) => {
    const box = await createMailbox();
    const sent = await deliver(box.mailbox, plainMessage({ body, headers: UTF8 }));
    const fresh = await read(box, sent.body.id);
    await asBefore(box);
    const [first, second, third] = await Promise.all([0, 1, 2].map(() => read(box, sent.body.id)));
    expect(first).toEqual(fresh);
    expect([second, third]).toEqual([fresh, fresh]);
    expect(fresh.email.text_truncated).toBe(isTruncated);
    await loseRaw(box);
    expect(await read(box, sent.body.id)).toEqual(fresh);
    const erasures = await rowsOf(box.mailbox, "SELECT key FROM blob_to_erase");
    expect(erasures).toEqual([]);
  });

  it("does not mark small mail beside it as cut", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage());
    await asBefore(box);
    for (const path of ["/v1/inbox", "/v1/search?q=hello"]) {
      const { body } = await ask<{ emails: Email[] }>(path, { key: box.api_key });
      expect(body.emails).toMatchObject([{ subject: "Hello", text_truncated: false }]);
    }
  });

  it("answers 503 if the raw message is missing, and other mail can be read", async () => {
    const box = await createMailbox();
    const sent = await deliver(box.mailbox, plainMessage({ body: LARGE, headers: UTF8 }));
    const small = await deliver(box.mailbox, plainMessage());
    await asBefore(box);
    await loseRaw(box);
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect((await api(`/v1/emails/${sent.body.id}`, { key: box.api_key })).status).toBe(503);
    expect(told).toHaveBeenCalledOnce();
    told.mockRestore();
    expect((await api(`/v1/emails/${small.body.id}`, { key: box.api_key })).status).toBe(200);
  });
});

describe("a page of reindexing", () => {
  it("ends at its limit of bytes, and the next page has the rest", async () => {
    const box = await createMailbox();
    for (let index = 0; index < 4; index += 1) await deliver(box.mailbox, plainMessage());
    await runInDurableObject(actorOf(box.mailbox), (_mailbox, state) => {
      state.storage.sql.exec("UPDATE message SET size_bytes = 20000000");
      state.storage.sql.exec(
        "UPDATE message SET size_bytes = 60000000 WHERE seq = (SELECT max(seq) FROM message)",
      );
    });
    const done: number[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: { body: { reindexed: number; next_cursor: string | null } } = await ask(
        `/v1/mailboxes/${box.mailbox}/reindex?limit=10&cursor=${cursor}`,
        { key: OPERATOR, method: "POST" },
      );
      done.push(page.body.reindexed);
      cursor = page.body.next_cursor;
    }
    expect(done).toEqual([2, 1, 1]);
  });

  it("keeps one copy of the texts of large mail", async () => {
    const box = await createMailbox();
    const ids = [];
    for (const body of [LARGE, ESCAPED]) {
      ids.push((await deliver(box.mailbox, plainMessage({ body, headers: UTF8 }))).body.id);
    }
    const before = await Promise.all(ids.map((id) => read(box, id)));
    const chunks = (await chunksOf(box)).length;
    const path = `/v1/mailboxes/${box.mailbox}/reindex?limit=10`;
    expect((await ask(path, { key: OPERATOR, method: "POST" })).body).toMatchObject({ reindexed: 2 });
    await runInDurableObject(actorOf(box.mailbox), (mailbox) => mailbox.onAlarm());
    expect(await Promise.all(ids.map((id) => read(box, id)))).toEqual(before);
    expect(await chunksOf(box)).toHaveLength(chunks);
  });
});

const HEAD = ["From: a@example.com", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"];
const part = (type: string, name: string, content: string, more = ""): string =>
  `--b\nContent-Type: ${type}\n${more}Content-Disposition: attachment; filename="${name}"\n\n${content}\n`;

describe("text attachments", () => {
  const parts = [
    "--b\n\nSee the files.\n",
    part("text/plain; charset=utf-8", "notes.txt", "Zeppelin über alles Bücher"),
    part(
      "text/csv; charset=iso-8859-1",
      "table.csv",
      "name;st=E4dte",
      "Content-Transfer-Encoding: quoted-printable\n",
    ),
    part("application/json", "data.json", '{"word": "quaternion"}'),
    part("text/html", "page.html", "<p>Shown <b>words</b><script>hidden()</script>"),
    part("application/pdf", "paper.pdf", "%PDF"),
    part("text/plain", "long.txt", "x".repeat(100_001)),
  ];
  const raw = message(HEAD, `${parts.join("")}--b--`);

  it("show their text up to the limit, and are found by it", async () => {
    const box = await createMailbox();
    const sent = await deliver(box.mailbox, raw);
    const { email } = await read(box, sent.body.id);
    expect(email.attachments.map((file) => [file.text_extraction_status, file.text_content])).toEqual([
      ["done", "Zeppelin über alles Bücher"],
      ["done", "name;städte"],
      ["done", '{"word": "quaternion"}'],
      ["done", "Shown words"],
      ["unsupported", ""],
      ["too_large", ""],
    ]);
    expect(email.attachment_search_text).toBe(
      'Zeppelin über alles Bücher\nname;städte\n{"word": "quaternion"}\nShown words',
    );
    for (const word of ["zeppelin", "städte", "quaternion", "table.csv"]) {
      const found = await ask<{ emails: unknown[] }>(`/v1/search?q=${encodeURIComponent(word)}`, {
        key: box.api_key,
      });
      expect([word, found.body.emails.length]).toEqual([word, 1]);
    }
  });

  it("are stored up to a total that fits in the row, and need no further row", async () => {
    const box = await createMailbox();
    const many = Array.from({ length: 5 }, (_, index) =>
      part("text/plain", `${index}.txt`, "w ".repeat(40_000)),
    );
    await deliver(box.mailbox, message(HEAD, `${many[0]}--b--`));
    await actorOf(box.mailbox).takeRowCost();
    const sent = await deliver(box.mailbox, message(HEAD, `${many.join("")}--b--`));
    expect((await actorOf(box.mailbox).takeRowCost()).written).toBeLessThanOrEqual(8);
    const { email } = await read(box, sent.body.id);
    expect(email.attachments.map((file) => file.text_extraction_status)).toEqual([
      "done",
      "done",
      "too_large",
      "too_large",
      "too_large",
    ]);
  });
});
