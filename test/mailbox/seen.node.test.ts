import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedSeen, isSeen, MAX_SEEN_IDS, NOTHING_SEEN } from "../../src/contract/seen-state.ts";
import type { SeenMail } from "../../src/contract/seen.ts";
import type { Answer } from "../../src/contract/problem.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const id = fc.integer({ min: 0, max: 40 }).map((number) => String(number).padStart(3, "0"));
const change = fc.oneof(
  fc.record({ up_to: id }),
  fc.record({ seen: fc.array(id, { maxLength: 5 }) }),
  fc.record({ unseen: fc.array(id, { maxLength: 5 }) }),
);
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index).padStart(6, "0"));

const receive = (box: NodeMailbox, subject: string): Promise<string> =>
  box.receive(`From: ann@example.com\r\nSubject: ${subject}\r\n\r\n${subject}\r\n`);

function valueOf<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.error.error);
  return answer.value;
}

describe("the emails that a person has seen", () => {
  it("are those of the last change that named them, or that moved past them", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const expected = new Map<string, boolean>();
        let state: SeenMail = NOTHING_SEEN;
        for (const one of changes) {
          state = changedSeen(state, one);
          if ("up_to" in one) {
            for (let number = 0; number <= 40; number += 1) {
              const name = String(number).padStart(3, "0");
              if (name <= one.up_to) expected.set(name, true);
            }
          }
          if ("seen" in one) for (const name of one.seen) expected.set(name, true);
          if ("unseen" in one) for (const name of one.unseen) expected.set(name, false);
        }
        for (let number = 0; number <= 40; number += 1) {
          const name = String(number).padStart(3, "0");
          expect(isSeen(state, name)).toBe(expected.get(name) ?? false);
        }
      }),
    );
  });

  it("are bounded: beyond the limit the oldest that were passed over count as seen, and all later marks stay", () => {
    let state: SeenMail = NOTHING_SEEN;
    // Every second one is opened.
    const opened = numbered(0, 4 * MAX_SEEN_IDS).filter((_, index) => index % 2 === 1);
    for (const name of opened) state = changedSeen(state, { seen: [name] });
    expect(state.seen).toHaveLength(MAX_SEEN_IDS);
    for (const name of opened) expect(isSeen(state, name)).toBe(true);
    expect(isSeen(state, "000000")).toBe(true);
    expect(isSeen(state, String(4 * MAX_SEEN_IDS - 2).padStart(6, "0"))).toBe(false);
    const all = numbered(0, 2 * MAX_SEEN_IDS);
    state = changedSeen({ up_to: "999999", seen: [], unseen: [] }, { unseen: all });
    expect(state.unseen).toEqual(all.slice(-MAX_SEEN_IDS));
  });

  it("are kept by the mailbox, which writes nothing for a change that changes nothing", async () => {
    const box = await NodeMailbox.create();
    const [a, b, c] = [await receive(box, "a"), await receive(box, "b"), await receive(box, "c")];
    expect(valueOf(box.life.seen.seen(OPERATOR))).toEqual(NOTHING_SEEN);
    valueOf(box.life.seen.markSeen(OPERATOR, { seen: [b], unseen: [] }));
    box.life.context.db.takeCost();
    valueOf(box.life.seen.markSeen(OPERATOR, { seen: [b] }));
    expect(box.life.context.db.takeCost().written).toBe(0);
    expect(valueOf(box.life.seen.markSeen(OPERATOR, { up_to: c, unseen: [a] }))).toEqual({
      up_to: c,
      seen: [],
      unseen: [a],
    });
    expect(valueOf(box.life.seen.seen(OPERATOR)).unseen).toEqual([a]);
  });

  it("are never those that come later, whatever ids a call names", async () => {
    const box = await NodeMailbox.create();
    const first = await receive(box, "first");
    valueOf(box.life.seen.markSeen(OPERATOR, { seen: ["zzz"] }));
    const marked = valueOf(
      box.life.seen.markSeen(OPERATOR, { up_to: "ffffffff-ffff-7fff-bfff-ffffffffffff" }),
    );
    expect(marked).toEqual({ up_to: first, seen: [], unseen: [] });
    const second = await receive(box, "second");
    expect(isSeen(valueOf(box.life.seen.seen(OPERATOR)), second)).toBe(false);
  });
});
