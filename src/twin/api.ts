/// <reference lib="esnext.disposable" preserve="true" />
// The shapes of `mailkeep-server/testing`, without any code: its declarations are made of this file.

import type { Mailkeep } from "../client/index.ts";

/** A time to move the clock by: milliseconds, or a text such as `"73h"`, `"1h30m"`, `"45s"`, `"2d"`, `"250ms"`. */
export type Duration = number | string;

/** How a twin begins. */
export interface TwinOptions {
  /**
   * Makes ids, addresses, keys and codes of claims the same in every run that makes the same calls in the same order. The
   * clock then starts at `now`, or at 2026-01-01T00:00:00Z, and stands still until `clock.advance` moves it.
   */
  seed?: string | number;
  /** Where the clock starts: a date, a text that `Date` reads, or ms since 1970. The time of the machine unless given. */
  now?: Date | string | number;
  /** The domain of the mailboxes; `mailkeep.test` unless given. */
  domain?: string;
  /**
   * Any setting of the server by its variable, such as `{ DAILY_SEND_LIMIT: "2" }`, except those that the twin sets itself: ports,
   * hosts, secrets, the folder of its data, and MAIL_DOMAIN, which is `domain`.
   */
  settings?: Readonly<Record<string, string>>;
  /** Gets warnings and errors of the server, line by line. They are dropped unless given. */
  log?: (line: string) => void;
}

/** A whole mail system on free ports of this machine, which ends with the test. */
export interface Twin {
  /** Address of the HTTP API and of the pages, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Where other programs hand mail in, without TLS and without a password. */
  readonly smtp: { readonly host: string; readonly port: number };
  /** The domain of the mailboxes. */
  readonly domain: string;
  /** The key of the operator, who may create mailboxes. */
  readonly operatorKey: string;
  /** A client with that key. */
  readonly operator: Mailkeep;
  readonly clock: TwinClock;
  readonly faults: TwinFaults;
  /** Messages that left for other domains, the oldest first. Nothing leaves the machine: the twin receives them. */
  readonly sent: readonly SentMail[];
  /** Creates a mailbox. No other mailbox of the twin has its address. */
  mailbox(options?: MailboxOptions): Promise<TwinMailbox>;
  /** Sends an email to the SMTP server of the twin. Rejects if a recipient is unknown, or a fault strikes. */
  deliver(mail: IncomingMail): Promise<{ id: string }>;
  /** Resolves when no delivery, webhook or other attempt is under way. Rejects if that takes longer than half a minute. */
  settled(): Promise<void>;
  /** Erases everything: mailboxes, sent mail, faults. The clock and the seed begin anew; addresses and ports stay. */
  reset(): Promise<void>;
  /** Ends the twin and removes its data. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The clock of the server and its mailboxes: expiry, retries and every time that the API shows follow it. */
export interface TwinClock {
  now(): Promise<Date>;
  /**
   * Moves the clock forward. What falls due on the way happens in its order, each thing while the clock shows its time, and
   * is done when this resolves. Only `reset` sets the clock back. Calls that are waiting, such as `GET /v1/code?timeout=30`, wait by
   * the time of the machine. Rejects as `settled` does; the clock has then stopped on the way.
   */
  advance(duration: Duration): Promise<Date>;
}

/**
 * A fault of an SMTP server:
 *
 * - `busy`: 421 instead of a greeting;
 * - `defer`: 451 for the recipient, as greylisting does;
 * - `refuse`: 550 for the recipient;
 * - `defer-data`: 451 after the message, which is not stored;
 * - `refuse-data`: 554 after the message, which is not stored;
 * - `drop-before-data`: the connection breaks before the message, which is not stored;
 * - `drop-after-data`: the message is stored, and the connection breaks before the reply, so that the sender cannot know;
 * - `silent`: the message is not stored, and no reply ever comes.
 */
export type SmtpFault =
  | "busy"
  | "defer"
  | "refuse"
  | "defer-data"
  | "refuse-data"
  | "drop-before-data"
  | "drop-after-data"
  | "silent";

/** How often a fault strikes. */
export interface FaultOptions {
  /** The next so many times, 1 unless given. `Infinity`: until the faults are cleared. */
  times?: number;
}

/** Injects faults. */
export interface TwinFaults {
  /** A fault of the SMTP server of the twin: it affects programs that send mail to a mailbox. */
  smtp(fault: SmtpFault, options?: FaultOptions): void;
  /** A fault of the mail server that receives what the mailboxes send to other domains. */
  outgoing(fault: SmtpFault, options?: FaultOptions): void;
  /** Removes every fault that has not struck yet. */
  clear(): void;
}

/** Which mailbox is created. */
export interface MailboxOptions {
  /** The part of the address before the @; a new one unless given. */
  name?: string;
  /** `permanent` unless given. A temporary one receives only, and ends after 72 hours. */
  kind?: "permanent" | "temporary";
}

/** A mailbox of a twin. */
export interface TwinMailbox {
  readonly address: string;
  /** Its key: `Authorization: Bearer <key>`. */
  readonly key: string;
  /** A client of it. */
  readonly client: Mailkeep;
}

/** An email that comes in. */
export interface IncomingMail {
  /** Addresses of mailboxes, or mailboxes. */
  to: string | TwinMailbox | readonly (string | TwinMailbox)[];
  /** The sender, also with a name: `"Shop <login@shop.example>"`. `sender@example.com` unless given. */
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  /** Further header fields, such as `{ "List-Unsubscribe": "<https://shop.example/stop>" }`. */
  headers?: Readonly<Record<string, string>>;
  attachments?: readonly { filename: string; content: string | Uint8Array; contentType?: string }[];
  /** The whole message as it is sent, instead of subject, text, html, headers and attachments. */
  raw?: string | Uint8Array;
  /** Whether the twin proves the domain of From, as DNS does for real mail. False: a mail that anyone may have written. Default: true. */
  proven?: boolean;
}

/** A message that left for another domain. */
export interface SentMail {
  /** The return path. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The whole message. */
  readonly raw: string;
}
