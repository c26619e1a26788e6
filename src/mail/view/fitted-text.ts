import { mostTokensIn, tokensIn } from "./token-count.ts";
import { importances, IMPORTANCE } from "./importance.ts";
import { sentencesOf, type Sentence } from "./sentences.ts";

/** The part of a text that fits a budget. */
export interface FittedText {
  text: string;
  /** Tokens of what was left out. */
  omittedTokens: number;
}

/** Characters of a text that sentences are chosen from: more than the largest budget shows. */
const MAX_CHARS = 200_000;
/** Stands where sentences are left out. */
const GAP = "…";

/**
 * The most important sentences of a text, in their order, within a budget of tokens: those with the code, the first ones, those
 * with amounts, dates and numbers, the others, and the small print at last.
 */
export function fittedText(text: string, budget: number, code: string | null): FittedText {
  const sentences = sentencesOf(text.slice(0, MAX_CHARS));
  const whole = joined(sentences, () => true);
  const beyond = text.length > MAX_CHARS ? tokensIn(text.slice(MAX_CHARS)) : 0;
  const tokens = tokensIn(whole);
  if (mostTokensIn(whole) <= budget)
    return { text: beyond === 0 ? whole : `${whole}\n${GAP}`, omittedTokens: beyond };
  const chosen = chooseWithin(sentences, budget, code);
  let shown = joined(sentences, (at) => chosen.has(at));
  // Pieces that are counted one by one are a little less than the whole.
  while (chosen.size > 1 && mostTokensIn(shown) > budget) {
    const [last] = [...chosen].slice(-1);
    if (last !== undefined) chosen.delete(last);
    shown = joined(sentences, (at) => chosen.has(at));
  }
  if (chosen.size === 0 || mostTokensIn(shown) > budget) shown = firstWords(sentences[0]?.text ?? "", budget);
  return { text: shown, omittedTokens: Math.max(tokens + beyond - tokensIn(shown), 1) };
}

/** The places of the sentences to show, in the order in which they were chosen. */
function chooseWithin(sentences: readonly Sentence[], budget: number, code: string | null): Set<number> {
  const importance = importances(sentences, code);
  const costs = sentences.map(({ text }) => mostTokensIn(text) + 1);
  const chosen = new Set<number>();
  let left = budget;
  for (const wanted of IMPORTANCE) {
    for (const [at, of] of importance.entries()) {
      const cost = costs[at] ?? 0;
      if (of !== wanted || cost > left) continue;
      chosen.add(at);
      // A gap before it costs a token more.
      left -= cost + (chosen.has(at - 1) ? 0 : 1);
    }
  }
  return chosen;
}

function joined(sentences: readonly Sentence[], isShown: (at: number) => boolean): string {
  const parts: string[] = [];
  let isGap = false;
  for (const [at, { text, before }] of sentences.entries()) {
    if (!isShown(at)) {
      isGap = true;
      continue;
    }
    if (isGap) parts.push(parts.length === 0 ? `${GAP}\n` : `\n${GAP}\n`);
    else if (parts.length > 0) parts.push(before);
    parts.push(text);
    isGap = false;
  }
  if (isGap && parts.length > 0) parts.push(`\n${GAP}`);
  return parts.join("");
}

/** The first words of a sentence that is too long as a whole. */
function firstWords(text: string, budget: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (mostTokensIn(`${text.slice(0, middle)}${GAP}`) <= budget) low = middle;
    else high = middle - 1;
  }
  const cut = low === text.length ? text : text.slice(0, low);
  const blank = cut.lastIndexOf(" ");
  const words = low < text.length && blank > cut.length / 2 ? cut.slice(0, blank) : cut;
  return budget < 1 || words === "" ? "" : `${words.toWellFormed().trimEnd()}${low < text.length ? GAP : ""}`;
}
