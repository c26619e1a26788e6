import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_ANCESTORS, threadFor } from "../../src/mail/threading.ts";
import { thread, type ThreadedIds } from "./threads-of.ts";

function message(ownId: string | null, ...ancestorIds: string[]): ThreadedIds {
  return { ownId, ancestorIds };
}

describe("threadFor", () => {
  it("opens a thread for a message that refers to nothing known, and learns all its ids", () => {
    expect(threadFor(["<root@x>", "<parent@x>"], "<own@x>", new Map(), "t1")).toEqual({
      threadId: "t1",
      learn: ["<root@x>", "<parent@x>", "<own@x>"],
      merge: [],
    });
  });

  it("joins the thread of an ancestor and learns only what is new", () => {
    const threadOf = new Map([["<root@x>", "t1"]]);
    expect(threadFor(["<root@x>", "<lost@x>"], "<own@x>", threadOf, "t2")).toEqual({
      threadId: "t1",
      learn: ["<lost@x>", "<own@x>"],
      merge: [],
    });
  });

  it("lets a late parent join the thread its replies made", () => {
    expect(threadFor([], "<parent@x>", new Map([["<parent@x>", "t1"]]), "t2")).toEqual({
      threadId: "t1",
      learn: [],
      merge: [],
    });
  });

  it("merges the threads a message knows into the oldest, whichever it names last", () => {
    const threadOf = new Map([
      ["<a@x>", "t3"],
      ["<b@x>", "t1"],
      ["<c@x>", "t2"],
    ]);
    for (const ancestors of [
      ["<a@x>", "<b@x>", "<c@x>"],
      ["<b@x>", "<c@x>", "<a@x>"],
    ]) {
      expect(threadFor(ancestors, "<own@x>", threadOf, "t4")).toEqual({
        threadId: "t1",
        learn: ["<own@x>"],
        merge: ["t2", "t3"],
      });
    }
  });

  it("opens a thread of its own for a message without any id", () => {
    expect(threadFor([], null, new Map(), "t1")).toEqual({ threadId: "t1", learn: [], merge: [] });
  });

  it.each(["<>", "", "< >", "<<>>", `<${"a".repeat(998)}@x>`])(
    "passes over an id without content or bound: %.20s",
    (id) => {
      expect(threadFor([id], id, new Map([[id, "t1"]]), "t2")).toEqual({
        threadId: "t2",
        learn: [],
        merge: [],
      });
    },
  );

  it("passes over repeats and a reference to itself", () => {
    expect(threadFor(["<a@x>", "<own@x>", "<a@x>"], "<own@x>", new Map(), "t1").learn).toEqual([
      "<a@x>",
      "<own@x>",
    ]);
  });

  it("takes all ancestors up to the limit, and beyond it the root and the nearest", () => {
    const ids = Array.from({ length: 5_000 }, (_, at) => `<${at}@x>`);
    expect(threadFor(ids.slice(0, MAX_ANCESTORS), null, new Map(), "t1").learn).toHaveLength(MAX_ANCESTORS);
    expect(threadFor(ids, null, new Map(), "t1").learn).toEqual([
      ...ids.slice(0, 1),
      ...ids.slice(1 - MAX_ANCESTORS),
    ]);
  });
});

describe("thread", () => {
  it("keeps two replies to a message that never came in one thread at once", () => {
    expect(thread([message("<a@x>", "<never@x>"), message("<b@x>", "<never@x>")])).toEqual([[0, 1]]);
  });

  it("keeps a reply of a reply with them when the message between is missing", () => {
    expect(thread([message("<a@x>"), message("<c@x>", "<a@x>", "<b@x>")])).toEqual([[0, 1]]);
  });

  it("merges two threads by a message that links them, and later messages follow", () => {
    const messages = [
      message("<a@x>"),
      message("<b@x>"),
      message("<c@x>", "<b@x>", "<a@x>"),
      message("<d@x>", "<b@x>"),
      message("<e@x>", "<a@x>"),
      message("<f@x>"),
    ];
    expect(thread(messages)).toEqual([[0, 1, 2, 3, 4], [5]]);
  });

  it("keeps messages apart that share no id, whatever else they share", () => {
    expect(thread([message("<a@x>"), message("<b@x>"), message(null), message(null)])).toEqual([
      [0],
      [1],
      [2],
      [3],
    ]);
  });

  it("lets nobody into a thread by copying an id of it", () => {
    const messages = [message("<a@x>"), message("<a@x>"), message("<b@x>", "<a@x>")];
    expect(thread(messages)).toEqual([[0, 2], [1]]);
  });

  it("handles cycles and keeps the messages in them together", () => {
    const messages = [
      message("<a@x>", "<b@x>"),
      message("<b@x>", "<a@x>"),
      message("<c@x>", "<c@x>"),
      message("<d@x>"),
    ];
    expect(thread(messages)).toEqual([[0, 1], [2], [3]]);
  });

  it("makes the same groups in any order of arrival", () => {
    const id = fc.integer({ min: 0, max: 20 }).map((n) => `<${n}@x>`);
    const messages = fc.uniqueArray(fc.record({ ownId: id, ancestorIds: fc.array(id, { maxLength: 3 }) }), {
      selector: ({ ownId }) => ownId,
      maxLength: 12,
    });
    const shuffled = messages.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    /** The groups by id, in an order of their own. */
    const groups = (list: readonly ThreadedIds[]) =>
      thread(list)
        .map((positions) =>
          positions
            .map((at) => list[at]?.ownId ?? "")
            .toSorted((a, b) => a.localeCompare(b))
            .join(),
        )
        .toSorted();
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(groups(other)).toEqual(groups(list));
      }),
      { numRuns: 1_000 },
    );
  });

  it("groups messages that are connected by shared ids", () => {
    const id = fc.integer({ min: 0, max: 15 }).map((n) => `<${n}@x>`);
    const messages = fc.uniqueArray(fc.record({ ownId: id, ancestorIds: fc.array(id, { maxLength: 2 }) }), {
      selector: ({ ownId }) => ownId,
      maxLength: 10,
    });
    fc.assert(
      fc.property(messages, (list) => {
        // Spreads the smallest position until nothing changes.
        const label = new Map<string, number>();
        for (let changed = true; changed;) {
          changed = false;
          for (const [at, { ownId, ancestorIds }] of list.entries()) {
            const least = Math.min(at, ...[ownId, ...ancestorIds].map((known) => label.get(known) ?? at));
            for (const known of [ownId, ...ancestorIds]) {
              if (label.get(known) === least) continue;
              label.set(known, least);
              changed = true;
            }
          }
        }
        const expected = Map.groupBy(list.keys(), (at) => label.get(list[at]?.ownId ?? ""));
        expect(thread(list)).toEqual([...expected.values()]);
      }),
      { numRuns: 1_000 },
    );
  });
});
