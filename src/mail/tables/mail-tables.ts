import type { Language, Words } from "../languages/language.ts";

/**
 * Lists by which mail is read. They are JSON values: a deployment has them as a static asset beside its script, because they would
 * be a quarter of it.
 */
export interface MailTables {
  languages: readonly Language[];
  /** Names by which mails call carriers, by the name in answers. */
  carriers: Readonly<Record<string, Words>>;
  /** Signs and names of currencies, by their codes of ISO 4217. */
  currencies: Readonly<Record<string, Words>>;
  /** Cards and other ways of paying: the name in an answer, and those that mails use. */
  cards: Readonly<Record<string, Words>>;
  wallets: Readonly<Record<string, Words>>;
  /** The Public Suffix List, in the form that `public-suffixes.ts` describes. */
  publicSuffixes: string;
  /** The weights by which tokens of a text are counted, in the form that `token-weights.ts` describes. */
  tokenWeights: string;
  /** How many tokens each character is by itself, in the form that `token-chars.ts` describes. */
  tokenChars: string;
}
