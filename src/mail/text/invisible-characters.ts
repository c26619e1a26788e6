/** Invisible characters of a text, by kind. */
export interface InvisibleCounts {
  /** Zero-width characters, fillers, variation selectors and control characters. */
  zero_width: number;
  /** Marks and overrides of the writing direction. */
  bidi: number;
  /** Tag characters (U+E0000 to U+E007F), which spell ASCII invisibly. */
  tags: number;
}

/** No invisible characters. */
export const NOTHING_INVISIBLE: InvisibleCounts = { zero_width: 0, bidi: 0, tags: 0 };

/** The invisible characters of a text, and what the tag characters among them spell. */
export interface InvisibleTally extends InvisibleCounts {
  spelt: string;
}

const MAY_BE_INVISIBLE = /\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/u;

/** The flags of England, Scotland and Wales, the only emoji that are written with tag characters (UTS #51). */
const FLAG =
  "\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}";
/** One selector of an emoji's or a symbol's form. */
const EMOJI_FORM =
  "(?:(?<=[0-9#*])\\ufe0f(?=\\u20e3)|(?<=(?![0-9#*])[\\p{Emoji}\\p{S}\\p{Po}])[\\ufe0e\\ufe0f](?!\\p{Variation_Selector}))";
/** Letters of scripts that are written with joiners: not of those whose letters stand apart. */
const JOINED =
  "(?![\\p{sc=Latin}\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Inherited}])[\\p{L}\\p{M}]";
const PICTURE = "\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}";
/** One joiner between two characters that it joins, in emoji and in scripts such as Persian and Hindi. */
const JOINER = `(?:(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})|(?<=[${PICTURE}])\\u200d(?=\\p{Extended_Pictographic}))`;

const INVISIBLE = new RegExp(
  `(${FLAG}|${EMOJI_FORM}|${JOINER})|([\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069])|([\\u{e0000}-\\u{e007f}])|\\p{Default_Ignorable_Code_Point}|(?!\\s)\\p{Cc}`,
  "gu",
);

/**
 * A text without the characters that no reader sees: they can split words, reverse them, or spell a second text. Characters that
 * form emoji stay, and joiners where a script needs them.
 */
export function withoutInvisible(text: string): string {
  return MAY_BE_INVISIBLE.test(text) ? text.replaceAll(INVISIBLE, (_, kept?: string) => kept ?? "") : text;
}

/** As {@link withoutInvisible}, and adds what was taken out to `counts`. */
export function countInvisible(text: string, counts: InvisibleTally): string {
  if (!MAY_BE_INVISIBLE.test(text)) return text;
  if (!MAY_BE_KEPT.test(text)) return withoutAll(text, counts);
  return text.replaceAll(INVISIBLE, (_, kept?: string, bidi?: string, tag?: string) => {
    if (kept !== undefined) return kept;
    if (bidi !== undefined) counts.bidi += 1;
    else if (tag === undefined) counts.zero_width += 1;
    else countTags(tag, counts);
    return "";
  });
}

/** Without these no invisible character has a use. */
const MAY_BE_KEPT = /\u200c|\u200d|\ufe0e|\ufe0f|\u{1f3f4}/u;
const TAGS = /[\u{e0000}-\u{e007f}]+/gu;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const OTHERS = /(?:\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc})/gu;

function withoutAll(text: string, counts: InvisibleTally): string {
  const withoutTags = text.replaceAll(TAGS, (run) => {
    countTags(run, counts);
    return "";
  });
  const withoutBidi = withoutTags.replaceAll(BIDI, "");
  counts.bidi += withoutTags.length - withoutBidi.length;
  const left = withoutBidi.replaceAll(OTHERS, "");
  counts.zero_width += charactersOf(withoutBidi) - charactersOf(left);
  return left;
}

/** Characters of a text: those beyond the basic plane are two units. */
function charactersOf(text: string): number {
  const pairs = text.length - text.replaceAll(/[\ud800-\udbff](?=[\udc00-\udfff])/g, "").length;
  return text.length - pairs;
}

/** Characters that are kept of what tag characters spell. */
const MAX_SPELT = 20_000;

function countTags(run: string, counts: InvisibleTally): void {
  counts.tags += run.length / 2;
  for (const tag of run.slice(0, Math.max(0, 2 * (MAX_SPELT - counts.spelt.length))))
    counts.spelt += speltBy(tag);
}

/** Tag characters stand for those of ASCII, 0xE0000 below them. */
function speltBy(tag: string): string {
  const code = (tag.codePointAt(0) ?? 0) - 0xe0000;
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "";
}

/** Characters of a text whose words are compared. */
const MAX_HOMOGLYPH_CHARS = 100_000;
/** Bounds a run of letters that is looked at. */
const WORD = /[\p{L}\p{M}]{2,60}/gu;
const FOREIGN = /[^\p{ASCII}]/u;
const LATIN = /\p{sc=Latin}/u;
/** Letters of other scripts that look like Latin ones. */
const LOOKALIKE =
  /[\u0370-\u03ff\u0400-\u052f\u0531-\u058f\u10a0-\u10ff\u13a0-\u13ff\ua4d0-\ua4ff\uab70-\uabbf]/u;
/** Letters for mathematics, in circles and full width, which spell Latin words in other characters. */
const STYLED = /[\u{1d400}-\u{1d7cb}\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u{1f130}-\u{1f189}]{3,}/gu;

/** The words of a text that mix Latin letters with look-alikes, or are spelt in look-alikes of letters altogether. */
export function homoglyphWords(whole: string): string[] {
  const text = whole.slice(0, MAX_HOMOGLYPH_CHARS);
  if (!FOREIGN.test(text)) return [];
  const mixed = (text.match(WORD) ?? []).filter((word) => LATIN.test(word) && LOOKALIKE.test(word));
  return [...mixed, ...(text.match(STYLED) ?? [])];
}
