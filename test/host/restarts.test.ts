import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Restarts } from "../../src/host/restarts.ts";

const AGAIN = "workerd died and was started again";
/** How often workerd may die within a minute before the server gives up (docs/deployment.md#systemd). */
const SURVIVED = 5;

let said: string[];
let starts: number;
let startsThatFail: number;
let restarts: Restarts;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  starts = 0;
  startsThatFail = 0;
  restarts = new Restarts({
    start() {
      starts += 1;
      return starts > startsThatFail ? Promise.resolve() : Promise.reject(new Error("write EPIPE\nat …"));
    },
    onDead: (reason) => void said.push(`dead: ${reason}`),
    onRestart: () => void said.push("another process"),
    log: (line) => void said.push(line),
  });
});

afterEach(() => void vi.useRealTimers());

function die(times: number): void {
  for (let death = 0; death < times; death += 1) restarts.restarted();
}

it("survives five deaths within a minute, and not the sixth", () => {
  die(SURVIVED);
  expect(said).toEqual(Array.from({ length: SURVIVED }, () => [AGAIN, "another process"]).flat());
  said = [];
  die(1);
  expect(said).toEqual(["dead: workerd died 6 times within a minute"]);
});

it("forgets a death after a minute", () => {
  die(SURVIVED);
  vi.advanceTimersByTime(60_000);
  die(SURVIVED);
  expect(said.filter((line) => line.startsWith("dead"))).toEqual([]);
});

it("starts a workerd that died while it started, as often as it may die", async () => {
  startsThatFail = 3;
  await restarts.failed(new Error("write EPIPE"));
  expect([starts, said]).toEqual([4, [AGAIN, "another process"]]);
});

it("counts a death in the start like any other, and gives up with its first line", async () => {
  startsThatFail = 4;
  await restarts.failed(new Error("write EPIPE"));
  const reason = "dead: workerd died 6 times within a minute, at last while it started: write EPIPE";
  expect([starts, said]).toEqual([4, [reason]]);
});

it("starts nothing once the server is stopping", async () => {
  restarts.stop();
  await restarts.failed(new Error("write EPIPE"));
  expect([starts, said]).toEqual([0, []]);
});

it("counts an end on purpose as no death, and the next one as one", async () => {
  for (let restart = 0; restart <= SURVIVED; restart += 1) {
    const running = restarts.plan();
    restarts.restarted();
    await running;
  }
  expect(said).toEqual(Array.from({ length: SURVIVED + 1 }, () => "another process"));
  said = [];
  die(SURVIVED);
  expect(said.filter((line) => line.startsWith("dead"))).toEqual([]);
  die(1);
  expect(said.at(-1)).toContain("dead");
});

it("starts workerd as often as it may die, if it dies while it starts after an end on purpose", async () => {
  startsThatFail = 2;
  const running = restarts.plan();
  await restarts.failed(new Error("write EPIPE"));
  await running;
  expect([starts, said]).toEqual([3, ["another process"]]);
});
