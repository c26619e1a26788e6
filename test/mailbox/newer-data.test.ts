import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Mailbox } from "../../src/mailbox/mailbox.ts";
import { actorOf, ask, createMailbox, deliver, evict, plainMessage } from "../harness.ts";

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

describe("calls to a mailbox", () => {
  it("reach its methods only, not the object that holds its capabilities", async () => {
    const { mailbox } = await createMailbox();
    const stub = actorOf(mailbox);
    expect(await stub.isTaken()).toBe(true);
    const reached = Reflect.get(stub, "life") as unknown as Promise<unknown>;
    await expect(Promise.resolve(reached)).rejects.toThrow(/does not implement/);
  });
});
