import { describe, expect, it } from "vitest";
import { MAX_EXPORT_RUNS, MAX_EXPORTS } from "../../src/mailbox/exporting/exporting.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

async function begun() {
  const mailbox = await NodeMailbox.create();
  const { exporting } = mailbox.life;
  const codeOf = (answer: ReturnType<typeof exporting.exportStart | typeof exporting.exportKeep>) =>
    answer.ok ? "ok" : answer.error.code;
  return {
    mailbox,
    start: (id: string, run = id) => codeOf(exporting.exportStart(OPERATOR, null, { id, run })),
    keep: (id: string, run = id) => codeOf(exporting.exportKeep(OPERATOR, { id, run })),
    end: (id: string, run = id) => exporting.exportEnd({ id, run }),
  };
}

describe("the exports of a mailbox", () => {
  it(`are ${MAX_EXPORTS} at once, and another begins when one has ended`, async () => {
    const { start, end } = await begun();
    expect([start("a"), start("b"), start("c")]).toEqual(["ok", "ok", "rate_limited"]);
    end("a");
    expect([start("c"), start("a")]).toEqual(["ok", "rate_limited"]);
  });

  it("go on when they are resumed, which ends the connection before", async () => {
    const { start, keep } = await begun();
    expect([start("a", "1"), start("b"), start("a", "2")]).toEqual(["ok", "ok", "ok"]);
    expect([keep("a", "1"), keep("a", "2"), keep("b")]).toEqual(["conflict", "ok", "ok"]);
    // Connections that do not know of it yet are bounded too.
    const runs = Array.from({ length: MAX_EXPORT_RUNS }, (_, index) => start("a", `more ${index}`));
    expect(runs.filter((one) => one === "ok")).toHaveLength(MAX_EXPORT_RUNS - 3);
  });

  it("lose their places if nothing is heard of them, and keep them else", async () => {
    const { mailbox, start, keep } = await begun();
    start("a");
    start("b");
    mailbox.nowMs += 20_000;
    expect([keep("b"), start("c")]).toEqual(["ok", "rate_limited"]);
    mailbox.nowMs += 20_000;
    expect([start("c"), keep("b"), keep("a")]).toEqual(["ok", "ok", "rate_limited"]);
    // A clock that moves backwards holds no place for ever.
    mailbox.nowMs -= 86_400_000;
    expect([start("d"), start("e")]).toEqual(["ok", "ok"]);
  });
});
