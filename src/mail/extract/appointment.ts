import { lowered } from "../code/key-words.ts";
import { appointmentPlace } from "./appointment-place.ts";
import { appointmentWord, whenBehindWord, whenInForm, whenInProse } from "./appointment-time.ts";
import { appointmentTitle } from "./appointment-title.ts";
import { dateContext } from "./dates.ts";
import { pairsIn } from "./form-pairs.ts";
import type { CalendarEvent } from "./icalendar.ts";
import { phrases } from "./labelled-values.ts";
import { readText, type ExtractMail } from "./mail-text.ts";

/** Finds labels of everything that is read. */
const label = phrases(({ appointment }) =>
  [appointment?.when, appointment?.time, appointment?.where, appointment?.title].filter(Boolean).join(", "),
);

/**
 * The appointment that a text announces: in the form of an invitation, a labelled day with a time or a place; in running text a day
 * to come with a time. Null if there is none.
 */
export function appointmentIn(mail: ExtractMail): CalendarEvent | null {
  const text = readText(mail);
  const all = `${text.subject}\n${text.lines.join("\n")}`;
  const context = {
    ...dateContext({ text: all, fromAddress: mail.from.address, receivedAt: mail.receivedAt }),
    isAboutAppointment: appointmentWord().test(lowered(text.subject)),
  };
  const pairs = pairsIn(text, label());
  const formed = whenInForm(text, pairs, context);
  const when =
    formed?.start.time == null
      ? (whenInProse(text, context) ?? formed ?? whenBehindWord(text, context))
      : formed;
  if (when === null) return null;
  const location = appointmentPlace(text, pairs, when.at, context);
  if (when.start.time === null && location === null) return null;
  return {
    title: appointmentTitle(mail, pairs),
    location,
    attendees: [],
    start: when.start,
    end: when.end,
    uid: null,
    method: null,
  };
}
