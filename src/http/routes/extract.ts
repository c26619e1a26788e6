import type { ExtractAnswer, ExtractionType } from "../../contract/extraction.ts";
import type { Email } from "../../contract/message.ts";
import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { EXTRACTOR_VERSION, extract, isCalendarFile } from "../../mail/extract.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { completeEmail, partsOf, type Asked } from "../message-source.ts";

export const extractHandlers: Pick<Handlers, "extract"> = {
  async extract({ input, env, mailbox, access }) {
    const asked = { env, mailbox, access };
    const { email_id: id, type } = input.body;
    const found = await mailbox.readEmail(access, id);
    if (!found.ok) return found;
    const text = await completeEmail(asked, found.value);
    if (!text.ok) return text;
    const email = JSON.parse(text.value) as Email;
    const calendars = await calendarsOf(asked, email, type);
    if (!calendars.ok) return calendars;
    const extraction = extract(
      {
        subject: email.subject,
        text: email.body_text,
        html: email.body_html,
        from: { name: email.from_name, address: email.from_address },
        receivedAt: email.received_at,
        calendars: calendars.value,
      },
      type,
    );
    const answer: ExtractAnswer = { email_id: email.id, extraction, extractor: EXTRACTOR_VERSION };
    return done(json(answer));
  },
};

/** The iCalendar files of an email, where an appointment is asked for; they are read out of the raw message. */
async function calendarsOf(asked: Asked, email: Email, type: ExtractionType): Promise<Answer<string[]>> {
  const isFile = email.attachments.map((file) => isCalendarFile(file.content_type, file.filename));
  if (type !== "calendar" || !isFile.includes(true)) return done([]);
  const source = await asked.mailbox.raw(asked.access, email.id);
  if (!source.ok) return source;
  const parts = await partsOf(asked, source.value);
  if (!parts.ok) return parts;
  return done(parts.value.filter((_, part) => isFile[part]).map((bytes) => new TextDecoder().decode(bytes)));
}
