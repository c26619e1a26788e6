/** A piece of a text that is shown or left out as a whole. */
export interface Sentence {
  text: string;
  /** The gap before it: a line end or several, or a blank. */
  before: string;
}

/** Lines up to this many characters are not divided. */
const MAX_LINE_CHARS = 160;
/** Longer sentences are divided at their blanks. */
const MAX_SENTENCE_CHARS = 600;

const SENTENCE_END = /(?<=[.!?…。！？؟।])[ \t]+(?=\S)|(?<=[。！？])(?=\S)/u;
/** A line of nothing but strokes. */
const RULE = /^[\s\p{P}\p{S}]*$/u;

/** The sentences of a text; short lines are one each. Lines without a letter or digit are left out. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let before = "";
  for (const line of text.split("\n")) {
    const written = line.trim();
    if (written === "" || (RULE.test(written) && !/\p{Extended_Pictographic}/u.test(written))) {
      before = before === "" ? "" : "\n\n";
      continue;
    }
    for (const [at, part] of partsOf(written).entries()) {
      sentences.push({ text: part, before: at === 0 ? before : " " });
    }
    before = "\n";
  }
  return sentences;
}

function partsOf(line: string): string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  return line
    .split(SENTENCE_END)
    .flatMap((part) => (part.length <= MAX_SENTENCE_CHARS ? [part] : pieces(part)));
}

function pieces(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (start < text.length) {
    const most = start + MAX_SENTENCE_CHARS;
    const blank = most >= text.length ? -1 : text.lastIndexOf(" ", most);
    let end = most >= text.length ? text.length : blank > start ? blank : most;
    // A high surrogate belongs to the low one behind it.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "")) end += 1;
    found.push(text.slice(start, end).trim());
    start = end;
  }
  return found.filter((piece) => piece !== "");
}
