/** Characters of a word in ASCII, or digits, that make one token. English has 4.5, code and URLs fewer. */
const CHARS_OF_WORD_TOKEN = 4;

/** The kinds of characters by their share of a token, in hundredths. */
const ASCII_LETTER = 100 / CHARS_OF_WORD_TOKEN;
const ASCII_MARK = 60;
const LETTER = 50;
const IDEOGRAPH = 110;

/**
 * How many tokens a language model is likely to make of a text. An estimate without a vocabulary: it is meant for budgets, errs
 * upwards on most texts, and takes one pass.
 */
export function estimatedTokens(text: string): number {
  let hundredths = 0;
  for (let at = 0; at < text.length; at += 1) hundredths += shareOf(text.charCodeAt(at));
  return Math.ceil(hundredths / 100);
}

/** A text that was cut to a budget of tokens. */
export interface CutText {
  text: string;
  /** Estimated tokens of the part that was left out; 0 if nothing was. */
  omittedTokens: number;
}

/** The beginning of a text, of at most `budget` estimated tokens. It ends at a blank where one is near, and never within a character. */
export function cutToTokens(text: string, budget: number): CutText {
  let hundredths = 0;
  for (let at = 0; at < text.length; at += 1) {
    hundredths += shareOf(text.charCodeAt(at));
    if (hundredths <= budget * 100) continue;
    const end = cutBefore(text, at);
    return { text: text.slice(0, end).toWellFormed(), omittedTokens: estimatedTokens(text.slice(end)) };
  }
  return { text: text.toWellFormed(), omittedTokens: 0 };
}

/** A cut moves back by at most so many characters to the end of a word. */
const MAX_WORD_CHARS = 40;

function cutBefore(text: string, at: number): number {
  for (let end = at; end > Math.max(0, at - MAX_WORD_CHARS); end -= 1) {
    if (/\s/.test(text[end] ?? "")) return end;
  }
  // A high surrogate belongs to the low one behind the cut.
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}

function shareOf(code: number): number {
  if (code < 0x80) return isWordCode(code) ? ASCII_LETTER : ASCII_MARK;
  return code < 0x1100 ? LETTER : IDEOGRAPH;
}

/** Letters, and the blank, which tokens of a word include. */
function isWordCode(code: number): boolean {
  return code === 0x20 || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
