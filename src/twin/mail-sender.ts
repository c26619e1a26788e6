import { createTransport } from "nodemailer";
import type { SendMailOptions, Transporter } from "nodemailer";
import type SMTPPool from "nodemailer/lib/smtp-pool/index.js";
import type SMTPTransport from "nodemailer/lib/smtp-transport/index.js";
import type { IncomingMail } from "./api.ts";
import { UNPROVEN_CLIENT } from "../host/smtp/sender-checks.ts";

/** Date and number of a message, by which it is the same in every run. */
export interface Stamp {
  /** The time that the message says it was written. */
  date: Date;
  /** A number that no other message of the twin has; null: Message-ID and boundaries are random. */
  number: number | null;
}

const SENDER = "sender@example.com";

/** Sends messages to the SMTP server of a twin. */
export class MailSender {
  readonly #place: SMTPTransport.Options;
  /** Connections are used again: the server waits for 100 ms before it greets a new one. */
  readonly #pool: Transporter<SMTPPool.SentMessageInfo>;

  constructor(smtpPort: number) {
    this.#place = { host: "127.0.0.1", port: smtpPort, ignoreTLS: true };
    // A message whose connection breaks is not sent again.
    this.#pool = createTransport({ ...this.#place, pool: true, maxRequeues: 0 });
  }

  /**
   * Sends a message, and returns the id that the server stored it under. Rejects as nodemailer does.
   *
   * @param onNewConnection for a fault that strikes when a client connects.
   */
  async send(mail: IncomingMail, stamp: Stamp, onNewConnection: boolean): Promise<{ id: string }> {
    const message = messageOf(mail, stamp);
    const isProven = mail.proven !== false;
    if (!onNewConnection && isProven) return idIn(await this.#pool.sendMail(message));
    const connection = createTransport({ ...this.#place, ...(isProven ? {} : { name: UNPROVEN_CLIENT }) });
    try {
      return idIn(await connection.sendMail(message));
    } finally {
      connection.close();
    }
  }

  stop(): void {
    this.#pool.close();
  }
}

function idIn({ response }: { response: string }): { id: string } {
  return { id: /^250 2\.0\.0 Ok: (\S+)/.exec(response)?.[1] ?? "" };
}

function messageOf(mail: IncomingMail, { date, number }: Stamp): SendMailOptions {
  const to = [mail.to].flat().map((one) => (typeof one === "string" ? one : one.address));
  const { from = SENDER, raw } = mail;
  if (raw !== undefined) {
    return { raw: typeof raw === "string" ? raw : Buffer.from(raw), envelope: { from, to } };
  }
  const fixed =
    number === null ? {} : { messageId: `<twin-${number}@example.com>`, baseBoundary: `twin${number}` };
  return { ...contentOf(mail), from, to, date, ...fixed };
}

function contentOf({ subject = "", text, html, headers, attachments = [] }: IncomingMail): SendMailOptions {
  return {
    subject,
    text: text ?? (html === undefined ? "" : undefined),
    html,
    headers: { ...headers },
    attachments: attachments.map(({ content, ...rest }) => ({
      ...rest,
      content: typeof content === "string" ? content : Buffer.from(content),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
