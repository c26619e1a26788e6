import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BlobDisk } from "../../src/host/blob-disk.ts";

const BUCKET = "blobs-of-a-test";
const PART_BYTES = 5_242_880;

let dataDir: string;
let runtime: Miniflare;
let disk: BlobDisk;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "mailkeep-blobs-"));
  disk = new BlobDisk(dataDir, BUCKET);
  await disk.begin();
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      cf: false,
      log: new Log(LogLevel.ERROR),
      resourcePersistencePath: dataDir,
      r2Buckets: { BLOBS: BUCKET },
    }),
  );
  await runtime.ready;
});
afterAll(async () => {
  await runtime.dispose();
  await rm(dataDir, { recursive: true, force: true });
});

const bucket = () => runtime.getR2Bucket("BLOBS");
const folder = () => path.join(dataDir, "r2", BUCKET, "blobs");

/** Erases the files that came since `before`, behind the bucket's back. */
async function eraseSince(before: readonly string[]): Promise<number> {
  const fresh = (await readdir(folder())).filter((name) => !before.includes(name));
  for (const name of fresh) await rm(path.join(folder(), name));
  return fresh.length;
}

it("knows the file of a blob, and says so where it is gone", async () => {
  await (await bucket()).put("a/other", "other");
  const before = await readdir(folder());
  await (await bucket()).put("a/one", "one");
  await expect(disk.sync("a/one", null)).resolves.toBeUndefined();
  expect(await eraseSince(before)).toBe(1);
  await expect(disk.sync("a/one", null)).rejects.toThrow(/ENOENT/);
  await expect(disk.sync("a/other", null)).resolves.toBeUndefined();
});

it("knows the files of a blob that came in parts", async () => {
  const before = await readdir(folder());
  const upload = await (await bucket()).createMultipartUpload("a/parts");
  const first = await upload.uploadPart(1, new Uint8Array(PART_BYTES));
  const second = await upload.uploadPart(2, new Uint8Array(10));
  await upload.complete([first, second]);
  await expect(disk.sync("a/parts", upload.uploadId)).resolves.toBeUndefined();
  expect(await eraseSince(before)).toBe(2);
  await expect(disk.sync("a/parts", upload.uploadId)).rejects.toThrow(/ENOENT/);
});

it("takes no blob for synced that the bucket does not have", async () => {
  await expect(disk.sync("a/nothing", null)).rejects.toThrow(/no such blob/);
});
