import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Sent } from "../../src/contract/sending.ts";
import { configOf } from "../../src/env.ts";
import type { Database, Query } from "../../src/lib/sql.ts";
import type { AlarmClock } from "../../src/lib/wake.ts";
import type { Account } from "../../src/mailbox/account.ts";
import type { LoggedEvent } from "../../src/mailbox/log.ts";
import type { Outbox, Way } from "../../src/mailbox/outbox.ts";
import { OutboxPump } from "../../src/mailbox/outbox-pump.ts";
import type { HandOver } from "../../src/outbound/ledger.ts";
import type { OutboundMail, RecipientResult, Transport } from "../../src/outbound/transport.ts";
import { actorOf, ask, createMailbox, resetClock, type TestMailbox } from "../harness.ts";

afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

const OUTSIDE = ["c@example.net", "d@example.net"];

/** What is used of a mailbox from within. */
interface Insides {
  db: Database;
  outbox: Outbox;
  account: Account;
  jobs: { outboxPump: OutboxPump };
  commit: <T>(change: () => T) => T;
}

/** A try that a transport was given and has not answered. */
interface Held {
  mail: OutboundMail;
  answer: (kinds: readonly HandOver["kind"][]) => void;
}

/** A pump over the rows of a mailbox, whose transports answer when the test says so. */
class Rig {
  readonly outbox: Outbox;
  readonly events: LoggedEvent[] = [];
  readonly held: Record<Way, Held[]> = { inside: [], outside: [] };
  readonly #mailbox: Insides;
  readonly #pump: OutboxPump;

  constructor(instance: object) {
    this.#mailbox = instance as unknown as Insides;
    this.outbox = this.#mailbox.outbox;
    // The mailbox's own stands aside.
    this.#mailbox.jobs.outboxPump.close();
    this.#pump = this.#newPump();
  }

  #newPump(): OutboxPump {
    const { db, outbox, commit } = this.#mailbox;
    return new OutboxPump({
      db,
      outbox,
      clock: { atLatest: () => undefined } as unknown as AlarmClock,
      config: () => configOf({ ...ENV, OUTBOUND: "local" }),
      account: () => this.#mailbox.account,
      commit: (change) => commit.call(this.#mailbox, change) as ReturnType<typeof change>,
      durable: () => Promise.resolve(),
      openFile: () => Promise.reject(new Error("No message here has files")),
      signerFor: () => ({ dkim: null }),
      inside: this.#transport("inside"),
      outside: () => this.#transport("outside"),
      tell: (events) => void this.events.push(...events),
      reportSoon: () => undefined,
      moved: () => undefined,
      enqueue: () => undefined,
    });
  }

  #transport(way: Way): Transport {
    return {
      name: "local",
      maxBytes: 1e9,
      send: (mail) =>
        new Promise((resolve) => {
          const answer: Held["answer"] = (kinds) => {
            this.held[way] = this.held[way].filter((one) => one.mail !== mail);
            resolve(mail.recipients.map((recipient, at) => resultOf(recipient, kinds[at] ?? "deferred")));
          };
          this.held[way].push({ mail, answer });
        }),
    };
  }

  get due(): number | null {
    return this.#pump.due(Date.now());
  }

  async pump(): Promise<void> {
    this.#pump.pump(Date.now());
    await this.settled();
  }

  /** What was let go has come to its next wait: each try is with a transport, or over. */
  async settled(): Promise<void> {
    const { db } = this.#mailbox;
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      const tried = db.all(TRIED).length;
      if (tried === this.held.inside.length + this.held.outside.length) return;
    }
  }
}

const TRIED: Query<{ seq: number }, []> = {
  text: "SELECT DISTINCT seq, inside FROM recipient WHERE state IN ('handing', 'ending')",
};
const ENV = { MAIL_DOMAIN: "mailkeep.test", AUTH_TOKEN: "operator-token-for-tests-0123456789" };

function resultOf(recipient: string, kind: HandOver["kind"]): RecipientResult {
  const said = { code: null, enhancedCode: null, diagnostic: kind, aboutRecipient: false, providerId: null };
  return { recipient, result: { kind }, ...said };
}

/** Accepts a message and hands the mailbox to `work` before it is tried. */
async function withMessage<T>(
  box: TestMailbox,
  to: readonly string[],
  work: (rig: Rig, seq: number) => Promise<T>,
): Promise<T> {
  await runInDurableObject(actorOf(box.mailbox), (instance) => {
    const insides = instance as unknown as Insides;
    insides.jobs.outboxPump.close();
    insides.account.row.sends_count = 0;
    insides.db.run({ text: "UPDATE outbox SET due_at = NULL, inside_due_at = NULL" });
    insides.db.run({ text: "DELETE FROM suppression" });
  });
  const { status } = await ask<Sent>("/v1/send", {
    key: box.api_key,
    json: { to, subject: "Hi", text: "Hi." },
  });
  expect(status).toBe(200);
  return runInDurableObject(actorOf(box.mailbox), (instance) => {
    const rig = new Rig(instance);
    return work(rig, (instance as unknown as Insides).account.row.last_seq);
  });
}

describe("while messages are under way", () => {
  it("the alarm looks after those that wait behind them, though their owner erases them", async () => {
    const box = await createMailbox();
    await withMessage(box, [OUTSIDE[0] ?? ""], async (rig, seq) => {
      const copies = [seq + 1, seq + 2];
      for (const copy of copies) rig.outbox.add(copy, await again(rig, seq), PATH, Date.now());
      await rig.pump();
      expect(rig.held.outside).toHaveLength(2);
      for (const { mail } of rig.held.outside) expect(mail.recipients).toHaveLength(1);
      for (const erased of [seq, seq + 1]) rig.outbox.erase(erased);
      expect(rig.due).toBeLessThanOrEqual(Date.now() + 30_000);
      rig.outbox.erase(seq + 2);
    });
  });
});

const PATH = { returnPath: "x@mailkeep.test", token: null };

async function again(rig: Rig, seq: number) {
  const found = rig.outbox.find(seq);
  if (found === null) throw new Error("There is no message");
  const recipients = [{ address: OUTSIDE[0] ?? "", way: "outside" as const }];
  return { message: found.message, recipients, needsSmtpUtf8: false, uploads: [] };
}
