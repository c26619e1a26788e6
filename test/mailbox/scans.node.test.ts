import { expect, it } from "vitest";
import type { Answer } from "../../src/contract/problem.ts";
import { done } from "../../src/lib/outcome.ts";
import { Scans } from "../../src/mailbox/turns.ts";

/** Scans that a test ends by hand, and how they were answered. */
function begun(scans: Scans, count: number) {
  const running = new Set<number>();
  const ends: (() => void)[] = [];
  const answers = Array.from({ length: count }, async (_, at): Promise<Answer<number>> =>
    scans.call(`call-${at}:`, (scan) =>
      scans.run(scan, async () => {
        const end = Promise.withResolvers<void>();
        running.add(at);
        ends[at] = () => end.resolve();
        await end.promise;
        running.delete(at);
        return done(at);
      }),
    ),
  );
  return { running, ends, answers };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("runs two scans at a time, the others in the order in which they came", async () => {
  const { running, ends, answers } = begun(new Scans(), 5);
  await turn();
  expect([...running]).toEqual([0, 1]);
  ends[1]?.();
  await turn();
  expect([...running]).toEqual([0, 2]);
  for (const at of [0, 2, 3, 4]) {
    ends[at]?.();
    await turn();
  }
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4].map((at) => done(at)));
});

it("answers 429 with a next step to more than wait at most, and takes others when those are over", async () => {
  const scans = new Scans();
  const { running, ends, answers } = begun(scans, 35);
  const last = await answers[34];
  expect(last?.ok ? null : last?.error).toMatchObject({ code: "rate_limited", retryAfterSeconds: 2 });
  for (let left = 34; left > 0; left -= 1) {
    await turn();
    for (const at of running) ends[at]?.();
  }
  await Promise.all(answers);
  const late = scans.call("late", (scan) => scans.run(scan, async () => done("late")));
  expect(await late).toEqual(done("late"));
});

it("ends those whose clients are gone: waiting ones never run, and running ones can tell", async () => {
  const scans = new Scans();
  const end = Promise.withResolvers<void>();
  const first = scans.call("a:", (scan) =>
    scans.run(scan, async () => {
      await end.promise;
      return done(scan.isGone);
    }),
  );
  const { running, ends, answers } = begun(scans, 3);
  await turn();
  scans.forget("a:");
  scans.forget("call-1:");
  expect((await answers[1])?.ok).toBe(false);
  end.resolve();
  expect(await first).toEqual(done(true));
  await turn();
  expect([...running]).toEqual([0, 2]);
  for (const at of [0, 2]) ends[at]?.();
});
