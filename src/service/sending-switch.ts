import type { SendingHalt } from "../contract/sending-state.ts";
import { TimeLimit } from "../lib/time-limit.ts";
import { monitorOf } from "../metrics/flush.ts";

/**
 * How long an isolate relies on having read that sending is not halted, in ms. It is the bound within which a halt stops all
 * attempts, and the least time between two calls that ask for the state.
 */
export const RELIED_MS = 5_000;
/** The longest time for which the state is asked for, in ms: shorter than an isolate relies on it. */
const READ_MS = 3_000;

/** How long answers say that sending is halted after it was read, in ms: longer than until a mailbox looks again. */
const SHOWN_MS = 60_000;

/** The newest state of sending that an isolate read. It holds no promise, because actors must not share promises. */
export class SendingMemory {
  #halt: SendingHalt | null = null;
  /** When it was asked for, in ms since 1970. */
  #askedAt = -Infinity;

  /** Whether it was read in the last seconds that sending is not halted. */
  isOpen(nowMs: number): boolean {
    return this.#halt === null && this.#isYounger(RELIED_MS, nowMs);
  }

  /** Whether it was read in the last minute that sending is halted. */
  isHalted(nowMs: number): boolean {
    return this.#halt !== null && this.#isYounger(SHOWN_MS, nowMs);
  }

  note(halt: SendingHalt | null, askedAt: number): void {
    this.#halt = halt;
    this.#askedAt = askedAt;
  }

  #isYounger(ms: number, nowMs: number): boolean {
    const age = nowMs - this.#askedAt;
    // A negative age means that the clock was set back.
    return age >= 0 && age < ms;
  }
}

/** The switch by which the operator halts the sending of the whole deployment. */
export class SendingSwitch {
  readonly #memory: SendingMemory;
  readonly #ask: () => Promise<SendingHalt | null>;

  constructor(memory: SendingMemory, ask: () => Promise<SendingHalt | null>) {
    this.#memory = memory;
    this.#ask = ask;
  }

  /** Whether it was read in the last seconds that sending is not halted. */
  isOpen(nowMs: number): boolean {
    return this.#memory.isOpen(nowMs);
  }

  /** Whether it was read in the last minute that sending is halted. */
  isHalted(nowMs: number): boolean {
    return this.#memory.isHalted(nowMs);
  }

  /** Reads the state; null = sending is not halted. Rejects if it cannot be read. */
  async read(nowMs: number): Promise<SendingHalt | null> {
    const halt = await this.#ask();
    this.#memory.note(halt, nowMs);
    return halt;
  }
}

/** The memory of this isolate, which all its mailboxes share. */
const memory = new SendingMemory();

/** The switch of a deployment. */
export function sendingSwitch(env: () => Env): SendingSwitch {
  return new SendingSwitch(memory, async () => {
    const limit = new TimeLimit({ ms: READ_MS });
    try {
      return await limit.race(monitorOf(env()).sendingHalt());
    } finally {
      limit.clear();
    }
  });
}

/** Halts the sending of all mailboxes: those of this isolate at once, all others within `RELIED_MS`. */
export async function haltSending(env: Env, reason: string | null): Promise<SendingHalt> {
  const nowMs = Date.now();
  const halt = await monitorOf(env).haltSending(reason);
  memory.note(halt, nowMs);
  return halt;
}

/** Ends a halt. Mailboxes with waiting messages learn of it when they look again. */
export async function resumeSending(env: Env): Promise<void> {
  const nowMs = Date.now();
  await monitorOf(env).resumeSending();
  memory.note(null, nowMs);
}
