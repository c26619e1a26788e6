import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HeldBody } from "../../src/http/held-body.ts";
import type { Wait } from "../../src/service/wait.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call that hands something out. */
function offer() {
  const events: string[] = [];
  const wait = { isGone: false, delivered: () => events.push("delivered"), leave: () => events.push("gone") };
  return { events, wait, asWait: wait as unknown as Wait };
}

/** The texts in a body so far; the list grows while the body is written. */
function textsOf(body: HeldBody): string[] {
  const texts: string[] = [];
  void body.readable
    .pipeTo(
      new WritableStream({
        write: (bytes: Uint8Array) => void texts.push(new TextDecoder().decode(bytes)),
        close: () => void texts.push("<end>"),
        abort: () => void texts.push("<broken off>"),
      }),
    )
    .catch(() => undefined);
  return texts;
}

it("is filled every two seconds until the answer is known", async () => {
  const body = new HeldBody(" ", () => {});
  const texts = textsOf(body);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(texts).toEqual([" ", " "]);
  body.end("{}");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts).toEqual([" ", " ", "{}", "<end>"]);
});

it("keeps the last byte of a hand-over back, and counts it as handed out once that has left", async () => {
  const { events, asWait } = offer();
  const body = new HeldBody(" ", () => {});
  const texts = textsOf(body);
  const handedOver = body.handOver('{"code":"1"}', [asWait]);
  await vi.advanceTimersByTimeAsync(199);
  expect([texts, events]).toEqual([['{"code":"1'], []]);
  await vi.advanceTimersByTimeAsync(20);
  expect([texts, events]).toEqual([['{"code":"1', '"'], []]);
  await vi.advanceTimersByTimeAsync(10);
  await handedOver;
  expect([texts, events]).toEqual([['{"code":"1', '"', "}", "<end>"], ["delivered"]]);
});

it("hands nothing out if the client is gone before the last byte, as the stream or the signal tells", async () => {
  const { events, wait, asWait } = offer();
  const cancelled = new HeldBody(" ", () => wait.leave());
  const first = cancelled.handOver('{"a":1}', [asWait]);
  await cancelled.readable.cancel();
  await vi.advanceTimersByTimeAsync(210);
  await first;
  const signalled = new HeldBody(" ", () => {});
  const texts = textsOf(signalled);
  const second = signalled.handOver('{"a":1}', [asWait]);
  await vi.advanceTimersByTimeAsync(210);
  wait.isGone = true;
  await vi.advanceTimersByTimeAsync(20);
  await second;
  expect([texts, events]).toEqual([['{"a":', "1", "<broken off>"], ["gone"]]);
});

it("is broken off, so that a failure is not taken for an answer", async () => {
  const body = new HeldBody(" ", () => {});
  const texts = textsOf(body);
  body.write(" ");
  await vi.advanceTimersByTimeAsync(0);
  body.breakOff(new Error("No"));
  await vi.advanceTimersByTimeAsync(0);
  expect(texts).toEqual([" ", "<broken off>"]);
});
