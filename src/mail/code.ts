import { candidatesIn } from "./code/candidates.ts";
import { pointsFor, type Setting } from "./code/context.ts";
import { labelsIn, lowered, type LabelKind } from "./code/keywords.ts";
import { findLink } from "./code/link.ts";
import { ownSubject, plainLines, withoutQuotation } from "./code/own-text.ts";

/** A mail of digits has this many numbers looked at; the code stands near the top of a mail that has one. */
const MAX_CANDIDATES = 200;

/** What a mail is about (a booking, a meeting) shows in its opening. */
const OPENING_CHARS = 10_000;

/** Points from which a number counts as a code. */
const MIN_POINTS = 50;

/** The code stands in subject and text: two witnesses. */
const REPEATED_POINTS = 15;

/** A service that puts the code into the subject means it. */
const SUBJECT_POINTS = 5;

/** The parts of a mail that a code and a link are read from. */
export interface CodeMail {
  subject: string;
  /** Plain text, hidden nodes dropped, links as `label (https://…)`. */
  text: string;
  /** "" if none. */
  html: string;
  fromAddress: string;
}

/** Both null for a mail that is not about proving who one is. */
export interface FoundCode {
  /** Digits joined, `G-` dropped, letters with their hyphens; null if none. */
  code: string | null;
  /** The http(s) link that signs in, verifies, confirms or resets; null if none. */
  link: string | null;
}

const kindsIn = (text: string): Set<LabelKind> => new Set(labelsIn(lowered(text)).map(({ kind }) => kind));

/** A reading of the mail that most mails need not be given. */
function once<T>(read: () => T): () => T {
  let known: { value: T } | null = null;
  return () => (known ??= { value: read() }).value;
}

interface Scored {
  value: string;
  points: number;
}

function score(lines: readonly string[], setting: Setting): Scored[] {
  const scored: Scored[] = [];
  let seen = 0;
  for (const [at, line] of lines.entries()) {
    if (seen >= MAX_CANDIDATES) break;
    for (const candidate of candidatesIn(line).slice(0, MAX_CANDIDATES - seen)) {
      seen += 1;
      const points = pointsFor({ lines, at }, candidate, setting);
      if (points > 0) scored.push({ value: candidate.value, points });
    }
  }
  return scored;
}

function bestCode(subject: string, lines: readonly string[]): string | null {
  const setting: Setting = {
    subject: once(() => kindsIn(subject)),
    mail: once(() => kindsIn(`${subject}\n${lines.join("\n").slice(0, OPENING_CHARS)}`)),
  };
  const inSubject = score([subject], setting);
  const inText = score(lines, setting);
  const subjectValues = new Set(inSubject.map(({ value }) => value));
  const textValues = new Set(inText.map(({ value }) => value));
  const all = [
    ...inSubject.map(({ value, points }) => ({
      value,
      points: points + SUBJECT_POINTS,
      repeated: textValues.has(value),
    })),
    ...inText.map(({ value, points }) => ({ value, points, repeated: subjectValues.has(value) })),
  ];
  let best: Scored = { value: "", points: MIN_POINTS };
  for (const { value, points, repeated } of all) {
    const total = points + (repeated ? REPEATED_POINTS : 0);
    // Of equals the first wins: the same mail gives the same code.
    if (total > best.points || (best.value === "" && total === best.points)) best = { value, points: total };
  }
  return best.value === "" ? null : best.value;
}

/**
 * The verification code and the magic link of a mail (wire contract, `GET /v1/code`).
 * Numbers are weighed by the key words around them; one that nothing names as a code is never taken, nor is one that
 * stands in a quoted older mail, a link or an address. Time is linear in the input, which is cut at named limits.
 */
export function findCode(mail: CodeMail): FoundCode {
  const subject = ownSubject(mail.subject);
  const own = withoutQuotation(mail.text, mail.subject);
  const code = bestCode(subject, plainLines(own));
  return { code, link: findLink({ ...mail, text: own.join("\n") }, code !== null) };
}
