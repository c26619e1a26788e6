import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Mailbox } from "../../src/mailbox/mailbox.ts";
import { actorOf, ask, createMailbox, deliver, evict, plainMessage, rowsOf } from "../harness.ts";

describe("a mailbox whose data a newer release wrote", () => {
  it("refuses to open with an error, loses nothing, and works again under that release", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage({ subject: "Kept" }));
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      const { sql } = state.storage;
      const { steps } = sql.exec<{ steps: string }>("SELECT steps FROM account").one();
      sql.exec("UPDATE account SET steps = ?", `${steps} future-9`);
      expect(() => new Mailbox(state, env)).toThrow(/does not know its step future-9/);
      sql.exec("UPDATE account SET steps = ?", steps);
      expect(() => new Mailbox(state, env)).not.toThrow();
    });
    await evict(box.mailbox);
    expect((await ask("/v1/inbox", { key: box.api_key })).body).toMatchObject({
      emails: [{ subject: "Kept" }],
    });
  });
});

describe("a call to such a mailbox", () => {
  it.each([
    ["with the version that wrote it", "v0.9.0 future-9", "0.9.0 or newer"],
    ["without it", "future-9", "the newer version"],
  ])("is 503 that says which version to run: %s", async (_, steps, named) => {
    const box = await createMailbox();
    await rowsOf(box.mailbox, "UPDATE account SET steps = steps || ?", ` ${steps}`);
    await evict(box.mailbox);
    for (const [path, method] of [
      ["/v1/inbox", "GET"],
      ["/v1/events", "GET"],
      ["/v1/send", "POST"],
      ["/v1/nothing", "GET"],
    ] as const) {
      const answer = await ask(path, { key: box.api_key, method });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(answer.body).toMatchObject({
        code: "misconfigured",
        error: expect.stringContaining("does not know its step future-9") as string,
        fix: `Tell the operator to run ${named} again: this version left the data as it is. Then repeat the call.`,
        retryable: true,
      });
    }
    expect((await deliver(box.mailbox, plainMessage())).status).toBe(503);
  });
});

describe("calls to a mailbox", () => {
  it("reach its methods only, not the object that holds its capabilities", async () => {
    const { mailbox } = await createMailbox();
    const stub = actorOf(mailbox);
    expect(await stub.isTaken()).toBe(true);
    const reached = Reflect.get(stub, "life") as unknown as Promise<unknown>;
    await expect(Promise.resolve(reached)).rejects.toThrow(/does not implement/);
  });
});
