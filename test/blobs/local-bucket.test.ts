import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PART_BYTES, R2BlobStore, type BlobDisk } from "../../src/blobs/r2.ts";
import { turnsDuring } from "../turns.ts";

const DISK: BlobDisk = { fetch: () => Promise.resolve(new Response(null, { status: 204 })) };
/** Size of the largest message. */
const BYTES = 25_000_000;
/** The most bytes to hand over at once: taking more blocks the thread for 50 ms. */
const AT_ONCE_BYTES = 1_000_000;

/** Pieces that are always available. */
function* pieces(): Generator<Uint8Array> {
  for (let sent = 0; sent < BYTES; sent += AT_ONCE_BYTES) yield new Uint8Array(AT_ONCE_BYTES);
}

describe("the bucket of a local server, which shares its thread with all mailboxes", () => {
  it.each([
    ["a whole message", (store: R2BlobStore, key: string) => store.put(key, [new Uint8Array(BYTES)])],
    ["a file that comes in pieces", (store: R2BlobStore, key: string) => store.write(key, pieces())],
    [
      "a file of less than a part",
      (store: R2BlobStore, key: string) => store.write(key, [new Uint8Array(PART_BYTES - 1)]),
    ],
  ])("lets others have their turns while it takes %s", async (_, write) => {
    const store = new R2BlobStore(env.BLOBS, DISK);
    const key = store.newKey("owner", crypto.randomUUID());
    const turns = await turnsDuring(write(store, key));
    const stored = await new Response(await store.get(key)).arrayBuffer();
    expect(turns).toBeGreaterThan(stored.byteLength / AT_ONCE_BYTES);
  });
});
