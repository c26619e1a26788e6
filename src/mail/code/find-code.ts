import { LEAST_CONFIDENCE } from "../../contract/routes/codes.ts";
import { candidatesIn, type Candidate } from "./candidates.ts";
import { evidenceFor, mailEvidence } from "./number-evidence.ts";
import {
  confidenceOf,
  probabilities,
  scoreOf,
  written,
  type CodeFeature,
  type Evidence,
} from "./evidence.ts";
import type { LabelKind } from "./key-words.ts";
import { LabelledText } from "./labelled-text.ts";
import { lazy } from "../lazy.ts";
import { findLink, judgedLinks, type FoundLink } from "./find-link.ts";
import { ownSubject, plainLines, withoutQuotation } from "../text/own-text.ts";
import { isMachine } from "./sender.ts";
import type { Setting } from "./surroundings.ts";
import { isEmphasised } from "./emphasis.ts";
import { CODE_WEIGHTS, LINK_WEIGHTS } from "./weights.ts";
import { htmlToText } from "../text/html-text.ts";

/**
 * The version of this reader, raised when it finds other codes or links. It is stored with each result; an operator's
 * reindexing reads stored mail again (0: read by none, because reading failed; 1: read before versions were kept).
 */
export const CODE_READER_VERSION = 5;

/** The least confidence of an alternative, and how many are answered at most. */
const ALTERNATIVE_CONFIDENCE = 0.3;
const MAX_ALTERNATIVES = 5;

/** Numbers of a mail that are judged: the code stands near the top. */
const MAX_CANDIDATES = 200;

/** Characters of a text whose key words count for the whole mail: its opening tells what it is about. */
const OPENING_CHARS = 10_000;

/** Candidates whose typography in the HTML is read: those with the best scores. */
const MAX_TYPOGRAPHY = 4;

/** A plain text part as short as this may be no more than "open this in an HTML program". */
const STUB_CHARS = 300;

/** A text whose longest words, so many, all stand in the HTML was derived from it. */
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
  /** The same of the link alone; null where there is none. */
  linkConfidence: number | null;
  /** Other codes of the mail, the most probable first. */
  alternatives: Alternative[];
  /** Evidence for the code, then for the link: `sign` or `sign: detail` (`Sign`). */
  evidence: string[];
}

/** A code that is less probable than the one that is answered. */
export interface Alternative {
  code: string;
  confidence: number;
}

/** A result as it is stored: with the version of the reader. */
export interface CodeReading extends FoundCode {
  /** `CODE_READER_VERSION`; 0 if the reader failed. */
  reader: number;
}

/** The result for a mail in which nothing was found, or that could not be read. */
export const NOTHING_FOUND: FoundCode = {
  code: null,
  link: null,
  confidence: 0,
  linkConfidence: null,
  alternatives: [],
  evidence: [],
};

/** The kinds of key words in the first lines of a text, each with the first word of it, added to `kinds`. */
function kindsIn(text: LabelledText, kinds = new Map<LabelKind, string>()): Map<LabelKind, string> {
  let chars = 0;
  for (let at = 0; at < text.lines.length && chars < OPENING_CHARS; at += 1) {
    const { lower, labels } = text.line(at);
    for (const { kind, start, end } of labels) {
      if (!kinds.has(kind)) kinds.set(kind, lower.slice(start, end));
    }
    chars += lower.length + 1;
  }
  return kinds;
}

/** Minutes, hours and days for which codes are valid, with a word or a unit behind them. */
const LIFETIME = /(?<![0-9.,:/-])(?:5|10|15|20|30|45|60|90|120|12|24|48|72|1440) ?-?(?=\p{L})/u;

/** A number of the mail with the evidence for and against it, from all of its places. */
interface Scored {
  value: string;
  /** As it stands in the text. */
  shown: string;
  evidence: Evidence<CodeFeature>[];
}

interface Place {
  text: LabelledText;
  at: number;
  isSubject: boolean;
  candidate: Candidate;
}

function placesIn(text: LabelledText, isSubject: boolean): Place[] {
  const places: Place[] = [];
  for (const [at, line] of text.lines.entries()) {
    if (places.length >= MAX_CANDIDATES) break;
    for (const candidate of candidatesIn(line).slice(0, MAX_CANDIDATES - places.length)) {
      places.push({ text, at, isSubject, candidate });
    }
  }
  return places;
}

/** Evidence that counts against a number wherever it stands. Other evidence against it counts only if it holds in all of its places. */
const ALWAYS_AGAINST: ReadonlySet<CodeFeature> = new Set(["against.named", "against.void", "against.coupon"]);

/** The evidence of two places of one number: of each feature the larger amount. */
function merged(
  one: readonly Evidence<CodeFeature>[],
  two: readonly Evidence<CodeFeature>[],
): Evidence<CodeFeature>[] {
  const byFeature = new Map(one.map((each) => [each.feature, each]));
  const isElsewhere = new Set(two.map(({ feature }) => feature));
  for (const { feature } of one) {
    if (isLocalDoubt(feature) && !isElsewhere.has(feature)) byFeature.delete(feature);
  }
  for (const each of two) {
    const known = byFeature.get(each.feature);
    if (known === undefined && isLocalDoubt(each.feature)) continue;
    if (known === undefined || known.amount < each.amount) byFeature.set(each.feature, each);
  }
  return [...byFeature.values()];
}

const isLocalDoubt = (feature: CodeFeature): boolean =>
  feature.startsWith("against") && !ALWAYS_AGAINST.has(feature);

/** The parts of a mail that are read at once: the plain text or the HTML, without quotations. */
interface Part {
  places: readonly Place[];
  setting: Setting;
}

function partOf(subject: string, text: readonly string[]): Part {
  const head = new LabelledText([subject]);
  const body = new LabelledText(plainLines(text));
  const places = [...placesIn(head, true), ...placesIn(body, false)];
  const setting: Setting = {
    subject: lazy(() => kindsIn(head)),
    mail: lazy(() => kindsIn(body, kindsIn(head))),
    form: lazy(() => {
      const opening = body.lines.join("\n").slice(0, OPENING_CHARS);
      return {
        numbers: new Set(places.map(({ candidate }) => candidate.value)).size,
        hasLifetime: LIFETIME.test(opening),
      };
    }),
  };
  return { places, setting };
}

/** The numbers that may be the code, each with all evidence but that of its typography. */
function scoredNumbers({ places, setting }: Part, fromAddress: string): Scored[] {
  const byValue = new Map<string, Scored & { subjects: number; texts: number }>();
  for (const { candidate, ...place } of places) {
    const { value, start, end } = candidate;
    const shown = (place.text.lines[place.at] ?? "").slice(start, end);
    const evidence = evidenceFor(place, candidate, setting);
    const known = byValue.get(value);
    const counted = known ?? { value, shown, evidence, subjects: 0, texts: 0 };
    if (place.isSubject) counted.subjects += 1;
    else counted.texts += 1;
    // The typography is that of the text.
    if (!place.isSubject && counted.texts === 1) counted.shown = shown;
    if (known !== undefined) counted.evidence = merged(counted.evidence, evidence);
    byValue.set(value, counted);
  }
  if (places.length === 0) return [];
  const ofMail = mailEvidence(setting);
  if (isMachine(fromAddress)) ofMail.push({ feature: "sender", detail: "", amount: 1 });
  const all = [...byValue.values()];
  const plain = all.filter(({ evidence }) => !evidence.some(({ feature }) => isDoubt(feature)));
  return all.map((number) => {
    const { value, shown, evidence, subjects, texts } = number;
    const found = [...evidence, ...ofMail];
    const say = (feature: CodeFeature, holds: boolean): void => {
      if (holds) found.push({ feature, detail: "", amount: 1 });
    };
    say("subject.only", subjects > 0 && texts === 0);
    say("against.no_word", !found.some(({ feature }) => TELLING.test(feature)));
    const isOnly = plain.length === 1 && plain[0] === number;
    say("only", isOnly);
    say("only.strong", isOnly && setting.mail().has("strong"));
    return { value, shown, evidence: found };
  });
}

/** Features of words that tell what a number is for; without any, its format and position are the only evidence. */
const TELLING = /^(?:named|near|instruction|purpose|web_otp)(?:\.|$)/;

/** Whether evidence tells that a number is something else than a code. */
const isDoubt = (feature: CodeFeature): boolean =>
  feature.startsWith("against") && feature !== "against.subject_other" && feature !== "against.length";

interface BestCode {
  value: string;
  confidence: number;
  evidence: Evidence<CodeFeature>[];
  alternatives: Alternative[];
}

const typographyOf = ({ shown }: Scored, html: string): Evidence<CodeFeature>[] =>
  isEmphasised(html, shown) ? [{ feature: "emphasised", detail: "", amount: 1 }] : [];

const codeScore = ({ evidence }: Scored): number => scoreOf(evidence, CODE_WEIGHTS);

/**
 * The most probable code; null if none is as probable as `LEAST_CONFIDENCE`. Of equals the first, so that one mail always gives
 * one code.
 */
function bestCode(part: Part, mail: CodeMail): BestCode | null {
  const numbers = scoredNumbers(part, mail.fromAddress).toSorted(
    (one, two) => codeScore(two) - codeScore(one),
  );
  for (const number of numbers.slice(0, MAX_TYPOGRAPHY))
    number.evidence.push(...typographyOf(number, mail.html));
  const ranked = numbers.toSorted((one, two) => codeScore(two) - codeScore(one));
  const [best, ...others] = ranked;
  const confidence = confidenceOf(probabilities(ranked.map(codeScore))[0] ?? 0);
  if (best === undefined || confidence < LEAST_CONFIDENCE) return null;
  // The confidence of an alternative is its probability if the best one is not the code: a mail may have codes for two purposes.
  const chances = probabilities(others.map(codeScore));
  const alternatives = others
    .map(({ value }, at) => ({ code: value, confidence: confidenceOf(chances[at] ?? 0) }))
    .filter((other) => other.confidence >= ALTERNATIVE_CONFIDENCE)
    .slice(0, MAX_ALTERNATIVES);
  return { value: best.value, evidence: best.evidence, confidence, alternatives };
}

/** Whether the HTML part may hold a code that the plain text part lacks; false where the text was derived from the HTML. */
function mayHoldMore({ subject, text, html }: CodeMail): boolean {
  if (html === "" || html.length > MAX_HTML_CHARS || text.length > 4 * STUB_CHARS) return false;
  const words = text.match(/\p{L}{2,}/gu)?.toSorted((one, two) => two.length - one.length) ?? [];
  if (words.length > 0 && words.slice(0, TELLING_WORDS).every((word) => html.includes(word))) return false;
  if (text.length <= STUB_CHARS) return true;
  const kinds = kindsIn(new LabelledText([subject, text]));
  return kinds.has("strong") || kinds.has("weak");
}

/** The parts in which a code is looked for: the plain text, then the HTML where it may say more. */
function* partsOf(mail: CodeMail, own: readonly string[]): Generator<Part> {
  const subject = ownSubject(mail.subject);
  yield partOf(subject, own);
  if (mayHoldMore(mail)) yield partOf(subject, withoutQuotation(htmlToText(mail.html), mail.subject));
}

/**
 * The verification code and the magic link of a mail (`GET /v1/code`), how sure they are, and why. Each number and each link is
 * judged by all evidence for and against it (`evidenceFor`, `linkEvidence`), whose weights were learned from mails
 * (`weights.ts`). What stands in a quoted older mail counts for nothing. Time is linear in the input, which is cut at named limits.
 */
export function findCode(mail: CodeMail): FoundCode {
  const own = withoutQuotation(mail.text, mail.subject);
  let code: BestCode | null = null;
  let part: Part | null = null;
  for (part of partsOf(mail, own)) {
    code = bestCode(part, mail);
    if (code !== null) break;
  }
  if (part === null) return NOTHING_FOUND;
  return answerOf(
    code,
    findLink({ ...mail, text: own.join("\n") }, part.setting, code !== null, LEAST_CONFIDENCE),
  );
}

/** The candidates that `findCode` judges in each part it reads, with their evidence: what weights are learned from. */
export function judgedIn(mail: CodeMail): { codes: Scored[][]; links: ReturnType<typeof judgedLinks> } {
  const own = withoutQuotation(mail.text, mail.subject);
  const parts = [...partsOf(mail, own)];
  const codes = parts.map((part) =>
    scoredNumbers(part, mail.fromAddress).map((number) => ({
      ...number,
      evidence: [...number.evidence, ...typographyOf(number, mail.html)],
    })),
  );
  const setting = parts.at(-1)?.setting;
  const hasCode = parts.some((part) => bestCode(part, mail) !== null);
  return {
    codes,
    links: setting === undefined ? [] : judgedLinks({ ...mail, text: own.join("\n") }, setting, hasCode),
  };
}

function answerOf(code: BestCode | null, link: FoundLink | null): FoundCode {
  const ofLink =
    link === null
      ? { link: null, linkConfidence: null, evidence: [] }
      : { link: link.url, linkConfidence: link.confidence, evidence: written(link.evidence, LINK_WEIGHTS) };
  if (code === null) return { ...NOTHING_FOUND, ...ofLink, confidence: ofLink.linkConfidence ?? 0 };
  const { value, confidence, alternatives } = code;
  const evidence = [...written(code.evidence, CODE_WEIGHTS), ...ofLink.evidence];
  return { ...ofLink, code: value, confidence, alternatives, evidence };
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
