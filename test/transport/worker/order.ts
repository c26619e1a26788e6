import type { RecipientResult } from "../../../src/outbound/transport.ts";
import type { Recipe } from "../messages.ts";

/** Which transport a test wants, and how it is set. Equal choices are one instance. */
export type TransportChoice =
  | {
      kind: "smtp" | "worker-mailer";
      url: string;
      limitMs?: number;
      /** Through the binding to a network instead of the way that the runtime's own `connect` takes. */
      throughBinding?: boolean;
    }
  /** `test`: the test is the platform, at `onSend`. `binding`: the local runtime is, which keeps what it gets. */
  | { kind: "cloudflare"; platform: "test" | "binding"; limitMs?: number };

/** A message as a test orders it. */
export interface MailOrder {
  returnPath?: string;
  fromAddress?: string;
  recipients: string[];
  envelopeId?: string;
  needsSmtpUtf8?: boolean;
  message: Recipe;
  /** Said instead of the true size. */
  claimedBytes?: number;
  /** The stream breaks after so many bytes. */
  breaksAfterBytes?: number;
  /** `ask` leaves it to the test, at `onBeforeEnd`. */
  beforeEnd?: "ask";
  abortAfterMs?: number;
}

export interface Order {
  transport: TransportChoice;
  mails: MailOrder[];
  /** All at once instead of one after another. */
  parallel?: boolean;
}

/** The facts that a test learns about one message. */
export interface Sent {
  results: RecipientResult[];
  /** The error that `send` rejected with, which it must never do. */
  rejected: string | null;
  beforeEndCalls: number;
}
