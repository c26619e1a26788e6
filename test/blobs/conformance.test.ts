import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { R2BlobStore } from "../../src/blobs/r2.ts";
import { CHUNK_BYTES, isRowsKey, RowsBlobStore } from "../../src/blobs/rows.ts";
import type { BlobStore } from "../../src/blobs/store.ts";
import { actorOf, createMailbox, rowsOf } from "../harness.ts";

let address: string;

beforeAll(async () => {
  ({ mailbox: address } = await createMailbox());
});

function rowsStore(): BlobStore {
  const actor = actorOf(address);
  return new RowsBlobStore({
    putChunk: async (key, position, bytes) => actor.putChunk(key, position, bytes),
    getChunk: async (key, position) => actor.getChunk(key, position),
    deleteChunks: async (keys) => actor.deleteChunks(keys),
  });
}

/** Bytes that tell their own place, so that a shifted range is seen. */
function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

async function read(stream: ReadableStream<Uint8Array> | null): Promise<Buffer | null> {
  return stream === null ? null : Buffer.from(await new Response(stream).arrayBuffer());
}

const STORES: [string, () => BlobStore][] = [
  ["a bucket", () => new R2BlobStore(env.BLOBS)],
  ["rows of the mailbox", rowsStore],
];

describe.each(STORES)("blobs in %s", (_, open) => {
  let unique = 0;
  const fresh = (store: BlobStore) =>
    store.newKey("owner", `conformance-${(unique += 1)}-${crypto.randomUUID()}`);
  const stored = async (...parts: Uint8Array[]) => {
    const store = open();
    const key = fresh(store);
    await store.put(key, parts);
    return { store, key, whole: Buffer.concat(parts) };
  };

  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 5_300_000])(
    "gives %i bytes back as they were",
    async (length) => {
      const { store, key, whole } = await stored(bytesOf(length));
      expect((await read(await store.get(key)))?.equals(whole)).toBe(true);
    },
  );

  it("keeps no bytes at all as an empty blob, not as a missing one", async () => {
    const { store, key } = await stored();
    expect(await read(await store.get(key))).toEqual(Buffer.alloc(0));
  });

  it("lays parts end to end, empty ones and such as span a chunk's end included", async () => {
    const parts = [
      bytesOf(10, 2),
      new Uint8Array(),
      bytesOf(CHUNK_BYTES - 15, 3),
      bytesOf(10, 4),
      bytesOf(2 * CHUNK_BYTES + 7, 5),
      bytesOf(1, 6),
      new Uint8Array(),
    ];
    const { store, key, whole } = await stored(...parts);
    expect((await read(await store.get(key)))?.equals(whole)).toBe(true);
    let offset = 0;
    for (const part of parts) {
      const range = { offset, length: part.byteLength };
      expect((await read(await store.get(key, range)))?.equals(Buffer.from(part))).toBe(true);
      offset += part.byteLength;
    }
  });

  it("takes a part that is a view of a larger buffer", async () => {
    const whole = bytesOf(5_000);
    const { store, key } = await stored(whole.subarray(1_000, 2_000), whole.subarray(10, 20));
    const wanted = Buffer.concat([whole.subarray(1_000, 2_000), whole.subarray(10, 20)]);
    expect((await read(await store.get(key)))?.equals(wanted)).toBe(true);
  });

  it.each([
    ["the first byte", 0, 1],
    ["the last byte", 2 * CHUNK_BYTES + 99, 1],
    ["a range within one chunk", 100, 1_000],
    ["the end of one chunk and the start of the next", CHUNK_BYTES - 1, 2],
    ["exactly one chunk", CHUNK_BYTES, CHUNK_BYTES],
    ["a chunk's last byte", CHUNK_BYTES - 1, 1],
    ["a chunk's first byte", CHUNK_BYTES, 1],
    ["all", 0, 2 * CHUNK_BYTES + 100],
    ["nothing at the start", 0, 0],
    ["nothing at a chunk's end", CHUNK_BYTES, 0],
    ["nothing at the very end", 2 * CHUNK_BYTES + 100, 0],
  ])("reads %s", async (_range, offset, length) => {
    const { store, key, whole } = await stored(bytesOf(2 * CHUNK_BYTES + 100));
    const part = await read(await store.get(key, { offset, length }));
    expect(part?.equals(whole.subarray(offset, offset + length))).toBe(true);
  });

  it("reads nothing at the end of a blob that fills its chunks", async () => {
    const { store, key } = await stored(bytesOf(CHUNK_BYTES));
    expect(await read(await store.get(key, { offset: CHUNK_BYTES, length: 0 }))).toEqual(Buffer.alloc(0));
  });

  it("knows no blob that was never put", async () => {
    const store = open();
    expect(await store.get(fresh(store))).toBeNull();
    expect(await store.get(fresh(store), { offset: 0, length: 1 })).toBeNull();
  });

  it("erases blobs, several at once, and is not put off by one that does not exist", async () => {
    const first = await stored(bytesOf(10));
    const second = await stored(bytesOf(CHUNK_BYTES + 10));
    const kept = await stored(bytesOf(20));
    await first.store.delete([first.key, fresh(first.store), second.key]);
    expect(await first.store.get(first.key)).toBeNull();
    expect(await second.store.get(second.key)).toBeNull();
    expect((await read(await kept.store.get(kept.key)))?.equals(kept.whole)).toBe(true);
    await first.store.delete([first.key]);
    await first.store.delete([]);
  });

  it("erases a thousand and one keys in one call", async () => {
    const { store, key } = await stored(bytesOf(10));
    await store.delete([...Array.from({ length: 1_000 }, () => fresh(store)), key]);
    expect(await store.get(key)).toBeNull();
  });

  it("keeps blobs apart whose keys begin alike", async () => {
    const store = open();
    const key = fresh(store);
    await store.put(key, [bytesOf(10, 7)]);
    await store.put(`${key}0`, [bytesOf(10, 8)]);
    await store.delete([key]);
    expect((await read(await store.get(`${key}0`)))?.equals(Buffer.from(bytesOf(10, 8)))).toBe(true);
  });

  it("put again under a key with as many bytes, gives what was put last", async () => {
    const { store, key } = await stored(bytesOf(CHUNK_BYTES + 5, 9));
    const again = bytesOf(CHUNK_BYTES + 5, 10);
    await store.put(key, [again]);
    expect((await read(await store.get(key)))?.equals(Buffer.from(again))).toBe(true);
  });

  it("serves two readers at once, and one that stops halfway", async () => {
    const { store, key, whole } = await stored(bytesOf(3 * CHUNK_BYTES));
    const [one, two] = await Promise.all([store.get(key), store.get(key)]);
    const stopped = (await store.get(key))?.getReader();
    await stopped?.read();
    await stopped?.cancel();
    const [left, right] = await Promise.all([read(one), read(two)]);
    expect([left?.equals(whole), right?.equals(whole)]).toEqual([true, true]);
  });

  it("mints keys that tell where the blob lies", () => {
    const store = open();
    expect(isRowsKey(fresh(store))).toBe(store instanceof RowsBlobStore);
  });
});

describe("rows of a mailbox", () => {
  it("hold no more than CHUNK_BYTES each", async () => {
    const store = rowsStore();
    const key = store.newKey("", crypto.randomUUID());
    await store.put(key, [bytesOf(2 * CHUNK_BYTES + 1)]);
    const rows = await rowsOf<{ bytes: number }>(
      address,
      "SELECT length(bytes) AS bytes FROM blob_chunk WHERE key = ? ORDER BY position",
      key,
    );
    expect(rows.map((row) => row.bytes)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 1]);
  });
});

describe("a bucket that keeps fewer bytes than it was given", () => {
  it("is an error, so that no message is acknowledged without its raw", async () => {
    const bucket = new Proxy(env.BLOBS, {
      get: (target, name) =>
        name === "put"
          ? async (key: string, value: ReadableStream) => {
              await new Response(value).arrayBuffer();
              return target.put(key, "short");
            }
          : Reflect.get(target, name),
    });
    const store = new R2BlobStore(bucket);
    await expect(store.put(store.newKey("o", "short"), [bytesOf(10), bytesOf(10)])).rejects.toThrow(/bucket/);
  });
});
