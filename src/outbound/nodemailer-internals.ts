import type { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";

// Modules below nodemailer/lib: nodemailer publishes them, but documents few.
export * as base64 from "nodemailer/lib/base64";
export { default as MessageParser } from "nodemailer/lib/dkim/message-parser.js";
export { default as RelaxedBody } from "nodemailer/lib/dkim/relaxed-body.js";
export { default as sign } from "nodemailer/lib/dkim/sign.js";
export { default as MailComposer } from "nodemailer/lib/mail-composer";
export { encodeWord } from "nodemailer/lib/mime-funcs";
export type { default as MimeNode } from "nodemailer/lib/mime-node";
export * as quotedPrintable from "nodemailer/lib/qp";
export type { default as XOAuth2 } from "nodemailer/lib/xoauth2";
export type { SMTPConnection };

/** nodemailer's state of the current message. */
export interface InnerEnvelope {
  dsn?: { orcpt?: string | null } | undefined;
  rejectedErrors?: { recipient?: string; response?: string }[];
}

/**
 * Private members of nodemailer's connection for which it has no public ones. The version is pinned:
 * test/library-internals.test.ts fails with any other version, and if a member is missing.
 */
export interface Inner {
  _onData(chunk: Buffer): void;
  _onError(error: Error, type: string, reply: false, command: string): void;
  _upgradeConnection(callback: (error: Error | null, secured?: boolean) => void): void;
  _getDsnRcptToArgs(): string;
  _remainder: string;
  _responseQueue: string[];
  _responsePartial: boolean;
  _recipientQueue: string[];
  _supportedExtensions: string[];
  _maxAllowedSize: number;
  _envelope: InnerEnvelope | false;
  _currentDataStream: (Readable & { writableLength: number }) | false;
}

/** nodemailer's connection with its private members. */
export const SmtpConnectionInternals = SMTPConnection as unknown as new (
  options: SMTPConnection.Options,
) => SMTPConnection & Inner;
