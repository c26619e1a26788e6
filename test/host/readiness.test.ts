import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HostReadiness, probeDisk } from "../../src/host/readiness.ts";

/** A readiness with a clock of its own and a disk that the test breaks. */
function readinessOf(disk: { fails?: boolean; hangs?: boolean }) {
  const time = { ms: 0 };
  let probes = 0;
  const readiness = new HostReadiness({
    now: () => time.ms,
    limitMs: 20,
    probe: async () => {
      probes += 1;
      if (disk.hangs === true) await new Promise(() => {});
      if (disk.fails === true) throw new Error("ENOSPC: no space left on device, write");
    },
  });
  return { readiness, time, probes: () => probes };
}

describe("whether the server takes mail", () => {
  it("says that the disk refuses, until a probe of it succeeds again", async () => {
    const disk = { fails: true };
    const { readiness, time } = readinessOf(disk);
    expect(await readiness.reasons()).toEqual(["disk_not_writable"]);
    disk.fails = false;
    time.ms += 5_000;
    expect(await readiness.reasons()).toEqual([]);
  });

  it("says that it drains from the moment it is told so", async () => {
    const { readiness } = readinessOf({});
    expect(await readiness.reasons()).toEqual([]);
    readiness.drain();
    expect(await readiness.reasons()).toEqual(["draining"]);
  });

  it("probes the disk once in five seconds, however many ask", async () => {
    const { readiness, time, probes } = readinessOf({});
    await Promise.all(Array.from({ length: 50 }, () => readiness.reasons()));
    time.ms += 4_999;
    await readiness.reasons();
    expect(probes()).toBe(1);
    time.ms += 1;
    await readiness.reasons();
    expect(probes()).toBe(2);
  });

  it("counts a disk that hangs as refusing, and begins no second write on it", async () => {
    const { readiness, time, probes } = readinessOf({ hangs: true });
    expect(await readiness.reasons()).toEqual(["disk_not_writable"]);
    time.ms += 5_000;
    const second = readiness.reasons();
    expect(probes()).toBe(1);
    expect(await second).toEqual(["disk_not_writable"]);
  });
});

describe("the probe of a disk", () => {
  it("leaves no file behind, and rejects where a file cannot be made", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "mailkeep-probe-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await probeDisk(folder);
    expect(await readdir(folder)).toEqual([]);
    await expect(probeDisk(path.join(folder, "missing"))).rejects.toThrow("ENOENT");
  });
});
