import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../src/contract/webhook.ts";
import { LEASE_MS } from "../../src/mailbox/webhooks/job.ts";
import { advance, alarmOf, ask, deliver, kill, ringAlarm, rowsOf, type TestMailbox } from "../harness.ts";
import {
  broken,
  deliveriesOf,
  endOutside,
  hanging,
  hasQuietAlarm,
  holdAlarms,
  hooked,
  LETTERS,
  newsletter,
  ok,
  outside,
  receive,
  route,
  until,
} from "../webhook-target.ts";
import { runs } from "../runs.ts";

/** Delays before each attempt, from the end of the one before (docs/limits.md#webhooks). */
const DELAYS_MS = [0, 1_000, 3_000, 8_000];

type Outcome = "ok" | "broken" | "lost" | "hangs";
const ANSWERS = { ok, broken, lost: () => Promise.reject(new Error("reset")), hangs: hanging };

/** An event in the life of a mailbox. */
type Step =
  | { kind: "mail"; labelled: boolean }
  | { kind: "time"; ms: number }
  | { kind: "ring" | "kill" | "crash" | "pause" | "resume" | "settle" };

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("mail" as const), labelled: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      ms: fc.constantFrom(1, 999, 1_000, 3_000, 8_000, LEASE_MS, 3_600_000, -2_000, -7_200_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step>(
      { kind: "ring" },
      { kind: "settle" },
      { kind: "kill" },
      { kind: "resume" },
    ),
  },
  { weight: 6, arbitrary: fc.constant<Step>({ kind: "crash" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "pause" }) },
);

/** Number of attempts stored as under way, by this process or by one that died. */
async function begunOf(box: TestMailbox): Promise<number> {
  const rows = await rowsOf(box.mailbox, "SELECT id FROM delivery WHERE begun_at IS NOT NULL");
  return rows.length;
}

/** The documented promise that a finished delivery breaks; null if none. */
function brokenPromise({ attempts, state }: WebhookDelivery, targetFailed: boolean): string | null {
  // The fourth attempt is repeated if the process died during it.
  const most = attempts[3]?.error === "interrupted" ? 5 : 4;
  const failures = state === "delivered" ? attempts.slice(0, -1) : attempts;
  const promises: Record<string, boolean> = {
    "numbered from 1": attempts.every(({ number }, index) => number === index + 1),
    "four at most": attempts.length <= most,
    "no attempt after a success": failures.every(({ error }) => error !== null),
    over: state !== "pending",
    "delivered by a 2xx": state !== "delivered" || attempts.at(-1)?.status === 200,
    "failed after all attempts": state !== "failed" || attempts.length === most,
    "cancelled with its target": state !== "cancelled" || targetFailed,
  };
  return Object.keys(promises).find((name) => promises[name] === false) ?? null;
}

beforeEach(holdAlarms);
afterEach(endOutside);

describe("deliveries, whatever the targets answer and whenever the process dies", () => {
  it("all end as delivered, as failed after four attempts, or as cancelled with their target", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.array(fc.constantFrom<Outcome>("ok", "broken", "broken", "lost", "hangs", "hangs"), {
          minLength: 1,
          maxLength: 40,
        }),
        async (steps, outcomes) => {
          let hung = 0;
          let asked = 0;
          let mayHang = true;
          const world = outside((sent) => {
            const outcome = outcomes[asked % outcomes.length] ?? "ok";
            asked += 1;
            if (outcome === "hangs" && !mayHang) return broken(sent);
            if (outcome === "hangs") hung += 1;
            return ANSWERS[outcome](sent);
          });
          const box = await hooked();
          await route(box, "newsletter", LETTERS);
          /** Attempts that never end: those that hang, and those whose process died. */
          let lost = 0;
          const settle = () => until(async () => (await begunOf(box)) <= hung + lost);
          const die = async () => {
            await kill(box.mailbox);
            hung = 0;
            lost = await begunOf(box);
          };
          let expected = 0;
          let paused = false;
          const setPaused = async (now: boolean) => {
            await ask(`/v1/mailbox/${now ? "pause" : "resume"}`, { key: box.api_key, method: "PATCH" });
            paused = now;
          };
          const act: Record<Step["kind"], (one: Step) => Promise<unknown>> = {
            mail: async (one) => {
              const labelled = one.kind === "mail" && one.labelled;
              if (!paused) {
                const targets = await rowsOf(
                  box.mailbox,
                  `SELECT id FROM webhook_target WHERE status = 'active' AND (label = '' OR ${Number(labelled)})`,
                );
                expected += targets.length;
              }
              await (labelled ? deliver(box.mailbox, newsletter()) : receive(box));
            },
            // Attempts end before the clock jumps: during one, the delay after it could not be checked.
            time: async (one) => {
              await settle();
              advance(one.kind === "time" ? one.ms : 0);
            },
            ring: () => ringAlarm(box.mailbox),
            settle,
            kill: die,
            // The process dies, and a new one runs when the next attempt is due.
            crash: async () => {
              await die();
              for (const ms of [LEASE_MS, 8_000]) {
                advance(ms);
                await ringAlarm(box.mailbox);
              }
            },
            pause: () => setPaused(true),
            resume: () => setPaused(false),
          };
          for (const one of steps) await act[one.kind](one);

          // From here on the process does not die, and time passes.
          mayHang = false;
          await setPaused(false);
          await die();
          for (let round = 0; round < 400 && !(await hasQuietAlarm(box)); round += 1) {
            advance(Math.max(1, ((await alarmOf(box.mailbox)) ?? 0) - Date.now()));
            await ringAlarm(box.mailbox);
            await settle();
          }

          const deliveries = await deliveriesOf(box);
          expect(deliveries).toHaveLength(expected);
          const failures = await rowsOf<{ label: string; status: string }>(
            box.mailbox,
            "SELECT label, status FROM webhook_target",
          );
          for (const delivery of deliveries) {
            const own = failures.find(({ label }) => label === (delivery.label ?? ""));
            expect([delivery, brokenPromise(delivery, own?.status === "failed")]).toEqual([delivery, null]);
            const mine = world.sent.filter(
              ({ url, json }) => json.seq === delivery.seq && url === delivery.webhook_url,
            );
            expect(mine).toHaveLength(delivery.attempts.length);
            expect(new Set(mine.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
            expect(mine.every(({ headers }) => headers["webhook-id"] === delivery.event_id)).toBe(true);
            // The end of an interrupted attempt is unknown; others ended when they began, because the clock stands still.
            for (const [index, { at }] of delivery.attempts.entries()) {
              const before = delivery.attempts[index - 1];
              if (before === undefined || before.error === "interrupted") continue;
              expect(Date.parse(at) - Date.parse(before.at)).toBeGreaterThanOrEqual(DELAYS_MS[index] ?? 0);
            }
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 120_000);
});
