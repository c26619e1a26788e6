import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { drain } from "../../src/host/drain.ts";

/** A worker that answers `GET /readyz` with these statuses in turn, and notes each call. */
async function workerWith(statuses: number[], calls: string[]): Promise<string> {
  const server = createServer((request, response) => {
    calls.push(`GET ${request.url}`);
    response.writeHead(statuses.shift() ?? 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("refuses new mail first, tells the worker, waits for mail under way, and ends the runtime in the time that is left", async () => {
  const calls: string[] = [];
  const worker = await workerWith([200], calls);
  await drain({
    worker,
    readiness: { drain: () => void calls.push("not ready") },
    notifier: { stopping: () => Promise.resolve() },
    smtp: {
      stop: async (graceMs) => {
        calls.push("SMTP stops");
        expect(graceMs).toBeLessThan(10_000);
        // The worker hears of the stop while mail is under way.
        while (calls.filter((call) => call === "GET /readyz").length < 2) await new Promise(setImmediate);
        calls.push("SMTP has stopped");
      },
    },
    front: { drain: () => Promise.resolve() },
    redirect: null,
    runtime: {
      stop: (graceMs = 0) => {
        calls.push("runtime stops");
        expect(graceMs).toBeGreaterThan(0);
        expect(graceMs).toBeLessThan(10_000);
        return Promise.resolve();
      },
    },
  });
  expect(calls).toEqual([
    "not ready",
    "SMTP stops",
    "GET /readyz",
    "GET /readyz",
    "SMTP has stopped",
    "runtime stops",
  ]);
});

it("ends although the worker does not answer", async () => {
  const calls: string[] = [];
  await drain({
    worker: "http://127.0.0.1:9",
    front: null,
    redirect: null,
    readiness: { drain: () => {} },
    notifier: { stopping: () => Promise.resolve() },
    smtp: null,
    runtime: { stop: () => Promise.resolve(void calls.push("runtime stops")) },
  });
  expect(calls).toEqual(["runtime stops"]);
});

it("ends although nothing that is told to stop does, and lets the runtime finish what it can", async () => {
  const never = new Promise<void>(() => {});
  const graces: number[] = [];
  const times = { smtp: 1, http: 1, listeners: 1, runtime: 3, all: 5 };
  await drain(
    {
      worker: await workerWith([], []),
      readiness: { drain: () => {} },
      notifier: { stopping: () => never },
      smtp: { stop: () => never },
      front: { drain: () => never },
      redirect: { close: () => never },
      runtime: {
        stop: (graceMs = 0) => {
          graces.push(graceMs);
          return never;
        },
      },
    },
    times,
  );
  expect(graces).toEqual([expect.any(Number)]);
  expect(graces[0]).toBeGreaterThan(0);
});
