import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { blobFolder, BlobDisk } from "../../src/host/blob-disk.ts";
import { diskKey, fileOfKey } from "../../src/lib/disk-key.ts";

const BUCKET = "blobs-of-a-test";
const KEY = diskKey("owner", "one");

let folder: string;
let disk: BlobDisk;

beforeEach(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "mailkeep-blobs-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  folder = blobFolder(dataDir, BUCKET);
  disk = new BlobDisk(dataDir, BUCKET);
});

it("takes a blob for synced that has its file, and no other", async () => {
  await disk.begin();
  await expect(disk.sync(KEY)).rejects.toThrow(/ENOENT/);
  await writeFile(path.join(folder, fileOfKey(KEY)), "one");
  await expect(disk.sync(KEY)).resolves.toBeUndefined();
});

it("removes the files that a killed runtime left incomplete, and no others", async () => {
  const kept = [fileOfKey(KEY), "0".repeat(80), ".hidden"];
  await mkdir(folder, { recursive: true });
  for (const name of [...kept, `.${fileOfKey(KEY)}.9086.2.tmp`])
    await writeFile(path.join(folder, name), "x");
  await disk.begin();
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
});
