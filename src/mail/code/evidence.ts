import type { CODE_WEIGHTS, LINK_WEIGHTS } from "./weights.ts";

/**
 * Signs that a number is the code or is not, or that a link is the one to follow or is not. These names are on the wire (`evidence` of
 * GET /v1/code): one that is there keeps its meaning.
 *
 * - `named`: a key word for codes leads to it ("your code is 482913", "482913 is your code").
 * - `near`: a key word stands in the same sentence, in the lines above, or in the subject; or words beside the number say what it is
 *   typed into, how long it is valid or that it is secret.
 * - `instruction`: the reader is told to type it.
 * - `purpose`: sentence or subject speak of signing in, verifying or the like.
 * - `subject`: it stands first in the subject, or in the subject and not in the text.
 * - `own_line`: nothing else stands in its line; `boxes`: one digit to a cell or word; `emphasised`: bold, large, spaced, a heading.
 * - `web_otp`: as the WebOTP format writes it (`@example.com #482913`).
 * - `length`: as long as most codes, or of another form that codes have.
 * - `sender`: an address that only machines write from.
 * - `newest`: the mail says that it replaces another.
 * - `only`: nothing speaks against this number, and something against every other of the mail.
 * - `mail`: the mail says what mails with codes say: how long the code is valid, what to type.
 * - `sentence_end`: it ends its sentence or its line.
 * - `link_label`, `link_path`, `link_announced`, `link_subject`: the label of the link, its address, the words before it or the
 *   subject say that it signs in, verifies, confirms or resets; `link_token`: its address holds a secret.
 * - `link_place`: it is the first link; `link_mail`: the mail says what mails with such links say, such as how long it is valid.
 * - `against`, `link_against`: signs of something else. They are never answered.
 */
export type Sign =
  | "named"
  | "near"
  | "instruction"
  | "purpose"
  | "subject"
  | "own_line"
  | "boxes"
  | "emphasised"
  | "web_otp"
  | "length"
  | "sender"
  | "newest"
  | "mail"
  | "only"
  | "sentence_end"
  | "against"
  | "link_label"
  | "link_path"
  | "link_token"
  | "link_place"
  | "link_announced"
  | "link_subject"
  | "link_mail"
  | "link_against";

/** The kinds of evidence that have a weight, by name: `sign` or `sign.variant`. */
export type CodeFeature = keyof typeof CODE_WEIGHTS;
export type LinkFeature = keyof typeof LINK_WEIGHTS;

/** One reason for or against a candidate. */
export interface Evidence<Feature extends string = CodeFeature | LinkFeature> {
  feature: Feature;
  /** The words that it was read from, such as the key word; "" where the sign alone says it. */
  detail: string;
  /** How much of it there is: its weight counts so many times. */
  amount: number;
}

/** The weight of each feature, in natural logarithms of odds. */
export type Weights<Feature extends string> = Readonly<Record<Feature, number>>;

/** The log odds that this candidate is the one that is looked for, against that the mail holds none. */
export function scoreOf<Feature extends string>(
  evidence: readonly Evidence<Feature>[],
  weights: Weights<Feature>,
): number {
  return evidence.reduce((sum, { feature, amount }) => sum + weights[feature] * amount, 0);
}

/** The probability that each candidate is the one that is looked for: at most one of them is, or none (score 0). */
export function probabilities(scores: readonly number[]): number[] {
  const top = Math.max(0, ...scores);
  const odds = scores.map((score) => Math.exp(score - top));
  const sum = odds.reduce((total, each) => total + each, Math.exp(-top));
  return odds.map((each) => each / sum);
}

/** A probability as answers show it: in hundredths, never more than is known. */
export const confidenceOf = (probability: number): number =>
  Math.floor(100 * Math.min(probability, 0.99)) / 100;

/** The evidence as answers show it: `sign` or `sign: detail`, strongest first; nothing that speaks against. */
export function written<Feature extends string>(
  evidence: readonly Evidence<Feature>[],
  weights: Weights<Feature>,
): string[] {
  const said = evidence
    .map(({ feature, detail, amount }) => ({
      sign: feature.split(".")[0] ?? "",
      detail,
      weight: weights[feature] * amount,
    }))
    .filter(({ sign, weight }) => weight > 0 && !sign.endsWith("against"))
    .toSorted((one, two) => two.weight - one.weight)
    .map(({ sign, detail }) => (detail === "" ? sign : `${sign}: ${detail}`));
  return [...new Set(said)];
}
