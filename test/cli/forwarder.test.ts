import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { Forwarder, type AttemptReport } from "../../src/cli/listen/forwarder.ts";
import { Ledger } from "../../src/cli/listen/ledger.ts";

/** A clock of which every reading is a little later, as a busy machine's is. */
function restlessClock(stepMs: number): () => number {
  let ahead = 0;
  return () => Date.now() + (ahead += stepMs);
}

it("leaves no event waiting for ever, however time passes between two readings of the clock", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0.1, 1, 250, 999, 1_000, 1_001, 5_000),
        async (failures, stepMs) => {
          const reports: AttemptReport[] = [];
          const left = [...failures];
          const forwarder = new Forwarder({
            ledger: new Ledger({ after: 0, settled: [], failed: new Map(), underway: [] }),
            save: () => {},
            report: (report) => void reports.push(report),
            now: restlessClock(stepMs),
            send: ({ seq }) => {
              const ok = (left[seq - 1] ?? 0) <= 0;
              left[seq - 1] = (left[seq - 1] ?? 0) - 1;
              return Promise.resolve({ ok, status: ok ? 200 : 503, error: null, durationMs: 1, answer: "" });
            },
          });
          for (const at of failures.keys()) {
            await forwarder.take(at + 1, {
              seq: at + 1,
              event: "message.received",
              emailId: "e",
              body: "{}",
            });
          }
          const drained = forwarder.drained();
          await vi.advanceTimersByTimeAsync(60_000);
          await drained;
          expect(reports.filter(({ state }) => state === "delivered").length).toBe(failures.length);
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    vi.useRealTimers();
  }
}, 20_000);

it("ends with the fault where its progress cannot be stored, and sends nothing that is not noted", async () => {
  const sent: number[] = [];
  const forwarder = new Forwarder({
    ledger: new Ledger({ after: 0, settled: [], failed: new Map(), underway: [] }),
    save: () => {
      throw new Error("No space left");
    },
    report: () => {},
    now: () => 0,
    send: ({ seq }) => {
      sent.push(seq);
      return Promise.resolve({ ok: true, status: 200, error: null, durationMs: 1, answer: "" });
    },
  });
  await forwarder.take(1, { seq: 1, event: "message.received", emailId: "e", body: "{}" });
  await expect(forwarder.failed()).rejects.toThrow("No space left");
  expect(sent).toEqual([]);
});
