import { candidatesIn } from "./candidates.ts";
import { evidenceFor } from "./number-evidence.ts";
import {
  confidenceOf,
  MIN_CODE_POINTS,
  MIN_LINK_POINTS,
  pointsOf,
  written,
  type Evidence,
} from "./evidence.ts";
import { labelsIn, lowered, type LabelKind } from "./key-words.ts";
import { lazy } from "../lazy.ts";
import { findLink, type FoundLink } from "./find-link.ts";
import { ownSubject, plainLines, withoutQuotation } from "../text/own-text.ts";
import { isMachine } from "./sender.ts";
import type { Setting } from "./surroundings.ts";
import { isEmphasised } from "./emphasis.ts";
import { htmlToText } from "../text/html-text.ts";

/**
 * The version of this reader, raised when it finds other codes or links. It is stored with each result; an operator's
 * reindexing reads stored mail again (0: read by none, because reading failed; 1: read before versions were kept).
 */
export const CODE_READER_VERSION = 2;

/** Numbers of a mail that are judged: the code stands near the top. */
const MAX_CANDIDATES = 200;

/** Characters in which words for a booking or a meeting are looked for: the opening tells what a mail is about. */
const OPENING_CHARS = 10_000;

/** Candidates whose typography in the HTML is read: those with the most points. */
const MAX_SET = 4;

/** A plain text part as short as this may be no more than "open this in an HTML program". */
const STUB_CHARS = 300;

/** So many of the longest words of a text tell whether it was derived from the HTML. */
const TELLING_WORDS = 4;

/** HTML that is turned into text in search of a code that the plain text part lacks. */
const MAX_HTML_CHARS = 100_000;

/** The parts of a mail that a code and a link are read from. */
export interface CodeMail {
  subject: string;
  /** Plain text, hidden nodes dropped, links as `label (https://…)`. */
  text: string;
  /** "" if none. */
  html: string;
  fromAddress: string;
}

/** The code and the link of a mail; both null if the mail is not about verifying or signing in. */
export interface FoundCode {
  /** Digits joined, `G-` dropped, letters with their hyphens; null if none. */
  code: string | null;
  /** The http(s) link that signs in, verifies, confirms or resets; null if none. */
  link: string | null;
  /** 0 to 1: how sure the code is, or the link where there is no code; 0 where there is neither. */
  confidence: number;
  /** Evidence for the code, then for the link: `sign` or `sign: detail` (`Sign`). */
  evidence: string[];
}

/** A result as it is stored: with the version of the reader. */
export interface CodeReading extends FoundCode {
  /** `CODE_READER_VERSION`; 0 if the reader failed. */
  reader: number;
}

/** The result for a mail in which nothing was found, or that could not be read. */
export const NOTHING_FOUND: FoundCode = { code: null, link: null, confidence: 0, evidence: [] };

function kindsIn(text: string): Map<LabelKind, string> {
  const lower = lowered(text);
  const kinds = new Map<LabelKind, string>();
  for (const { kind, start, end } of labelsIn(lower)) {
    if (!kinds.has(kind)) kinds.set(kind, lower.slice(start, end));
  }
  return kinds;
}

interface Scored {
  value: string;
  /** As it stands in the text. */
  shown: string;
  evidence: Evidence[];
}

function scored(lines: readonly string[], setting: Setting, isSubject: boolean): Scored[] {
  const found: Scored[] = [];
  let seen = 0;
  for (const [at, line] of lines.entries()) {
    if (seen >= MAX_CANDIDATES) break;
    for (const candidate of candidatesIn(line).slice(0, MAX_CANDIDATES - seen)) {
      seen += 1;
      const evidence = evidenceFor({ lines, at, isSubject }, candidate, setting);
      const { value, start, end } = candidate;
      if (evidence.length > 0) found.push({ value, shown: line.slice(start, end), evidence });
    }
  }
  return found;
}

interface BestCode {
  value: string;
  evidence: Evidence[];
  confidence: number;
}

const descending = (one: Scored, two: Scored): number => pointsOf(two.evidence) - pointsOf(one.evidence);

function bestCode(subject: string, lines: readonly string[], mail: CodeMail): BestCode | null {
  const setting: Setting = {
    subject: lazy(() => kindsIn(subject)),
    mail: lazy(() => kindsIn(`${subject}\n${lines.join("\n").slice(0, OPENING_CHARS)}`)),
  };
  const inSubject = scored([subject], setting, true);
  const inText = scored(lines, setting, false);
  if (inSubject.length === 0 && inText.length === 0) return null;
  const subjectValues = new Set(inSubject.map(({ value }) => value));
  const textValues = new Set(inText.map(({ value }) => value));
  for (const { value, evidence } of inSubject) {
    // A service that puts the code into the subject means it; in subject and text it has two witnesses.
    evidence.push({ sign: "subject", detail: "", points: 5 });
    if (textValues.has(value)) evidence.push({ sign: "repeated", detail: "", points: 15 });
  }
  for (const { value, evidence } of inText) {
    if (subjectValues.has(value)) evidence.push({ sign: "repeated", detail: "", points: 15 });
  }
  return chosen([...inSubject, ...inText], mail);
}

/**
 * The candidate with the most points once its setting and its sender are weighed; of equals the first, so that one mail
 * always gives one code.
 */
function chosen(all: readonly Scored[], mail: CodeMail): BestCode | null {
  const first = all.toSorted(descending).slice(0, MAX_SET);
  const sender: Evidence[] = isMachine(mail.fromAddress) ? [{ sign: "sender", detail: "", points: 4 }] : [];
  for (const { shown, evidence } of first) {
    if (isEmphasised(mail.html, shown)) evidence.push({ sign: "emphasised", detail: "", points: 8 });
    evidence.push(...sender);
  }
  const [best, ...others] = first.toSorted(descending);
  if (best === undefined) return null;
  const points = pointsOf(best.evidence);
  if (points < MIN_CODE_POINTS) return null;
  const runnerUp = others.find(({ value }) => value !== best.value);
  const against = runnerUp === undefined ? 0 : pointsOf(runnerUp.evidence);
  const confidence = confidenceOf(points, MIN_CODE_POINTS, against);
  return { value: best.value, evidence: best.evidence, confidence };
}

/** Whether the HTML part may hold a code that the plain text part lacks; false where the text was derived from the HTML. */
function mayHoldMore({ subject, text, html }: CodeMail): boolean {
  if (html === "" || html.length > MAX_HTML_CHARS || text.length > 4 * STUB_CHARS) return false;
  const words = text.match(/\p{L}{2,}/gu)?.toSorted((one, two) => two.length - one.length) ?? [];
  if (words.length > 0 && words.slice(0, TELLING_WORDS).every((word) => html.includes(word))) return false;
  if (text.length <= STUB_CHARS) return true;
  const kinds = kindsIn(`${subject}\n${text}`);
  return kinds.has("strong") || kinds.has("weak");
}

/**
 * The verification code and the magic link of a mail (`GET /v1/code`), how sure they are, and why.
 * Numbers are judged by the key words around them; a number that nothing names as a code is never taken, nor is one that
 * stands in a quoted older mail, a link or an address. Time is linear in the input, which is cut at named limits.
 */
export function findCode(mail: CodeMail): FoundCode {
  const subject = ownSubject(mail.subject);
  const own = withoutQuotation(mail.text, mail.subject);
  const code =
    bestCode(subject, plainLines(own), mail) ??
    (mayHoldMore(mail)
      ? bestCode(subject, plainLines(withoutQuotation(htmlToText(mail.html), mail.subject)), mail)
      : null);
  return answerOf(code, findLink({ ...mail, text: own.join("\n") }, code !== null));
}

function answerOf(code: BestCode | null, link: FoundLink | null): FoundCode {
  if (link === null) {
    if (code === null) return NOTHING_FOUND;
    const { value, confidence, evidence } = code;
    return { code: value, link: null, confidence, evidence: written(evidence) };
  }
  const { url, evidence: ofLink } = link;
  if (code === null) {
    const confidence = confidenceOf(pointsOf(ofLink), MIN_LINK_POINTS);
    return { code: null, link: url, confidence, evidence: written(ofLink) };
  }
  const { value, confidence, evidence } = code;
  return { code: value, link: url, confidence, evidence: [...written(evidence), ...written(ofLink)] };
}

/**
 * As `findCode`, for mail that arrives: if the reader throws, the mail is stored without a code, with reader version 0.
 * `find` is the reader.
 */
export function readCode(mail: CodeMail, find: (mail: CodeMail) => FoundCode = findCode): CodeReading {
  try {
    return { ...find(mail), reader: CODE_READER_VERSION };
  } catch {
    // Any fault at all; the version that is stored says that there was one, and reindexing tries again.
    return { ...NOTHING_FOUND, reader: 0 };
  }
}
