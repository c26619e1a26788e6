import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { DescriptorWatch, lowLimit, openFilesOf } from "../../src/host/descriptors.ts";

const HOUR_MS = 3_600_000;

describe("a shortage of file descriptors", () => {
  it("is reported once, with numbers and what to do", () => {
    const watch = new DescriptorWatch();
    expect(watch.check({ open: 1_599, limit: 2_000 }, 0)).toBeNull();
    expect(watch.check({ open: 1_600, limit: 2_000 }, 0)).toMatch(/1600 of 2000 .*ulimit -n 65536/);
    expect(watch.check({ open: 2_000, limit: 2_000 }, HOUR_MS - 1)).toBeNull();
  });

  it("is reported again after an hour, and when it comes back", () => {
    const watch = new DescriptorWatch();
    const short = { open: 1_600, limit: 2_000 };
    expect(watch.check(short, 0)).not.toBeNull();
    expect(watch.check(short, HOUR_MS)).not.toBeNull();
    expect(watch.check({ open: 1_200, limit: 2_000 }, HOUR_MS)).toBeNull();
    expect(watch.check(short, HOUR_MS)).toBeNull();
    expect(watch.check({ open: 1_199, limit: 2_000 }, HOUR_MS)).toBeNull();
    expect(watch.check(short, HOUR_MS)).not.toBeNull();
  });

  it("is foreseen at the start if the limit is low", () => {
    expect(lowLimit({ open: 60, limit: 4_095 })).toMatch(/^Warning: only 4095 files/);
    expect(lowLimit({ open: 60, limit: 4_096 })).toBeNull();
  });
});

describe.runIf(process.platform === "linux")("descriptors of a process", () => {
  it("are counted as it opens them", async () => {
    const before = openFilesOf(process.pid);
    const files = await Promise.all(Array.from({ length: 50 }, () => open("/dev/null")));
    const after = openFilesOf(process.pid);
    await Promise.all(files.map((file) => file.close()));
    expect((after?.open ?? 0) - (before?.open ?? 0)).toBeGreaterThan(40);
    expect(after?.limit).toBeGreaterThan(0);
  });

  it("are null for a process that does not run", () => {
    expect(openFilesOf(2 ** 30)).toBeNull();
  });
});
