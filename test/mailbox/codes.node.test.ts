import { beforeEach, describe, expect, it } from "vitest";
import { CodeQuery } from "../../src/contract/routes/codes.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

let box: NodeMailbox;
/** Milliseconds that pass whenever the mailbox looks at the clock. */
let lookMs = 0;

beforeEach(async () => {
  lookMs = 0;
  box = await NodeMailbox.create({ now: () => (box === undefined ? 0 : (box.nowMs += lookMs)) });
  metrics.take();
});

const arrive = (code: string): Promise<string> =>
  box.receive(
    `From: Acme <no-reply@acme.example>\r\nTo: box@mailkeep.test\r\nSubject: Your verification code\r\n\r\nYour verification code is ${code}.\r\n`,
  );

/** The code that a call with this id gets. */
async function code(id: string, query: Record<string, string> = {}): Promise<string | null> {
  const answer = await box.life.codes.code(OPERATOR, CodeQuery.parse({ consume: "true", ...query }), id);
  if (!answer.ok) throw new Error(answer.error.error);
  return answer.value.code;
}

/** As `code`, of a client that hangs up a moment later. */
async function codeNow(id: string): Promise<string | null> {
  const asked = code(id, { timeout: "55" });
  await new Promise((resolve) => setImmediate(resolve));
  box.life.forgetWait(id);
  return asked;
}

describe("a code that is consumed", () => {
  it("goes to no other call while its answer is under way, and to none once that has left", async () => {
    await arrive("482913");
    expect(await code("one")).toBe("482913");
    expect(await codeNow("two")).toBeNull();
    box.life.delivered("one");
    box.die();
    expect(await codeNow("three")).toBeNull();
  });

  it("goes to the next call when the client of the first was gone, even after a kill", async () => {
    await arrive("482913");
    expect(await code("one")).toBe("482913");
    box.life.forgetWait("one");
    expect(await code("two")).toBe("482913");
    box.die();
    expect(await code("three")).toBe("482913");
  });

  it("goes to the call that waits when the client of another was gone", async () => {
    const first = code("first");
    const second = code("second");
    await arrive("482913");
    expect(await second).toBe("482913");
    box.life.forgetWait("second");
    expect(await first).toBe("482913");
    box.life.delivered("first");
    // It comes too late: the answer had not left when the client was gone.
    box.life.delivered("second");
    expect(await codeNow("third")).toBeNull();
  });

  it("stays under way for its own mail alone: the next code goes to the next call", async () => {
    const first = code("first");
    await arrive("482913");
    expect(await first).toBe("482913");
    await arrive("571946");
    expect(await code("second")).toBe("571946");
  });
});

describe("the metrics of codes", () => {
  const counted = () => {
    const series = metrics.take();
    return Object.keys(series).flatMap((key) => /^mailkeep_code_waits_total\|(.*)$/.exec(key)?.[1] ?? []);
  };

  it("count a code that lay there as found at once, however long the look-up takes", async () => {
    await arrive("482913");
    metrics.take();
    lookMs = 20;
    expect(await code("one")).toBe("482913");
    expect(counted()).toEqual(["found_at_once"]);
  });

  it("count a code that came later as found after waiting, even within a millisecond", async () => {
    const waiting = code("one");
    await arrive("482913");
    expect(await waiting).toBe("482913");
    expect(counted()).toEqual(["found_after_waiting"]);
  });

  it("count a wait that ends without a code once", async () => {
    expect(await codeNow("one")).toBeNull();
    expect(counted()).toEqual(["timeout"]);
  });
});
