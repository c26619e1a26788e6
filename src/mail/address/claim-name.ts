import { bootstrapNameFault, isMailboxName, RESERVED_NAMES } from "./address.ts";
import { lazy } from "../lazy.ts";

/** Characters that a reader may take for a letter of a reserved name, as a pattern for each letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "[a4]",
  b: "[b8]",
  e: "[e3]",
  g: "[g9]",
  i: "[i1l]",
  l: "[l1i]",
  m: "(?:m|rn)",
  o: "[o0]",
  s: "[s5]",
  t: "[t7]",
  w: "(?:w|vv)",
  z: "[z2]",
};

/** Matches reserved names written with look-alike digits, doubled letters or separators. */
const confusable = lazy(() => new RegExp(`^(?:${[...RESERVED_NAMES].map(lookalikesOf).join("|")})$`));

/** Ordinary names that only look like a reserved one. */
const WORDS: ReadonlySet<string> = new Set(["mali"]);

function lookalikesOf(name: string): string {
  const letters = name.split("").filter((letter) => /[a-z]/.test(letter));
  return letters.map((letter) => LOOKALIKES[letter] ?? letter).join("[._-]*");
}

/**
 * Why a name cannot be claimed, as the end of a sentence after "name: "; null if it can. The grammar allows ASCII only, so only
 * look-alikes within ASCII are looked for. The caller lower-cases the name first.
 */
export function claimNameFault(name: string): string | null {
  if (RESERVED_NAMES.has(name)) return `${name} is reserved`;
  const bootstrapped = bootstrapNameFault(name);
  if (bootstrapped !== null) return bootstrapped;
  if (!isMailboxName(name)) {
    return "must be 1 to 40 of a-z 0-9 . _ -, beginning and ending with a letter or digit";
  }
  if (confusable().test(name) && !WORDS.has(name)) return `${name} looks like a reserved name`;
  return null;
}
