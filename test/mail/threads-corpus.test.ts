import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CORPORA } from "./corpora.ts";
import { thread, type ThreadedIds } from "./threads-of.ts";

const CORPUS = join(CORPORA, "threads");

/** Expected answers that do not follow from ids taken as they are, by script and command, with the groups that do. */
const OTHERWISE = new Map<string, number[][]>([
  // Message 2 says a is the ancestor of c, and message 3 (c) that 2 is its own parent: RFC 5256 breaks the loop by
  // dropping the link from a to c. Ours has no parent links and never takes a thread apart: all three are tied together.
  ["thread 1", [[1, 2, 3]]],
  // Merged by subject only ("foo" and "Re: foo"): a repeated Message-ID counts as none, and no message refers to another.
  ["thread3 1", [[1], [2]]],
]);

function readMbox(name: string): ThreadedIds[] {
  const mbox = readFileSync(join(CORPUS, `${name}.mbox`), "utf8");
  return mbox
    .split(/^From .*\r?\n/m)
    .slice(1)
    .map((text) => {
      const [head = ""] = text.split(/\r?\n\r?\n/);
      const ids = (field: string) =>
        [...head.matchAll(new RegExp(`^${field}:(.*(?:\\r?\\n[ \\t].*)*)`, "gim"))].flatMap(
          ([, value = ""]) => value.match(/<[^<>\s]+>/g) ?? [],
        );
      return {
        ownId: ids("message-id")[0] ?? null,
        ancestorIds: [...ids("in-reply-to"), ...ids("references")],
      };
    });
}

/** The messages of each tree in `(3 2)(1 (4)(5))`: what nests at top level is one thread. */
function readTrees(answer: string): number[][] {
  const trees: number[][] = [];
  let depth = 0;
  for (const [token] of answer.matchAll(/[()]|\d+/g)) {
    if (token === "(" && depth === 0) trees.push([]);
    if (/\d/.test(token)) trees.at(-1)?.push(Number(token));
    depth += token === "(" ? 1 : token === ")" ? -1 : 0;
  }
  return sorted(trees);
}

function sorted(groups: readonly (readonly number[])[]): number[][] {
  const inside = groups.map((group) => group.toSorted((a, b) => a - b));
  return inside.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

interface Answer {
  name: string;
  messages: ThreadedIds[];
  expected: number[][];
}

/** The THREAD answers of a script, each with the messages left after the deletions before it. */
function readScript(name: string): Answer[] {
  const answers: Answer[] = [];
  let messages = readMbox(name);
  let deleted = new Set<number>();
  for (const line of readFileSync(join(CORPUS, name), "utf8").split(/\r?\n/)) {
    const store = /^ok store (\d+) \+flags \\deleted/i.exec(line);
    if (store) deleted.add(Number(store[1]));
    if (/^ok expunge/i.test(line)) {
      messages = messages.filter((_, at) => !deleted.has(at + 1));
      deleted = new Set();
    }
    const answer = /^\* thread (.*)$/i.exec(line);
    if (answer)
      answers.push({ name: `${name} ${answers.length + 1}`, messages, expected: readTrees(answer[1] ?? "") });
  }
  return answers;
}

const present = existsSync(CORPUS);
const scripts = present ? readdirSync(CORPUS).filter((name) => !name.endsWith(".mbox")) : [];

describe.skipIf(!present)("the THREAD=REFERENCES corpus", () => {
  it("is there", () => {
    expect(scripts.length).toBeGreaterThan(0);
  });

  it.each(scripts.flatMap(readScript))("groups as the ids say: $name", ({ name, messages, expected }) => {
    const groups = thread(messages).map((group) => group.map((at) => at + 1));
    expect(sorted(groups)).toEqual(OTHERWISE.get(name) ?? expected);
  });

  it("differs from the expected answers only where it is said to", () => {
    for (const { name, expected } of scripts.flatMap(readScript))
      expect(OTHERWISE.get(name)).not.toEqual(expected);
  });
});
