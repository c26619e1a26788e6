import type { DomainStatus } from "../../contract/domain.ts";
import { invalid, type Answer } from "../../contract/problem.ts";
import { SEND_ERRORS, sizeProblem, MAX_RECIPIENTS } from "../../contract/sending.ts";
import { done, refused } from "../../lib/outcome.ts";
import { canonicalAddress, domainOf, needsSmtpUtf8, trimmedAddress } from "../address/address.ts";
import { withoutRepeats, type Ancestry } from "./answered-mail.ts";
import { isAutoSubmitted } from "../automatic.ts";
import { defaultFilename, safeFilename } from "../mime/attachment-name.ts";
import {
  customHeaders,
  lineOf,
  readName,
  readAddresses,
  readNamedAddress,
  type OutgoingField,
} from "./outgoing-fields.ts";
import { ANY_BYTES, sendableMediaType } from "../mime/media-type.ts";
import { oneLine } from "../mime/header-values.ts";
import type { NamedAddress } from "../mime/parsed-mail.ts";

/** Leaves `Content-ID: <…>` room on a line. */
const MAX_CONTENT_ID_CHARS = 250;

/** The description of a file of a message. */
export interface OutgoingAttachment {
  /** Safe to save, never empty. */
  filename: string;
  /** Type, subtype and parameters other than the name. */
  contentType: string;
  /** Without angle brackets; null for a file that the HTML does not show. */
  contentId: string | null;
  sizeBytes: number;
}

/** A message to be composed. It is plain data, can be stored as JSON, and is always composed to the same bytes. */
export interface OutgoingMessage {
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  subject: string;
  /** "" if there is none; the same of `html`. */
  text: string;
  html: string;
  /** In angle brackets. Boundaries are derived from it, so that composing again gives the same bytes. */
  messageId: string;
  inReplyTo: string | null;
  references: string[];
  /** ms since 1970. */
  dateMs: number;
  /** Further fields. */
  headers: OutgoingField[];
  attachments: OutgoingAttachment[];
}

/** A message and its recipients. The ledger adds the return path. */
export interface Outgoing {
  message: OutgoingMessage;
  /** Envelope recipients: To, Cc and Bcc, nobody twice. Bcc recipients appear only here and in no copy of the message. */
  recipients: string[];
  /** Whether an address in it has a local part in UTF-8, so that only SMTPUTF8 (RFC 6531) can carry the message. */
  needsSmtpUtf8: boolean;
}

/** A request to send with its files. Fields as in `SendBody`. */
export interface Draft {
  /** At most one address; none means the mailbox itself. */
  from: readonly string[];
  /** As written, or as `answerRecipients` found them. */
  to: readonly (string | NamedAddress)[];
  cc: readonly (string | NamedAddress)[];
  bcc: readonly string[];
  reply_to: readonly string[];
  subject: string;
  text: string;
  html: string;
  headers: Readonly<Record<string, string>>;
  attachments: readonly DraftFile[];
}

/** A file of a request; "" for values that it does not give. */
export interface DraftFile {
  filename: string;
  content_type: string;
  content_id: string;
  sizeBytes: number;
}

/** Who sends. */
export interface Sender {
  /** The mailbox, in canonical form. */
  mailbox: string;
  /** Stands in From where the request names none; "" if there is none. */
  displayName: string;
  /** Domains of the mailbox in canonical form with their status: the mailbox may use every address at a verified one. */
  domains: ReadonlyMap<string, DomainStatus>;
}

/** Random and time-dependent values, which the caller provides to this pure code. */
export interface Minted {
  /** Letters and digits that nobody can guess, at least 16: the left side of the Message-ID. */
  token: string;
  nowMs: number;
  /** How the message came to be, where no human and no agent asked for it (RFC 3834 §5). */
  automatic: "auto-replied" | "auto-generated" | null;
}

/**
 * Turns a request to send into a message and its recipients, or says what is wrong with it: 400 for a field, 403 for a
 * From that is not the sender's, 413 for files over the limits.
 */
export function outgoing(
  draft: Draft,
  ancestry: Ancestry,
  sender: Sender,
  { token, nowMs, automatic }: Minted,
): Answer<Outgoing> {
  const from = senderAddress(draft.from, sender);
  if (!from.ok) return from;
  const addresses = readRecipients(draft);
  if (!addresses.ok) return addresses;
  const content = readContent(draft);
  if (!content.ok) return content;
  const { to, cc, bcc, replyTo } = addresses.value;
  const message: OutgoingMessage = {
    from: from.value,
    to,
    cc,
    replyTo,
    ...content.value,
    headers: withAutoSubmitted(content.value.headers, automatic),
    messageId: `<${token}@${domainOf(from.value.address)}>`,
    ...ancestry,
    dateMs: nowMs,
  };
  return done({
    message,
    recipients: [...to, ...cc, ...bcc].map(({ address }) => address),
    needsSmtpUtf8: [from.value, ...replyTo, ...to, ...cc, ...bcc].some(({ address }) =>
      needsSmtpUtf8(address),
    ),
  });
}

/** Whether an address belongs to the mailbox: itself, a `+tag` of it, or any at its verified domains. Answers do not go there. */
export function isOwnAddress(mailbox: string, domains: readonly string[]): (address: string) => boolean {
  return (address) => {
    const canonical = canonicalAddress(address);
    return canonical === mailbox || (canonical !== null && domains.includes(domainOf(canonical)));
  };
}

/** The From field as it will be written; 403 where the address is not the sender's in any spelling. */
function senderAddress(written: readonly string[], sender: Sender): Answer<NamedAddress> {
  const [entry, ...more] = written;
  if (entry === undefined) return done({ name: sender.displayName, address: sender.mailbox });
  const line = lineOf("from", entry);
  if (!line.ok) return line;
  const read = readNamedAddress(entry);
  const address = read.ok && more.length === 0 ? trimmedAddress(read.value.address) : null;
  if (!read.ok || address === null || !mayUse(address, sender)) {
    const status = address === null ? undefined : sender.domains.get(domainOf(address));
    return refused({
      code: "wrong_sender",
      error: `From address must match your mailbox: ${sender.mailbox}`,
      ...(status === undefined || address === null
        ? {}
        : { message: UNUSABLE[status](domainOf(address)), fix: OWN_DOMAIN_FIX[status] }),
    });
  }
  return done({ name: read.value.name === "" ? sender.displayName : read.value.name, address });
}

function mayUse(address: string, { mailbox, domains }: Sender): boolean {
  return canonicalAddress(address) === mailbox || domains.get(domainOf(address)) === "verified";
}

/** The reason why mail cannot be sent from a domain of the mailbox. */
const UNUSABLE: Record<DomainStatus, (domain: string) => string> = {
  pending: (domain) => `${domain} is not verified yet`,
  failed: (domain) => `${domain} is no longer yours: its DNS records are gone`,
  // More than one address, or a name that hides one.
  verified: (domain) => `This is no single address at ${domain}`,
};

const OWN_DOMAIN_FIX: Record<DomainStatus, string> = {
  pending: "Set the records of GET /v1/domains and call POST /v1/domains/<id>/verify, or leave `from` out.",
  failed:
    "Set the records of GET /v1/domains again and call POST /v1/domains/<id>/verify, or leave `from` out.",
  verified: "Send one plain address as `from`, or leave it out.",
};

interface Recipients {
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
}

function readRecipients(draft: Draft): Answer<Recipients> {
  const to = readAddresses("to", draft.to);
  if (!to.ok) return to;
  const cc = readAddresses("cc", draft.cc);
  if (!cc.ok) return cc;
  const bcc = readAddresses("bcc", draft.bcc);
  if (!bcc.ok) return bcc;
  const replyTo = readAddresses("reply_to", draft.reply_to);
  if (!replyTo.ok) return replyTo;
  const recipients = withoutRepeats({ to: to.value, cc: cc.value, bcc: bcc.value });
  if (recipients.to.length + recipients.cc.length + recipients.bcc.length > MAX_RECIPIENTS) {
    return refused({
      code: "invalid",
      error: SEND_ERRORS.tooManyRecipients,
      fix: `Send to at most ${MAX_RECIPIENTS} recipients, and to the others with another POST /v1/send.`,
    });
  }
  return done({ ...recipients, ...withoutRepeats({ replyTo: replyTo.value }) });
}

type Content = Pick<OutgoingMessage, "subject" | "text" | "html" | "headers" | "attachments">;

function readContent(draft: Draft): Answer<Content> {
  const subject = lineOf("subject", draft.subject);
  if (!subject.ok) return subject;
  const headers = customHeaders(draft.headers);
  if (!headers.ok) return headers;
  const attachments: OutgoingAttachment[] = [];
  for (const [index, file] of draft.attachments.entries()) {
    const read = readFile(file, index);
    if (!read.ok) return read;
    attachments.push(read.value);
  }
  const bodies = { text: draft.text.toWellFormed(), html: draft.html.toWellFormed() };
  const tooLarge = sizeProblem(bodies, attachments);
  if (tooLarge !== null) return refused(tooLarge);
  return done({ subject: subject.value, ...bodies, headers: headers.value, attachments });
}

function readFile(file: DraftFile, index: number): Answer<OutgoingAttachment> {
  const field = `attachments.${index}`;
  const filename = readName(file.filename);
  if (!filename.ok) return refused(invalid(`${field}.filename`, filename.error));
  const written = lineOf(`${field}.content_type`, file.content_type);
  if (!written.ok) return written;
  const contentType = sendableMediaType(written.value);
  if (contentType === null) {
    return refused(invalid(`${field}.content_type`, "must be a media type such as application/pdf"));
  }
  const contentId = readContentId(file.content_id);
  if (contentId === undefined) {
    return refused(
      invalid(`${field}.content_id`, "must be ASCII without blanks and angle brackets, such as logo@example"),
    );
  }
  return done({
    filename: safeFilename(filename.value) || defaultFilename(index, contentType),
    contentType,
    contentId,
    sizeBytes: file.sizeBytes,
  });
}

/** A file with a foreign name and media type, made fit to be sent on: values that no header may hold are left out or simplified. */
export function sendableFile(
  file: { filename: string; contentType: string; contentId: string | null },
  index: number,
): Pick<DraftFile, "filename" | "content_type" | "content_id"> {
  const contentType = sendableMediaType(oneLine(file.contentType, Infinity)) ?? ANY_BYTES;
  return {
    filename: readName(file.filename).ok ? file.filename : defaultFilename(index, contentType),
    content_type: contentType,
    content_id: readContentId(file.contentId ?? "") ?? "",
  };
}

/** Without angle brackets; null for none; undefined for one that no header could hold. */
function readContentId(written: string): string | null | undefined {
  const id = written.trim().replace(/^<(.*)>$/s, "$1");
  if (id === "") return null;
  return /^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(id) && id.length <= MAX_CONTENT_ID_CHARS ? id : undefined;
}

/** The Auto-Submitted field: the value of the service replaces the caller's; callers may declare their message automatic. */
function withAutoSubmitted(headers: OutgoingField[], automatic: Minted["automatic"]): OutgoingField[] {
  if (automatic === null) return headers;
  const others = headers.filter(({ name }) => name.toLowerCase() !== "auto-submitted");
  return [...others, { name: "Auto-Submitted", value: automatic }];
}

/** Whether the message declares itself automatic; then it may only answer mail that machines may answer. */
export function saysAutomatic(message: Pick<OutgoingMessage, "headers">): boolean {
  return message.headers.some(
    ({ name, value }) =>
      name.toLowerCase() === "auto-submitted" && isAutoSubmitted({ headers: { "auto-submitted": value } }),
  );
}
