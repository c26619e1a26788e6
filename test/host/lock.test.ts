import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataDir } from "../../src/host/lock.ts";
import { Refusal } from "../../src/host/refusal.ts";

let dir: string;
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), "mailkeep-lock-")), "data");
});
afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

describe("data folder", () => {
  it("that cannot be used is refused in one line that names DATA_DIR", async () => {
    const [file, dangling, loop] = ["file", "dangling", "loop"].map((name) =>
      path.join(path.dirname(dir), name),
    );
    await writeFile(file ?? "", "not a folder");
    await symlink(path.join(path.dirname(dir), "nowhere", "deep"), dangling ?? "");
    await symlink(loop ?? "", loop ?? "");
    for (const wrong of [
      file,
      path.join(file ?? "", "data"),
      dangling,
      loop,
      "/proc/mailkeep",
      "/dev/null",
    ]) {
      expect(() => lockDataDir(wrong ?? "")).toThrow(
        /^DATA_DIR must be a folder that can be written to, but [^\n]+$/,
      );
      expect(() => lockDataDir(wrong ?? "")).toThrow(Refusal);
    }
  });

  it("is held by one server, and free again afterwards", () => {
    const lock = lockDataDir(dir);
    expect(() => lockDataDir(dir)).toThrow(`Another server (pid ${process.pid}) uses ${dir}`);
    lock.note(process.pid);
    expect(() => lockDataDir(dir)).toThrow(Refusal);
    lock.release();
    lockDataDir(dir).release();
  });

  it.each([
    ["a process that is gone", '{"pid":4194304,"started":"x","runtime":null}'],
    ["another process that got its number", `{"pid":${process.pid},"started":"before","runtime":null}`],
    ["nobody, cut off", '{"pid'],
  ])("is taken over from %s", async (_who, lock) => {
    lockDataDir(dir).release();
    await writeFile(path.join(dir, "serve.lock"), lock);
    lockDataDir(dir).release();
    expect(await readdir(dir)).toEqual([]);
  });
});
