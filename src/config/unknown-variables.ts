import { nearName } from "../lib/near-name.ts";

/** Shorter names, such as HOST and PORT, are near to variables of many other programs (HOME, PATH). */
const MIN_COMPARED_CHARS = 7;
/** From this length on, a name may have two wrong letters; a shorter one, one. */
const LONG_NAME_CHARS = 12;
/** How many letters at the start must be right: EMAIL_HOST is Django's, not a misspelt MAIL_HOST. */
const SAME_START_CHARS = 3;
const PREFIX = "MAILKEEP_";

/** A variable that looks like a setting and is none. */
export interface UnknownVariable {
  name: string;
  /** The setting that was probably meant; null if none is near. */
  meant: string | null;
}

/**
 * Finds variables that are probably misspelt settings: a few letters are wrong (`CLAIM_TTL_SECOND`), the end is missing
 * (`CLAIM_TTL`), or `MAILKEEP_` stands before it. Variables of other programs (`SMTP_USER`, `HOME`) are left out.
 */
export function unknownVariables(names: readonly string[], known: readonly string[]): UnknownVariable[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: meantBy(name, known) }))
    .filter(({ name, meant }) => meant !== null || name.startsWith(PREFIX));
}

/** One line of warning for each. */
export function unknownVariableLines(unknown: readonly UnknownVariable[]): string[] {
  return unknown.map(({ name, meant }) => {
    const hint = meant === null ? "docs/configuration.md lists all settings" : `did you mean ${meant}?`;
    return `${name} is not a setting and has no effect: ${hint}`;
  });
}

function meantBy(name: string, known: readonly string[]): string | null {
  const bare = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  if (known.includes(bare)) return bare;
  const start = bare.slice(0, SAME_START_CHARS).toUpperCase();
  const candidates = known.filter((one) => one.length >= MIN_COMPARED_CHARS && one.startsWith(start));
  return (
    near(
      bare,
      candidates.filter((one) => one.length >= LONG_NAME_CHARS),
      2,
    ) ??
    near(bare, candidates, 1) ??
    withMissingEnd(bare, candidates)
  );
}

function near(name: string, known: readonly string[], maxSlips: number): string | null {
  const found = nearName(
    name,
    known.map((one) => one.toLowerCase()),
    maxSlips,
  );
  return found?.toUpperCase() ?? null;
}

/** SMTP_TLS and NODE_EXTRA are words of other programs too. */
function withMissingEnd(name: string, known: readonly string[]): string | null {
  if (!name.includes("_") || /^(?:SMTP|NODE)_/.test(name)) return null;
  return known.find((one) => one.startsWith(`${name}_`)) ?? null;
}
