/**
 * The stemmer of English words by M. F. Porter ("An algorithm for suffix stripping", 1980), as FTS5's tokenizer `porter` has it:
 * the full-text index holds stems, also of words in other languages. FTS5 stems a prefix too: `needed*` finds what begins with
 * `need`.
 */

/** FTS5 leaves shorter and longer words, in bytes of UTF-8, as they are. */
const MIN_BYTES = 3;
const MAX_BYTES = 64;

/** A suffix and what takes its place. The first of a list that fits is the only one that is tried. */
type Rule = readonly [suffix: string, replacement: string];

const rulesOf = (text: string): readonly Rule[] =>
  text.split(" ").map((rule) => {
    const [suffix = "", replacement = ""] = rule.split(":");
    return [suffix, replacement];
  });

const STEP_2 = rulesOf(
  "ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate " +
    "ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble",
);
const STEP_3 = rulesOf("ical:ic ness: icate:ic iciti:ic ful: ative: alize:al");
const STEP_4 = rulesOf(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
);

/** The stem of a folded word, as the index holds it. */
export function stemOf(word: string): string {
  const bytes = new TextEncoder().encode(word);
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return word;
  // A character for each byte: the rules count bytes.
  const stem = stripped(String.fromCharCode(...bytes));
  return new TextDecoder().decode(Uint8Array.from(stem, (char) => char.charCodeAt(0)));
}

function stripped(word: string): string {
  const singular = withoutPlural(word);
  const present = withoutTense(singular);
  const ending =
    /.y$/s.test(present) && hasVowel(present.slice(0, -1)) ? `${present.slice(0, -1)}i` : present;
  const short = [STEP_2, STEP_3].reduce((text, rules) => replaced(text, rules, 1), ending);
  return withoutLastE(replaced(short, STEP_4, 2));
}

function withoutPlural(word: string): string {
  if (/.sses$|.ies$/s.test(word)) return word.slice(0, -2);
  return /[^s]s$/s.test(word) ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith("eed") && word.length > 3) {
    return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  }
  const [suffix] = /(?<=.)(?:ed|ing)$/s.exec(word) ?? [""];
  const stem = word.slice(0, word.length - suffix.length);
  if (suffix === "" || !hasVowel(stem)) return word;
  if (/.(?:at|bl|iz)$/s.test(stem)) return `${stem}e`;
  if (/([^aeioulsz])\1$/s.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function withoutLastE(word: string): string {
  const stem = word.slice(0, -1);
  const isSilent = measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem));
  const text = word.endsWith("e") && isSilent ? stem : word;
  return text.endsWith("ll") && measure(text.slice(0, -1)) > 1 ? text.slice(0, -1) : text;
}

/** The word with the first rule that fits, if what is before the suffix has at least this measure. */
function replaced(word: string, rules: readonly Rule[], least: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix) && word.length > suffix.length);
  if (rule === undefined) return word;
  const [suffix, replacement] = rule;
  const stem = word.slice(0, -suffix.length);
  const isWhole = measure(stem) < least || (suffix === "ion" && !/[st]$/.test(stem));
  return isWhole ? word : stem + replacement;
}

/** How often a vowel is followed by a consonant; 2 stands for every larger number. */
function measure(stem: string): number {
  const shape = shapeOf(stem).replace(/^c+/, "");
  return Math.min(2, shape.match(/v+c/g)?.length ?? 0);
}

const hasVowel = (stem: string): boolean => /[aeiou]|.y/s.test(stem);

/** Whether it ends with a consonant, a vowel, and a consonant that is not w, x or y: `hop`. */
const endsShort = (stem: string): boolean => shapeOf(stem).endsWith("cvc") && !/[wxy]$/.test(stem);

/** A `v` for each vowel and a `c` for each consonant. A `y` is a vowel behind a consonant. */
function shapeOf(stem: string): string {
  let shape = "";
  for (const char of stem) {
    const isVowel = "aeiou".includes(char) || (char === "y" && shape.endsWith("c"));
    shape += isVowel ? "v" : "c";
  }
  return shape;
}
