import type { Config, OperatorBindings } from "../config/env.ts";
import {
  reportedResults,
  reportedSpf,
  type Reporter,
  type SenderCheck,
} from "../mail/authentication/authenticate.ts";
import { MessageCheck } from "../mail/authentication/checks/message-check.ts";
import { mailDns } from "./mail-dns.ts";

/** Finds out who sent one message. No method throws, so that no mail is lost because it could not be checked. */
export interface SenderFinding {
  /** Takes the next bytes of the message; they may be changed after the call. */
  push(bytes: Uint8Array): void;
  /** The findings, after the last byte; null where nothing was checked. */
  finish(): Promise<SenderCheck | null>;
  /** Ends the look-ups of a message that will not be finished. */
  abandon(): void;
}

/**
 * Begins to find out who sent a message. Called only once it is known that a mailbox takes it.
 *
 * @param head the message, or its header alone
 */
export type FindSender = (head: Uint8Array) => SenderFinding;

/** For messages whose sender is known already. */
export function known(check: SenderCheck | null): FindSender {
  return () => ({ push: () => {}, finish: () => Promise.resolve(check), abandon: () => {} });
}

/** Finds out who sent a message that is held whole. */
export function foundIn(raw: Uint8Array, sender: FindSender): Promise<SenderCheck | null> {
  const finding = sender(raw);
  finding.push(raw);
  return finding.finish();
}

/**
 * Checks a message that a server in front has checked: reads its report, and verifies DKIM and DMARC here where a resolver is
 * set (`RESOLVER`). A resolver that does not answer delays the message by five seconds at most.
 */
export function reported(by: Reporter, { env, config }: { env: Env; config: Config }): FindSender {
  if (config.dohUrl === null) return known({ kind: "reported", by, own: null });
  const { dohUrl } = config;
  return (head) => {
    const dns = mailDns(dohUrl, env as OperatorBindings);
    const spf = reportedSpf(reportedResults(head, by));
    return new OwnFinding(by, new MessageCheck({ dns, ...(spf && { spf }) }));
  };
}

/** A check of this service, beside the report. */
class OwnFinding implements SenderFinding {
  readonly #by: Reporter;
  readonly #check: MessageCheck;
  #isSound = true;

  constructor(by: Reporter, check: MessageCheck) {
    this.#by = by;
    this.#check = check;
  }

  push(bytes: Uint8Array): void {
    try {
      if (this.#isSound) this.#check.push(bytes);
    } catch (error) {
      this.#failed(error);
    }
  }

  async finish(): Promise<SenderCheck> {
    const own = this.#isSound
      ? await this.#check.finish().catch((error: unknown) => this.#failed(error))
      : null;
    return { kind: "reported", by: this.#by, own };
  }

  abandon(): void {
    this.#check.abandon();
  }

  #failed(error: unknown): null {
    this.#isSound = false;
    this.#check.abandon();
    console.error("The sender of a message could not be checked:", error);
    return null;
  }
}
