import { LETTERS_AFTER } from "./letter-pairs.ts";

/**
 * The least capacity of a key, in bits. Less than 128, because the alphabet is inferred from the characters that occur, and a
 * random key can lack a whole kind by chance: 32 hex digits without a letter look like 106 bits.
 */
const MIN_BITS = 106;
/**
 * No compression saves k bits of a random text more often than once in 2^k (Kraft's inequality). A text that compresses by more
 * than this is taken as not random.
 */
const MAX_SAVED_BITS = 24;
/** The same for keys of letters without a digit, as a person writes. One random key in fifty looks so, and one in 16,000 of those saves as many bits. */
const MAX_SAVED_BITS_OF_LETTERS = 14;

const UUID =
  /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])/gi;
const SEPARATORS = /[._:-]/g;
/** The most separators behind which a random part is looked for, so that no key takes long. */
const MAX_PREFIX_PARTS = 8;

/**
 * Whether a key looks unguessable: a random UUID, or 128 random bits in a usual encoding, with any prefix. False for words,
 * counters, dates and repetitions. This judges the text alone: a key that looks random may have been published.
 *
 * @param key characters of `A-Za-z0-9._:-`
 */
export function isUnguessable(key: string): boolean {
  const uuids = [...key.matchAll(UUID)];
  if (uuids.some((match) => isRandomUuid(match[0].toLowerCase()))) return true;
  const rest = key.replace(UUID, ":");
  return endingsOf(rest).some((ending) => isRandom(ending));
}

/** UUIDs of versions 4 and 7 have 122 and 74 random bits (RFC 9562). Others are made of clocks, addresses and names. */
function isRandomUuid(uuid: string): boolean {
  const digits = uuid.replaceAll("-", "");
  const isOfVariant = /[89ab]/.test(digits.charAt(16));
  const rest = `${digits.slice(13, 16)}${digits.slice(17)}`;
  if (!isOfVariant) return false;
  if (digits.charAt(12) === "4") return isPatternless(digits.slice(0, 12) + rest, HEX, MAX_SAVED_BITS);
  return digits.charAt(12) === "7" && isPatternless(rest, HEX, MAX_SAVED_BITS);
}

/** The text, and the rest behind each of its separators: a random part may follow a prefix. */
function endingsOf(text: string): string[] {
  const begins = [...text.matchAll(SEPARATORS)].map(({ index }) => index + 1);
  return [0, ...begins.slice(0, MAX_PREFIX_PARTS)].map((begin) => text.slice(begin));
}

function isRandom(text: string): boolean {
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  // In base64url `-` and `_` are digits. Elsewhere separators carry no bits and stand at equal distances.
  const characters = hasBothCases ? text.replaceAll(/[.:]/g, "") : text.replaceAll(/[._:-]/g, "");
  const isGrouped = !hasBothCases && characters.length < text.length;
  if (isGrouped && !(areOneLength(text.split(SEPARATORS)) && /[a-z]/i.test(text))) return false;
  if (characters.length * Math.log2(alphabetOf(characters).size) < MIN_BITS) return false;
  // Words with some capitals, and sequences such as AbCdEf, are recognised in one case.
  const inOneCase = characters.replaceAll(/[_-]/g, "").toLowerCase();
  return hasNoPattern(characters) && (!hasBothCases || hasNoPattern(inOneCase));
}

function hasNoPattern(text: string): boolean {
  return isPatternless(
    text,
    alphabetOf(text),
    /[0-9]/.test(text) ? MAX_SAVED_BITS : MAX_SAVED_BITS_OF_LETTERS,
  );
}

/** Whether all groups have one length, except the last, which may be shorter. */
function areOneLength(groups: readonly string[]): boolean {
  const length = groups[0]?.length ?? 0;
  return groups.every((group, index) =>
    index === groups.length - 1 ? group.length > 0 && group.length <= length : group.length === length,
  );
}

/** The alphabet that a text was probably drawn from. */
interface Alphabet {
  size: number;
  /** The number of characters of the same kind. */
  ofKind: (kind: Kind) => number;
  kinds: number;
}

type Kind = "digit" | "lower" | "upper" | "mark";

const HEX: Alphabet = { size: 16, ofKind: (kind) => (kind === "digit" ? 10 : 6), kinds: 2 };
const SIZE_OF_KIND: Readonly<Record<Kind, number>> = { digit: 10, lower: 26, upper: 26, mark: 2 };

function alphabetOf(text: string): Alphabet {
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text) && !/^[0-9]+$/.test(text)) return HEX;
  const kinds = [...new Set(text.split("").map(kindOf))];
  const size = kinds.reduce((sum, kind) => sum + SIZE_OF_KIND[kind], 0);
  return { size, ofKind: (kind) => SIZE_OF_KIND[kind], kinds: kinds.length };
}

function kindOf(character: string): Kind {
  if (character >= "0" && character <= "9") return "digit";
  if (character >= "a" && character <= "z") return "lower";
  return character >= "A" && character <= "Z" ? "upper" : "mark";
}

/** Whether no guess compresses the text by more than chance explains. */
function isPatternless(text: string, alphabet: Alphabet, maxSavedBits: number): boolean {
  return text.length * Math.log2(alphabet.size) - bitsOf(text, alphabet) < maxSavedBits;
}

/** The probability that a predictor gives the character at `at`, knowing those before it. */
type Guesser = (text: string, at: number, alphabet: Alphabet) => number;

const GUESSERS: readonly Guesser[] = [
  (_text, _at, { size }) => 1 / size,
  byFrequency,
  byRepetition,
  bySteps(1),
  bySteps(2),
  byKeyboard,
  byWords,
  byKind,
];
/** The share of weight that moves from one predictor to the others at each character. */
const SHARE = 0.05;
/** The probability of a guess that names one character. */
const SURE = 0.9;

/**
 * The bits that a text takes if each character is predicted from those before it. The predictors are weighted by their success
 * so far (fixed share, Herbster and Warmuth 1998). A character that none predicts takes the bits of its alphabet.
 */
function bitsOf(text: string, alphabet: Alphabet): number {
  let weights = GUESSERS.map(() => 1 / GUESSERS.length);
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const parts = GUESSERS.map((guesser, index) => (weights[index] ?? 0) * guesser(text, at, alphabet));
    const likelihood = parts.reduce((sum, part) => sum + part, 0);
    bits -= Math.log2(likelihood);
    weights = parts.map((part) => (1 - SHARE) * (part / likelihood) + SHARE / GUESSERS.length);
  }
  return bits;
}

/** Predicts texts of few different characters. A character counts as seen half a time before it occurs (Krichevsky and Trofimov 1981). */
function byFrequency(text: string, at: number, { size }: Alphabet): number {
  const seen = text.slice(0, at).split(text.charAt(at)).length - 1;
  return (seen + 0.5) / (at + size / 2);
}

/** Predicts the character that followed the same three, two or one characters the last time. */
function byRepetition(text: string, at: number, alphabet: Alphabet): number {
  for (let length = Math.min(3, at); length > 0; length -= 1) {
    const before = text.lastIndexOf(text.slice(at - length, at), at - length - 1);
    if (before !== -1 && at - length - 1 >= 0)
      return sureOf(text.charAt(before + length), text.charAt(at), alphabet);
  }
  return 1 / alphabet.size;
}

/** Predicts sequences such as 0123, aaaa and zyxw, or with a `distance` of 2 such as 1a2b3c: the last step repeats. */
function bySteps(distance: number): Guesser {
  return (text, at, alphabet) => {
    if (at < 2 * distance) return 1 / alphabet.size;
    const next = String.fromCharCode(2 * text.charCodeAt(at - distance) - text.charCodeAt(at - 2 * distance));
    return sureOf(next, text.charAt(at), alphabet);
  };
}

const KEYBOARD = "1234567890qwertyuiopasdfghjklzxcvbnm";

/** Predicts the next key on the keyboard. */
function byKeyboard(text: string, at: number, alphabet: Alphabet): number {
  const key = at === 0 ? -1 : KEYBOARD.indexOf(text.charAt(at - 1).toLowerCase());
  return key === -1
    ? 1 / alphabet.size
    : sureOf(KEYBOARD.charAt(key + 1), text.charAt(at).toLowerCase(), alphabet);
}

function sureOf(guess: string, character: string, { size }: Alphabet): number {
  return guess === character ? SURE : (1 - SURE) / (size - 1);
}

/** Predicts letters of words: frequent pairs, in one case. */
function byWords(text: string, at: number, alphabet: Alphabet): number {
  const [last, next] = [text.charAt(at - 1), text.charAt(at)];
  const [lastKind, nextKind] = [kindOf(last), kindOf(next)];
  if (at === 0 || (lastKind !== "lower" && lastKind !== "upper")) return 1 / alphabet.size;
  const letters = alphabet.ofKind("lower");
  const isWithin = nextKind === lastKind || (lastKind === "upper" && nextKind === "lower");
  const others = alphabet.size - letters;
  if (!isWithin) return others <= 0 ? 1 / alphabet.size : (1 - SURE) / others;
  const rank = LETTERS_AFTER[last.toLowerCase()]?.indexOf(next.toLowerCase()) ?? 0;
  return likelihoodOfRank(rank) * (others <= 0 ? 1 : SURE) * (lastKind === "upper" ? 0.5 : 1);
}

/** The probability of each rank, near the observed 0.21, 0.15, 0.11, 0.1 …. The 26 ranks add up to 1. */
function likelihoodOfRank(rank: number): number {
  return RANKED[rank] ?? 0;
}

const RANK_RATIO = 0.83;
const RANKED = Array.from(
  { length: 26 },
  (_, rank) => (RANK_RATIO ** rank * (1 - RANK_RATIO)) / (1 - RANK_RATIO ** 26),
);

/** Predicts that digits follow digits and letters follow letters: dates and counters within words. */
function byKind(text: string, at: number, alphabet: Alphabet): number {
  const kind = kindOf(text.charAt(at));
  if (at === 0 || alphabet.kinds === 1) return 1 / alphabet.size;
  const stays = kind === kindOf(text.charAt(at - 1));
  return (stays ? SURE : (1 - SURE) / (alphabet.kinds - 1)) / alphabet.ofKind(kind);
}
