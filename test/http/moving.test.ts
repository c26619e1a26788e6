import { createHash } from "node:crypto";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import type { ImportProgress, SigningKeys, StartedImport } from "../../src/contract/moving.ts";
import { writeNote } from "../../src/lib/archive/entry-note.ts";
import { readTarEntry } from "../../src/lib/archive/tar-reader.ts";
import { tarEnd, tarHeader, tarPadding } from "../../src/lib/archive/tar-writer.ts";
import { Window } from "../../src/lib/archive/window.ts";
import { MAX_EMPTY_ENTRIES } from "../../src/mailbox/imports/walk.ts";
import {
  actorOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  kill,
  message,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  type TestMailbox,
} from "../harness.ts";
import { deliveriesOf, endOutside, hooked, outside } from "../webhook-target.ts";

afterEach(async () => {
  resetClock();
  await endOutside();
});

/** The files of an archive by name. */
async function unpacked(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const window = new Window(archive.length, async (offset, length) =>
    archive.subarray(offset, offset + length),
  );
  const files = new Map<string, Buffer>();
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at);
    if (entry === null) return files;
    const { name, start, sizeBytes, isFile, next } = entry;
    if (isFile) files.set(name, Buffer.from(archive.subarray(start, start + sizeBytes)));
    at = next;
  }
}

function packed(files: readonly { name: string; content: string | Uint8Array; comment?: string }[]): Buffer {
  const blocks = files.flatMap(({ name, content, comment }) => {
    const bytes = Buffer.from(content);
    const header = tarHeader({ name, sizeBytes: bytes.length, modifiedMs: 1_600_000_000_000, comment });
    return [header, bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...blocks, tarEnd()]);
}

async function exported({ api_key }: TestMailbox, query = ""): Promise<Buffer> {
  const response = await api(`/v1/export${query}`, { key: api_key });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function finished({ api_key }: TestMailbox, id: string, timeout = 20_000): Promise<ImportProgress> {
  return vi.waitFor(
    async () => {
      const { body } = await ask<ImportProgress>(`/v1/import/${id}`, { key: api_key });
      expect(["done", "failed"]).toContain(body.status);
      return body;
    },
    { timeout, interval: 20 },
  );
}

async function imported(box: TestMailbox, body: Uint8Array | string, query = ""): Promise<ImportProgress> {
  const started = await ask<StartedImport>(`/v1/import${query}`, { key: box.api_key, body });
  expect([started.status, started.body.status]).toEqual([202, "waiting"]);
  return finished(box, started.body.id);
}

const emailsOf = async ({ api_key }: TestMailbox, query = "limit=100") =>
  (await ask<{ emails: Email[] }>(`/v1/inbox?${query}`, { key: api_key })).body.emails;
const rawOf = async ({ api_key }: TestMailbox, id: string) =>
  Buffer.from(await (await api(`/v1/emails/${id}/raw`, { key: api_key })).arrayBuffer());

/** Subject, labels, time and direction of each email, oldest first, and which of them share a thread. */
async function contentsOf(box: TestMailbox) {
  const emails = (await emailsOf(box)).toReversed();
  const threads = [...new Set(emails.map(({ thread_id }) => thread_id))];
  return emails.map(({ subject, labels, received_at, direction, code, thread_id, to_address }) => ({
    subject,
    labels,
    received_at,
    direction,
    code,
    to_address,
    thread: threads.indexOf(thread_id),
  }));
}

const lastEvent = async ({ api_key }: TestMailbox) =>
  (await ask<{ last_seq: number }>("/v1/changes", { key: api_key })).body.last_seq;

const reply = (id: string, to: string, subject: string) =>
  message([`From: bea@example.com`, `Subject: ${subject}`, `Message-ID: <${id}>`, `In-Reply-To: <${to}>`]);

describe("an export", () => {
  let box: TestMailbox;
  let other: TestMailbox;
  let archive: Buffer;
  let files: Map<string, Buffer>;
  let taken: ImportProgress;
  const large = message(
    ["From: ann@example.com", "Subject: Large", 'Content-Type: multipart/mixed; boundary="x"'],
    `--x\nContent-Type: text/plain\n\nLarge.\n--x\nContent-Disposition: attachment; filename="a.bin"\n\n${"0123456789".repeat(60_000)}\n--x--`,
  );

  beforeAll(async () => {
    outside();
    [box, other] = [await createMailbox(), await hooked()];
    const start = Date.parse("2026-03-01T10:00:00.000Z");
    const mails = [
      message(["From: ann@example.com", "Subject: First", "Message-ID: <first@example.com>"]),
      reply("second@example.com", "first@example.com", "Re: First"),
      reply("third@example.com", "second@example.com", "Re: Re: First"),
      plainMessage({ subject: "Your code is 482913", body: "Your code is 482913." }),
      message(["Subject: Without an id"]),
      message(["Subject: =?utf-8?B?R3LDvMOfZQ==?=", "From: Zoë <zoe@example.com>"]),
      large,
      "no header at all",
    ];
    for (const [index, raw] of mails.entries()) {
      setClock(start + index * 1_234);
      await deliver(box.mailbox, raw);
    }
    setClock(start + 100_000);
    await ask("/v1/send?wait=10", {
      key: box.api_key,
      json: { to: other.mailbox, subject: "Sent", text: "Hello." },
    });
    const second = (await emailsOf(box)).find(({ subject }) => subject === "Re: First");
    await ask(`/v1/emails/${second?.id}`, { key: box.api_key, method: "DELETE" });
    const first = (await emailsOf(box)).find(({ subject }) => subject === "First");
    await ask(`/v1/emails/${first?.id}`, {
      key: box.api_key,
      method: "PATCH",
      json: { add_labels: ["flagged", "ünïcode"] },
    });
    resetClock();
    archive = await exported(box);
    files = await unpacked(archive);
    other = await hooked();
    taken = await imported(other, archive);
  });

  it("holds each message byte for byte, in a Maildir", async () => {
    for (const email of await emailsOf(box)) {
      const name = [...files.keys()].find((one) => one.includes(email.id)) ?? "";
      expect(name).toMatch(email.direction === "outbound" ? /^\.Sent\/cur\/.*:2,S$/ : /^cur\/.*:2,F?S$/);
      expect(files.get(name)?.equals(await rawOf(box, email.id))).toBe(true);
    }
  });

  it("holds everything else in mailbox.jsonl", () => {
    const lines = (files.get("mailbox.jsonl")?.toString() ?? "").trim().split("\n");
    const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(read[0]).toMatchObject({ type: "mailbox", mailbox: box.mailbox });
    const messages = read.filter(({ type }) => type === "message");
    expect(messages.map(({ file }) => files.has(String(file)))).toEqual(messages.map(() => true));
    expect(messages.find(({ subject }) => subject === "First")).toMatchObject({
      labels: ["personal", "flagged", "ünïcode"],
      code_taken_at: null,
    });
    expect(messages.find(({ direction }) => direction === "outbound")).toMatchObject({
      delivery: [{ recipient: expect.any(String), status: "delivered" }],
    });
  });

  it("is signed, and each of its files has a checksum", async () => {
    const sums = files.get("sha256sums.txt")?.toString() ?? "";
    for (const line of sums.trim().split("\n")) {
      const [digest, name = ""] = line.split("  ");
      expect(
        createHash("sha256")
          .update(files.get(name) ?? "")
          .digest("hex"),
      ).toBe(digest);
    }
    expect(sums.trim().split("\n")).toHaveLength(files.size - 3);
    const text = files.get("manifest.json")?.toString() ?? "";
    const manifest = JSON.parse(text) as Record<string, unknown>;
    expect(manifest.sha256sums).toBe(createHash("sha256").update(sums).digest("hex"));
    const before = archive.subarray(0, Number(manifest.archive_bytes));
    expect(manifest.archive_sha256).toBe(createHash("sha256").update(before).digest("hex"));
  });

  it("has a signature that fits the public key, and no other manifest", async () => {
    const text = files.get("manifest.json")?.toString() ?? "";
    const { keys } = (await ask<SigningKeys>("/.well-known/mailkeep-keys.json")).body;
    const jws = files.get("manifest.json.jws")?.toString().trim() ?? "";
    const [head = "", , signature = ""] = jws.split(".");
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({
      alg: "EdDSA",
      kid: keys[0]?.kid,
    });
    const key = await crypto.subtle.importKey("jwk", keys[0] as JsonWebKey, { name: "Ed25519" }, false, [
      "verify",
    ]);
    const verify = (signed: string) =>
      crypto.subtle.verify(
        "Ed25519",
        key,
        Buffer.from(signature, "base64url"),
        Buffer.from(`${head}.${Buffer.from(signed).toString("base64url")}`),
      );
    expect(await verify(text)).toBe(true);
    expect(await verify(text.replace('"messages": ', '"messages": 1'))).toBe(false);
  });

  it("becomes the same mailbox elsewhere: bytes, threads, dates, labels", async () => {
    expect(taken).toMatchObject({ status: "done", imported: 8, duplicates: 0, failed: 0, total: 8 });
    expect(await contentsOf(other)).toEqual(await contentsOf(box));
    const [mine, theirs] = [await emailsOf(box), await emailsOf(other)];
    for (const [index, { id }] of mine.entries()) {
      expect((await rawOf(other, theirs[index]?.id ?? "")).equals(await rawOf(box, id))).toBe(true);
    }
  });

  it("keeps a thread together whose linking message was erased", async () => {
    const threads = (await contentsOf(other)).filter(({ subject }) => subject.includes("First"));
    expect(threads.map(({ thread }) => thread)).toEqual([0, 0]);
  });

  it("raises nothing where it is imported: no event, no webhook, no code", async () => {
    expect(await lastEvent(other)).toBe(0);
    expect(await deliveriesOf(other)).toEqual([]);
    expect((await ask("/v1/code?timeout=1", { key: other.api_key })).body).toEqual({ code: null });
    const shown = (await emailsOf(other)).find(({ code }) => code !== null);
    expect(shown?.code).toBe("482913");
  });

  it("is marked where it is imported, and proves nothing there", async () => {
    for (const { id, direction } of await emailsOf(other)) {
      const { body } = await ask<Email>(`/v1/emails/${id}`, { key: other.api_key });
      expect([body.metadata.received_via, body.authentication, body.status, body.delivery]).toEqual([
        "import",
        null,
        "received",
        [],
      ]);
      expect(body.metadata.imported_as_sent).toBe(direction === "outbound" ? true : undefined);
    }
  });

  it("names its deployment as PUBLIC_URL does, and never as the caller's Host does", async () => {
    const manifest = JSON.parse(files.get("manifest.json")?.toString() ?? "") as Record<string, unknown>;
    expect([manifest.deployment, manifest.keys]).toEqual([null, null]);
    const vars = { PUBLIC_URL: "https://mail.example" };
    const response = await api("/v1/export", { key: box.api_key, vars });
    const named = await unpacked(Buffer.from(await response.arrayBuffer()));
    expect(JSON.parse(named.get("manifest.json")?.toString() ?? "")).toMatchObject({
      deployment: "https://mail.example",
      keys: "https://mail.example/.well-known/mailkeep-keys.json",
    });
  });

  it("makes no second copy when it is imported again, there or where it came from", async () => {
    const before = await emailsOf(other);
    expect(await imported(other, archive)).toMatchObject({ imported: 0, duplicates: 8, failed: 0 });
    expect(await emailsOf(other)).toEqual(before);
    expect(await imported(box, archive)).toMatchObject({ imported: 0, duplicates: 8, failed: 0 });
  });

  it("is searched, read and answered like other mail, also after it is parsed again", async () => {
    const reindex = `/v1/mailboxes/${other.mailbox}/reindex`;
    const before = await contentsOf(other);
    await ask(reindex, { key: "operator-token-for-tests-0123456789", method: "POST" });
    expect(await contentsOf(other)).toEqual(before);
    const found = await ask<{ emails: Email[] }>("/v1/search?q=grüße", { key: other.api_key });
    expect(found.body.emails.map(({ subject }) => subject)).toEqual(["Grüße"]);
    const files = (await emailsOf(other, "has_attachment=true"))[0];
    const { body } = await ask<Email>(`/v1/emails/${files?.id}`, { key: other.api_key });
    const file = await api(`/v1/attachments/${body.attachments[0]?.id}`, { key: other.api_key });
    expect((await file.text()).length).toBe(600_000);
  });

  it("goes on after an email, and says what was erased while it was made", async () => {
    const emails = (await emailsOf(box)).toReversed();
    const rest = await unpacked(await exported(box, `?after=${emails[5]?.id}`));
    const mails = [...rest.keys()].filter((name) => name.includes("cur/"));
    expect(mails).toHaveLength(emails.length - 6);
    expect((await api("/v1/export?after=x", { key: box.api_key })).status).toBe(400);

    const mine = await createMailbox();
    for (let index = 0; index < 130; index += 1) await deliver(mine.mailbox, plainMessage());
    const response = await api("/v1/export", { key: mine.api_key });
    const last = (await emailsOf(mine, "limit=1"))[0]?.id ?? "";
    await ask(`/v1/emails/${last}`, { key: mine.api_key, method: "DELETE" });
    const made = await unpacked(Buffer.from(await response.arrayBuffer()));
    const manifest = JSON.parse(made.get("manifest.json")?.toString() ?? "") as Record<string, unknown>;
    expect(manifest).toMatchObject({ messages: 129, erased: 1, erased_ids: [last], last_email_id: last });
  });
});

describe("exports at once", () => {
  it("are two of a mailbox: a third is refused with its next step, and begins once one is read or closed", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    for (let index = 0; index < 130; index += 1) await deliver(box.mailbox, plainMessage());
    const begin = (of = box) => api("/v1/export", { key: of.api_key });
    const [first, second] = [await begin(), await begin()];
    const refused = await ask("/v1/export", { key: box.api_key });
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { code: "rate_limited", retryable: true, fix: expect.stringContaining("close its connection") },
    ]);
    expect((await begin(other)).status).toBe(200);
    const whole = Buffer.from(await first.arrayBuffer());
    expect((await unpacked(whole)).has("manifest.json.jws")).toBe(true);
    const third = await begin();
    expect(third.status).toBe(200);
    const reader = second.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await vi.waitFor(async () => expect((await begin()).status).toBe(200), { timeout: 5_000 });
    await third.body?.cancel();
  });

  it("of a full mailbox hold no more in memory: what waits for their end goes to its rows", async () => {
    const box = await createMailbox();
    await rowsOf(box.mailbox, "UPDATE account SET storage_bytes = 9e15");
    await evict(box.mailbox);
    const stub = actorOf(box.mailbox);
    expect(await stub.reserve(["rows:x"], 0)).toMatchObject({ ok: true });
    expect(await stub.reserve(["rows:y"], 1)).toMatchObject({ ok: false });
  });
});

describe("an export that was cut off", () => {
  let box: TestMailbox;
  let archive: Buffer;
  let token: string;
  beforeAll(async () => {
    box = await createMailbox();
    const large = plainMessage({ body: "0123456789\n".repeat(60_000) });
    for (const raw of [plainMessage(), large, plainMessage()]) await deliver(box.mailbox, raw);
    const response = await api("/v1/export", { key: box.api_key });
    token = response.headers.get("Mailkeep-Resume") ?? "";
    archive = Buffer.from(await response.arrayBuffer());
    await deliver(box.mailbox, plainMessage({ subject: "Later" }));
  });

  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  /** Asks for the rest after `offset` bytes. */
  const resumed = ({ offset = 0, digest = sha256(archive.subarray(0, offset)), resume = token, of = box }) =>
    api(`/v1/export?resume=${resume}&offset=${offset}&sha256=${digest}`, { key: of.api_key });

  it("goes on byte for byte, whatever has arrived, and leaves later mail out", async () => {
    for (const offset of [0, 1, 512, 40_000, 300_000, archive.length - 1, archive.length]) {
      const response = await resumed({ offset });
      expect([response.status, response.headers.get("Mailkeep-Resume")]).toEqual([200, token]);
      const rest = Buffer.from(await response.arrayBuffer());
      expect(Buffer.concat([archive.subarray(0, offset), rest]).equals(archive)).toBe(true);
    }
  });

  it("is refused where the bytes are others, the token is none of this mailbox, or a day has passed", async () => {
    const digest = sha256(Buffer.from("others"));
    expect((await resumed({ offset: 600, digest })).status).toBe(409);
    expect((await resumed({ offset: archive.length + 1, digest: sha256(archive) })).status).toBe(409);
    const [point = "", signature = ""] = token.split(".");
    const other = JSON.parse(Buffer.from(point, "base64url").toString()) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...other, startedMs: 0 })).toString("base64url");
    for (const resume of ["x", "{}", `${forged}.${signature}`, `${point}.${signature}.`]) {
      expect((await resumed({ resume })).status).toBe(400);
    }
    expect((await resumed({ of: await createMailbox() })).status).toBe(400);
    const bare = await ask<{ error: string }>(`/v1/export?resume=${token}`, { key: box.api_key });
    expect([bare.status, bare.body.error]).toEqual([400, expect.stringContaining("sha256")]);
    setClock(Date.now() + 86_500_000);
    expect((await resumed({ offset: 600 })).status).toBe(409);
  });

  it("is refused once mail that it has sent, or still had to send, is another", async () => {
    const [first] = (await emailsOf(box)).toReversed();
    const path = `/v1/emails/${first?.id}`;
    await ask(path, { key: box.api_key, method: "PATCH", json: { add_labels: ["seen"] } });
    expect((await resumed({ offset: 600_000 })).status).toBe(409);
    expect((await resumed({ offset: 512 })).status).toBe(200);
    await ask(path, { key: box.api_key, method: "DELETE" });
    const { status, body } = await ask(`/v1/export?resume=${token}&offset=0&sha256=${sha256(Buffer.of())}`, {
      key: box.api_key,
    });
    expect([status, body]).toMatchObject([
      409,
      { code: "conflict", fix: expect.stringContaining("new export") },
    ]);
  });
});

describe("an import", () => {
  const mbox = (mails: readonly string[]) =>
    mails.map((mail) => `From ann@example.com Thu Nov 26 08:30:05 2020\n${mail}\n`).join("");

  it("takes the time from Received, then from the From_ line, then from Date, and never the future", async () => {
    const box = await createMailbox();
    const mails = [
      "Subject: a\nReceived: from x by y; Fri, 1 Feb 2019 10:00:00 +0100 (CET)\nDate: Fri, 1 Mar 2019 10:00:00 +0000\n\nx\n",
      "Subject: b\nDate: Fri, 1 Mar 2019 10:00:00 +0000\n\nx\n",
    ];
    expect(await imported(box, mbox(mails))).toMatchObject({ imported: 2, failed: 0 });
    await imported(box, "Subject: c\nDate: Fri, 1 Mar 2019 10:00:00 +0000\n\nx\n", "?format=eml");
    await imported(box, "Subject: d\nDate: Fri, 1 Mar 2999 10:00:00 +0000\n\nx\n");
    const times = (await emailsOf(box)).map(({ subject, received_at }) => [subject, received_at]);
    expect(times.slice(1)).toEqual([
      ["b", "2020-11-26T08:30:05.000Z"],
      ["c", "2019-03-01T10:00:00.000Z"],
      ["a", "2019-02-01T09:00:00.000Z"],
    ]);
    expect(Date.parse(times[0]?.[1] ?? "")).toBeLessThanOrEqual(Date.now());
    await deliver(box.mailbox, plainMessage({ subject: "New" }));
    expect((await emailsOf(box, "limit=1"))[0]?.subject).toBe("New");
  });

  it("makes labels of folders, flags and its own parameter", async () => {
    const box = await createMailbox();
    const mail = (subject: string) => `From: ann@example.com\nSubject: ${subject}\n\nHello.\n`;
    const archive = packed([
      { name: "Maildir/cur/1:2,FS", content: mail("root") },
      { name: "Maildir/.Work.Projects/new/2", content: mail("work") },
      { name: ".Sent/cur/3:2,RS", content: mail("sent") },
      { name: "notes.txt", content: "no mail" },
      { name: "one.eml", content: mail("file") },
    ]);
    expect(await imported(box, archive, "?format=maildir-tar&label=old")).toMatchObject({
      imported: 4,
      failed: 0,
    });
    const emails = await emailsOf(box);
    expect(
      Object.fromEntries(emails.map(({ subject, labels, direction }) => [subject, [direction, ...labels]])),
    ).toEqual({
      root: ["inbound", "personal", "flagged", "old"],
      work: ["inbound", "personal", "Work/Projects", "old"],
      sent: ["outbound", "personal", "Sent", "answered", "old"],
      file: ["inbound", "personal", "old"],
    });
  });

  it("unpacks gzip, and refuses damaged gzip and more than fits", async () => {
    const box = await createMailbox();
    const packedStream = new Blob([mbox(["Subject: a\n\nx\n"])])
      .stream()
      .pipeThrough(new CompressionStream("gzip"));
    const gzip = Buffer.from(await new Response(packedStream).arrayBuffer());
    expect(await imported(box, gzip)).toMatchObject({ imported: 1 });
    const refused = await api("/v1/import", { key: box.api_key, body: gzip.subarray(0, 20) });
    expect(refused.status).toBe(400);
    expect(await rowsOf(box.mailbox, "SELECT id FROM import WHERE status = 'receiving'")).toEqual([]);
  });

  it("refuses gzip that unpacks to far more than mail does", async () => {
    const box = await createMailbox();
    const zeros = new Blob([new Uint8Array(4_000_000)]).stream();
    const body = await new Response(zeros.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    const refused = await ask("/v1/import", { key: box.api_key, body: new Uint8Array(body) });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("200 times")]);
    expect(await rowsOf(box.mailbox, "SELECT id FROM import WHERE status = 'receiving'")).toEqual([]);
    // It counts among the imports of its day.
    expect(await rowsOf(box.mailbox, "SELECT status FROM import")).toEqual([{ status: "gone" }]);
  });

  it("stores a received message that has the Message-ID of a sent one", async () => {
    const box = await createMailbox();
    const to = (await createMailbox()).mailbox;
    await ask("/v1/send?wait=10", { key: box.api_key, json: { to, subject: "Sent", text: "Hello." } });
    const sent = await rawOf(box, (await emailsOf(box))[0]?.id ?? "");
    const copy = `List-Id: <list.example.com>\n${sent.toString().replaceAll("\r\n", "\n")}`;
    expect(await imported(box, copy, "?format=eml")).toMatchObject({ imported: 1, duplicates: 0 });
  });

  it("of a forged archive stays inside its mailbox and proves nothing", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, message(["Subject: Mine", "Message-ID: <mine@example.com>"]));
    const note = writeNote({
      received_at: "2999-01-01T00:00:00.000Z",
      labels: ["x".repeat(500), "", "a\u0000b", ...Array.from({ length: 300 }, (_, index) => `l${index}`)],
      thread: "t",
      direction: "outbound",
      envelope_from: "x\r\ny",
      envelope_to: "not an address",
    });
    const forged =
      "Authentication-Results: mx.mailkeep.test; dkim=pass; spf=pass; dmarc=pass\nSubject: Forged\n\nx\n";
    const archive = packed([
      { name: "../../cur/../cur/1", content: forged, comment: note },
      { name: "cur/empty:2,S", content: "" },
    ]);
    expect(await imported(box, archive)).toMatchObject({ imported: 1, failed: 1 });
    const email = (await emailsOf(box)).find(({ subject }) => subject === "Forged");
    const { body } = await ask<Email>(`/v1/emails/${email?.id}`, { key: box.api_key });
    expect([body.authentication, body.status, body.to_address]).toEqual([null, "received", box.mailbox]);
    expect(body.labels).toHaveLength(100);
    expect(Date.parse(body.received_at)).toBeLessThanOrEqual(Date.now());
  });

  it("that is cut or damaged says so, and keeps what it stored", async () => {
    const box = await createMailbox();
    const archive = packed(
      ["a", "b"].map((name) => ({ name: `${name}.eml`, content: `Subject: ${name}\n\nx\n` })),
    );
    const cut = await imported(box, archive.subarray(0, 1_536));
    expect(cut).toMatchObject({ status: "failed", imported: 1, total: null });
    expect(cut.error).toContain("ends within");
    const flipped = Buffer.from(archive);
    flipped[1_030] = 65;
    expect(await imported(box, flipped)).toMatchObject({ status: "failed", duplicates: 1 });
    expect(await imported(box, archive)).toMatchObject({ status: "done", imported: 1, duplicates: 1 });
  });

  it("of a tar that was cut between two messages is failed: the end of the bytes is no end mark", async () => {
    const box = await createMailbox();
    for (const subject of ["a", "b"]) await deliver(box.mailbox, plainMessage({ subject }));
    const archive = await exported(box);
    const names = [...(await unpacked(archive)).keys()];
    const second = archive.indexOf(Buffer.from(`pax/${names[1]}`));
    const to = await createMailbox();
    const cut = await imported(to, archive.subarray(0, second));
    expect(cut).toMatchObject({ status: "failed", imported: 1, total: null });
    expect(cut.error).toContain("without its end mark");
    // A part of the mark is none.
    const { status } = await imported(to, archive.subarray(0, archive.length - 700));
    expect(status).toBe("failed");
    expect(await imported(to, archive)).toMatchObject({ status: "done", imported: 0, duplicates: 2 });
  });

  it.each([
    ["a zip", Buffer.from("PK\x03\x04\x14\0\0\0\x08\0From: ann@example.com\nSubject: x\n\n", "latin1")],
    ["a PDF", Buffer.from("%PDF-1.7\n%\xe2\xe3\n1 0 obj\n<< /Type /Catalog >>\n", "latin1")],
    ["random bytes", createHash("sha512").update("random").digest()],
    ["a text", Buffer.from("From here on it is only text.\nAnd more text.\n")],
    ["JSON", Buffer.from('{"from": "ann@example.com",\n"subject": "x"}\n')],
    ["a calendar", Buffer.from("BEGIN:VCALENDAR\nVERSION:2.0\nSUMMARY:x\nEND:VCALENDAR\n")],
  ])("of %s makes no email: it is refused, and says what to send", async (_what, body) => {
    const box = await createMailbox();
    const gzip = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
    const packedBody = new Uint8Array(await new Response(gzip).arrayBuffer());
    for (const [sent, query] of [
      [body, ""],
      [packedBody, ""],
      [body, "?format=mbox"],
    ] as const) {
      const refused = await ask("/v1/import" + query, { key: box.api_key, body: sent });
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { code: "invalid", fix: expect.stringContaining("format=eml") },
      ]);
    }
    expect(await rowsOf(box.mailbox, "SELECT id FROM import WHERE status = 'receiving'")).toEqual([]);
    const named = packed([
      { name: "a.eml", content: body },
      { name: "b.eml", content: "Subject: b\n\nx\n" },
    ]);
    expect(await imported(box, named)).toMatchObject({ status: "done", imported: 1, failed: 1 });
  });

  it.each([
    ["a field of a program before those of mail", "X-Mozilla-Status: 0001\nFoo: bar\nSubject: a\n\nx\n"],
    ["a byte order mark and a blank line", "\u{FEFF}\r\nSubject: a\r\n\r\nx\r\n"],
    [
      "a From_ line that has been quoted",
      ">From ann@example.com Thu Nov 26 08:30:05 2020\nSubject: a\n\nx\n",
    ],
    ["a From_ line that says no time", "From ann at example\nReceived: x\nSubject: a\n\nx\n"],
    ["lower case and blanks before the colon", "subject : a\n\nx\n"],
  ])("knows an email by its fields, also with %s", async (_what, body) => {
    const box = await createMailbox();
    expect(await imported(box, body)).toMatchObject({ status: "done", imported: 1, failed: 0 });
  });

  it("of an email without fields needs its format, and of an empty archive has nothing to do", async () => {
    const box = await createMailbox();
    expect((await ask("/v1/import", { key: box.api_key, body: "no header at all" })).status).toBe(400);
    expect(await imported(box, "no header at all", "?format=eml")).toMatchObject({ imported: 1 });
    expect(await imported(box, tarEnd())).toMatchObject({ status: "done", total: 0 });
  });

  it("of very many entries without a message is over soon, and says that only mail belongs into it", async () => {
    const box = await createMailbox();
    const one = Buffer.from(tarHeader({ name: "a/b", sizeBytes: 0, modifiedMs: 1_600_000_000_000 }));
    const mail = packed([{ name: "a.eml", content: "Subject: a\n\nx\n" }]).subarray(0, -1_024);
    const full = (count: number) => Buffer.concat([mail, Buffer.alloc(count * 512, one), tarEnd()]);
    const result = async (count: number) => {
      const { body } = await ask<StartedImport>("/v1/import", { key: box.api_key, body: full(count) });
      return finished(box, body.id, 60_000);
    };
    // The message makes up for one of them.
    expect(await result(MAX_EMPTY_ENTRIES + 1)).toMatchObject({ status: "done", imported: 1 });
    expect(await result(MAX_EMPTY_ENTRIES + 2)).toMatchObject({
      status: "failed",
      duplicates: 1,
      error: expect.stringContaining("pack only the mail"),
    });
  }, 150_000);

  it("goes on where it was when the process dies, and counts each message once", async () => {
    const box = await createMailbox();
    const mails = Array.from({ length: 150 }, (_, index) => `Subject: m${index}\n\nx\n`);
    const started = await ask<StartedImport>("/v1/import", { key: box.api_key, body: mbox(mails) });
    const { id } = started.body;
    await vi.waitFor(async () => {
      const [row] = await rowsOf<{ imported: number }>(box.mailbox, "SELECT imported FROM import");
      expect(row?.imported).toBeGreaterThan(0);
    });
    await kill(box.mailbox);
    await evict(box.mailbox).catch(() => undefined);
    await rowsOf(box.mailbox, "UPDATE import SET due_at = 0 WHERE status = 'running'");
    await ringAlarm(box.mailbox);
    expect(await finished(box, id)).toMatchObject({ imported: 150, duplicates: 0, failed: 0 });
    const subjects = new Set<string>();
    for (const offset of [0, 100]) {
      for (const { subject } of await emailsOf(box, `limit=100&offset=${offset}`)) subjects.add(subject);
    }
    expect(subjects.size).toBe(150);
  });

  const insert = ({ mailbox }: TestMailbox, id: string, room: number) =>
    rowsOf(
      mailbox,
      `INSERT INTO import (id, key, format, labels, size_bytes, room_bytes, status, created_at, due_at)
       VALUES (?, 'rows:none', 'eml', '[]', 0, ?, 'running', 0, 9e15)`,
      id,
      room,
    );

  it.each([
    ["eight attempts ended the process", 8],
    ["the eighth attempt in a row fails, whichever processes made them", 7],
  ])("is given up once %s", async (_when, attempts) => {
    const box = await createMailbox();
    await imported(box, "Subject: a\n\nx\n");
    const id = "01a202aa-90a2-76f4-9c14-7bc3a4045ba1";
    await insert(box, id, 0);
    await rowsOf(
      box.mailbox,
      "UPDATE import SET attempts = ?, size_bytes = 9, due_at = 0 WHERE id = ?",
      attempts,
      id,
    );
    await ringAlarm(box.mailbox);
    expect(await finished(box, id)).toMatchObject({ status: "failed", imported: 0 });
  });

  it("is cancelled: its archive is erased, and it is unknown", async () => {
    const box = await createMailbox();
    await imported(box, "Subject: a\n\nx\n");
    const id = "01a202aa-90a2-76f4-9c14-7bc3a4045ba2";
    await insert(box, id, 0);
    const cancel = () => ask(`/v1/import/${id}`, { key: box.api_key, method: "DELETE" });
    expect((await cancel()).body).toEqual({ deleted: true });
    expect((await ask(`/v1/import/${id}`, { key: box.api_key })).status).toBe(404);
    expect((await cancel()).status).toBe(404);
    expect(await emailsOf(box)).toHaveLength(1);
  });

  it("is cancelled under way: it stores nothing more, and what it stored stays", async () => {
    const box = await createMailbox();
    const mails = Array.from({ length: 400 }, (_, index) => `Subject: m${index}\n\nx\n`);
    const { body } = await ask<StartedImport>("/v1/import", { key: box.api_key, body: mbox(mails) });
    await vi.waitFor(async () => {
      const [row] = await rowsOf<{ imported: number }>(box.mailbox, "SELECT imported FROM import");
      expect(row?.imported).toBeGreaterThan(0);
    });
    expect((await ask(`/v1/import/${body.id}`, { key: box.api_key, method: "DELETE" })).status).toBe(200);
    const stored = async (): Promise<number> =>
      (await rowsOf<{ count: number }>(box.mailbox, "SELECT count(*) AS count FROM message"))[0]?.count ?? 0;
    const count = await stored();
    expect([count > 0, count < mails.length]).toEqual([true, true]);
    // The job does the rest of its work, if it has any, at its alarm.
    await ringAlarm(box.mailbox);
    await imported(box, "Subject: after it\n\nx\n");
    expect(await stored()).toBe(count + 1);
    expect((await ask(`/v1/import/${body.id}`, { key: box.api_key })).status).toBe(404);
    expect(await rowsOf(box.mailbox, "SELECT key FROM blob_chunk")).toEqual([]);
  });

  it("is refused while others that are not over may need the room", async () => {
    const box = await createMailbox();
    await imported(box, "Subject: a\n\nx\n");
    await insert(box, "01a202aa-90a2-76f4-9c14-7bc3a4045ba3", 4e12);
    const refused = await ask("/v1/import", { key: box.api_key, body: "Subject: b\n\nx\n" });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
  });

  it("is refused before its body is read: without a right key, to a temporary mailbox, and beyond four at once", async () => {
    const box = await createMailbox();
    const unread = () => {
      let isRead = false;
      const body = new ReadableStream(
        {
          pull(controller) {
            isRead = true;
            controller.enqueue(Buffer.from("x"));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      return { body, isRead: () => isRead };
    };
    const asked = unread();
    const wrong = {
      key: `${box.api_key.slice(0, -1)}0`.replace(/0$/, box.api_key.endsWith("0") ? "1" : "0"),
    };
    expect((await api("/v1/import", { ...wrong, body: asked.body })).status).toBe(401);
    await imported(box, "Subject: a\n\nx\n");
    for (const id of ["a", "b", "c", "d"]) {
      await rowsOf(
        box.mailbox,
        `INSERT INTO import (id, key, format, labels, size_bytes, status, created_at, due_at)
         VALUES (?, 'rows:none', 'eml', '[]', 0, 'receiving', 0, 9e15)`,
        id,
      );
    }
    const fifth = unread();
    const refused = await ask("/v1/import", { key: box.api_key, body: fifth.body });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect([asked.isRead(), fifth.isRead()]).toEqual([false, false]);
  });

  it("fills no mailbox beyond its quota, and says what to do", async () => {
    const box = await createMailbox();
    const refused = await ask("/v1/import", {
      key: box.api_key,
      body: "x",
      headers: { "Content-Length": "9000000000" },
    });
    expect([refused.status, refused.body.code]).toEqual([507, "mailbox_full"]);
  });
});
