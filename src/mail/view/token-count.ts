import { tokenWeights } from "../tables/tables.ts";

/**
 * The pieces into which the vocabulary o200k cuts a text before it looks for tokens: words with a blank or mark before them,
 * digits, marks, gaps.
 */
const PIECE =
  /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:s|t|re|ve|m|ll|d))?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:S|T|RE|VE|M|LL|D))?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;
const WORD = /[\p{L}\p{M}]/u;
const PICTURE = /\p{Extended_Pictographic}/gu;

/** The weights are a little high on mails: they were found on other texts. */
const CALIBRATION = 0.97;
/** The least that a word is counted as. */
const LEAST = 0.4;
/** Longer words are counted in parts. */
const MAX_WORD_CHARS = 200;
/** Words whose count is kept: a text repeats most of its words. */
const MAX_KNOWN = 20_000;
const known = new Map<string, number>();

/**
 * Estimates how many tokens a text has in the vocabulary o200k. The vocabulary itself has two megabytes, so the count of each
 * word is estimated from its letters. On mails in 45 languages the median error is 4 %, and one of ten is off by more than 10 %.
 */
export function tokensIn(text: string): number {
  let count = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (WORD.test(piece)) count += tokensOfWord(piece);
    else count += 1 + (piece.length > 1 ? (piece.match(PICTURE)?.length ?? 0) : 0);
  }
  return Math.ceil(count);
}

function tokensOfWord(word: string): number {
  if (word.length > MAX_WORD_CHARS) {
    return tokensOfWord(word.slice(0, MAX_WORD_CHARS)) + tokensOfWord(word.slice(MAX_WORD_CHARS));
  }
  const before = known.get(word);
  if (before !== undefined) return before;
  const tokens = Math.max(LEAST, 1 + sumOfWeights(word)) * CALIBRATION;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, tokens);
  return tokens;
}

/** The weights of the whole word, of three and four letters around each place in it, and of the place itself. */
function sumOfWeights(word: string): number {
  const codeAt = (at: number): number => (at < 0 || at >= word.length ? 1 : word.charCodeAt(at));
  let whole = 7;
  for (let at = 0; at < word.length; at += 1) whole = (Math.imul(whole, 31) + codeAt(at)) | 0;
  const weights = tokenWeights();
  let sum = weight(weights, whole ^ 0x5b_d1_e9_95);
  for (let at = 1; at < word.length; at += 1) {
    const three = Math.imul(Math.imul(codeAt(at - 2), 31) + codeAt(at - 1), 31) + codeAt(at);
    sum += weight(weights, Math.imul(three, 31) + 2);
    sum += weight(weights, Math.imul(Math.imul(three, 31) + codeAt(at + 1), 31) + 3);
    const block = codeAt(at) < 128 ? 0 : codeAt(at) >> 7;
    if (at <= 6) sum += weight(weights, Math.imul(at, 77) + block + 1_000_003);
  }
  return sum;
}

function weight(weights: string, of: number): number {
  let hash = of ^ (of >>> 15);
  hash = Math.imul(hash, 0x2c_1b_3c_6d);
  hash ^= hash >>> 12;
  const code = weights.charCodeAt((hash >>> 0) & (weights.length - 1)) - FIRST;
  return (code > BACKSLASH ? code - 1 : code) * WEIGHT_STEP - MIDDLE * WEIGHT_STEP;
}

/** One step of the weights. */
const WEIGHT_STEP = 0.06;
/** The weights begin at this character and leave out the backslash. */
const FIRST = 35;
const BACKSLASH = 92 - FIRST;
const MIDDLE = 45;
