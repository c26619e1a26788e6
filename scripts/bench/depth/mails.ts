import { composeMail } from "../mail.ts";

/** A mail of a deep mailbox. */
export interface DeepMail {
  raw: string;
  serial: string;
  template: number;
  /** Serial of the mail that it answers; null for none. */
  parent: string | null;
}

/** In one mail of a hundred. */
export const COMMON = "archaeopteryx";
/** In every mail. */
export const EVERYWHERE = "hello";
/** Both in every second mail. */
export const HALF = ["quarterly", "forecast"] as const;
/** Two characters of a text in one mail of a hundred. */
export const CJK = "会議";
/** The sender of one mail of a hundred. */
export const SENDER = "printer";

const BYTES = 1_100;
/** So many mails differ in more than their serial. */
const VARIETY = 400;
/** Each mail that answers belongs to a thread of so many. */
const THREAD = 5;
/** The first mail of a thread that one mail of a hundred answers. */
export const GROWING_THREAD = 0;

export const TEMPLATES: readonly number[] = Array.from({ length: VARIETY }, (_, index) => index);

/** All serials have the same length, so that a mail differs from its template in nothing else. */
export const serialOf = (index: number): string => `deep${String(index).padStart(8, "0")}x`;

/** Mail number `index` of a mailbox: the same in every run. */
export function mailAt(to: string, index: number): DeepMail {
  const template = index % VARIETY;
  const serial = serialOf(index);
  const parent = parentOf(index);
  return { raw: rawOf(to, template, { serial, parent }), serial, template, parent };
}

function parentOf(index: number): string | null {
  const template = index % VARIETY;
  if (template % 100 === 9 && index > GROWING_THREAD) return serialOf(GROWING_THREAD);
  return template % 10 === 4 ? serialOf(index - (index % THREAD)) : null;
}

function rawOf(
  to: string,
  template: number,
  { serial, parent }: { serial: string; parent: string | null },
): string {
  const kind = template % 100;
  // The text depends on the template alone: `composeMail` chooses it by the serial.
  const base = composeMail({
    to,
    serial: serialOf(template),
    sizeBytes: BYTES,
    ...(kind === 1 ? { needle: COMMON } : {}),
    ...(kind === 2 ? { code: "482913" } : {}),
  });
  const [head = "", ...rest] = base.split("\r\n\r\n");
  const texts = [
    ...(template % 2 === 0 ? [`The ${HALF[0]} ${HALF[1]} is attached.`] : []),
    ...(kind === 3 ? ["明日の会議室の予約を確認してください。"] : []),
    ...(template === 5 ? [`Ask ${serial}.`] : []),
  ];
  const answer = parent === null ? "" : `\r\nIn-Reply-To: <${parent}@sender.example>`;
  const from = kind === 6 ? head.replace("Bench Sender <bench@", "Printer <printer@") : head;
  return `${from}${answer}\r\n\r\n${[...rest, ...texts].join("\r\n\r\n")}\r\n`.replaceAll(
    serialOf(template),
    serial,
  );
}
