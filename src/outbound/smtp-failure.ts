/** Why a session or a message failed, as far as the relay said so. */
export class SmtpFailure extends Error {
  /** The reply, "" where there was none. */
  readonly reply: string;
  /** `message`: answered to MAIL, RCPT or DATA. `session`: about the relay and us. */
  readonly about: "session" | "message";

  constructor(what: string, reply: string, about: "session" | "message") {
    super(what);
    this.reply = reply;
    this.about = about;
  }
}

const NO_LOGIN = "The relay did not let us log in";

/** A login that was refused, without what the relay said: it may repeat what it was told, and senders are shown it. */
export function loginFailure(reply: string): SmtpFailure {
  const codes = /^[0-9]{3}(?:[ -][245]\.[0-9]{1,3}\.[0-9]{1,3}(?![0-9.]))?/.exec(reply)?.[0];
  return new SmtpFailure(NO_LOGIN, codes === undefined ? "" : `${codes} ${NO_LOGIN}`, "session");
}
