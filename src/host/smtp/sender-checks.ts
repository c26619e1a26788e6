import type { CheckedSender } from "../../contract/checked-sender.ts";
import type { Dns } from "../../lib/dns/dns.ts";
import { authorOf } from "../../mail/authentication/author.ts";
import { checkedSenderOf } from "../../mail/authentication/checked-sender.ts";
import { MessageCheck } from "../../mail/authentication/checks/message-check.ts";
import { MAX_HEADER_BYTES } from "../../mail/mime/header-block.ts";
import { checkSpf, type Client } from "../../mail/authentication/checks/spf/spf.ts";

/**
 * Messages that wait for DNS at a time. Half of the listener's connections, so that senders whose DNS does not answer cannot
 * keep others from delivering.
 */
const MAX_WAITING = 50;

/** The check of one message while it arrives. No method throws, so that no mail is lost because it could not be checked. */
export interface RunningCheck {
  /** Takes the next bytes of the message. */
  push(bytes: Uint8Array): void;
  /** The findings, after at most five seconds of waiting for DNS; null if the check itself failed. */
  finish(): Promise<CheckedSender | null>;
  /** Ends the look-ups of a message that is not stored. Does nothing after `finish`. */
  abandon(): void;
}

/** Begins the check of each message that the listener receives. */
export interface Senders {
  begin(client: Client): RunningCheck;
}

/** Checks who sent the messages that the listener receives (SPF, DKIM, DMARC, ARC), beside their spooling. */
export class SenderChecks implements Senders {
  readonly #dns: Dns;
  readonly #log: (line: string) => void;
  /** Checks that wait for DNS, the longest waiting first. */
  readonly #waiting = new Set<AbortController>();

  constructor(dns: Dns, log: (line: string) => void) {
    this.#dns = dns;
    this.#log = log;
  }

  /** Begins to check a message of a client. */
  begin(client: Client): RunningCheck {
    const given = new AbortController();
    const check = new MessageCheck({
      dns: this.#dns,
      spf: (lookUps) => checkSpf(plainClient(client), lookUps),
      signal: given.signal,
    });
    let isSound = true;
    const failed = (error: unknown): null => {
      isSound = false;
      this.#log(
        `smtp: a sender could not be checked (${error instanceof Error ? error.message : String(error)})`,
      );
      return null;
    };
    return {
      push: (bytes) => {
        try {
          if (isSound) check.push(bytes);
        } catch (error) {
          failed(error);
        }
      },
      finish: async () =>
        isSound ? this.#wait(given, () => check.finish().then(checkedSenderOf, failed)) : null,
      abandon: () => check.abandon(),
    };
  }

  /** Waits for a check. If too many wait, the one that has waited longest gives up: its DNS is the slowest. */
  async #wait<T>(given: AbortController, work: () => Promise<T>): Promise<T> {
    this.#waiting.add(given);
    const [longest] = this.#waiting;
    if (this.#waiting.size > MAX_WAITING && longest !== undefined) {
      this.#waiting.delete(longest);
      longest.abort(new Error("Too many messages wait for DNS"));
    }
    try {
      return await work();
    } finally {
      this.#waiting.delete(given);
    }
  }
}

/** An IPv4 client of a socket for IPv6 has a mapped address (RFC 4291 §2.5.5.2). */
function plainClient({ address, ...others }: Client): Client {
  return { ...others, address: address.replace(/^::ffff:(?=\d+\.)/i, "") };
}

/** The name by which a client asks that its mail is not proven. */
export const UNPROVEN_CLIENT = "unproven.twin.invalid";

/** Proves everyone who writes, for a test server: it has no DNS, and its senders are the test's own. */
export const OWN_SENDERS: Senders = {
  begin: ({ helo }) => (helo === UNPROVEN_CLIENT ? NOT_CHECKED : new ProvenMail()),
};

const NOT_CHECKED: RunningCheck = { push: () => {}, finish: () => Promise.resolve(null), abandon: () => {} };

/** Proves the domain of From, if a mail has exactly one author, as SPF and DMARC would. */
class ProvenMail implements RunningCheck {
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  push(bytes: Uint8Array): void {
    if (this.#bytes > MAX_HEADER_BYTES) return;
    this.#pieces.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
  }

  finish(): Promise<CheckedSender> {
    const { domain } = authorOf(Buffer.concat(this.#pieces));
    return Promise.resolve({
      from_domain: domain,
      spf: "pass",
      dmarc: domain === null ? "permerror" : "pass",
      dmarc_by_spf: domain !== null,
      signatures: [],
      arc: null,
    });
  }

  abandon(): void {}
}
