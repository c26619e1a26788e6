/** Why a session or a message failed, as far as the relay said so. */
export class SmtpFailure extends Error {
  /** The reply, "" where there was none. */
  readonly reply: string;
  /** What the reply is about, by what it answered: MAIL the sender, RCPT the recipients, DATA and its end the message. */
  readonly about: "session" | "sender" | "recipient" | "message";

  constructor(what: string, reply: string, about: SmtpFailure["about"]) {
    super(what);
    this.reply = reply;
    this.about = about;
  }
}

/** Whether an envelope was refused, with the session left to carry another: after 421 it ends (RFC 5321 §3.8). */
export function isRefusedEnvelope(error: unknown): boolean {
  if (!(error instanceof SmtpFailure)) return false;
  const isEnvelope = error.about === "sender" || error.about === "recipient";
  return isEnvelope && /^[45][0-9]{2}/.test(error.reply) && !error.reply.startsWith("421");
}

const NO_LOGIN = "The relay did not let us log in";

/** A login that was refused, without what the relay said: it may repeat what it was told, and senders are shown it. */
export function loginFailure(reply: string): SmtpFailure {
  const codes = /^[0-9]{3}(?:[ -][245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))?/.exec(reply)?.[0];
  return new SmtpFailure(NO_LOGIN, codes === undefined ? "" : `${codes} ${NO_LOGIN}`, "session");
}
