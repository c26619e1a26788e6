import { mkdir, mkdtemp, readdir, readlink, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { mailboxFile } from "../../src/host/backup/data-folder.ts";
import { ErasedFiles } from "../../src/host/erased-files.ts";

const ADDRESS = "box@mailkeep.test";

/** A data folder with the file of a mailbox. */
async function folderWithMailbox(): Promise<{ dataDir: string; file: string }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "mailkeep-erased-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const file = path.join(dataDir, mailboxFile(ADDRESS));
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "rows");
  return { dataDir, file };
}

/** Whether this process has a file open, removed or not. */
async function isOpen(file: string): Promise<boolean> {
  const names = await readdir("/proc/self/fd");
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return targets.some((target) => target.startsWith(file));
}

it.runIf(process.platform === "linux")(
  "holds the file of a mailbox until it is removed, and not longer",
  async () => {
    const { dataDir, file } = await folderWithMailbox();
    await new ErasedFiles(dataDir).hold(ADDRESS);
    expect(await isOpen(file)).toBe(true);
    await unlink(file);
    expect(await isOpen(file)).toBe(true);
    await vi.waitFor(async () => expect(await isOpen(file)).toBe(false), { timeout: 10_000 });
  },
);

it("fails for a mailbox without a file, and for what is no address", async () => {
  const { dataDir, file } = await folderWithMailbox();
  await unlink(file);
  const files = new ErasedFiles(dataDir);
  await expect(files.hold(ADDRESS)).rejects.toThrow(/ENOENT/);
  await expect(files.hold("nobody")).rejects.toThrow(/must be an email address/);
});
