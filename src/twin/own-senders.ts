import type { CheckedSender } from "../contract/checked-sender.ts";
import type { RunningCheck, Senders } from "../host/smtp/sender-checks.ts";
import { authorOf } from "../mail/authentication/author.ts";
import { MAX_HEADER_BYTES } from "../mail/mime/header-block.ts";

/** The name by which a client says that the twin must not prove its mail. */
export const UNPROVEN_CLIENT = "unproven.twin.invalid";

/** Proves whoever writes to a twin: a test has no DNS, and its senders are its own. */
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
