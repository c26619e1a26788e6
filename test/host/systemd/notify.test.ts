import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { notifierOf, watchdogMs } from "../../../src/host/systemd/notify.ts";

const PID = 4_711;

/** Whether a program can be run. */
function has(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const isMissing = !has("systemd-notify") || !has("python3");
if (isMissing) console.warn("Skipped: the messages to systemd need the programs systemd-notify and python3");

/** Prints each datagram as a line of JSON: Node has no datagram sockets of the Unix domain. */
const RECEIVER = `
import json, socket, sys
name = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind("\\0" + name[1:] if name.startswith("@") else name)
print('"listening"', flush=True)
while True:
    print(json.dumps(receiver.recv(4096).decode()), flush=True)
`;

/** A service manager that listens on a socket; `next` resolves to the next message that is no barrier. */
async function manager(socket: string): Promise<{ next: () => Promise<string[]> }> {
  const receiver = spawn("python3", ["-c", RECEIVER, socket], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void receiver.kill());
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => String(JSON.parse((await lines.next()).value ?? '"ended"'));
  expect(await read()).toBe("listening");
  const next = async (): Promise<string[]> => {
    const message = await read();
    return message.startsWith("BARRIER=") ? next() : message.trim().split("\n");
  };
  return { next };
}

describe.skipIf(isMissing)("a service manager", () => {
  it.each(["a file", "an abstract name"])("hears of every change, by %s", async (kind) => {
    const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-notify-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const socket = kind === "a file" ? path.join(folder, "notify") : `@${folder}`;
    const { next } = await manager(socket);
    const faults: string[] = [];
    const notifier = notifierOf({ NOTIFY_SOCKET: socket }, PID, (line) => faults.push(line));
    await notifier.ready("Serving example.org");
    expect(await next()).toEqual(expect.arrayContaining(["READY=1", "STATUS=Serving example.org"]));
    await notifier.stopping();
    expect(await next()).toContain("STOPPING=1");
    expect(faults).toEqual([]);
  });

  it("gets a ping only while the server works", async () => {
    const socket = `@mailkeep-watchdog-${process.pid}`;
    const { next } = await manager(socket);
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "60000" };
    const answers = [true, false, false, true];
    let asked = 0;
    const four = Promise.withResolvers<void>();
    // The last ping may still be under way when the manager ends.
    const notifier = notifierOf(env, PID, () => {});
    const stop = notifier.watch(() => {
      asked += 1;
      if (asked > answers.length) four.resolve();
      return Promise.resolve(answers[asked - 1] ?? false);
    });
    await four.promise;
    stop();
    await notifier.stopping();
    expect([await next(), await next()]).toEqual([["WATCHDOG=1"], ["WATCHDOG=1"]]);
    expect(await next()).toContain("STOPPING=1");
  });
});

it("says once that no service manager can be reached, and goes on", async () => {
  const lines: string[] = [];
  const notifier = notifierOf({ NOTIFY_SOCKET: "/nowhere/notify" }, PID, (line) => lines.push(line));
  await notifier.ready("Serving");
  await notifier.stopping();
  expect(lines).toEqual([expect.stringMatching(/^systemd-notify failed: /)]);
});

it("does nothing where no service manager listens", async () => {
  const notifier = notifierOf({}, PID, (line) => expect.fail(line));
  await notifier.ready("Serving");
  await notifier.stopping();
  notifier.watch(() => expect.fail("asked"))();
});

it.each([
  [{ WATCHDOG_USEC: "30000000", WATCHDOG_PID: String(PID) }, 30_000],
  [{ WATCHDOG_USEC: "30000000" }, 30_000],
  [{ WATCHDOG_USEC: "30000000", WATCHDOG_PID: "1" }, null],
  [{ WATCHDOG_USEC: "soon" }, null],
  [{ WATCHDOG_USEC: "0" }, null],
  [{}, null],
])("reads how long the watchdog waits from %o", (env, limitMs) => {
  expect(watchdogMs(env, PID)).toBe(limitMs);
});
