import { Attempt, tryLimitMs } from "./attempt.ts";
import { DotStuffing } from "./dot-stuffing.ts";
import { isEnvelopeId } from "./envelope.ts";
import { IdleSessions } from "./idle-sessions.ts";
import type { Connect } from "./relay-socket.ts";
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
import type { SmtpSettings } from "./smtp-settings.ts";
import type { OutboundMail, RecipientResult, Transport } from "./transport.ts";
import { WorkerMailerSession } from "./worker-mailer-session.ts";

/** The most bytes of a message. This transport does not tell the relay the size beforehand, so it is for small messages. */
const MAX_MESSAGE_BYTES = 10_000_000;

/** The options of this transport. */
export interface WorkerMailerOptions {
  settings: SmtpSettings;
  /** The name in EHLO if the settings contain none: the mail domain. */
  hello: string;
  connect: Connect;
  /** Time limit of one attempt, in ms, plus time for the size of the message; undefined = the default. */
  limitMs?: number;
}

/** Hands small messages to a relay with worker-mailer's steps, and keeps the session open for the next message. */
export class WorkerMailerTransport implements Transport {
  readonly name = "worker-mailer";
  readonly showsReturnPath = true;
  readonly maxBytes = MAX_MESSAGE_BYTES;
  readonly #options: WorkerMailerOptions;
  readonly #idle = new IdleSessions<WorkerMailerSession>();

  constructor(options: WorkerMailerOptions) {
    this.#options = options;
  }

  async send(mail: OutboundMail, signal: AbortSignal): Promise<RecipientResult[]> {
    const attempt = new Attempt(mail, signal, tryLimitMs(mail.sizeBytes, this.#options.limitMs));
    const refused = new Map<string, string>();
    try {
      const fault = faultOf(mail, this.maxBytes) ?? impossibleWith(this.#options.settings, mail);
      if (fault !== null) return sameForAll(mail, withoutReply("impossible", fault));
      const recipients = sendableRecipients(mail);
      if (recipients.length === 0) return resultsOf(mail, refused, NOT_SENDABLE);
      return resultsOf(mail, refused, await this.#verdict(attempt, recipients, refused));
    } finally {
      await attempt.close();
    }
  }

  /** The verdict on all recipients that were not refused one by one; those are added to `refused`. */
  async #verdict(attempt: Attempt, recipients: string[], refused: Map<string, string>): Promise<Verdict> {
    const reused = this.#idle.take();
    if (reused !== null) {
      const verdict = await this.#tryOn(reused, attempt, recipients, refused);
      if (verdict !== null) return verdict;
    }
    let session: WorkerMailerSession | null = null;
    try {
      attempt.signal.throwIfAborted();
      session = this.#dial();
      await attempt.race(session.begin());
    } catch (error) {
      session?.destroy();
      return failureVerdict(error, attempt);
    }
    return (
      (await this.#tryOn(session, attempt, recipients, refused)) ??
      withoutReply("deferred", "The relay closed the connection")
    );
  }

  #dial(): WorkerMailerSession {
    const { settings, hello, connect } = this.#options;
    const socket = connect(
      { hostname: settings.host, port: settings.port },
      { secureTransport: SECURE_TRANSPORT[settings.security], allowHalfOpen: false },
    );
    return new WorkerMailerSession(socket, settings, hello);
  }

  /**
   * Sends on a session. Null if it ended before the relay received anything of the message: another session may then carry
   * it.
   */
  async #tryOn(
    session: WorkerMailerSession,
    attempt: Attempt,
    recipients: string[],
    refused: Map<string, string>,
  ): Promise<Verdict | null> {
    const wasUsed = session.transactions > 0;
    try {
      const verdict = await attempt.race(transact(session, attempt, recipients, refused));
      session.transactions += 1;
      if (verdict.result.kind === "unanswered") session.destroy();
      else this.#idle.keep(session);
      return verdict;
    } catch (error) {
      if (isRefusedEnvelope(error) && (await attempt.race(session.reset()).catch(() => false))) {
        this.#idle.keep(session);
        return failureVerdict(error, attempt);
      }
      session.destroy();
      return wasUsed && endedBetweenMessages(error, attempt, refused) ? null : failureVerdict(error, attempt);
    }
  }
}

const SECURE_TRANSPORT = { tls: "on", starttls: "starttls", none: "off" } as const;

/** Why worker-mailer cannot carry the message; null if it can. */
function impossibleWith({ auth }: SmtpSettings, { needsSmtpUtf8 }: OutboundMail): string | null {
  if (auth?.kind === "xoauth2") return "The transport worker-mailer does not know XOAUTH2";
  if (needsSmtpUtf8)
    return "The transport worker-mailer does not know SMTPUTF8, which an address that is not ASCII needs";
  return null;
}

async function transact(
  session: WorkerMailerSession,
  attempt: Attempt,
  recipients: string[],
  refused: Map<string, string>,
): Promise<Verdict> {
  const { mail } = attempt;
  const tooLarge = tooLargeFor(session.maxBytes, mail);
  if (tooLarge !== null) return withoutReply("impossible", tooLarge);
  await session.from(mail.returnPath, isEnvelopeId(mail.envelopeId) ? mail.envelopeId : null);
  for (const recipient of recipients) {
    const reply = await refusalOf(session, recipient);
    if (reply !== null) refused.set(recipient, reply);
  }
  if (refused.size === recipients.length) {
    if (!(await session.reset())) session.destroy();
    // Every recipient was refused, so this verdict applies to none.
    return NOT_SENDABLE;
  }
  // Each write was awaited, so the kernel has all bytes when the message is exhausted.
  const flushed = (): Promise<void> => Promise.resolve();
  const { end } = await session.message(attempt.body(flushed), new DotStuffing());
  const reply = await end();
  return verdictOf(reply, "message") ?? withoutReply("unanswered", `The relay answered: ${reply}`);
}

/** The refusal of a recipient; null if the relay accepts it. Throws if the session ended. */
async function refusalOf(session: WorkerMailerSession, recipient: string): Promise<string | null> {
  try {
    await session.to(recipient);
    return null;
  } catch (error) {
    if (
      !(error instanceof SmtpFailure) ||
      !/^[45][0-9]{2}/.test(error.reply) ||
      error.reply.startsWith("421")
    )
      throw error;
    return error.reply;
  }
}
