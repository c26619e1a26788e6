import type { Upstream } from "./upstream.ts";

/** How long a recipient counts as known, in ms. A mailbox that is gone or full since then refuses the message itself. */
const KNOWN_MS = 2_000;
/** Each takes some 150 bytes. */
const MAX_KNOWN = 1_000;

/** Recipients that the mail store knew a moment ago. */
class KnownRecipients {
  readonly #now: () => number;
  /** When each was known, in milliseconds, the oldest first. */
  readonly #knownAtMs = new Map<string, number>();

  /** @param now milliseconds since any fixed moment */
  constructor(now: () => number) {
    this.#now = now;
  }

  has(address: string): boolean {
    const knownAtMs = this.#knownAtMs.get(address);
    return knownAtMs !== undefined && this.#now() - knownAtMs < KNOWN_MS;
  }

  /** Notes that the store knows it now. */
  add(address: string): void {
    this.#knownAtMs.delete(address);
    this.#knownAtMs.set(address, this.#now());
    const [oldest] = this.#knownAtMs.keys();
    if (this.#knownAtMs.size > MAX_KNOWN && oldest !== undefined) this.#knownAtMs.delete(oldest);
  }

  /** Notes that the store did not take a message for it. */
  remove(address: string): void {
    this.#knownAtMs.delete(address);
  }
}

/**
 * Makes an upstream that does not look a recipient up again for a moment if the store knows it: a burst of mail to one mailbox
 * asks for it once. A recipient that the store does not know is looked up each time, because its mailbox may be made at any time.
 *
 * @param now milliseconds since any fixed moment
 */
export function rememberKnown(upstream: Upstream, now: () => number): Upstream {
  const known = new KnownRecipients(now);
  return {
    async lookUp(address) {
      if (known.has(address)) return "known";
      const found = await upstream.lookUp(address);
      if (found === "known") known.add(address);
      return found;
    },
    async handOver(message, recipients, envelope) {
      const deliveries = await upstream.handOver(message, recipients, envelope);
      for (const { recipient, result } of deliveries) {
        if (result.kind === "stored") known.add(recipient);
        else known.remove(recipient);
      }
      return deliveries;
    },
    close: () => upstream.close(),
  };
}
