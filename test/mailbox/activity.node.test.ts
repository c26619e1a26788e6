import { expect, it } from "vitest";
import type { Activity } from "../../src/metrics/monitor.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

it("is reported once more after a second in which it changed: three streams are three", async () => {
  const reported: (Activity | null)[] = [];
  const planned: { work: () => void; ms: number }[] = [];
  const box = await NodeMailbox.create({
    noteActivity: (activity) => reported.push(activity),
    later: (work, ms) => planned.push({ work, ms }),
  });
  const request = () =>
    new Request("https://mailbox/", {
      method: "POST",
      body: JSON.stringify({ access: OPERATOR, filters: { since: null, types: null }, lastEventId: null }),
    });
  const [begun, noted] = [planned.length, reported.length];
  const streams = [];
  for (let count = 0; count < 3; count += 1) streams.push(await box.life.feed.stream(request()));
  expect(reported.slice(noted).map((activity) => activity?.streams)).toEqual([1]);
  expect(planned.slice(begun).map(({ ms }) => ms)).toEqual([1_000]);
  box.advance(1_000);
  planned.at(-1)?.work();
  expect(reported.at(-1)?.streams).toBe(3);
  for (const stream of streams) await stream.body?.cancel();
  expect(reported.at(-1)).toBeNull();
});
