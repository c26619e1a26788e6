import { WorkerMailer } from "worker-mailer";

/** The envelope in the form that worker-mailer's steps read. */
export interface SendingEnvelope {
  from: { email: string };
  to: { email: string }[];
  dsnOverride: { envelopeId?: string; RET: { HEADERS: true }; NOTIFY: { DELAY: true; FAILURE: true } };
}

/**
 * worker-mailer's steps of a session, which it declares private: its public methods send only messages that it composed. The
 * version is pinned; test/library-internals.test.ts fails with another one, and when a step is missing.
 */
export interface Steps {
  greet(): Promise<void>;
  ehlo(): Promise<void>;
  tls(): Promise<void>;
  parseCapabilities(reply: string): void;
  auth(): Promise<void>;
  mail(): Promise<void>;
  rcpt(): Promise<void>;
  data(): Promise<void>;
  notificationBuilder(): string;
  writeLine(line: string): Promise<void>;
  readTimeout(): Promise<string>;
}

/**
 * The steps without worker-mailer's constructor. That one opens a connection of its own (`npm start` needs to hand one in),
 * starts a queue whose loop spins on a closed connection, and logs.
 */
export const WorkerMailerSteps = function () {} as unknown as new () => Steps;
WorkerMailerSteps.prototype = WorkerMailer.prototype;
