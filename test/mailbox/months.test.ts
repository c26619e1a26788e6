import { afterEach, expect, it } from "vitest";
import { ask, createMailbox, deliver, evict, plainMessage, resetClock, setClock } from "../harness.ts";

afterEach(resetClock);

it("emails_this_month restarts at UTC midnight of the first, even if no mail came for months", async () => {
  const { mailbox, api_key } = await createMailbox();
  const count = async () =>
    (await ask<{ emails_this_month: number }>("/v1/stats", { key: api_key })).body.emails_this_month;
  setClock(Date.UTC(2027, 0, 31, 23, 59, 59, 999));
  await deliver(mailbox, plainMessage());
  await deliver(mailbox, plainMessage());
  expect(await count()).toBe(2);
  setClock(Date.UTC(2027, 1, 1));
  expect(await count()).toBe(0);
  await deliver(mailbox, plainMessage());
  await evict(mailbox);
  expect(await count()).toBe(1);
  setClock(Date.UTC(2028, 1, 1));
  expect(await count()).toBe(0);
});
