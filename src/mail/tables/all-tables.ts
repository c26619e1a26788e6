import { CARRIERS } from "../extract/carrier-names.ts";
import { CURRENCIES } from "../extract/currency-names.ts";
import { CARDS, WALLETS } from "../extract/payment-names.ts";
import { LANGUAGES } from "../languages/index.ts";
import type { MailTables } from "./mail-tables.ts";
import { publicSuffixes } from "./public-suffixes.ts";
import { TOKEN_CHARS } from "./token-chars.ts";
import { TOKEN_WEIGHTS } from "./token-weights.ts";

// The tables from their sources: what tests and scripts read mail by, and what `scripts/build-assets.ts` writes into the static
// asset. The script of a deployment has `loaded-tables.ts` instead of this module (`scripts/build-worker.ts`).

const TABLES: MailTables = {
  languages: LANGUAGES,
  carriers: CARRIERS,
  currencies: CURRENCIES,
  cards: CARDS,
  wallets: WALLETS,
  publicSuffixes: publicSuffixes(),
  tokenWeights: TOKEN_WEIGHTS,
  tokenChars: TOKEN_CHARS,
};

/** Always true: the sources are imported. */
export const hasTables = (): boolean => true;

/** The tables. */
export const readTables = (): MailTables => TABLES;
