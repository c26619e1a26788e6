import { describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { Email } from "../../src/contract/message.ts";
import {
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  message,
  plainMessage,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

interface Page {
  emails: { id: string; labels: string[] }[];
}
interface Refusal {
  error: string;
  details?: { path: string }[];
}

const label = (box: TestMailbox, id: string, json: object) =>
  ask<{ labels: string[] } & Refusal>(`/v1/emails/${id}`, { key: box.api_key, method: "PATCH", json });
const listed = async (box: TestMailbox, query = "") =>
  (await ask<Page>(`/v1/inbox?${query}`, { key: box.api_key })).body.emails.map(({ id }) => id);
const stats = async (box: TestMailbox) =>
  (await ask<Record<string, unknown>>("/v1/stats", { key: box.api_key })).body;

describe("one email", () => {
  const RAW = message(
    [
      "Received: from a by b; Mon, 2 Nov 2026 10:00:01 +0000",
      "Received: from c by a; Mon, 2 Nov 2026 10:00:00 +0000",
      "From: =?utf-8?q?Ren=C3=A9?= <rene@example.com>",
      "To: agent@mailkeep.test",
      "Cc: Carl <carl@example.com>, dora@example.com",
      "Subject: Whole",
      "Date: Mon, 2 Nov 2026 11:00:00 +0100",
      "Message-ID: <whole@example.com>",
      "In-Reply-To: <parent@example.com>",
      "References: <root@example.com> <parent@example.com>",
      "Content-Type: multipart/alternative; boundary=x",
    ],
    "--x\nContent-Type: text/plain\n\nPlain text.\n--x\nContent-Type: text/html\n\n<p>Rich text.</p>\n--x--",
  );

  it("has the documented shape, by either path", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, RAW, "bounce@example.com");
    const byPath = await ask(`/v1/emails/${body.id}`, { key: box.api_key });
    const byQuery = await ask(`/v1/email?id=${body.id}`, { key: box.api_key });
    expect(byQuery.body).toEqual(byPath.body);
    expect(Email.safeParse(byPath.body).error).toBeUndefined();
    expect(byPath.body).toMatchObject({
      id: body.id,
      from_address: "rene@example.com",
      from_name: "René",
      to_address: box.mailbox,
      cc_address: "Carl <carl@example.com>, dora@example.com",
      message_id: "<whole@example.com>",
      in_reply_to: "<parent@example.com>",
      references: "<root@example.com> <parent@example.com>",
      delivery: [],
      attachments: [],
      attachment_names: "",
      attachment_search_text: "",
      size_bytes: RAW.length,
      metadata: {
        envelope_from: "bounce@example.com",
        date: "2026-11-02T10:00:00.000Z",
        parse_status: "parsed",
      },
    });
    const { body_text, body_html, headers } = byPath.body as unknown as Email;
    expect(body_text.trim()).toBe("Plain text.");
    expect(body_html.trim()).toBe("<p>Rich text.</p>");
    expect(headers["received"]?.split("\n")).toHaveLength(2);
    expect(headers["to"]).toBe("agent@mailkeep.test");
  });

  it("is stored and listed even if the parser fails", async () => {
    const box = await createMailbox();
    const deep = Array.from(
      { length: 2_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
    );
    const raw = message(["Subject: Deep", "Message-ID: <deep@x>"], "").trimEnd() + "\r\n" + deep.join("");
    const { status, body } = await deliver(box.mailbox, raw);
    expect(status).toBe(202);
    expect(await listed(box)).toEqual([body.id]);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect(email.body.subject).toBe("Deep");
    expect(email.body.metadata.parse_faults.length).toBeGreaterThan(0);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
  });

  it("trusts authentication results of this deployment only, and none that the sender wrote", async () => {
    const box = await createMailbox();
    const verdict = async (...headers: string[]) => {
      const { body } = await deliver(box.mailbox, plainMessage({ headers }));
      return (await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key })).body.authentication;
    };
    const pass =
      "spf=pass smtp.mailfrom=a@example.com; dkim=pass header.d=example.com header.s=s1; dmarc=pass header.from=example.com";
    expect(await verdict(`Authentication-Results: mx.mailkeep.test; ${pass}`)).toEqual({
      spf: "pass",
      dkim: "pass",
      dmarc: "pass",
      verdict: "pass",
      aligned_domain: "example.com",
      checked_by: "border",
      signatures: [
        { domain: "example.com", selector: "s1", algorithm: "", bits: null, result: "pass", aligned: true },
      ],
      arc: null,
      conflict: false,
      proven_fields: ["to", "cc"],
    });
    // The gateway judged another author than the one that is shown.
    const other = pass.replace("header.from=example.com", "header.from=example.net");
    expect(await verdict(`Authentication-Results: mx.mailkeep.test; ${other}`)).toMatchObject({
      verdict: "fail",
      aligned_domain: null,
      conflict: true,
    });
    const two = `From: Boss <boss@bank.example>\r\nAuthentication-Results: mx.mailkeep.test; dmarc=pass`;
    expect(await verdict(two)).toMatchObject({ verdict: "fail", aligned_domain: null });
    expect(await verdict(`Authentication-Results: mx.attacker.example; ${pass}`)).toBeNull();
    expect(await verdict(`Authentication-Results: mx.mailkeep.test.attacker.example; ${pass}`)).toBeNull();
    expect(await verdict(`X-Authentication-Results: mx.mailkeep.test; ${pass}`)).toBeNull();
    expect(await verdict()).toBeNull();
  });

  it.each([
    ["newsletter", ["List-Unsubscribe: <https://example.com/u>"], "Hello."],
    ["notification", ["Auto-Submitted: auto-generated"], "Hello."],
    ["personal", [], "Hello."],
    ["code", [], "Your verification code is 482913."],
  ])("carries the label %s from its headers and text", async (wanted, headers, body) => {
    const box = await createMailbox();
    const handed = await deliver(box.mailbox, plainMessage({ headers, body }));
    const { body: found } = await ask<Page>(`/v1/inbox?label=${wanted}`, { key: box.api_key });
    expect(found.emails.map(({ id }) => id)).toEqual([handed.body.id]);
    expect(found.emails[0]?.labels).toContain(wanted);
  });
});

describe("a deleted email", () => {
  it("is gone from every answer, by either path of deletion", async () => {
    const box = await createMailbox();
    for (const path of ["/v1/emails/ID", "/v1/email?id=ID"]) {
      const raw = plainMessage({ subject: "Ephemeral", body: "Your code is 771204" });
      const { id } = (await deliver(box.mailbox, raw)).body;
      const before = await ask<Email>(`/v1/emails/${id}`, { key: box.api_key });
      const gone = await ask(path.replace("ID", id), { key: box.api_key, method: "DELETE" });
      expect([gone.status, gone.body]).toEqual([200, { deleted: true }]);
      const again = await ask(path.replace("ID", id), { key: box.api_key, method: "DELETE" });
      expect([again.status, again.body]).toEqual([404, problemBody(notFound("Email"))]);
      for (const read of [
        `emails/${id}`,
        `email?id=${id}`,
        `emails/${id}/raw`,
        `threads/${before.body.thread_id}`,
      ]) {
        expect((await api(`/v1/${read}`, { key: box.api_key })).status).toBe(404);
      }
      expect((await label(box, id, { add_labels: ["x"] })).status).toBe(404);
      expect(await listed(box)).toEqual([]);
      expect(await listed(box, "label=code")).toEqual([]);
      expect((await ask<Page>("/v1/search?q=ephemeral", { key: box.api_key })).body.emails).toEqual([]);
      expect((await ask("/v1/code?timeout=1", { key: box.api_key })).body).toEqual({ code: null });
      expect((await ask("/v1/threads", { key: box.api_key })).body).toMatchObject({ threads: [] });
    }
  });

  it("leaves counters that equal a recount, and no data in any row", async () => {
    const box = await createMailbox();
    const raws = [plainMessage({ subject: "one" }), plainMessage({ subject: "two" }), plainMessage()];
    const ids: string[] = [];
    for (const raw of raws) ids.push((await deliver(box.mailbox, raw)).body.id);
    // The first search of a small mailbox makes the full-text index.
    await ask("/v1/search?q=one", { key: box.api_key });
    await ask(`/v1/emails/${ids[1]}`, { key: box.api_key, method: "DELETE" });
    await evict(box.mailbox);
    expect(await stats(box)).toMatchObject({
      total_emails: 2,
      inbound: 2,
      outbound: 0,
      emails_this_month: 3,
      storage_bytes: (raws[0]?.length ?? 0) + (raws[2]?.length ?? 0),
    });
    for (const table of ["message", "content", "message_label"]) {
      expect(await rowsOf(box.mailbox, `SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 2 }]);
    }
    expect(await rowsOf(box.mailbox, "SELECT count(*) AS n FROM search")).toEqual([{ n: 2 }]);
  });

  it("does not pass its id on to the next email", async () => {
    const box = await createMailbox();
    const first = (await deliver(box.mailbox, plainMessage())).body.id;
    await ask(`/v1/emails/${first}`, { key: box.api_key, method: "DELETE" });
    await evict(box.mailbox);
    const second = (await deliver(box.mailbox, plainMessage())).body.id;
    expect(second > first).toBe(true);
  });
});

describe("labels", () => {
  it("are added and removed, listed by, and found by search", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage({ subject: "Labelled" }))).body;
    const added = await label(box, id, { add_labels: ["to-do", "Wichtig", "to-do", "personal"] });
    expect([added.status, added.body.labels]).toEqual([200, ["personal", "to-do", "Wichtig"]]);
    expect(await listed(box, "label=to-do")).toEqual([id]);
    expect((await ask<Page>("/v1/search?q=label:Wichtig", { key: box.api_key })).body.emails.length).toBe(1);
    await evict(box.mailbox);
    const removed = await label(box, id, { remove_labels: ["personal", "never-there"], add_labels: ["new"] });
    expect(removed.body.labels).toEqual(["to-do", "Wichtig", "new"]);
    expect(await listed(box, "label=personal")).toEqual([]);
    expect((await label(box, id, {})).body.labels).toEqual(["to-do", "Wichtig", "new"]);
  });

  it("that one call adds and removes are removed", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage())).body;
    expect((await label(box, id, { add_labels: ["x"], remove_labels: ["x"] })).body.labels).toEqual([
      "personal",
    ]);
  });

  it("are limited to a hundred on one email, and a refusal changes nothing", async () => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage())).body;
    const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `l${from + n}`);
    await label(box, id, { add_labels: names(0, 50) });
    const full = await label(box, id, { add_labels: names(50, 49) });
    expect(full.body.labels.length).toBe(100);
    const over = await label(box, id, { add_labels: ["one-more"] });
    expect(over.status).toBe(400);
    expect(over.body.details?.[0]?.path).toBe("add_labels");
    expect(await listed(box, "label=one-more")).toEqual([]);
    expect((await ask<Page>("/v1/inbox", { key: box.api_key })).body.emails[0]?.labels.length).toBe(100);
    expect((await label(box, id, { add_labels: ["swap"], remove_labels: ["l0"] })).status).toBe(200);
  });

  it.each([
    ["50 in a call", { add_labels: Array.from({ length: 50 }, (_, n) => `n${n}`) }, 200],
    ["51 in a call", { add_labels: Array.from({ length: 51 }, (_, n) => `n${n}`) }, 400],
    ["64 characters", { add_labels: ["é".repeat(64)] }, 200],
    ["65 characters", { add_labels: ["é".repeat(65)] }, 400],
    ["an empty one", { add_labels: [""] }, 400],
    ["blanks", { add_labels: ["   "] }, 400],
    ["a line break", { add_labels: ["a\nb"] }, 400],
    ["a direction mark", { add_labels: ["a\u202eb"] }, 400],
    ["markup, which is only text", { add_labels: ["<script>alert(1)</script>"] }, 200],
    ["SQL, which is only text", { add_labels: ["'); DROP TABLE message--"] }, 200],
    ["a number", { add_labels: [1] }, 400],
    ["no list", { add_labels: "x" }, 400],
  ])("are checked: %s", async (_, json, status) => {
    const box = await createMailbox();
    const { id } = (await deliver(box.mailbox, plainMessage())).body;
    expect((await label(box, id, json)).status).toBe(status);
  });
});

describe("statistics", () => {
  it("equal a recount, and count the emails of this month", async () => {
    const box = await createMailbox();
    const raws = [plainMessage(), plainMessage({ body: "x".repeat(10_000) }), "", "\u0000"];
    for (const raw of raws) await deliver(box.mailbox, raw);
    expect(await stats(box)).toEqual({
      mailbox: box.mailbox,
      total_emails: 4,
      inbound: 4,
      outbound: 0,
      emails_this_month: 4,
      suppression_count: 0,
      webhook_routes: 0,
      storage_bytes: raws.reduce((sum, raw) => sum + raw.length, 0),
      sends_today: 0,
      daily_send_limit: expect.any(Number) as number,
      sending_obstacle: null,
      ingest: { pending: 0, parsed: expect.any(Number) as number, failed: expect.any(Number) as number },
      embeddings: null,
    });
  });
});
