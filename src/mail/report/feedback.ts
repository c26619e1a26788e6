import type { HeaderField } from "../mime/header-block.ts";
import type { FeedbackReport, FeedbackType } from "./delivery-report.ts";
import { envelopeIdOf, MAX_RECIPIENTS } from "./delivery-status.ts";
import { genericAddress, plainAddress } from "./generic-address.ts";
import { readFieldGroups } from "./report-fields.ts";

const FEEDBACK_TYPES: readonly FeedbackType[] = [
  "abuse",
  "auth-failure",
  "fraud",
  "not-spam",
  "opt-out",
  "virus",
];

/** The content of a message/feedback-report part. */
export type Feedback = Omit<FeedbackReport, "kind" | "confidence" | "original"> & {
  /** Whether the part has the Feedback-Type that RFC 5965 §3.1 demands. */
  isSound: boolean;
};

/**
 * Matches what replaces a hidden address: no local part, or a word for "hidden". Hashes (RFC 6590) cannot be told from
 * addresses.
 */
const REDACTED = /^(?:redacted|removed|hidden|anonymou?s(?:ed|ized)?|private|x{3,}|\*+|[[(].*[\])])$/i;

/** Reads the content of a message/feedback-report part (RFC 5965 §3). Never throws; empty lines between fields do no harm. */
export function readFeedback(part: Uint8Array): Feedback {
  const fields = readFieldGroups(part).groups.flat();
  const first = (name: string): string => fields.find((field) => field.name === name)?.value ?? "";
  const recipients = originalRecipients(fields);
  const type = /^\s*([a-z-]+)/i.exec(first("feedback-type"))?.[1]?.toLowerCase();
  return {
    feedbackType: feedbackType(type),
    originalRecipients: [...new Set(recipients.filter((address) => isReadable(address)))],
    isRedacted: recipients.some((address) => !isReadable(address)),
    originalMailFrom: plainAddress(first("original-mail-from")),
    originalEnvelopeId: envelopeIdOf(first("original-envelope-id")),
    isSound: type !== undefined,
  };
}

function originalRecipients(fields: readonly HeaderField[]): string[] {
  return fields
    .filter(({ name }) => name === "original-rcpt-to")
    .slice(0, MAX_RECIPIENTS)
    .map(({ value }) => genericAddress(value) ?? "");
}

function isReadable(address: string): boolean {
  const at = address.lastIndexOf("@");
  return at > 0 && at < address.length - 1 && !REDACTED.test(address.slice(0, at));
}

function feedbackType(word: string | undefined): FeedbackType {
  // The name in the first drafts of the format, still sent.
  if (word === "opt-out-list") return "opt-out";
  return FEEDBACK_TYPES.find((type) => type === word) ?? "other";
}
