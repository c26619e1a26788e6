import type { Language, Words } from "../languages/language.ts";
import { hasTables, readTables } from "./all-tables.ts";

export { hasTables };

/** Every language that mail is read in, in the order of `languages/index.ts`. Throws in a deployment before the tables are loaded. */
export const languages = (): readonly Language[] => readTables().languages;

/** Names by which mails call carriers, by the name in answers. Throws as `languages` does. */
export const carriers = (): Readonly<Record<string, Words>> => readTables().carriers;

/** Signs and names of currencies, by their codes of ISO 4217. Throws as `languages` does. */
export const currencies = (): Readonly<Record<string, Words>> => readTables().currencies;

/** Cards by which mails are paid, by the name in answers. Throws as `languages` does. */
export const cards = (): Readonly<Record<string, Words>> => readTables().cards;

/** Wallets and other ways of paying, by the name in answers. Throws as `languages` does. */
export const wallets = (): Readonly<Record<string, Words>> => readTables().wallets;

/** The weights by which tokens of a text are counted. Throws as `languages` does. */
export const tokenWeights = (): string => readTables().tokenWeights;

/** How many tokens each character is by itself. Throws as `languages` does. */
export const tokenChars = (): string => readTables().tokenChars;
