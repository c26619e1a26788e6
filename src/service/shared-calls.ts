import type { Answer } from "../contract/problem.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { mailboxBehind } from "./mailbox-stub.ts";

interface Waiting {
  mail: PreparedMail;
  resolve: (answer: Answer<Received>) => void;
  reject: (error: unknown) => void;
}

/** Calls of mailboxes that the small messages of one request share, if they go to the same mailbox in the same moment. */
export class SharedCalls {
  readonly #env: Env;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** Gives a message to the mailbox behind `locator`. Resolves to the answer for this message; rejects with the error of the call. */
  add(locator: string, mail: PreparedMail): Promise<Answer<Received>> {
    return new Promise((resolve, reject) => {
      const one = { mail, resolve, reject };
      const waiting = this.#waiting.get(locator);
      if (waiting !== undefined) return void waiting.push(one);
      this.#waiting.set(locator, [one]);
      // After this turn of the event loop, in which the other messages of the request are prepared.
      setTimeout(() => void this.#deliver(locator), 0);
    });
  }

  async #deliver(locator: string): Promise<void> {
    const waiting = this.#waiting.get(locator) ?? [];
    this.#waiting.delete(locator);
    try {
      const mails = waiting.map(({ mail }) => mail);
      const answers = await mailboxBehind(this.#env, locator).receiveTogether(mails);
      for (const [index, { resolve, reject }] of waiting.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error("The mailbox did not answer for each message"));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
