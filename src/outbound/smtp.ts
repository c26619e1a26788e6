import { Attempt, tryLimitMs } from "./attempt.ts";
import { isEnvelopeId } from "./envelope.ts";
import { IdleSessions } from "./idle-sessions.ts";
import { verdictOf, withoutReply } from "./reply.ts";
import type { Verdict } from "./reply.ts";
import {
  endedBetweenMessages,
  sameForAll,
  failureVerdict,
  faultOf,
  NOT_SENDABLE,
  resultsOf,
  sendableRecipients,
  tooLargeFor,
} from "./results.ts";
import { isRefusedEnvelope, SmtpFailure } from "./smtp-failure.ts";
import { SmtpSession } from "./smtp-session.ts";
import type { Dial, SessionEnvelope } from "./smtp-session.ts";
import type { OutboundMail, RecipientResult, Transport } from "./transport.ts";

/** 100 MB of attachments are 137 MB in base64 with line ends. Text, HTML and headers are added to that. */
const MAX_MESSAGE_BYTES = 150_000_000;
/** The most simultaneous sessions of one actor: with two, a large message does not delay a small one. */
const MAX_SESSIONS = 2;

/** The options of an SMTP transport. */
export interface SmtpOptions extends Dial {
  /** Time limit of one attempt, in ms, plus time for the size of the message; undefined = the default. */
  limitMs?: number;
}

/**
 * Hands messages to a relay over SMTP (RFC 5321, RFC 6409) as streams, with a result for each recipient. It keeps the
 * session open for the next message. An instance belongs to one actor, because workerd ties a socket to the actor that
 * opened it.
 */
export class SmtpTransport implements Transport {
  readonly name = "smtp";
  readonly showsReturnPath = true;
  readonly maxBytes = MAX_MESSAGE_BYTES;
  readonly #options: SmtpOptions;
  readonly #idle = new IdleSessions<SmtpSession>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(options: SmtpOptions) {
    this.#options = options;
  }

  async send(mail: OutboundMail, signal: AbortSignal): Promise<RecipientResult[]> {
    const attempt = new Attempt(mail, signal, tryLimitMs(mail.sizeBytes, this.#options.limitMs));
    try {
      const fault = faultOf(mail, this.maxBytes);
      if (fault !== null) return sameForAll(mail, withoutReply("impossible", fault));
      return await this.#handOver(attempt);
    } finally {
      await attempt.close();
    }
  }

  async #handOver(attempt: Attempt): Promise<RecipientResult[]> {
    const { mail } = attempt;
    const envelope: SessionEnvelope = {
      from: mail.returnPath,
      to: sendableRecipients(mail),
      size: mail.sizeBytes,
      envelopeId: isEnvelopeId(mail.envelopeId) ? mail.envelopeId : null,
      refused: new Map(),
    };
    const verdict = envelope.to.length === 0 ? NOT_SENDABLE : await this.#verdict(attempt, envelope);
    return resultsOf(mail, envelope.refused, verdict);
  }

  /** The verdict on all recipients that were not refused one by one. */
  async #verdict(attempt: Attempt, envelope: SessionEnvelope): Promise<Verdict> {
    try {
      await this.#freeSlot(attempt);
    } catch (error) {
      return failureVerdict(error, attempt);
    }
    try {
      const reused = this.#idle.take();
      if (reused !== null) {
        const verdict = await this.#tryOn(reused, attempt, envelope);
        if (verdict !== null) return verdict;
      }
      const session = await SmtpSession.open(this.#options, attempt.signal);
      return (
        (await this.#tryOn(session, attempt, envelope)) ??
        withoutReply("deferred", "The relay closed the connection")
      );
    } catch (error) {
      return failureVerdict(error, attempt);
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  /**
   * Sends on a session. Null if it ended before the relay received anything of the message: another session may then carry
   * it.
   */
  async #tryOn(session: SmtpSession, attempt: Attempt, envelope: SessionEnvelope): Promise<Verdict | null> {
    const wasUsed = session.transactions > 0;
    const impossible = impossibleOn(session, attempt.mail);
    if (impossible !== null) {
      this.#idle.keep(session);
      return withoutReply("impossible", impossible);
    }
    try {
      const body = attempt.body(() => session.flushed());
      const reply = await attempt.race(session.send(envelope, body));
      // A reply that came too early cannot be about the end of the message.
      if (!attempt.mayBeTaken) throw new SmtpFailure("The relay answered before it was asked", "", "session");
      this.#idle.keep(session);
      return verdictOf(reply, "message") ?? withoutReply("unanswered", `The relay answered: ${reply}`);
    } catch (error) {
      if (isRefusedEnvelope(error) && (await attempt.race(session.reset()).catch(() => false))) {
        this.#idle.keep(session);
        return failureVerdict(error, attempt);
      }
      session.destroy();
      if (wasUsed && endedBetweenMessages(error, attempt, envelope.refused)) return null;
      return failureVerdict(error, attempt);
    }
  }

  async #freeSlot(attempt: Attempt): Promise<void> {
    if (this.#busy >= MAX_SESSIONS) {
      const turn = Promise.withResolvers<void>();
      this.#waiting.push(turn.resolve);
      try {
        await attempt.race(turn.promise);
      } catch (error) {
        const place = this.#waiting.indexOf(turn.resolve);
        // A slot was already given to this attempt. It goes to the next one.
        if (place === -1) this.#waiting.shift()?.();
        else this.#waiting.splice(place, 1);
        throw error;
      }
    }
    this.#busy += 1;
  }
}

/** Why this relay cannot carry the message, known before anything is sent; null if it can. */
function impossibleOn(session: SmtpSession, mail: OutboundMail): string | null {
  if (mail.needsSmtpUtf8 && !session.offers("SMTPUTF8")) {
    return "The relay does not offer SMTPUTF8, which an address that is not ASCII needs";
  }
  return tooLargeFor(session.maxBytes, mail);
}
