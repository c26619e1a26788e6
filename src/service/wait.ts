import { waitUntil } from "cloudflare:workers";
import type { Answer } from "../contract/problem.ts";
import { uuidV7 } from "../lib/ids.ts";
import { counted } from "./access.ts";
import type { MailboxAccess } from "./message-source.ts";

/** A call whose client a mailbox knows to be there, or to be gone. */
export class Wait {
  readonly #to: Pick<MailboxAccess, "mailbox" | "access">;
  readonly #id: string;
  #isGone = false;

  /**
   * @param signal aborts when the client hangs up
   * @param tag with which its id begins
   */
  constructor(to: Pick<MailboxAccess, "mailbox" | "access">, signal: AbortSignal, tag = "") {
    this.#to = to;
    this.#id = `${tag}${uuidV7(Date.now())}`;
    signal.addEventListener("abort", () => this.leave());
    this.#isGone = signal.aborted;
  }

  /** Whether the client hung up. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Calls the mailbox, which knows the call by the id. */
  ask<T>(call: (id: string) => Promise<T>): Promise<T> {
    const answer = call(this.#id);
    if (this.#isGone) this.#forget();
    return answer;
  }

  /**
   * Whether the mailbox admits the caller. It answers in the order of its calls: before this, it has refused the call of `ask`
   * if it refuses it at all before it waits.
   */
  async isAdmitted(): Promise<boolean> {
    return (await this.#to.mailbox.admit(counted(this.#to.access))).ok;
  }

  /** The client hung up: the mailbox ends the call, and hands out nothing by it. */
  leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#forget();
  }

  /** The answer has left: what the mailbox handed out by it is handed out. */
  delivered(): void {
    waitUntil(Promise.resolve(this.#to.mailbox.delivered(this.#id)));
  }

  #forget(): void {
    // With its client a request ends, and with it every call that nothing waits for.
    waitUntil(Promise.resolve(this.#to.mailbox.forget(this.#id)));
  }
}

/** The answer of a call that may wait, or that hands something out once. */
export class Waiting<Value = unknown> {
  readonly wait: Wait;
  readonly work: Promise<Answer<Value>>;
  #isHandOver = false;

  /** @param handsOut whether an answer hands something out, which counts as handed out once the answer has left */
  constructor(
    wait: Wait,
    call: (id: string) => Promise<Answer<Value>>,
    handsOut: (value: Value) => boolean = () => false,
  ) {
    this.wait = wait;
    this.work = wait.ask(call).then((answer) => {
      this.#isHandOver = answer.ok && handsOut(answer.value);
      return answer;
    });
  }

  /** Whether the answer, which is known, hands something out. */
  get isHandOver(): boolean {
    return this.#isHandOver;
  }

  /** Does something after the answer is known, whether or not the client is still there. */
  afterwards(work: () => Promise<void>): void {
    waitUntil(this.work.then(work, work));
  }
}
