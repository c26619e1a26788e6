import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { returnPathToken } from "../../src/mail/address/return-path.ts";
import type { Reported } from "../../src/mail/report/report-news.ts";
import { WAYS, type Way } from "../../src/mailbox/sending/outbox.ts";
import type { RecipientRow } from "../../src/mailbox/sending/rows.ts";
import { isSettled, messageStatus, shownState, type HandOver } from "../../src/outbound/ledger.ts";
import type { OutboundMail } from "../../src/outbound/transport.ts";
import { RELIED_MS } from "../../src/service/sending-switch.ts";
import { INSIDE, OUTSIDE, Rig } from "./sending-rig.ts";
import { runs } from "../runs.ts";

/** Hands a mailbox with one accepted message to `work` before it is tried. */
async function withMessage<T>(
  to: readonly string[],
  work: (rig: Rig, seq: number) => Promise<T>,
): Promise<T> {
  const rig = await Rig.start();
  return work(rig, await rig.send(to));
}

const stateOf = (rows: readonly RecipientRow[], address: string) =>
  rows.find((row) => row.address === address)?.state;

describe("a delivery report that arrives during an attempt", () => {
  it.each(["deferred", "taken", "unanswered", "impossible"] as const)(
    "counts, even if the attempt then ends as %s: nothing is sent twice",
    async (kind) => {
      await withMessage([OUTSIDE[0] ?? ""], async (rig, seq) => {
        await rig.pump();
        const [held] = rig.held.outside;
        await held?.mail.beforeEnd();
        rig.report(seq, OUTSIDE[0] ?? "", "delivered");
        held?.answer([kind]);
        await rig.settled();
        expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(["delivered"]);
        expect(rig.status(seq)).toBe("delivered");
        expect(rig.due).toBeNull();
        expect(rig.events.map((event) => event.kind)).toEqual(["message.delivered"]);
      });
    },
  );

  it("does not count if it says delivered and the host then refuses the message", async () => {
    await withMessage([OUTSIDE[0] ?? ""], async (rig, seq) => {
      await rig.pump();
      const [held] = rig.held.outside;
      await held?.mail.beforeEnd();
      rig.report(seq, OUTSIDE[0] ?? "", "delivered");
      held?.answer(["refused"]);
      await rig.settled();
      rig.report(seq, OUTSIDE[0] ?? "", "delivered");
      expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(["bounced"]);
    });
  });

  it.each(["delivered", "bounced", "complained"] as const)(
    "changes no state if it says %s before the end of the message was sent, or while a retry waits",
    async (reported) => {
      await withMessage([OUTSIDE[0] ?? ""], async (rig, seq) => {
        await rig.pump();
        rig.report(seq, OUTSIDE[0] ?? "", reported);
        rig.held.outside[0]?.answer(["deferred"]);
        await rig.settled();
        rig.report(seq, OUTSIDE[0] ?? "", reported);
        expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(["queued"]);
        expect(rig.due).not.toBeNull();
        rig.mailbox.advance(LONG_MS);
        await rig.pump();
        rig.held.outside[0]?.answer(["taken"]);
        await rig.settled();
        expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(["sent"]);
        expect(rig.events.map((event) => event.kind)).toEqual(["message.sent"]);
      });
    },
  );
});

describe("a message to several recipients outside the deployment", () => {
  const FIVE = ["1", "2", "3", "4", "5"].map((name) => `${name}@example.net`);

  it("is sent as one copy for each recipient, each with its own return path", async () => {
    await withMessage(FIVE, async (rig, seq) => {
      const paths: string[] = [];
      await rig.pump();
      for (const address of FIVE) {
        const [held] = rig.held.outside;
        expect(held?.mail.recipients).toEqual([address]);
        paths.push(returnPathToken(held?.mail.returnPath ?? "") ?? "");
        held?.answer(["taken"]);
        await rig.settled();
      }
      expect(rig.outbox.recipients(seq).map(({ token }) => token)).toEqual(paths);
      expect(new Set(paths).size).toBe(FIVE.length);
      expect(rig.events.map(({ kind }) => kind)).toEqual(["message.sent"]);
    });
  });

  it.each([
    ["before the end", false, "queued"],
    ["after the end", true, "unknown"],
  ] as const)(
    "reaches nobody twice if the process dies %s of the third copy, and the first two count as sent",
    async (_, isEnding, third) => {
      await withMessage(FIVE, async (rig, seq) => {
        await rig.pump();
        for (let copy = 0; copy < 2; copy += 1) {
          await rig.held.outside[0]?.mail.beforeEnd();
          rig.held.outside[0]?.answer(["taken"]);
          await rig.settled();
        }
        if (isEnding) await rig.held.outside[0]?.mail.beforeEnd();
        rig.die();
        const offered: string[] = [];
        await rig.pump();
        const states = rig.outbox.recipients(seq).map(({ state }) => shownState(state));
        expect(states).toEqual(["sent", "sent", third, "queued", "queued"]);
        for (let [held] = rig.held.outside; held !== undefined; [held] = rig.held.outside) {
          offered.push(...held.mail.recipients);
          held.answer(["taken"]);
          await rig.settled();
        }
        expect(offered.toSorted()).toEqual(FIVE.slice(isEnding ? 3 : 2));
      });
    },
  );

  it("is not attempted for the other recipients if the relay cannot be reached", async () => {
    await withMessage(FIVE, async (rig, seq) => {
      await rig.pump();
      rig.held.outside[0]?.answer(["deferred"]);
      await rig.settled();
      expect(rig.held.outside).toEqual([]);
      expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(FIVE.map(() => "queued"));
      expect(rig.outbox.find(seq)?.tries.outside.made).toBe(1);
    });
  });

  it("reaches all other recipients even if the relay hangs up at one of them in every attempt", async () => {
    await withMessage(FIVE, async (rig, seq) => {
      for (let tries = 0; tries < 3; tries += 1) {
        rig.mailbox.advance(LONG_MS);
        await rig.pump();
        for (let [held] = rig.held.outside; held !== undefined; [held] = rig.held.outside) {
          held.answer([held.mail.recipients[0] === FIVE[0] ? "deferred" : "taken"]);
          await rig.settled();
        }
      }
      const states = rig.outbox.recipients(seq).map(({ state }) => state);
      expect(states).toEqual(["queued", "sent", "sent", "sent", "sent"]);
    });
  });
});

describe("a message that its owner erases during an attempt", () => {
  it("is never completed: the transport does not send its end", async () => {
    await withMessage(OUTSIDE, async (rig, seq) => {
      await rig.pump();
      const [held] = rig.held.outside;
      rig.outbox.erase(seq);
      await expect(held?.mail.beforeEnd()).rejects.toThrow("erased");
      held?.answer(["deferred", "deferred"]);
      await rig.settled();
      expect([rig.due, rig.events]).toEqual([null, []]);
    });
  });

  it("does not delay the messages that wait behind it: the alarm rings within 30 s", async () => {
    await withMessage([OUTSIDE[0] ?? ""], async (rig, seq) => {
      const copies = [seq + 1, seq + 2];
      for (const copy of copies) rig.outbox.add(copy, await again(rig, seq), PATH, rig.mailbox.nowMs);
      await rig.pump();
      expect(rig.held.outside).toHaveLength(2);
      for (const { mail } of rig.held.outside) expect(mail.recipients).toHaveLength(1);
      for (const erased of [seq, seq + 1]) rig.outbox.erase(erased);
      expect(rig.due).toBeLessThanOrEqual(rig.mailbox.nowMs + 30_000);
      rig.outbox.erase(seq + 2);
    });
  });
});

describe("a message whose attempts kill the process", () => {
  const MINUTE_MS = 60_000;
  /** Lets the process die during an attempt, and starts the next one `ms` later. */
  const dieInTry = async (rig: Rig, ms: number) => {
    expect(rig.held.outside).toHaveLength(1);
    rig.die();
    rig.mailbox.advance(ms);
    await rig.pump();
  };

  it("is attempted again at once after the first death, then after growing delays, and given up after the fifth", async () => {
    await withMessage(OUTSIDE, async (rig, seq) => {
      await rig.pump();
      await dieInTry(rig, 0);
      for (const minutes of [1, 5, 15]) {
        await dieInTry(rig, minutes * MINUTE_MS - 1);
        expect([rig.held.outside, rig.due]).toEqual([[], rig.mailbox.nowMs + 1]);
        expect(rig.status(seq)).toBe("queued");
        rig.mailbox.advance(1);
        await rig.pump();
      }
      await dieInTry(rig, 0);
      expect([rig.held.outside, rig.due, rig.events]).toEqual([[], null, []]);
      expect(rig.status(seq)).toBe("failed");
      expect(rig.outbox.recipients(seq).map(({ state, diagnostic }) => [state, diagnostic])).toEqual(
        OUTSIDE.map(() => ["failed", expect.stringMatching(/^Given up: in 5 tries .* service stopped/)]),
      );
    });
  });

  it("has its unfinished attempts counted from the start of each, and from zero after one that ended", async () => {
    await withMessage(OUTSIDE, async (rig, seq) => {
      const unended = () => rig.outbox.find(seq)?.tries.outside.unended;
      await rig.pump();
      expect(unended()).toBe(1);
      await dieInTry(rig, 0);
      expect(unended()).toBe(2);
      // Each recipient has its own copy, and the second attempt begins with the second copy.
      rig.held.outside[0]?.answer(["taken"]);
      await rig.settled();
      rig.held.outside[0]?.answer(["deferred"]);
      await rig.settled();
      expect(unended()).toBe(0);
      const states = rig.outbox.recipients(seq).map(({ state }) => state);
      expect(states.toSorted()).toEqual(["queued", "sent"]);
    });
  });

  it("is not given up as long as a copy reaches a recipient between the deaths", async () => {
    const many = Array.from({ length: 9 }, (_, index) => `r${index}@many.example`);
    await withMessage(many, async (rig, seq) => {
      await rig.pump();
      for (let death = 0; death < 8; death += 1) {
        rig.held.outside[0]?.answer(["taken"]);
        await rig.settled();
        await dieInTry(rig, 0);
      }
      // The last recipient was offered to a host once, however many attempts began.
      rig.held.outside[0]?.answer(["deferred"]);
      await rig.settled();
      const states = rig.outbox.recipients(seq).map(({ state }) => state);
      expect(states.toSorted()).toEqual(["queued", ...many.slice(1).map(() => "sent")]);
      expect(rig.due).toBe(rig.mailbox.nowMs + MINUTE_MS);
    });
  });

  it("is given up only for recipients on the way that kills the process", async () => {
    await withMessage([INSIDE[0] ?? "", OUTSIDE[0] ?? ""], async (rig, seq) => {
      await rig.pump();
      rig.held.inside[0]?.answer(["taken"]);
      await rig.settled();
      for (let death = 0; death < 5; death += 1) await dieInTry(rig, 15 * MINUTE_MS + 1);
      const states = rig.outbox.recipients(seq).map(({ inside, state }) => `${inside} ${state}`);
      expect(states.toSorted()).toEqual(["0 failed", "1 delivered"]);
    });
  });
});

const PATH = "x@mailkeep.test";

async function again(rig: Rig, seq: number) {
  const found = rig.outbox.find(seq);
  if (found === null) throw new Error("There is no message");
  const recipients = [{ address: OUTSIDE[0] ?? "", way: "outside" as const }];
  return { message: found.message, recipients, needsSmtpUtf8: false, uploads: [] };
}

type Step =
  | { do: "pump" | "wait" | "rest" | "die" | "halt" | "resume" }
  | { do: "end"; way: Way }
  | { do: "answer"; way: Way; kinds: HandOver["kind"][] }
  | { do: "report"; address: string; reported: Reported };

const way = fc.constantFrom(...WAYS);
const kind = fc.constantFrom<HandOver["kind"][]>("taken", "refused", "deferred", "unanswered", "impossible");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("pump" as const, "wait" as const, "die" as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("halt" as const, "resume" as const, "rest" as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("end" as const), way: fc.constant("outside" as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      way,
      kinds: fc.array(kind, { minLength: 2, maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("report" as const),
      address: fc.constantFrom(...OUTSIDE),
      reported: fc.constantFrom<Reported[]>("delivered", "bounced", "complained", "delayed", "relayed"),
    }),
  },
);

/** Results that no steps may have. */
class Rules {
  readonly #rig: Rig;
  readonly #seq: number;
  /** Who may have the message: it is not offered to them again. */
  readonly #reached = new Set<string>();
  readonly #offered = new Set<OutboundMail>();
  /** Whom a report moved who was not handed over. */
  readonly #misled: string[] = [];

  constructor(rig: Rig, seq: number) {
    this.#rig = rig;
    this.#seq = seq;
  }

  /** The end of the message was said to them. */
  endSaid({ recipients }: OutboundMail): void {
    for (const address of recipients) this.#reached.add(address);
  }

  /** Their host said that it did not take it, before any report said otherwise. */
  notTaken(addresses: readonly string[]): void {
    for (const address of addresses) this.#reached.delete(address);
  }

  /** A report came while the recipients stood so. */
  reported(before: readonly RecipientRow[]): void {
    const after = this.#rig.outbox.recipients(this.#seq);
    for (const { address, state } of before) {
      const isUntaken = state === "queued" || state === "handing" || state === "failed";
      if (isUntaken && stateOf(after, address) !== state) this.#misled.push(address);
    }
  }

  /** Each rule that is broken now. */
  broken(): string[] {
    const rows = this.#rig.outbox.recipients(this.#seq);
    const held = [...this.#rig.held.inside, ...this.#rig.held.outside].map(({ mail }) => mail);
    const fresh = held.filter((mail) => !this.#offered.has(mail));
    const twice = fresh.flatMap(({ recipients }) => recipients).filter((one) => this.#reached.has(one));
    for (const mail of fresh) this.#offered.add(mail);
    for (const { state, address } of rows) if (isSettled(state)) this.#reached.add(address);
    const told = this.#rig.events.map(({ kind: one, data }) => `${one} ${data.recipient ?? ""}`);
    const status = messageStatus(rows.map(({ state }) => state));
    const { halt, mailbox } = this.#rig;
    const isHalted = halt !== null && mailbox.nowMs - halt.at >= RELIED_MS;
    return [
      ...(isHalted ? fresh.map(({ recipients }) => `offered to ${recipients.join()} while halted`) : []),
      ...twice.map((address) => `offered twice to ${address}`),
      ...told.filter((one, at) => told.indexOf(one) !== at).map((one) => `told twice of ${one}`),
      ...(this.#rig.status(this.#seq) === status ? [] : [`does not show ${status}`]),
      ...this.#forgotten(rows),
      ...this.#rig.mailbox.storage.late.map((query) => `written by a dead process: ${query}`),
      ...this.#misled.map((address) => `believed a report about ${address}`),
    ];
  }

  /** Everything that waits has a time at which it is tried, and the alarm knows it. */
  #forgotten(rows: readonly RecipientRow[]): string[] {
    const tries = this.#rig.outbox.find(this.#seq)?.tries;
    const waiting = rows.filter(({ state }) => !isSettled(state));
    const lost = waiting.filter((row) => tries?.[row.inside === 1 ? "inside" : "outside"].dueAt === null);
    const isUnwatched = waiting.length > 0 && this.#rig.due === null;
    return [
      ...lost.map(({ address }) => `never tries ${address} again`),
      ...(isUnwatched ? ["has no alarm"] : []),
    ];
  }
}

/** Longer than any delay between attempts. */
const LONG_MS = 25 * 3_600_000;
const PAUSES_MS = { wait: LONG_MS, rest: RELIED_MS } as const;

async function take(rig: Rig, rules: Rules, one: Step, seq: number): Promise<void> {
  switch (one.do) {
    case "pump":
      return rig.pump();
    case "wait":
    case "rest":
      rig.mailbox.advance(PAUSES_MS[one.do]);
      return rig.pump();
    case "die":
      return rig.die();
    case "halt":
    case "resume":
      return rig.turnSending(one.do);
    case "report": {
      const before = rig.outbox.recipients(seq);
      rig.report(seq, one.address, one.reported);
      return rules.reported(before);
    }
    case "end": {
      const [held] = rig.held[one.way];
      await held?.mail.beforeEnd();
      if (held !== undefined) rules.endSaid(held.mail);
      return;
    }
    case "answer":
      return answer(rig, rules, one, seq);
  }
}

/** The oldest attempt of one way that a transport holds is answered. */
async function answer(rig: Rig, rules: Rules, one: Step & { do: "answer" }, seq: number): Promise<void> {
  const [held] = rig.held[one.way];
  if (held === undefined) return;
  const { recipients } = held.mail;
  const rows = rig.outbox.recipients(seq).filter(({ state }) => !isSettled(state));
  const deferred = recipients.filter((address, at) => one.kinds[at] === "deferred");
  rules.notTaken(deferred.filter((address) => rows.some((row) => row.address === address)));
  held.answer(one.kinds);
  return rig.settled();
}

describe("a message to recipients inside and outside the deployment", () => {
  it("is never sent twice to a recipient who may have it, never while sending is halted, and never forgotten, whatever process dies or transport fails", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        await withMessage([...INSIDE, ...OUTSIDE], async (rig, seq) => {
          const rules = new Rules(rig, seq);
          for (const one of [{ do: "pump" as const }, ...steps]) {
            await take(rig, rules, one, seq);
            expect(rules.broken()).toEqual([]);
          }
        });
      }),
      { numRuns: runs(200), seed: 14 },
    );
  });
});
