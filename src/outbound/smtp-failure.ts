/** Why a session or a message failed, as far as the relay said so. */
export class SmtpFailure extends Error {
  /** The reply, "" where there was none. */
  readonly reply: string;
  /** What the reply is about, by what it answered: MAIL the sender, RCPT the recipients, DATA and its end the message. */
  readonly about: "session" | "sender" | "recipient" | "message";
  /** The setting that an operator can mend; null where none is known to be at fault. */
  readonly hint: string | null;

  constructor(what: string, reply: string, about: SmtpFailure["about"], hint: string | null = null) {
    super(what);
    this.reply = reply;
    this.about = about;
    this.hint = hint;
  }
}

/** Whether an envelope was refused, with the session left to carry another: after 421 it ends (RFC 5321 §3.8). */
export function isRefusedEnvelope(error: unknown): boolean {
  if (!(error instanceof SmtpFailure)) return false;
  const isEnvelope = error.about === "sender" || error.about === "recipient";
  return isEnvelope && /^[45][0-9]{2}/.test(error.reply) && !error.reply.startsWith("421");
}

/** Where the relay takes no STARTTLS. */
export const NO_STARTTLS_HINT =
  "SMTP_URL asks for STARTTLS: where the relay offers none, smtps:// in its place encrypts from the first byte, " +
  "and ?ignoreTLS=true at its end does without";
/** Where the relay takes no login. */
export const NO_AUTH_HINT =
  "SMTP_URL has a user: where the relay offers no AUTH, take user and password out of it, or ?ignoreTLS=true";

const NO_LOGIN = "The relay did not let us log in";

/** A login that was refused, without what the relay said: it may repeat what it was told, and senders are shown it. */
export function loginFailure(reply: string): SmtpFailure {
  const codes = /^[0-9]{3}(?:[ -][245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))?/.exec(reply)?.[0];
  return new SmtpFailure(NO_LOGIN, codes === undefined ? "" : `${codes} ${NO_LOGIN}`, "session");
}
