import { afterEach, describe, expect, it } from "vitest";
import { advance, actorOf, ask, deliver, evict, plainMessage, resetClock, ringAlarm } from "../harness.ts";

interface Bootstrapped {
  mailbox: string;
  api_key: string;
  expires_at: string;
  replayed: boolean;
}

const HOUR_MS = 3_600_000;

afterEach(resetClock);

describe("POST /v1/bootstrap", () => {
  it("gives a mailbox and a key without a credential", async () => {
    const made = await ask<Bootstrapped>("/v1/bootstrap", { method: "POST" });
    expect(made.status).toBe(201);
    expect(made.body.api_key).toMatch(/^mk_[0-9a-f]{64}$/);
    const me = await ask("/v1/me", { key: made.body.api_key });
    expect(me.body).toMatchObject({ mailbox: made.body.mailbox, scope: "provisional", send: false });
  });

  it("answers 401 the moment the key expires, though the alarm is late, and stays so when the clock goes back", async () => {
    const { body } = await ask<Bootstrapped>("/v1/bootstrap", { method: "POST" });
    await deliver(body.mailbox, plainMessage());
    advance(72 * HOUR_MS - 60_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(200);
    advance(60_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect((await deliver(body.mailbox, plainMessage())).status).toBe(404);
    await evict(body.mailbox);
    expect(await ringAlarm(body.mailbox)).toBe(true);
    resetClock();
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect(await actorOf(body.mailbox).getChunk("any", 0)).toBeNull();
  });
});
