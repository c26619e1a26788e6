import type { SendingSwitch } from "../../service/sending-switch.ts";
import type { MailboxContext } from "../context.ts";

/**
 * How long a mailbox with waiting messages waits before it looks again whether sending is halted, in ms. The time is drawn
 * anew each time, so that not all mailboxes look at once; with the call itself it stays below a minute.
 */
const LOOK_AGAIN_MS = { least: 40_000, most: 55_000 } as const;

type GateContext = Pick<MailboxContext, "attempts" | "clock" | "noteActivity" | "now">;

/**
 * Says whether this mailbox may begin to hand a message over: only if it was read in the last seconds that the operator has
 * not halted all sending. While the state cannot be read, messages wait too: waiting loses nothing, and a message that was
 * sent cannot be taken back.
 */
export class SendingGate {
  readonly #context: GateContext;
  readonly #switch: SendingSwitch;
  /** No look begins before this time, in ms since 1970. */
  #lookAgainAt = 0;
  #looking: Promise<void> | null = null;

  constructor(context: GateContext, sendingSwitch: SendingSwitch) {
    this.#context = context;
    this.#switch = sendingSwitch;
  }

  get isOpen(): boolean {
    return this.#switch.isOpen(this.#context.now());
  }

  /** Whether it is known that sending is halted. */
  get isHalted(): boolean {
    return this.#switch.isHalted(this.#context.now());
  }

  /** Before this time no attempt begins, and the alarm need not ring for one; in ms since 1970. */
  get notBefore(): number {
    return this.isOpen || this.#mayLook ? 0 : this.#lookAgainAt;
  }

  /** Reads whether sending is halted, unless that is known, or the last look was a moment ago. Never rejects. */
  look(): Promise<void> {
    if (this.#looking === null && !this.isOpen && this.#mayLook) {
      this.#looking = this.#look().finally(() => {
        this.#looking = null;
      });
    }
    return this.#looking ?? Promise.resolve();
  }

  get #mayLook(): boolean {
    const wait = this.#lookAgainAt - this.#context.now();
    // A longer wait means that the clock was set back.
    return wait <= 0 || wait > LOOK_AGAIN_MS.most;
  }

  async #look(): Promise<void> {
    const { attempts, clock, noteActivity, now } = this.#context;
    const nowMs = now();
    const { least, most } = LOOK_AGAIN_MS;
    // Stored in memory alone: if the process dies, the next one looks at once.
    this.#lookAgainAt = Math.floor(nowMs + least + Math.random() * (most - least));
    attempts.underWay += 1;
    try {
      if ((await this.#switch.read(nowMs)) === null) this.#lookAgainAt = nowMs;
    } catch (error) {
      console.error("It could not be read whether sending is halted; messages wait until it can:", error);
    } finally {
      attempts.underWay -= 1;
    }
    if (this.isOpen) return;
    clock.atLatest(this.#lookAgainAt);
    noteActivity(true);
  }
}
