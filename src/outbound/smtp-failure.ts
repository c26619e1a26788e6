/** The failure of a session or a message, with the reply of the relay if there is one. */
export class SmtpFailure extends Error {
  /** The reply; "" without one. */
  readonly reply: string;
  /**
   * The subject of the reply, by the command that it answers: MAIL = sender, RCPT = recipient, DATA and the end of the
   * message = message.
   */
  readonly about: "session" | "sender" | "recipient" | "message";
  /** The setting to change, as a sentence for the operator; null if no setting is known to be at fault. */
  readonly hint: string | null;

  constructor(what: string, reply: string, about: SmtpFailure["about"], hint: string | null = null) {
    super(what);
    this.reply = reply;
    this.about = about;
    this.hint = hint;
  }
}

/**
 * Whether only the envelope was refused, so that the session can carry another message. After 421 the session ends (RFC
 * 5321 §3.8).
 */
export function isRefusedEnvelope(error: unknown): boolean {
  if (!(error instanceof SmtpFailure)) return false;
  const isEnvelope = error.about === "sender" || error.about === "recipient";
  return isEnvelope && /^[45][0-9]{2}/.test(error.reply) && !error.reply.startsWith("421");
}

/** The hint for a relay that offers no STARTTLS. */
export const NO_STARTTLS_HINT =
  "SMTP_URL asks for STARTTLS: where the relay offers none, smtps:// in its place encrypts from the first byte, " +
  "and ?ignoreTLS=true at its end does without";
/** The hint for a relay that offers no login. */
export const NO_AUTH_HINT =
  "SMTP_URL has a user: where the relay offers no AUTH, take user and password out of it, or ?ignoreTLS=true";

const NO_LOGIN = "The relay did not let us log in";

/** The failure of a refused login. It omits the reply: a relay may repeat the credentials in it, and senders see it. */
export function loginFailure(reply: string): SmtpFailure {
  const codes = /^[0-9]{3}(?:[ -][245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))?/.exec(reply)?.[0];
  return new SmtpFailure(NO_LOGIN, codes === undefined ? "" : `${codes} ${NO_LOGIN}`, "session");
}
