import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterDeath,
  afterNews,
  afterReport,
  afterTry,
  isSettled,
  MAX_TRIES,
  messageStatus,
  nextTryAt,
  shownState,
  type HandOver,
  type RecipientState,
} from "../../src/outbound/ledger.ts";
import type { Reported } from "../../src/mail/report/report-news.ts";

const STATES: RecipientState[] = [
  "queued",
  "handing",
  "ending",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "unknown",
];
const REPORTS: Reported[] = ["delivered", "relayed", "delayed", "bounced", "complained"];
const RESULTS: HandOver[] = (["taken", "refused", "deferred", "unanswered", "impossible"] as const).map(
  (kind) => ({ kind }),
);
const state = fc.constantFrom(...STATES);

const MINUTE_MS = 60_000;

describe("the retry schedule", () => {
  it("waits 1 m, 5 m, 15 m, 1 h, 4 h, 12 h and 24 h, then gives up", () => {
    const waits = Array.from({ length: MAX_TRIES }, (_, index) => nextTryAt(index + 1, 1_000));
    expect(waits.map((at) => (at === null ? null : (at - 1_000) / MINUTE_MS))).toEqual([
      1,
      5,
      15,
      60,
      240,
      720,
      1_440,
      null,
    ]);
  });
});

describe("the status of a message", () => {
  it("is the first of queued, unknown, complained, bounced, failed, sent, delivered that any recipient has", () => {
    const order = ["queued", "unknown", "complained", "bounced", "failed", "sent", "delivered"] as const;
    fc.assert(
      fc.property(fc.array(state, { minLength: 1 }), (states) => {
        const shown = states.map(shownState);
        const first = order.find((one) => shown.includes(one));
        expect(messageStatus(states)).toBe(first);
      }),
    );
  });

  it("is queued while an attempt is under way", () => {
    expect(messageStatus(["handing", "delivered"])).toBe("queued");
    expect(messageStatus(["ending", "delivered"])).toBe("queued");
  });

  it("does not exist without recipients", () => {
    expect(() => messageStatus([])).toThrow("without recipients");
  });
});

describe("a recipient after an attempt", () => {
  it.each([
    ["taken", "sent", "message.sent"],
    ["refused", "bounced", "message.bounced"],
    ["deferred", "queued", null],
    ["unanswered", "unknown", null],
    ["impossible", "failed", null],
  ] as const)("that was %s is %s", (kind, next, event) => {
    expect(afterTry("handing", { kind }, 1)).toEqual({ state: next, event });
    expect(afterTry("ending", { kind }, 1)).toEqual({ state: next, event });
  });

  it("is failed if the last attempt was deferred", () => {
    expect(afterTry("handing", { kind: "deferred" }, MAX_TRIES - 1).state).toBe("queued");
    expect(afterTry("handing", { kind: "deferred" }, MAX_TRIES).state).toBe("failed");
  });

  it("is not changed by late results, except that `unknown` is settled and never queued again", () => {
    for (const result of RESULTS) {
      for (const settled of ["sent", "delivered", "bounced", "complained", "failed", "queued"] as const) {
        if (settled === "delivered" && result.kind === "refused") continue;
        expect(afterTry(settled, result, 1)).toEqual({ state: settled, event: null });
      }
      expect(afterTry("unknown", result, 1).state).not.toBe("queued");
    }
    expect(afterTry("unknown", { kind: "taken" }, 1)).toEqual({ state: "sent", event: "message.sent" });
  });
});

describe("a report of delivered", () => {
  it("never outranks the SMTP reply of the same attempt", () => {
    expect(afterReport("ending", "delivered").state).toBe("delivered");
    expect(afterTry("delivered", { kind: "refused" }, 1)).toEqual({
      state: "bounced",
      event: "message.bounced",
    });
    expect(afterReport("bounced", "delivered")).toEqual({ state: "bounced", event: null });
  });
});

describe("a recipient after the process died", () => {
  it("is attempted again only if the end of the message was not sent", () => {
    expect(afterDeath("handing")).toBe("queued");
    expect(afterDeath("ending")).toBe("unknown");
    for (const settled of STATES.filter(isSettled)) expect(afterDeath(settled)).toBe(settled);
  });
});

describe("a recipient after reports", () => {
  it("has the same state whatever their order and number", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...REPORTS)), fc.infiniteStream(fc.nat()), (reports, numbers) => {
        const shuffled = reports
          .map((report) => ({ report, key: numbers.next().value ?? 0 }))
          .toSorted((one, other) => one.key - other.key)
          .map(({ report }) => report);
        const end = (all: Reported[]) =>
          all.reduce((at, report) => afterReport(at, report).state, "sent" as RecipientState);
        expect(end([...shuffled, ...shuffled])).toBe(end(reports));
      }),
    );
  });

  it("has one event for each state it reaches", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...REPORTS)), (reports) => {
        let at: RecipientState = "sent";
        const events: string[] = [];
        for (const report of [...reports, ...reports]) {
          const step = afterReport(at, report);
          expect(step.event === null).toBe(step.state === at);
          if (step.event !== null) events.push(step.event);
          at = step.state;
        }
        expect(new Set(events).size).toBe(events.length);
      }),
    );
  });

  it("is not settled by a delay or a relay", () => {
    for (const one of STATES) {
      for (const report of ["delayed", "relayed"] as const) {
        expect(afterReport(one, report)).toEqual({ state: one, event: null });
      }
    }
  });

  it("is not changed by any report before it was handed over", () => {
    for (const one of ["queued", "handing", "failed"] as const) {
      for (const report of REPORTS) expect(afterReport(one, report)).toEqual({ state: one, event: null });
    }
  });

  it("is changed by a trustworthy report even if the hand-over had no known result", () => {
    expect(afterNews("failed", "delivered").state).toBe("delivered");
    expect(afterNews("queued", "bounced").state).toBe("bounced");
  });

  it("is settled even if its state was unknown", () => {
    expect(afterReport("unknown", "delivered").state).toBe("delivered");
    expect(afterReport("ending", "bounced").state).toBe("bounced");
  });
});
