import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { PART_BYTES, R2BlobStore } from "../../src/blobs/r2.ts";
import { CHUNK_BYTES, isRowsKey, RowsBlobStore } from "../../src/blobs/rows.ts";
import type { BlobStore } from "../../src/blobs/store.ts";
import { actorOf, createMailbox, rowsOf } from "../harness.ts";
import { diskStore } from "./disk-store.ts";

let address: string;

beforeAll(async () => {
  ({ mailbox: address } = await createMailbox());
});

function rowsStore(): BlobStore {
  const actor = actorOf(address);
  return new RowsBlobStore({
    putChunk: async (key, position, bytes) => actor.putChunk(key, position, bytes),
    getChunk: async (...part) => actor.getChunk(...part),
    deleteChunks: async (keys) => actor.deleteChunks(keys),
  });
}

/** Bytes that depend on their position, so that a shifted range is noticed. */
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

/** The bytes piece by piece, each in the same buffer, as a body is read. */
function* inOneBuffer(bytes: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(pieceBytes);
  for (let offset = 0; offset < bytes.byteLength; offset += pieceBytes) {
    const piece = bytes.subarray(offset, offset + pieceBytes);
    buffer.set(piece);
    yield buffer.subarray(0, piece.byteLength);
    buffer.fill(0xff);
  }
}

const full = () => Promise.reject(new Error("The store is full"));

/** The bucket with some of its methods replaced. */
function bucketWith(methods: Record<string, unknown>): R2Bucket {
  return new Proxy(env.BLOBS, {
    get: (target, name) => {
      if (typeof name === "string" && name in methods) return methods[name];
      const own: unknown = Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** A store, one whose writes fail, and one that starts only when `ready`. */
interface Way {
  open: () => BlobStore;
  failing: () => BlobStore;
  slow: (ready: Promise<void>) => BlobStore;
}

const BUCKET: Way = {
  open: () => new R2BlobStore(env.BLOBS),
  failing: () => new R2BlobStore(bucketWith({ put: full, createMultipartUpload: full })),
  slow: (ready) =>
    new R2BlobStore(
      bucketWith({
        put: async (key: string, value: ReadableStream) => ready.then(() => env.BLOBS.put(key, value)),
        createMultipartUpload: async (key: string) => ready.then(() => env.BLOBS.createMultipartUpload(key)),
      }),
    ),
};
const ROWS: Way = {
  open: rowsStore,
  failing: () => new RowsBlobStore({ putChunk: full, getChunk: full, deleteChunks: full }),
  slow: (ready) =>
    new RowsBlobStore({
      putChunk: async (key, position, bytes) =>
        ready.then(() => actorOf(address).putChunk(key, position, bytes)),
      getChunk: full,
      deleteChunks: full,
    }),
};

const FOLDER: Way = {
  open: () => diskStore(),
  failing: () => diskStore(full),
  slow: (ready) => diskStore(() => ready),
};

describe.each([
  ["a bucket", BUCKET],
  ["files of this machine", FOLDER],
  ["rows of the mailbox", ROWS],
])("blobs in %s", (_, { open, failing, slow }) => {
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

  it("stores no bytes as an empty blob, not as a missing one", async () => {
    const { store, key } = await stored();
    expect(await read(await store.get(key))).toEqual(Buffer.alloc(0));
  });

  it("joins parts, also empty ones and parts that cross a chunk's end", async () => {
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

  it("accepts a part that is a view of a larger buffer", async () => {
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

  it("erases blobs, several at once, even if one does not exist", async () => {
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

  it("keeps blobs apart whose keys have the same beginning", async () => {
    const store = open();
    const key = fresh(store);
    await store.put(key, [bytesOf(10, 7)]);
    await store.put(`${key}0`, [bytesOf(10, 8)]);
    await store.delete([key]);
    expect((await read(await store.get(`${key}0`)))?.equals(Buffer.from(bytesOf(10, 8)))).toBe(true);
  });

  it("returns the last blob if one of the same size was stored twice under a key", async () => {
    const { store, key } = await stored(bytesOf(CHUNK_BYTES + 5, 9));
    const again = bytesOf(CHUNK_BYTES + 5, 10);
    await store.put(key, [again]);
    expect((await read(await store.get(key)))?.equals(Buffer.from(again))).toBe(true);
  });

  it("serves two readers at once, and one that stops in the middle", async () => {
    const { store, key, whole } = await stored(bytesOf(3 * CHUNK_BYTES));
    const [one, two] = await Promise.all([store.get(key), store.get(key)]);
    const stopped = (await store.get(key))?.getReader();
    await stopped?.read();
    await stopped?.cancel();
    const [left, right] = await Promise.all([read(one), read(two)]);
    expect([left?.equals(whole), right?.equals(whole)]).toEqual([true, true]);
  });

  describe("streamed", () => {
    const write = async (pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
      const store = open();
      const key = fresh(store);
      await store.write(key, pieces);
      return { store, key };
    };

    it.each([
      [0, 1_000],
      [1, 1],
      [CHUNK_BYTES - 1, 64_000],
      [CHUNK_BYTES, 64_000],
      [CHUNK_BYTES + 1, 64_000],
      [2 * CHUNK_BYTES, CHUNK_BYTES],
      [PART_BYTES - 1, 65_536],
      [PART_BYTES, 65_536],
      [PART_BYTES + 1, 65_536],
      [PART_BYTES + 1, PART_BYTES + 1],
      [2 * PART_BYTES, 999_983],
      [2 * PART_BYTES + 12_345, 3 * PART_BYTES],
    ])("gives %i bytes that came in pieces of %i back as they were", async (length, pieceBytes) => {
      const whole = bytesOf(length);
      const { store, key } = await write(inOneBuffer(whole, pieceBytes));
      expect((await read(await store.get(key)))?.equals(whole)).toBe(true);
      const middle = { offset: Math.floor(length / 2), length: Math.min(1_000, Math.ceil(length / 2)) };
      const part = await read(await store.get(key, middle));
      expect(part?.equals(whole.subarray(middle.offset, middle.offset + middle.length))).toBe(true);
    });

    it("accepts empty pieces, and pieces that are available at once", async () => {
      const pieces = [new Uint8Array(), bytesOf(10), new Uint8Array(), bytesOf(5), new Uint8Array()];
      const { store, key } = await write(pieces);
      expect((await read(await store.get(key)))?.equals(Buffer.concat(pieces))).toBe(true);
    });

    it.each([0, 1, CHUNK_BYTES + 1, PART_BYTES + 1, 2 * PART_BYTES + 1])(
      "leaves nothing if it breaks off after %i bytes, and throws what broke it",
      async (length) => {
        const store = open();
        const key = fresh(store);
        const broken = async function* () {
          yield* inOneBuffer(bytesOf(length), 65_536);
          throw new Error("The line is dead");
        };
        await expect(store.write(key, broken())).rejects.toThrow("The line is dead");
        expect(await store.get(key)).toBeNull();
      },
    );

    it("requests no piece before it has stored the one before", async () => {
      const waiting = Promise.withResolvers<void>();
      const store = slow(waiting.promise);
      let asked = 0;
      const counted = function* () {
        for (const piece of inOneBuffer(bytesOf(3 * PART_BYTES), 65_536)) {
          asked += piece.byteLength;
          yield piece;
        }
      };
      const written = store.write(fresh(store), counted());
      await scheduler.wait(100);
      expect(asked).toBeLessThanOrEqual(PART_BYTES + 65_536);
      waiting.resolve();
      await written;
      expect(asked).toBe(3 * PART_BYTES);
    });

    it("ends its source when the store fails", async () => {
      const store = failing();
      let released = false;
      const held = async function* () {
        try {
          for (;;) yield bytesOf(65_536);
        } finally {
          released = true;
        }
      };
      await expect(store.write(fresh(store), held())).rejects.toThrow("The store is full");
      expect(released).toBe(true);
    });
  });

  it("makes keys that tell which store holds the blob", () => {
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

describe("an upload to a bucket in parts", () => {
  it.each([
    ["a part that the bucket refuses", { uploadPart: full }],
    ["an end that the bucket refuses", { complete: full }],
  ])("is aborted after %s, so that the bucket keeps no part of it", async (_, broken) => {
    let aborted = 0;
    const createMultipartUpload = async (key: string) => {
      const upload = await env.BLOBS.createMultipartUpload(key);
      return {
        uploadPart: (part: number, bytes: Uint8Array) => upload.uploadPart(part, bytes),
        complete: (parts: R2UploadedPart[]) => upload.complete(parts),
        abort: () => {
          aborted += 1;
          return upload.abort();
        },
        ...broken,
      };
    };
    const store = new R2BlobStore(bucketWith({ createMultipartUpload }));
    const key = store.newKey("o", crypto.randomUUID());
    const written = store.write(key, [bytesOf(2 * PART_BYTES)]);
    await expect(written).rejects.toThrow("The store is full");
    expect(aborted).toBe(1);
    expect(await store.get(key)).toBeNull();
  });
});

describe("a bucket that stores fewer bytes than it was given", () => {
  it("causes an error, so that no message is acknowledged without its bytes", async () => {
    const put = async (key: string, value: ReadableStream) => {
      await new Response(value).arrayBuffer();
      return env.BLOBS.put(key, "short");
    };
    const store = new R2BlobStore(bucketWith({ put }));
    await expect(store.put(store.newKey("o", "short"), [bytesOf(10), bytesOf(10)])).rejects.toThrow(/bucket/);
  });
});
