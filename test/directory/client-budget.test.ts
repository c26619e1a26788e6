import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Budget } from "../../src/lib/budget.ts";
import { advance, resetClock, setClock } from "../harness.ts";

afterEach(resetClock);

const HOUR: Budget = { limit: 3, windowMs: 3_600_000 };
const fresh = () => env.CLIENT_BUDGET.getByName(`client-${crypto.randomUUID()}`);
const tables = (stub: ReturnType<typeof fresh>) =>
  runInDurableObject(stub, (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'budget'").toArray(),
  );

describe("budgets of several kinds", () => {
  it("are reset after the longest window, not after the shortest", async () => {
    const client = fresh();
    const now = Date.now();
    setClock(now);
    await client.spend("hourly", HOUR);
    await client.spend("short", { limit: 3, windowMs: 60_000 });
    const alarm = await runInDurableObject(client, (_, state) => state.storage.getAlarm());
    expect(alarm).toBe(now + HOUR.windowMs);
  });

  it("get a use back that turned out not to count, of that kind only", async () => {
    const client = fresh();
    for (const kind of ["one", "two"]) await client.spend(kind, HOUR);
    await client.refund("one");
    await client.refund("never spent");
    expect((await client.spend("one", HOUR)).remaining).toBe(2);
    expect((await client.spend("two", HOUR)).remaining).toBe(1);
  });
});

describe("a client's budget", () => {
  it("is kept on disk by kind, and survives a restart", async () => {
    const budget = fresh();
    for (let count = 0; count < 3; count += 1) expect((await budget.spend("a", HOUR)).allowed).toBe(true);
    expect((await budget.spend("a", HOUR)).allowed).toBe(false);
    expect((await budget.spend("b", HOUR)).allowed).toBe(true);
    await evictDurableObject(budget);
    expect((await budget.spend("a", HOUR)).allowed).toBe(false);
  });

  it("counts twenty simultaneous uses one by one", async () => {
    const budget = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => budget.spend("a", HOUR)));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(3);
  });

  it("leaves nothing behind after a quiet window, and its alarm waits for the last use", async () => {
    setClock(Date.now() + 3_600_000);
    const budget = fresh();
    await budget.spend("a", HOUR);
    advance(1_800_000);
    await budget.spend("a", HOUR);
    const due = await runInDurableObject(budget, (_, state) => state.storage.getAlarm());
    expect(due).toBe(Date.now() + HOUR.windowMs);
    advance(HOUR.windowMs);
    expect(await runDurableObjectAlarm(budget)).toBe(true);
    expect(await tables(budget)).toEqual([]);
    expect((await budget.spend("a", HOUR)).remaining).toBe(2);
  });

  it("writes nothing for wrong keys, however many", async () => {
    const client = fresh();
    for (let count = 0; count < 50; count += 1) await client.strike({ limit: 10, windowMs: 60_000 });
    expect(await tables(client)).toEqual([]);
    expect((await client.strike({ limit: 10, windowMs: 60_000 })).allowed).toBe(false);
  });
});
