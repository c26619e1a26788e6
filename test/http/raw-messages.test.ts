import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  api,
  ask,
  createMailbox,
  deliver,
  inject,
  message,
  plainMessage,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";
import { runs } from "../runs.ts";

const ROW_LIMIT = 524_288;

interface Email {
  id: string;
  subject: string;
  body_text: string;
  body_html: string;
  size_bytes: number;
  headers: Record<string, string>;
  attachments: { id: string; size_bytes: number }[];
}

afterEach(() => {
  vi.restoreAllMocks();
});

const encode = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

async function rawOf(box: TestMailbox, id: string, vars = {}): Promise<Buffer> {
  const response = await api(`/v1/emails/${id}/raw`, { key: box.api_key, vars });
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("message/rfc822");
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("Content-Length")).toBe(String(bytes.byteLength));
  return bytes;
}

function sizedMail(bytes: number): Uint8Array {
  const head = plainMessage({ subject: "Sized", body: "" });
  return encode(head + "z".repeat(bytes - head.length));
}

/** 256 kB text with every byte value, attached so often that the message has `bytes` at least. */
function mailWithFiles(files: number, bytesEach: number): string {
  const content = Buffer.alloc(bytesEach, "0123456789abcdef").toString("base64");
  const lines = content.match(/.{1,76}/g) ?? [];
  const part = (name: string) =>
    [
      "--cut",
      `Content-Type: application/octet-stream; name="${name}"`,
      "Content-Transfer-Encoding: base64",
      `Content-Disposition: attachment; filename="${name}"`,
      "",
      ...lines,
    ].join("\r\n");
  const names = Array.from({ length: files }, (_, index) => `file-${index}.bin`);
  const head = plainMessage({
    subject: "Files",
    headers: ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=cut"],
    body: "preamble",
  });
  return `${head}${names.map(part).join("\r\n")}\r\n--cut--\r\n`;
}

describe("the raw message comes back byte for byte", () => {
  it.each([
    ["8-bit headers and body", latin1("Subject: caf\u00e9\r\n\r\n\u00e4\u00f6\u00fc\u00ff\u0080")],
    ["NUL in header and body", latin1("Subject: a\u0000b\r\n\r\n\u0000\u0000x\u0000")],
    ["a bare CR", latin1("Subject: a\rX-Injected: b\r\n\r\none\rtwo")],
    ["bare LF lines", latin1("Subject: a\n\none\ntwo\n")],
    ["mixed line ends", latin1("Subject: a\r\nX: y\n\r\none\rtwo\nthree\r\n")],
    ["no final newline", latin1("Subject: a\r\n\r\nlast line")],
    ["a final dot", latin1("Subject: a\r\n\r\n.\r\n..\r\n.")],
    ["no headers", latin1("\r\n\r\nonly a body")],
    ["no body", latin1("Subject: only a header")],
    ["one byte", latin1("x")],
    ["nothing at all", new Uint8Array()],
    ["every byte there is", Uint8Array.from({ length: 1_024 }, (_, index) => index % 256)],
    ["invalid UTF-8", Uint8Array.from([0x53, 0x3a, 0xc3, 0x28, 0x0d, 0x0a, 0x0d, 0x0a, 0xed, 0xa0, 0x80])],
    ["a UTF-8 BOM", latin1("\u00ef\u00bb\u00bfSubject: a\r\n\r\nb")],
    ["an unclosed multipart", encode(message(["Content-Type: multipart/mixed; boundary=x"], "--x\n\nopen"))],
  ])("with %s", async (_, raw) => {
    const box = await createMailbox();
    const { status, body } = await deliver(box.mailbox, raw, "a@example.com");
    expect(status).toBe(202);
    expect((await rawOf(box, body.id)).equals(raw)).toBe(true);
    expect(await inject(raw, "a@example.com", box.mailbox)).toEqual({ rejected: null });
    const { body: page } = await ask<{ emails: { id: string; size_bytes: number }[] }>("/v1/inbox", {
      key: box.api_key,
    });
    for (const { id } of page.emails) {
      expect((await rawOf(box, id)).equals(raw)).toBe(true);
      const email = await ask<Email>(`/v1/emails/${id}`, { key: box.api_key });
      expect([email.status, email.body.size_bytes]).toEqual([200, raw.byteLength]);
    }
  });

  it("whatever the bytes", async () => {
    const box = await createMailbox();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (raw) => {
        const { status, body } = await deliver(box.mailbox, raw);
        expect(status).toBe(202);
        expect((await rawOf(box, body.id)).equals(raw)).toBe(true);
        expect((await api(`/v1/emails/${body.id}`, { key: box.api_key })).status).toBe(200);
      }),
      { numRuns: runs(60) },
    );
    expect((await api("/v1/inbox?limit=100", { key: box.api_key })).status).toBe(200);
  });

  it.each([
    [ROW_LIMIT - 1, "row"],
    [ROW_LIMIT, "row"],
    [ROW_LIMIT + 1, "blob"],
  ])("of %i bytes, which lie in a %s", async (bytes, place) => {
    const box = await createMailbox();
    const raw = sizedMail(bytes);
    expect(raw.byteLength).toBe(bytes);
    const { body } = await deliver(box.mailbox, raw);
    expect((await rawOf(box, body.id)).equals(raw)).toBe(true);
    const rows = await rowsOf<{ inRow: number; key: string | null }>(
      box.mailbox,
      "SELECT raw IS NOT NULL AS inRow, raw_key AS key FROM content",
    );
    expect(rows.map((row) => [row.inRow, row.key === null])).toEqual([
      [place === "row" ? 1 : 0, place === "row"],
    ]);
    const object = await env.BLOBS.head(rows[0]?.key ?? "none");
    expect(object?.size).toBe(place === "row" ? undefined : bytes);
  });

  it("of 5 MB with attachments, each of them too", async () => {
    const box = await createMailbox();
    const raw = encode(mailWithFiles(3, 1_250_000));
    expect(raw.byteLength).toBeGreaterThan(5_000_000);
    const { body } = await deliver(box.mailbox, raw);
    expect((await rawOf(box, body.id)).equals(raw)).toBe(true);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect(email.body.attachments.map((file) => file.size_bytes)).toEqual([1_250_000, 1_250_000, 1_250_000]);
    for (const { id } of email.body.attachments) {
      const file = Buffer.from(
        await (await api(`/v1/attachments/${id}`, { key: box.api_key })).arrayBuffer(),
      );
      expect(file.equals(Buffer.alloc(1_250_000, "0123456789abcdef"))).toBe(true);
    }
    const gone = await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(gone.body).toMatchObject({ r2_blobs_deleted: 1 });
  });

  it("is never rendered by a browser", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, message(["Content-Type: text/html"], "<script>1</script>"));
    const { headers } = await api(`/v1/emails/${body.id}/raw`, { key: box.api_key });
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="message.eml"');
    expect(headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});

describe("a deployment without a bucket", () => {
  const vars = { BLOBS: undefined };

  it("stores large messages and their attachments as rows, and returns them byte for byte", async () => {
    const box = await createMailbox();
    const raw = encode(mailWithFiles(3, 500_000));
    const before = (await env.BLOBS.list()).objects.length;
    const { status, body } = await deliver(box.mailbox, raw, "a@example.com", vars);
    expect(status).toBe(202);
    expect((await rawOf(box, body.id, vars)).equals(raw)).toBe(true);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key, vars });
    for (const { id } of email.body.attachments) {
      const range = { Range: "bytes=499990-" };
      const part = await api(`/v1/attachments/${id}`, { key: box.api_key, headers: range, vars });
      expect([part.status, await part.text()]).toEqual([206, "6789abcdef"]);
    }
    expect((await env.BLOBS.list()).objects.length).toBe(before);
    await ask(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE", vars });
  });

  it("still reads those rows after a bucket was added", async () => {
    const box = await createMailbox();
    const raw = sizedMail(700_000);
    const { body } = await deliver(box.mailbox, raw, "a@example.com", vars);
    expect((await rawOf(box, body.id)).equals(raw)).toBe(true);
  });

  it("stores an empty attachment beside large ones", async () => {
    const box = await createMailbox();
    const empty = [
      "--cut",
      'Content-Disposition: attachment; filename="empty.txt"',
      "Content-Type: text/plain",
      "",
      "",
      "--cut--",
    ].join("\r\n");
    const raw = mailWithFiles(2, 500_000).replace(/--cut--\r\n$/, `${empty}\r\n`);
    const { body } = await deliver(box.mailbox, raw, "a@example.com", vars);
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key, vars });
    const sizes = email.body.attachments.map((file) => file.size_bytes);
    expect(sizes).toEqual([500_000, 500_000, 0]);
    const last = await api(`/v1/attachments/${email.body.attachments[2]?.id}`, { key: box.api_key, vars });
    expect([last.status, await last.text()]).toEqual([200, ""]);
  });
});

describe("a body too large for a row", () => {
  const pageOf = (paragraphs: number): string =>
    `<p>begin</p>${'<p title="x">paragraph of a very long page</p>'.repeat(paragraphs)}<p>end</p>`;
  const html = pageOf(20_000);

  it("of 3 MB is cut at 1 MB with text_truncated, and the raw message is complete", async () => {
    const box = await createMailbox();
    const large = pageOf(66_000);
    const raw = plainMessage({ headers: ["Content-Type: text/html"], body: large });
    const { body } = await deliver(box.mailbox, raw);
    const { body: email } = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect(email.body_html === large.slice(0, 1_000_000)).toBe(true);
    expect(email.body_text.startsWith("begin")).toBe(true);
    expect(email).toMatchObject({
      text_truncated: true,
      metadata: { parse_status: "partial", parse_faults: ["text_cut"] },
    });
    const whole = await api(`/v1/emails/${body.id}/raw`, { key: box.api_key });
    expect((await whole.text()) === raw).toBe(true);
  });

  it("of 900 KB is complete in the email and in its thread", async () => {
    const box = await createMailbox();
    expect(html.length).toBeGreaterThan(900_000);
    const raw = plainMessage({ subject: "Huge", headers: ["Content-Type: text/html"], body: html });
    const { body } = await deliver(box.mailbox, raw);
    const email = await ask<Email & { thread_id: string }>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect(email.body.body_html.trim() === html).toBe(true);
    expect(email.body.body_text.startsWith("begin")).toBe(true);
    expect(email.body.body_text.trim().endsWith("end")).toBe(true);
    expect(email.body.headers["subject"]).toBe("Huge");
    const { body: thread } = await ask<{ emails: Email[] }>(`/v1/threads/${email.body.thread_id}`, {
      key: box.api_key,
    });
    expect(thread.emails[0]).toEqual(email.body);
    const { body: found } = await ask<{ emails: Email[] }>("/v1/search?q=huge", { key: box.api_key });
    expect(found.emails.map(({ id }) => id)).toEqual([body.id]);
  });

  it("of 300 kB is stored in one row with its raw message, and is complete as well", async () => {
    const box = await createMailbox();
    const text = "a line of text that is quite plain\n".repeat(9_000);
    const { body } = await deliver(box.mailbox, plainMessage({ body: text }));
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect(email.body.body_text.replaceAll("\r\n", "\n").trim() === text.trim()).toBe(true);
  });

  it("can be labelled, and the answer is complete", async () => {
    const box = await createMailbox();
    const { body } = await deliver(
      box.mailbox,
      plainMessage({ headers: ["Content-Type: text/html"], body: html }),
    );
    const labelled = await ask<Email>(`/v1/emails/${body.id}`, {
      key: box.api_key,
      method: "PATCH",
      json: { add_labels: ["big"] },
    });
    expect(labelled.body.body_html.trim() === html).toBe(true);
    expect(labelled.body).toMatchObject({ labels: ["personal", "big"] });
  });
});

describe("a bucket that cannot be read", () => {
  it("causes 503 for that message only, and listings still work", async () => {
    const box = await createMailbox();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { body } = await deliver(box.mailbox, mailWithFiles(1, 600_000));
    const email = await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key });
    for (const get of [() => Promise.reject(new Error("The bucket is down")), () => Promise.resolve(null)]) {
      const vars = { BLOBS: { get } };
      const raw = await ask(`/v1/emails/${body.id}/raw`, { key: box.api_key, vars });
      expect(raw.status).toBe(503);
      expect(raw.headers.get("Retry-After")).toBe("5");
      expect(raw.body).toMatchObject({ code: "unavailable" });
      const path = `/v1/attachments/${email.body.attachments[0]?.id}`;
      expect((await api(path, { key: box.api_key, vars })).status).toBe(503);
      expect((await api("/v1/inbox", { key: box.api_key, vars })).status).toBe(200);
      expect((await api(`/v1/emails/${body.id}`, { key: box.api_key, vars })).status).toBe(200);
    }
  });
});
