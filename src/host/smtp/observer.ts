import type { Reason } from "../../contract/metrics.ts";

/** A message that was answered. It holds no address and nothing of the message's contents. */
export interface AnsweredMessage {
  /** Code and enhanced code of the reply. */
  status: string;
  durationMs: number;
  recipients: number;
  /** 0 if the message was not read to its end. */
  bytes: number;
  /** Ids of the stored messages. */
  ids: readonly string[];
}

/** Is told what happens at the SMTP listener, to count and to log it. */
export interface SmtpObserver {
  /** A connection was accepted. */
  opened: () => void;
  /** A connection that was accepted has ended. */
  closed: () => void;
  /** A connection, a recipient or a message was refused. */
  refused: (reason: Reason, isConnection: boolean) => void;
  /** A reply is delayed, because the client tries many unknown recipients. */
  delayed: () => void;
  answered: (message: AnsweredMessage) => void;
}

/** An observer that counts and logs nothing. */
export const NO_OBSERVER: SmtpObserver = {
  opened: () => {},
  closed: () => {},
  refused: () => {},
  delayed: () => {},
  answered: () => {},
};
