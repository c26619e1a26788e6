import { ownJson } from "../lib/json-text.ts";
import type { ExtractAnswer, ExtractionType, ExtractRequest } from "../contract/extraction.ts";
import type { Attachment, Email } from "../contract/message.ts";
import { MAX_BODY_BYTES } from "../contract/limits.ts";
import { notFound, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { EXTRACTOR_VERSION, extract, isCalendarFile, MAX_TEXT_CHARS } from "../mail/extract/extract.ts";
import { Gate } from "../lib/breath.ts";
import type { AttachmentSource, EmailAnswer } from "../mailbox/reading/reading.ts";
import { openPart, partsOf, textsOf, type MailboxAccess, type Parts } from "./message-source.ts";

/** The most calendar files of one email that are read; an invitation has one, or the same one twice. */
const MAX_CALENDARS = 5;
/** The most bytes of one calendar file; an invitation has a few thousand. */
const MAX_CALENDAR_BYTES = 1_000_000;

/** An email whose JSON is longer, in characters, is a large one. */
const LARGE_CHARS = 65_536;

/** Extractions of large emails: each takes some megabytes, and is not done while another is. */
const large = new Gate();

/** Reads an order, a parcel, an appointment, a receipt or a code out of an email. */
export async function extractData(
  to: MailboxAccess,
  { email_id, type }: ExtractRequest,
): Promise<Answer<ExtractAnswer>> {
  const found = await to.mailbox.readEmail(to.access, email_id);
  if (!found.ok) return found;
  const isLarge = found.value.large !== null || found.value.text.length > LARGE_CHARS;
  const read = () => extractFrom(to, found.value, type);
  return isLarge ? large.through(read) : read();
}

async function extractFrom(
  to: MailboxAccess,
  answer: EmailAnswer,
  type: ExtractionType,
): Promise<Answer<ExtractAnswer>> {
  const email = ownJson<Omit<Email, "body_text" | "body_html" | "headers">>(answer.text);
  const texts = await textsOf(to, answer, { textChars: MAX_TEXT_CHARS, htmlChars: MAX_BODY_BYTES });
  const calendars = await calendarsOf(to, email.attachments, type);
  if (!calendars.ok) return calendars;
  const extraction = extract(
    {
      subject: email.subject,
      ...texts,
      from: { name: email.from_name, address: email.from_address },
      receivedAt: email.received_at,
      calendars: calendars.value,
    },
    type,
  );
  return done({
    email_id: email.id,
    extraction,
    text_truncated: email.text_truncated,
    extractor: EXTRACTOR_VERSION,
  });
}

/** The iCalendar files of an email, where an appointment is asked for. */
async function calendarsOf(
  to: MailboxAccess,
  attachments: readonly Attachment[],
  type: ExtractionType,
): Promise<Answer<string[]>> {
  if (type !== "calendar") return done([]);
  const calendars: string[] = [];
  // A small message is cut once for all of them.
  let parts: Promise<Answer<Parts>> | null = null;
  const cut = ({ raw }: AttachmentSource): Promise<Answer<Parts>> => {
    if (raw === null) return Promise.resolve(refused(notFound("Attachment")));
    parts ??= partsOf(to, raw);
    return parts;
  };
  const files = attachments.filter(({ content_type, filename }) => isCalendarFile(content_type, filename));
  for (const { id, size_bytes } of files.slice(0, MAX_CALENDARS)) {
    const source = await to.mailbox.attachment(to.access, id);
    if (!source.ok) return source;
    const range = { start: 0, end: Math.min(size_bytes, MAX_CALENDAR_BYTES) };
    const part = await openPart(to, source.value, range, cut);
    if (!part.ok) return part;
    calendars.push(new TextDecoder().decode(await new Response(part.value).arrayBuffer()));
  }
  return done(calendars);
}
