import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CONTROL_SOCKET, askForSwap, openControl } from "../../src/host/control.ts";
import { liveSwap } from "../../src/host/live-swap.ts";
import { RuntimeGate } from "../../src/host/runtime-gate.ts";
import { whileEnded } from "../../src/host/while-ended.ts";

function dataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-control-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("the gate of the runtime", () => {
  it("lets nobody pass while the runtime does not listen, and everybody when it does", async () => {
    const gate = new RuntimeGate();
    expect(await gate.passes()).toBe(true);
    gate.close();
    const waiting = [gate.passes(), gate.passes()];
    gate.open();
    expect(await Promise.all(waiting)).toEqual([true, true]);
  });

  it("sends away who has waited too long", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gate = new RuntimeGate();
    gate.close();
    const waiting = gate.passes(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe(false);
    gate.open();
    expect(await gate.passes()).toBe(true);
  });
});

describe("the control socket", () => {
  it("is for the owner of the data folder only, and answers with the length of the pause or the error", async () => {
    const dir = dataDir();
    // A killed server left it behind.
    writeFileSync(path.join(dir, CONTROL_SOCKET), "");
    chmodSync(dir, 0o755);
    const swaps = [() => Promise.resolve(1_234.4), () => Promise.reject(new Error("the disk is full"))];
    const control = await openControl(
      dir,
      { swapMailbox: () => swaps.shift()?.() ?? Promise.resolve(0) },
      () => {},
    );
    expect(statSync(path.join(dir, CONTROL_SOCKET)).mode & 0o777).toBe(0o600);
    expect(await askForSwap(dir)).toBe(1_234);
    await expect(askForSwap(dir)).rejects.toThrow("did not restore the mailbox: the disk is full");
    control?.close();
    await expect(askForSwap(dir)).rejects.toThrow("stop it, and run the restore again");
  });

  it("is left out where the path is too long for one, and a command says what to do", async () => {
    const dir = path.join(dataDir(), "d".repeat(100));
    const said: string[] = [];
    expect(
      await openControl(dir, { swapMailbox: () => Promise.resolve(0) }, (line) => void said.push(line)),
    ).toBeNull();
    expect(said.join()).toContain("only while the server is stopped");
    await expect(askForSwap(dir)).rejects.toThrow("stop it, and run the restore again");
  });
});

describe("work while no workerd runs", () => {
  /** A workerd that ends within its time, or is killed, or has died by itself just before. */
  function workerd(kind: "ends" | "hangs" | "dead") {
    const { promise: running, resolve } = Promise.withResolvers<void>();
    let exited = (): void => {};
    const kill = vi.fn<() => void>(() => exited());
    return {
      kill,
      plan: () => running,
      async drain(_limitMs: number, onExit: () => void) {
        exited = () => {
          onExit();
          resolve();
        };
        if (kind === "ends") exited();
        // Miniflare starts it again.
        if (kind === "dead") resolve();
        return kind !== "hangs";
      },
    };
  }

  it("is done once, also if workerd must be killed", async () => {
    for (const kind of ["ends", "hangs"] as const) {
      const runtime = workerd(kind);
      const work = vi.fn<() => void>();
      await whileEnded(runtime, work, 1);
      expect([work.mock.calls.length, runtime.kill.mock.calls.length]).toEqual([1, kind === "hangs" ? 1 : 0]);
    }
  });

  it("that fails, or is not done because workerd has just died, is an error", async () => {
    const fail = (): void => {
      throw new Error("the disk is full");
    };
    await expect(whileEnded(workerd("ends"), fail, 1)).rejects.toThrow("the disk is full");
    const work = vi.fn<() => void>();
    await expect(whileEnded(workerd("dead"), work, 1)).rejects.toThrow("run the command again");
    expect(work).not.toHaveBeenCalled();
  });
});

it("a swap refuses another one beside it, and opens the gate again also if it fails", async () => {
  const gate = new RuntimeGate();
  const readiness = { drain: vi.fn<() => void>(), resume: vi.fn<() => void>() };
  const { promise, resolve } = Promise.withResolvers<void>();
  const swap = liveSwap({
    dataDir: dataDir(),
    // Nobody answers there: the runtime was just ended.
    worker: "http://127.0.0.1:1",
    readiness,
    gate,
    runtime: {
      async whileEnded() {
        await promise;
        throw new Error("the files are not complete");
      },
    },
    log: () => {},
  });
  const first = swap();
  await expect(swap()).rejects.toThrow("another restore runs");
  resolve();
  await expect(first).rejects.toThrow("not complete");
  expect(await gate.passes()).toBe(true);
  expect([readiness.drain.mock.calls.length, readiness.resume.mock.calls.length]).toEqual([1, 1]);
});
