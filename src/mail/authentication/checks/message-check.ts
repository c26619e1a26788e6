import type { Dns } from "../../../lib/dns/dns.ts";
import { limitedDns, type LookUps } from "../../../lib/dns/limited-dns.ts";
import { TimeLimit } from "../../../lib/time-limit.ts";
import { dmarcOf, withAlignment } from "./dmarc-result.ts";
import type { Findings, SpfFinding } from "./findings.ts";
import { HeaderCheck } from "./header-check.ts";
import { MessageStream } from "./message-stream.ts";

export interface CheckOptions {
  dns: Dns;
  /**
   * Asks whether the client may send for its domain (`checkSpf`), where the client is known; or what SPF said, where somebody who is
   * believed has checked it. Without it SPF is not known.
   */
  spf?: SpfFinding | ((lookUps: LookUps) => Promise<SpfFinding>);
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Ends all look-ups. */
  signal?: AbortSignal;
}

/** The look-ups for an envelope and those for a header may take this long each. */
const DNS_TIME_MS = 5_000;
/**
 * Names that one envelope, and one header, can have looked up. In honest use SPF takes up to some 20, four signatures 4 and DMARC 2. SPF alone allows
 * more than 100 (RFC 7208 §4.6.4), which senders could turn against the servers of others.
 */
const MAX_QUESTIONS = 60;

/**
 * Checks who wrote a message while it streams: SPF, DKIM with any size of body, ARC and DMARC. Looks up keys and records as soon as the header
 * is whole, so that `finish` waits for DNS only.
 */
export class MessageCheck {
  readonly #options: CheckOptions;
  readonly #stream = new MessageStream((block) => this.#readHeader(block));
  readonly #limits: TimeLimit[] = [];
  readonly #spf: Promise<SpfFinding | null>;
  #header: HeaderCheck | null = null;

  constructor(options: CheckOptions) {
    this.#options = options;
    const { spf = null } = options;
    this.#spf = typeof spf === "function" ? spf(this.#lookUps()) : Promise.resolve(spf);
  }

  /** Takes the next bytes of the message; they may be changed after the call. */
  push(bytes: Uint8Array): void {
    this.#stream.push(bytes);
  }

  /** Everything that was found out. Waits for DNS, at most five seconds after the header came, and never rejects for what a mail says. */
  async finish(): Promise<Findings> {
    try {
      const bodies = this.#stream.finish();
      const header = this.#header;
      if (header === null) throw new Error("the header was not read");
      const { now = Date.now } = this.#options;
      const evidence = { bodies, now: Math.floor(now() / 1_000) };
      const verified = await header.signatures(evidence);
      const arc = await header.arc(evidence);
      const governing = await header.governing();
      const spf = await this.#spf;
      const { author } = header;
      const signatures = withAlignment(verified, { author, governing });
      const dmarc = dmarcOf({ author, spf, signatures, governing });
      return { fromDomain: author.domain, spf, signatures, dmarc, arc };
    } finally {
      // To abort what nobody waits for would take longer than any other step but the verification.
      for (const limit of this.#limits.splice(0)) limit.clear();
    }
  }

  /** Ends the look-ups of a message that will not be finished. Does nothing after `finish`. */
  abandon(): void {
    for (const limit of this.#limits.splice(0)) limit.abort(new Error("The check of the message is over"));
  }

  #lookUps(): LookUps {
    const { dns, signal } = this.#options;
    const limit = new TimeLimit({ ms: DNS_TIME_MS, given: signal ?? null });
    this.#limits.push(limit);
    return { dns: limitedDns(dns, MAX_QUESTIONS), signal: limit.signal };
  }

  #readHeader(header: Buffer | null) {
    this.#header = new HeaderCheck(header ?? Buffer.alloc(0), this.#lookUps());
    return this.#header.forms();
  }
}

/** Checks a message that is held whole, or that streams. See {@link MessageCheck}. */
export async function checkMessage(
  message: Uint8Array | AsyncIterable<Uint8Array>,
  options: CheckOptions,
): Promise<Findings> {
  const check = new MessageCheck(options);
  try {
    if (message instanceof Uint8Array) check.push(message);
    else for await (const chunk of message) check.push(chunk);
  } catch (error) {
    check.abandon();
    throw error;
  }
  return check.finish();
}
