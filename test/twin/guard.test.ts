import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mailkeep } from "../../src/client/index.ts";
import { startedAt } from "../../src/host/processes.ts";
import { DIST } from "../../scripts/build-worker.ts";
import { startTwin } from "../../src/twin/start.ts";
import { bareEnvironment, Server } from "../served/server.ts";

const DAY_MS = 86_400_000;

describe("a server that serves for others", () => {
  const variables = { token: "t".repeat(43), startMs: 0, stands: true, seed: "1" };
  let server: Server;

  beforeAll(async () => {
    server = await Server.start({ env: { TWIN: JSON.stringify(variables), TWIN_SEED: "1" } });
  });
  afterAll(() => server.stop());

  it("keeps the time of the machine, whatever its environment and its callers ask", async () => {
    for (const at of ["/advance?ms=2592000000", "/now", "/settle"]) {
      for (const key of [variables.token, server.token]) {
        const answer = await fetch(server.url + at, { headers: { Authorization: `Bearer ${key}` } });
        expect([at, answer.status]).toEqual([at, 404]);
        await answer.body?.cancel();
      }
    }
    const born = await Mailkeep.bootstrap({ url: server.url });
    const expiresAt = Date.parse(born.bootstrapped?.expires_at ?? "");
    expect(Math.abs(expiresAt - 3 * DAY_MS - Date.now())).toBeLessThan(DAY_MS / 24);
  });

  it("draws its keys at random, whatever seed its environment names", async () => {
    const other = await Server.start({
      env: { TWIN: JSON.stringify(variables), KEY_SECRET: "k".repeat(43) },
    });
    const bornAt = async (url: string): Promise<string> => {
      const response = await fetch(`${url}/v1/bootstrap`, { method: "POST" });
      return ((await response.json()) as { mailbox: string }).mailbox;
    };
    const born = [await bornAt(server.url), await bornAt(other.url)];
    await other.stop();
    expect(born[0]).not.toBe(born[1]);
  });
});

describe("the control of a twin", () => {
  it("obeys the process that started the twin alone, and is not on the port of the API", async () => {
    await using twin = await startTwin(DIST, { seed: 1 });
    const before = await twin.clock.now();
    for (const key of [undefined, twin.operatorKey]) {
      const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const answer = await fetch(`${twin.url}/advance?ms=60000`, { headers });
      expect(answer.status).toBe(404);
      await answer.body?.cancel();
    }
    expect(await twin.clock.now()).toEqual(before);
  });
});

describe("a test run that is killed", () => {
  const PROGRAM = `
    import { startTwin } from ${JSON.stringify(path.resolve("src/twin/start.ts"))};
    import { workerdPids } from ${JSON.stringify(path.resolve("src/host/processes.ts"))};
    await startTwin(${JSON.stringify(DIST)});
    console.log(JSON.stringify(workerdPids(process.pid)));
  `;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "mailkeep-killed-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a twin in a process of its own, whose temporary folder is `folder`, and ends that process with a signal. */
  async function killed(signal: NodeJS.Signals): Promise<{ pid: number; started: string | null }[]> {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
      stdio: ["ignore", "pipe", "inherit"],
      env: bareEnvironment({ TMPDIR: folder }),
    });
    const line = await new Promise<string>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => resolve(chunk.toString()));
    });
    const pids: number[] = JSON.parse(line);
    const runtimes = pids.map((pid) => ({ pid, started: startedAt(pid) }));
    child.kill(signal);
    await new Promise((resolve) => void child.once("close", resolve));
    return runtimes;
  }

  const areGone = (runtimes: Awaited<ReturnType<typeof killed>>): boolean =>
    runtimes.every(({ pid, started }) => startedAt(pid) !== started);

  it("leaves nothing that the next run does not remove; one that is told to end leaves nothing", async () => {
    const abandoned = await killed("SIGKILL");
    expect([abandoned.length, areGone(abandoned)]).toEqual([1, false]);
    expect(readdirSync(folder)).toHaveLength(1);
    const ended = await killed("SIGTERM");
    expect(ended).toHaveLength(1);
    await expect.poll(() => areGone([...abandoned, ...ended])).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });
});
