import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Email } from "../../src/contract/message.ts";
import { LARGE_MESSAGES } from "./large-messages.ts";
import { Server } from "./server.ts";
import { deliver } from "./smtp.ts";

/**
 * The share of the JavaScript heap that a text may take, in MB: the platform gives an isolate 128 for heap and buffers together, and the
 * raw message of 25 MB lies outside of the heap.
 */
const HEAP_MB = 64;
const MAX_FIELD_BYTES = 1_000_000;

let server: Server;

beforeAll(async () => {
  const flags = `--max-semi-space-size=2 --max-old-space-size=${HEAP_MB}`;
  server = await Server.start({ env: { MINIFLARE_WORKERD_V8_FLAGS: flags } });
}, 180_000);

afterAll(() => server.stop());

describe("a message of the largest kind, in an isolate of little memory", () => {
  it.each(LARGE_MESSAGES)("is kept whole and read in bounds: $name", async ({ bytes, cut, begins }) => {
    const { service } = server;
    const pid = await server.workerdPid();
    const [box, other] = [await service.createMailbox(), await service.createMailbox()];
    const raw = bytes();
    const { data } = await deliver(server.smtpPort, {
      from: "ann@example.com",
      to: [box.mailbox],
      bytes: raw,
    });
    expect(data).toMatch(/^250 /);
    const key = box.api_key;
    const [row] = await service.inbox(key);
    const id = row?.id ?? "";
    expect(row?.text_truncated).toBe(cut !== null);

    const three = <T>(read: () => Promise<T>): Promise<T>[] => [read(), read(), read()];
    const reads = [
      ...three(() => service.email(key, id)),
      ...three(async () => (await service.thread(key, id)).emails[0]),
    ];
    const others = Promise.all(Array.from({ length: 20 }, () => service.inbox(other.api_key)));
    const extracted = Promise.all(
      three(() =>
        service.ask<{ text_truncated: boolean }>("/v1/extract", {
          key,
          json: { email_id: id, type: "code" },
        }),
      ),
    );
    const found = Promise.all(three(() => service.search(key, "verification")));
    const codes = Promise.all(three(() => service.call("/v1/code?timeout=1", { key })));
    for (const email of await Promise.all(reads)) expectBounded(email, cut, begins);
    for (const { status, body } of await extracted) {
      expect([status, body.text_truncated]).toEqual([200, cut !== null]);
    }
    for (const rows of await found) expect(rows.map((each) => each.text_truncated)).toEqual([cut !== null]);
    for (const { status } of await codes) expect(status).toBe(200);
    expect(await others).toHaveLength(20);
    expect((await service.raw(key, id)).equals(raw)).toBe(true);
    expect(await server.workerdPid()).toBe(pid);
  });
});

function expectBounded(email: Email | undefined, cut: string | null, begins: string): void {
  if (email === undefined) throw new Error("The email is missing");
  const { body_text, body_html, text_new } = email;
  for (const text of [body_text, body_html, text_new]) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_FIELD_BYTES);
    expect(text.isWellFormed()).toBe(true);
    expect(text.endsWith("\uFFFD")).toBe(false);
  }
  expect(email.text_truncated).toBe(cut !== null);
  expect((cut === "body_html" ? body_html : body_text).startsWith(begins)).toBe(true);
  if (cut === null) return;
  // A character of four bytes may not fit any more, nor an odd line of base64 or UTF-16.
  expect(Buffer.byteLength(cut === "body_html" ? body_html : body_text)).toBeGreaterThan(
    0.6 * MAX_FIELD_BYTES,
  );
  expect(email.metadata.parse_faults).toContain("text_cut");
}
