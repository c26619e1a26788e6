import { describe, expect, it } from "vitest";
import { turnsDuring } from "../turns.ts";
import { diskStore } from "./disk-store.ts";

/** Size of the largest message. */
const BYTES = 25_000_000;
/** The most bytes to write at once: more would block the thread for 50 ms. */
const AT_ONCE_BYTES = 8_000_000;

/** Pieces that are always available. */
function* pieces(): Generator<Uint8Array> {
  for (let sent = 0; sent < BYTES; sent += 1_000_000) yield new Uint8Array(1_000_000);
}

describe("the files of a local server, which shares its thread with all mailboxes", () => {
  it.each([
    ["one piece", () => [new Uint8Array(BYTES)]],
    ["pieces", pieces],
  ])("lets others have their turns while it takes %s", async (_, source) => {
    const store = diskStore();
    const key = store.newKey("owner", crypto.randomUUID());
    const turns = await turnsDuring(store.write(key, source()));
    expect(turns).toBeGreaterThan(BYTES / AT_ONCE_BYTES);
    await store.delete([key]);
  });
});
