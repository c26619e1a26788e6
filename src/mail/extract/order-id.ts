import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { wordsOf } from "../languages/matching.ts";
import { MAX_SIGN_CHARS, signAtEnd, signAtStart, type MoneyContext } from "./currency.ts";
import { pointsOf } from "./points.ts";
import type { ReadText } from "./mail-text.ts";
import { finderOf, phrases, type Span } from "./labelled-values.ts";
import { orderWord } from "./shared-phrases.ts";

/** Names of an order's number that can be nothing else. */
const numberLabel = phrases(({ order }) => order?.numberLabel);

/** Names of the numbers of other things: customers, invoices, telephones. */
const otherNumber = lazy(() => {
  const own = wordsOf(({ order }) => `${order?.numberLabel ?? ""}, ${order?.word ?? ""}`).map((word) =>
    word.replace(/\*$/, ""),
  );
  return finderOf(
    wordsOf(({ code }) => code?.number).filter(
      (word) => !own.some((label) => label.includes(word) || word.includes(label)),
    ),
  );
});

/** Letters and digits with at least one digit, of several parts perhaps. Capitals of any script that has them. */
const TOKEN =
  /(?<![\p{L}\p{M}\d/_.]|\d[-,:])(?=[\p{Lu}\d/_.-]{0,30}\d)[\p{Lu}\d]+(?:[-/_.][\p{Lu}\d]+){0,6}(?![\p{L}\p{M}\d])|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f])(?=[A-Z\d/_.-]{0,30}\d)[A-Z\d]+(?:[-/_.][A-Z\d]+){0,6}(?![A-Za-z\d])/gu;
/** The same in small letters, right behind a label. */
const SMALL_TOKEN = /^(?=[a-z\d/_.-]{0,30}\d)[a-z\d]+(?:[-/_.][a-z\d]+){0,6}(?![\p{L}\p{M}\d])/iu;

/** A sign for "number", right before one. */
const NUMBER_SIGN = /(?:[#№]|n[°º.]|n\.º|n\.°|(?:nr|no|nro|núm|num|č|br|бр|št|sz|αρ|αριθ)\.?|第)\s?$/u;

const MIN_ID_CHARS = 3;
const MAX_ID_CHARS = 32;
/** Shorter numbers of a subject are counts. */
const MIN_ALONE_CHARS = 4;
const MIN_SURE_DIGITS = 6;
/** Lines of a text that are searched. */
const MAX_LINES = 400;

/** Points for and against a token; the best counts if it reaches `ENOUGH`. */
const POINTS = {
  labelled: 6,
  labelledBehind: 4,
  besideWord: 3,
  /** Nothing but a short word for "number" lies between. */
  adjacent: 1,
  beforeWord: 3,
  signed: 2,
  inSubject: 2,
  /** The only number in the subject of a mail that lists things and their sum. */
  aloneInSubject: 2,
  repeated: 2,
  mixed: 1,
  long: 1,
  otherNumber: -5,
} as const;
const ENOUGH = 4;

/** Characters between a label and its number, and between a word for an order and its number. */
const LABEL_GAP = 14;
const WORD_GAP = 24;
const BEHIND_GAP = 22;
const ADJACENT_GAP = 6;

/** The number of an order, and whether a label named it. */
interface OrderId {
  value: string;
  isLabelled: boolean;
}

interface Candidate {
  value: string;
  points: number;
  isLabelled: boolean;
  /** Lines that have it, 0 for the subject. */
  lines: Set<number>;
}

/**
 * The number of the order that a mail is about: a token that a label or a word for an order stands beside, in the subject and
 * again in the text, of the form of such numbers. Null where the evidence does not suffice. `hasItems` says that the mail lists
 * things with prices and their sum, which is an order without any word for it.
 */
export function orderIdIn(
  { subject, lines }: Pick<ReadText, "subject" | "lines">,
  hasItems: boolean,
  context: MoneyContext,
): OrderId | null {
  const all = [subject, ...lines.slice(0, MAX_LINES)];
  const lower = lowered(all.join("\n"));
  if (!hasItems && !orderWord().test(lower) && !numberLabel().test(lower)) return null;
  const candidates = candidatesIn(all, context);
  const named = candidates.filter(({ lines: places }) => places.has(0));
  const isAlone = (each: Candidate): boolean =>
    hasItems && named.length === 1 && named[0] === each && each.value.length >= MIN_ALONE_CHARS;
  let best: { candidate: Candidate; points: number } | null = null;
  for (const candidate of candidates) {
    const points =
      candidate.points +
      pointsOf(
        [candidate.lines.has(0), POINTS.inSubject],
        [isAlone(candidate), POINTS.aloneInSubject],
        [candidate.lines.size > 1, POINTS.repeated],
      );
    if (points >= ENOUGH && points > (best?.points ?? 0)) best = { candidate, points };
  }
  return best === null ? null : { value: best.candidate.value, isLabelled: best.candidate.isLabelled };
}

/** Whether a text has a word for an order. */
export const namesOrder = (text: string): boolean => orderWord().test(lowered(text));

/** The tokens of all lines, of which the first is the subject; each with the best that a line says about it. */
function candidatesIn(all: readonly string[], context: MoneyContext): Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const [at, line] of all.entries()) {
    if (!/\d/.test(line)) continue;
    const above = at > 1 ? (all[at - 1] ?? "") : "";
    for (const { value, points, isLabelled } of tokensIn(line, above, context)) {
      const known = candidates.get(value) ?? { value, points, isLabelled, lines: new Set() };
      known.points = Math.max(known.points, points);
      known.isLabelled ||= isLabelled;
      known.lines.add(at);
      candidates.set(value, known);
    }
  }
  return [...candidates.values()];
}

interface Token {
  value: string;
  points: number;
  isLabelled: boolean;
}

/** The phrases of a line that tell what its numbers are. */
interface Phrases {
  labels: readonly Span[];
  words: readonly Span[];
  others: readonly Span[];
}

/** The tokens of a line with what their line says about them. `above` is the line before. */
function tokensIn(line: string, above: string, context: MoneyContext): Token[] {
  const lower = lowered(line);
  const found: Phrases = {
    labels: numberLabel().all(lower),
    words: orderWord().all(lower),
    others: otherNumber().all(lower),
  };
  const tokens = [
    ...[...line.matchAll(TOKEN)].map((match) => ({ value: match[0], start: match.index })),
    ...smallTokens(line, found.labels),
  ];
  return tokens.flatMap(({ value, start }) => {
    if (!isUsable(value) || isMeasure(line, start, value, context)) return [];
    const isUnderLabel = line.trim() === value && isLabelLine(above);
    const { points, isLabelled } = judged({ line, start, value }, found);
    return isUnderLabel
      ? [{ value, points: points + POINTS.labelled, isLabelled: true }]
      : [{ value, points: points + formPoints(value), isLabelled }];
  });
}

/** Numbers with small letters right behind a label. */
function smallTokens(line: string, labels: readonly Span[]): { value: string; start: number }[] {
  return labels.flatMap(({ end }) => {
    const start = end + (/^[\s:：#№=|>*("'„“]*/u.exec(line.slice(end))?.[0].length ?? 0);
    const value = SMALL_TOKEN.exec(line.slice(start))?.[0];
    return value === undefined || value === value.toUpperCase() ? [] : [{ value, start }];
  });
}

/** Points of the words around a token in its line. */
function judged(
  { line, start, value }: { line: string; start: number; value: string },
  { labels, words, others }: Phrases,
): { points: number; isLabelled: boolean } {
  const end = start + value.length;
  const label = closest(labels, start, LABEL_GAP, line);
  const word = closest(words, start, WORD_GAP, line);
  const other = closest(others, start, LABEL_GAP, line);
  const isLabelled = label !== null;
  const isBefore = isLabelled || word !== null;
  const isBehindLabel = !isBefore && follows(labels, end, line);
  const points = pointsOf(
    [isLabelled, POINTS.labelled],
    [!isLabelled && word !== null, POINTS.besideWord],
    [!isLabelled && word !== null && isAdjacent(line.slice(word.end, start)), POINTS.adjacent],
    [isBehindLabel, POINTS.labelledBehind],
    [!isBefore && !isBehindLabel && follows(words, end, line), POINTS.beforeWord],
    [NUMBER_SIGN.test(lowered(line.slice(Math.max(0, start - MAX_MARK_CHARS), start))), POINTS.signed],
    [isNearer(other, label) && isNearer(other, word), POINTS.otherNumber],
  );
  return { points, isLabelled };
}

/** Whether little lies between a word for an order and a token, or a word for "number". */
const isAdjacent = (between: string): boolean =>
  between.length <= ADJACENT_GAP || NUMBER_WORD.test(lowered(between));

const NUMBER_WORD =
  /n[uúù]m[ae]r|număr|nombre|number|nummer|numer|čísl|cislo|szám|номер|број|broj|številk|номером|nambari|namba|nomor|nombor|numara|αριθμ|رقم|شماره|نمبر|नंबर|নম্বর|எண்|מספר|番号|번호|编号|編號|号|號|mã|số|เลข/u;

/** Whether of two phrases before a number the first stands closer to it. */
const isNearer = (one: Span | null, other: Span | null): boolean =>
  one !== null && (other === null || one.end > other.end);

/** Longest mark of a number, such as `núm. `. */
const MAX_MARK_CHARS = 8;

const isLabelLine = (line: string): boolean => {
  const lower = lowered(line).trim();
  const match = numberLabel().exec(lower);
  return match !== null && lower.replace(/[\s:：]+$/u, "").length <= match.index + match[0].length + 2;
};

/** The last of these phrases before a number, if no more than so many characters lie between, and no other number or sentence. */
function closest(spans: readonly Span[], start: number, gap: number, line: string): Span | null {
  const span = spans.findLast(({ end }) => end <= start);
  if (span === undefined || start - span.end > gap) return null;
  const between = line.slice(span.end, start);
  return /\d|[.!?]\s+\p{Lu}|[;!?。]|\s{2,}\S.*\s{2,}/u.test(between) ? null : span;
}

/** Whether one of these phrases follows a number closely: `1004-7725 numaralı siparişiniz`. */
function follows(spans: readonly Span[], end: number, line: string): boolean {
  const span = spans.find(({ start }) => start >= end);
  if (span === undefined || span.start - end > BEHIND_GAP) return false;
  return !/\d|[.,;:!?。，、|]|\s{2,}/u.test(line.slice(end, span.start));
}

/** The form that numbers of orders have: letters and digits, several parts, many digits. */
function formPoints(value: string): number {
  const digits = value.replace(/\D/g, "").length;
  const isMixed = /[^\d]/.test(value) && digits >= 3;
  return (isMixed ? POINTS.mixed : 0) + (digits >= MIN_SURE_DIGITS ? POINTS.long : 0);
}

/** Whether a token can be an order's number: no date, no amount, no year. */
function isUsable(id: string): boolean {
  if (id.length < MIN_ID_CHARS || id.length > MAX_ID_CHARS) return false;
  // Years of our era, of Iran, Thailand and Taiwan.
  if (
    /^(?:19|20)\d{2}$|^(?:19|20|13|14|25|1(?=\d\b))\d{2}(?:[-/.]\d{1,2}){1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})$/.test(
      id,
    )
  )
    return false;
  return !/^\d+[.,]\d{1,2}$|^\d{1,3}(?:\.\d{3})+$/.test(id);
}

/** Whether a number goes on as an amount, a time or a percentage, or a currency stands before it. */
function isMeasure(line: string, start: number, value: string, context: MoneyContext): boolean {
  const end = start + value.length;
  const before = line.slice(Math.max(0, start - MAX_SIGN_CHARS), start);
  const after = line.slice(end, end + MAX_SIGN_CHARS);
  // Groups of digits make one number of which the first is no more than a part.
  if (/^\d+$/.test(value) && /^ \d{3,}(?![\p{L}.,:/-])/u.test(after)) return true;
  if (/^(?:[.,:]\d|\s?[%٪])/u.test(after) || /(?:\+\s?|\d[.,])$/u.test(before)) return true;
  return /^\d+$/.test(value) && (signAtEnd(before, context) !== null || signAtStart(after, context) !== null);
}
