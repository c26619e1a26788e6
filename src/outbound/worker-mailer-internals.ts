import { WorkerMailer } from "worker-mailer";

/** The envelope as worker-mailer's steps read it. */
export interface SendingEnvelope {
  from: { email: string };
  to: { email: string }[];
  dsnOverride: { envelopeId?: string; RET: { HEADERS: true }; NOTIFY: { DELAY: true; FAILURE: true } };
}

/**
 * The steps of worker-mailer's session, which it declares private; its public methods send only messages that it composed
 * itself. The version is pinned: test/library-internals.test.ts fails with any other version, and if a step is missing.
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
 * The steps without worker-mailer's constructor, which opens a connection of its own (`npm start` must pass one in), starts
 * a queue whose loop spins on a closed connection, and logs.
 */
export const WorkerMailerSteps = function () {} as unknown as new () => Steps;
WorkerMailerSteps.prototype = WorkerMailer.prototype;
