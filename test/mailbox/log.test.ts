import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { EventData, eventData } from "../../src/contract/event.ts";
import type { Account } from "../../src/mailbox/account/account.ts";
import type { Log } from "../../src/mailbox/log/log.ts";
import type { LoggedEvent } from "../../src/mailbox/log/rows.ts";
import {
  actorOf,
  api,
  createMailbox,
  deliver,
  evict,
  plainMessage,
  resetClock,
  setClock,
  type TestMailbox,
} from "../harness.ts";

/** Reads the log of a mailbox inside its actor. */
function logOf<T>(box: TestMailbox, read: (log: Log, account: Account) => T): Promise<T> {
  return runInDurableObject(actorOf(box.mailbox), ({ life }) => {
    const { account } = life.lifecycle;
    if (account === null) throw new Error("there is no mailbox");
    return read(life.log, account);
  });
}

const all = (box: TestMailbox): Promise<LoggedEvent[]> => logOf(box, (log) => log.after(0, 100));

describe("The log of a mailbox", () => {
  it("numbers events from 1 without a gap, also after an eviction and a duplicate", async () => {
    const box = await createMailbox();
    const repeated = plainMessage({ subject: "Twice" });
    await deliver(box.mailbox, repeated);
    await deliver(box.mailbox, repeated);
    await evict(box.mailbox);
    await deliver(box.mailbox, plainMessage({ subject: "After" }));
    const events = await all(box);
    expect(events.map(({ seq, data }) => [seq, data.subject])).toEqual([
      [1, "Twice"],
      [2, "After"],
    ]);
    expect(await logOf(box, (_, account) => account.row.last_event)).toBe(2);
  });

  it("stores exactly the nine fields of a message that a stream shows", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, plainMessage({ subject: "Größe\r\n" }));
    const [shown] = (await all(box)).map(({ data }) => EventData.parse(eventData(data)));
    expect(shown).toMatchObject({ event: "message.received", email_id: body.id, mailbox: box.mailbox });
    expect(shown?.thread_id).toBe(body.id);
    expect(Object.keys(shown ?? {})).toHaveLength(9);
  });

  it("never goes back in time, even if the clock does, also for events of outgoing mail", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const started = Date.now();
    const send = () =>
      api("/v1/send?wait=10", { key: box.api_key, json: { to: other.mailbox, subject: "x", text: "x" } });
    setClock(started + 3_600_000);
    await send();
    setClock(started);
    await send();
    await deliver(box.mailbox, plainMessage());
    await evict(box.mailbox);
    await send();
    const times = (await all(box)).map(({ at }) => at);
    expect(times.length).toBe(7);
    expect(times).toEqual(times.toSorted((one, two) => one - two));
    resetClock();
  });

  it("finds where a replay from a time begins", async () => {
    const box = await createMailbox();
    for (let n = 0; n < 9; n += 1) await deliver(box.mailbox, plainMessage({ subject: `Mail ${n}` }));
    const events = await all(box);
    await logOf(box, (log, account) => {
      expect(log.oldestSeq(account)).toBe(1);
      expect(log.seqBefore(account, 0)).toBe(0);
      expect(log.seqBefore(account, Number.MAX_SAFE_INTEGER)).toBe(9);
      for (const { at } of events) {
        expect(log.seqBefore(account, at)).toBe(events.filter((event) => event.at < at).length);
      }
    });
  });
});
