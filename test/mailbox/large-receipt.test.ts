import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { bucket, bucketWith, keysOf } from "../bucket.ts";
import {
  type actorOf,
  advance,
  api,
  ask,
  createMailbox,
  deliver,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setVariables,
  type TestMailbox,
} from "../harness.ts";

const HOUR_MS = 3_600_000;
/** Too large for a row of the mailbox. */
const LARGE_BYTES = 600_000;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

const emailsOf = async ({ api_key: key }: TestMailbox) =>
  (await ask<{ emails: { id: string }[] }>("/v1/inbox", { key })).body.emails;
const rawOf = async ({ api_key: key }: TestMailbox, id: string) =>
  (await api(`/v1/emails/${id}/raw`, { key })).text();
const reservations = ({ mailbox }: TestMailbox) => rowsOf(mailbox, "SELECT key FROM blob_to_erase");

/** Bindings of a router that dies at its `at`-th call of a mailbox or the bucket: when that was made, or before. */
function mortal(at: number, isMade: boolean): { vars: Record<string, unknown>; isDead: () => boolean } {
  let calls = 0;
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls < at) return call();
    if (calls === at && isMade) await call();
    throw new Error("The isolate is gone");
  };
  type Actor = ReturnType<typeof actorOf>;
  const MAILBOX = {
    getByName: (name: string) => {
      const actor = () => env.MAILBOX.getByName(name);
      return {
        reserve: (...args: Parameters<Actor["reserve"]>) => guard(async () => actor().reserve(...args)),
        putChunk: (...args: Parameters<Actor["putChunk"]>) => guard(async () => actor().putChunk(...args)),
        deleteChunks: (keys: string[]) => guard(async () => actor().deleteChunks(keys)),
        receive: (...args: Parameters<Actor["receive"]>) => guard(async () => actor().receive(...args)),
      };
    },
  };
  const BLOBS = bucketWith({
    put: (key: string, bytes: Uint8Array) => guard(() => bucket.put(key, bytes)),
    delete: (keys: string[]) => guard(() => bucket.delete(keys)),
  });
  return { vars: { MAILBOX, BLOBS }, isDead: () => calls >= at };
}

/** A blob of which the store delivers the beginning alone. */
function brokenOff(): ReadableStream<Uint8Array> {
  let isBegun = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isBegun) controller.error(new Error("The disk cannot be read"));
      else controller.enqueue(new Uint8Array(1_000));
      isBegun = true;
    },
  });
}

describe("a router that dies while it receives a large message", () => {
  it.each([true, false])("leaves all of it or nothing, at each of its calls (made: %s)", async (isMade) => {
    const outcomes: number[] = [];
    for (let isDead = true; isDead;) {
      const box = await createMailbox();
      const before = await keysOf();
      const raw = plainMessage({ body: "x".repeat(LARGE_BYTES) });
      const router = mortal(outcomes.length + 1, isMade);
      const { status } = await deliver(box.mailbox, raw, "s@example.com", router.vars);
      isDead = router.isDead();
      expect(status).toBe(isDead ? 503 : 202);
      advance(HOUR_MS + 1);
      await ringAlarm(box.mailbox);
      const stored = await emailsOf(box);
      outcomes.push(stored.length);
      expect(await reservations(box)).toEqual([]);
      expect((await keysOf()).length - before.length).toBe(stored.length);
      // The sender tries again.
      expect((await deliver(box.mailbox, raw)).status).toBe(202);
      const [first, ...others] = await emailsOf(box);
      expect(others).toEqual([]);
      expect(await rawOf(box, first?.id ?? "")).toBe(raw);
    }
    // Its mailbox has it once the last call was made: reserving, its bytes, its text, the message.
    expect(outcomes).toEqual(isMade ? [0, 0, 0, 1, 1] : [0, 0, 0, 0, 1]);
  });
});

describe("a large message for several mailboxes", () => {
  it("is stored in each, also where the first has no room and the second knows it already", async () => {
    const [full, known, third, fourth] = [
      await createMailbox(),
      await createMailbox(),
      await createMailbox(),
      await createMailbox(),
    ];
    await setVariables(full.mailbox, { MAILBOX_QUOTA_BYTES: "1000" });
    const raw = plainMessage({ body: "x".repeat(LARGE_BYTES) });
    await deliver(known.mailbox, raw);
    const before = await keysOf();
    const boxes = [full, known, third, fourth];
    const query = new URLSearchParams([
      ["from", "s@example.com"],
      ["to", "nobody@mailkeep.test"],
      ...boxes.map(({ mailbox }) => ["to", mailbox]),
    ]);
    const { status, body } = await ask<{ recipients: { status: number; duplicate?: boolean }[] }>(
      `/v1/inbound?${query.toString()}`,
      { key: OPERATOR, body: raw, headers: { "Content-Type": "message/rfc822" } },
    );
    expect(status).toBe(202);
    expect(body.recipients.map((one) => [one.status, one.duplicate])).toEqual([
      [404, undefined],
      [503, undefined],
      [202, true],
      [202, false],
      [202, false],
    ]);
    for (const box of [known, third, fourth]) {
      const [first, ...others] = await emailsOf(box);
      expect(others).toEqual([]);
      expect(await rawOf(box, first?.id ?? "")).toBe(raw);
    }
    expect((await keysOf()).length - before.length).toBe(2);
  });

  it("is refused for now by those whose copy breaks off, and a repeat brings each one copy", async () => {
    const [first, second] = [await createMailbox(), await createMailbox()];
    const raw = plainMessage({ body: "x".repeat(LARGE_BYTES) });
    const query = new URLSearchParams({ from: "s@example.com", to: first.mailbox });
    query.append("to", second.mailbox);
    const send = (vars: Record<string, unknown> = {}) =>
      ask<{ recipients: { status: number }[] }>(`/v1/inbound?${query.toString()}`, {
        key: OPERATOR,
        body: raw,
        headers: { "Content-Type": "message/rfc822" },
        vars,
      });
    const BLOBS = bucketWith({ get: () => Promise.resolve({ body: brokenOff() }) });
    const broken = await send({ BLOBS });
    expect([broken.status, broken.body.recipients.map(({ status }) => status)]).toEqual([202, [202, 503]]);
    const repeat = await send();
    expect(repeat.body.recipients.map(({ status }) => status)).toEqual([202, 202]);
    expect([(await emailsOf(first)).length, (await emailsOf(second)).length]).toEqual([1, 1]);
  });
});

describe("files of a large message", () => {
  const binary = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 256));
  const lines = (text: string): string => text.replaceAll(/.{76}/g, "$&\r\n");
  const quoted = (bytes: Buffer): string =>
    [...bytes]
      .map(
        (byte, at) => `=${byte.toString(16).padStart(2, "0").toUpperCase()}${at % 20 === 19 ? "=\r\n" : ""}`,
      )
      .join("");
  const part = (fields: string[], body: string): string => `--b\r\n${[...fields, "", body].join("\r\n")}\r\n`;
  const calendar = "BEGIN:VCALENDAR\r\nSUMMARY:Fr\xfchst\xfcck\r\nEND:VCALENDAR";
  const RAW = Buffer.from(
    [
      'From: Ann <ann@example.com>\r\nSubject: Files\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n',
      part(["Content-Type: text/plain"], "See the files."),
      part(
        ["Content-Type: application/zip", "Content-Transfer-Encoding: Base64"],
        lines(binary(500_000).toString("base64")),
      ),
      part(
        ["Content-Type: image/png", "Content-Transfer-Encoding: quoted-printable"],
        quoted(binary(30_000)),
      ),
      part(
        ["Content-Type: application/octet-stream", "Content-Transfer-Encoding: 8bit"],
        binary(9_000)
          .toString("latin1")
          .replaceAll(/[\r\n]/g, "-"),
      ),
      part(["Content-Type: message/rfc822"], "Subject: Forwarded\r\n\r\nHello."),
      part(
        ["Content-Type: text/calendar; charset=windows-1252", "Content-Disposition: attachment"],
        calendar,
      ),
      part(["Content-Type: image/gif"], ""),
      // Nothing of it is base64, so the file is empty.
      part(["Content-Type: image/gif", "Content-Transfer-Encoding: base64"], "*\r\n".repeat(30_000)),
      part(
        ["Content-Type: image/gif", "Content-Transfer-Encoding: base64"],
        `${"QUJD*=Q\r\nUJE=".repeat(10_000)}QU`,
      ),
      part(
        ["Content-Type: image/gif", "Content-Transfer-Encoding: quoted-printable"],
        `${"=41=\r\n=4=\t \r\n2=".repeat(10_000)}=4`,
      ),
      "--b--\r\n",
    ].join(""),
    "latin1",
  );

  it("are read as the parser reads them, whole and by range, whatever their encoding", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, RAW);
    const key = box.api_key;
    const { attachments } = (await ask<Email>(`/v1/emails/${body.id}`, { key })).body;
    const parsed = (await parseMail(RAW)).attachments;
    expect(parsed.map(({ sizeBytes }) => sizeBytes > 0)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(attachments.map((file) => [file.filename, file.size_bytes])).toEqual(
      parsed.map((file) => [file.filename, file.sizeBytes]),
    );
    for (const [index, { id }] of attachments.entries()) {
      const content = Buffer.from(parsed[index]?.content ?? []);
      const whole = await api(`/v1/attachments/${id}`, { key });
      expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
      if (content.length === 0) continue;
      const [from, to] = [Math.floor(content.length / 3), content.length - 2];
      const range = await api(`/v1/attachments/${id}`, {
        key,
        headers: { Range: `bytes=${from}-${to - 1}` },
      });
      expect(range.status).toBe(206);
      expect(Buffer.from(await range.arrayBuffer()).equals(content.subarray(from, to))).toBe(true);
    }
  });
});
