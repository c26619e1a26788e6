import type { HeaderField } from "../mime/header-block.ts";
import { oneLine } from "../mime/header-values.ts";
import type { Action, RecipientStatus } from "./delivery-report.ts";
import { genericAddress, xtextDecoded } from "./generic-address.ts";
import { readFieldGroups } from "./report-fields.ts";
import { actionOfCodes, codesIn, moreExactStatus, statusOfField } from "./status-code.ts";

/** Recipients kept of one report; the largest hosts take 1,000 in one message. */
export const MAX_RECIPIENTS = 1_000;
/** Characters of a diagnostic: some paragraphs of a refusal. */
const MAX_DIAGNOSTIC_CHARS = 1_000;
/** RFC 3461 §4.4 allows 100 characters; this service writes no longer ones. */
const MAX_ENVELOPE_ID_CHARS = 100;

/** RFC 3464 §2.3: the fields that belong to one recipient and occur once for each. */
const RECIPIENT_FIELDS: ReadonlySet<string> = new Set(
  (
    "original-recipient final-recipient action status remote-mta diagnostic-code last-attempt-date final-log-id " +
    "will-retry-until"
  ).split(" "),
);

const ACTIONS: readonly Action[] = ["failed", "delayed", "delivered", "relayed", "expanded"];

/** The content of a message/delivery-status part. */
export interface DeliveryStatus {
  originalEnvelopeId: string | null;
  /** Empty where the part names nobody. */
  recipients: RecipientStatus[];
  /** Whether every block has a Final-Recipient and an Action, as RFC 3464 §2.3 demands. */
  isSound: boolean;
  isCut: boolean;
}

/** The fields of one recipient, the first of each name. */
type Block = Map<string, string>;

/** Reads the content of a message/delivery-status part (RFC 3464 §2). Never throws. */
export function readDeliveryStatus(part: Uint8Array): DeliveryStatus {
  const { groups, isCut } = readFieldGroups(part);
  const blocks = recipientBlocks(groups);
  const kept = blocks.slice(0, MAX_RECIPIENTS);
  const envelopeId = groups.flat().find(({ name }) => name === "original-envelope-id")?.value;
  return {
    originalEnvelopeId: envelopeIdOf(envelopeId ?? ""),
    recipients: kept.map(recipientStatus).filter((recipient) => recipient !== null),
    isSound: kept.every((block) => block.has("final-recipient") && actionOf(block.get("action")) !== null),
    isCut: isCut || blocks.length > kept.length,
  };
}

/** ENVID as a report repeats it; null if empty or too long. */
export function envelopeIdOf(value: string): string | null {
  const id = xtextDecoded(oneLine(value, 3 * MAX_ENVELOPE_ID_CHARS + 1));
  return id === "" || id.length > MAX_ENVELOPE_ID_CHARS ? null : id;
}

/**
 * The per-recipient blocks. Empty lines are missing between some servers' blocks and stand within others', so a block also
 * ends where one of its fields comes again, and an empty line ends it only if it is complete and a recipient follows.
 */
function recipientBlocks(groups: readonly (readonly HeaderField[])[]): Block[] {
  const blocks: Block[] = [];
  let block: Block = new Map();
  for (const group of groups) {
    if (isComplete(block) && group.some(({ name }) => isAddressField(name))) block = new Map();
    for (const { name, value } of group) {
      if (!RECIPIENT_FIELDS.has(name)) continue;
      if (block.has(name) || (isAddressField(name) && isFinished(block))) block = new Map();
      if (block.size === 0) blocks.push(block);
      block.set(name, value);
    }
  }
  return blocks.filter(namesRecipient);
}

function isAddressField(name: string): boolean {
  return name === "final-recipient" || name === "original-recipient";
}

function namesRecipient(block: Block): boolean {
  return block.has("final-recipient") || block.has("original-recipient");
}

/** Nothing is missing that has to be there. */
function isComplete(block: Block): boolean {
  return namesRecipient(block) && (block.has("action") || block.has("status"));
}

/** Nothing is missing that usually is there: another recipient is another block's, though no empty line says so. */
function isFinished(block: Block): boolean {
  return namesRecipient(block) && block.has("action") && block.has("status");
}

function recipientStatus(block: Block): RecipientStatus | null {
  const diagnosticCode = diagnosticText(block.get("diagnostic-code") ?? "");
  const codes = codesIn(diagnosticCode ?? "");
  const status = moreExactStatus(statusOfField(block.get("status") ?? ""), codes.status);
  const action = actionOf(block.get("action")) ?? actionOfCodes(status, codes.replyCode);
  const finalRecipient = genericAddress(block.get("final-recipient") ?? "");
  const original = genericAddress(block.get("original-recipient") ?? "");
  if (action === null || (finalRecipient === null && original === null)) return null;
  const originalRecipient = original === null ? null : xtextDecoded(original);
  return { action, status, finalRecipient, originalRecipient, diagnosticCode, replyCode: codes.replyCode };
}

function actionOf(value = ""): Action | null {
  const word = /^\s*([a-z]+)/i.exec(value)?.[1]?.toLowerCase();
  return ACTIONS.find((action) => action === word) ?? null;
}

/** RFC 3464 §2.3.6: `type; text`. The type `smtp` goes without saying. */
function diagnosticText(value: string): string | null {
  return diagnosticLine(value.replace(/^\s*smtp\s*;/i, ""));
}

/** The words of a server, on one line and cut; null if there are none. */
export function diagnosticLine(text: string): string | null {
  return (
    oneLine(text.slice(0, 4 * MAX_DIAGNOSTIC_CHARS).replaceAll(/\s+/g, " "), MAX_DIAGNOSTIC_CHARS) || null
  );
}
