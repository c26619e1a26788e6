import { afterEach, describe, expect, it, vi } from "vitest";
import { streamOf } from "../../src/service/message-source.ts";

afterEach(() => void vi.useRealTimers());

describe("a stream whose client may read nothing", () => {
  it("breaks off after a while, ends what makes it, and does neither while the client reads or pieces take long", async () => {
    vi.useFakeTimers();
    let [made, hasEnded] = [0, false];
    async function* pieces(): AsyncGenerator<Uint8Array, void> {
      try {
        for (;;) {
          made += 1;
          if (made === 5) await new Promise((resolve) => setTimeout(resolve, 600_000));
          yield new Uint8Array(65_536);
        }
      } finally {
        hasEnded = true;
      }
    }
    const reader = streamOf(pieces(), 60_000).getReader();
    for (let read = 0; read < 4; read += 1) {
      expect((await reader.read()).done).toBe(false);
      await vi.advanceTimersByTimeAsync(59_000);
    }
    const slow = reader.read();
    await vi.advanceTimersByTimeAsync(600_000);
    expect([(await slow).done, made, hasEnded]).toEqual([false, 5, false]);
    await vi.advanceTimersByTimeAsync(60_001);
    await expect(reader.read()).rejects.toThrow("reads nothing");
    expect([made, hasEnded]).toEqual([5, true]);
  });
});
