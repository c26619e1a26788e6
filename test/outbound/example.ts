import {
  outgoing,
  type Draft,
  type Minted,
  type Outgoing,
  type Sender,
} from "../../src/mail/compose/outgoing.ts";
import type { Ancestry } from "../../src/mail/compose/answered-mail.ts";

export const SENDER: Sender = {
  mailbox: "agent@mailkeep.test",
  displayName: "",
  domains: new Map([["example.org", "verified" as const]]),
};

export const MINTED: Minted = {
  token: "0199f3d2a1b27c4e8f00112233445566",
  nowMs: Date.parse("2026-11-21T08:30:00Z"),
  automatic: null,
};

export const NO_ANCESTRY: Ancestry = { inReplyTo: null, references: [] };

/** A minimal request to send, with `fields` changed. */
export function draftOf(fields: Partial<Draft> = {}): Draft {
  return {
    from: [],
    to: ["ann@example.com"],
    cc: [],
    bcc: [],
    reply_to: [],
    subject: "Hello",
    text: "Hello.",
    html: "",
    headers: {},
    attachments: [],
    ...fields,
  };
}

/** The outgoing message of such a request; throws if it is refused. */
export function outgoingOf(fields: Partial<Draft> = {}, ancestry: Ancestry = NO_ANCESTRY): Outgoing {
  const made = outgoing(draftOf(fields), ancestry, SENDER, MINTED);
  if (!made.ok) throw new Error(made.error.error);
  return made.value;
}

/** The refusal of such a request; null if it is accepted. */
export function refusalOf(fields: Partial<Draft>): { code: string; error: string } | null {
  const made = outgoing(draftOf(fields), NO_ANCESTRY, SENDER, MINTED);
  return made.ok ? null : { code: made.error.code, error: made.error.error };
}
