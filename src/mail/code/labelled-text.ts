import { labelsIn, lowered, type Label } from "./key-words.ts";

/** A line in lower case with its key words, in order. */
interface LabelledLine {
  lower: string;
  labels: readonly Label[];
}

/** Key words are searched so far into a line; longer ones are pages run together. */
const MAX_LINE_CHARS = 10_000;

const NONE: LabelledLine = { lower: "", labels: [] };

/** Part of a text in lower case with the key words in it, by their offsets in it. */
export interface Stretch {
  text: string;
  labels: readonly Label[];
}

/** The lines of a text. The key words of a line are searched once, when they are first needed. */
export class LabelledText {
  readonly lines: readonly string[];
  readonly #read: LabelledLine[] = [];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** A line with its key words; an empty one where there is none. */
  line(at: number): LabelledLine {
    const line = this.lines[at];
    if (line === undefined) return NONE;
    const known = this.#read[at];
    if (known !== undefined) return known;
    const lower = lowered(line);
    return (this.#read[at] = { lower, labels: labelsIn(lower.slice(0, MAX_LINE_CHARS)) });
  }

  /** A stretch of a line, with the key words that lie in it as a whole. */
  stretch(at: number, from: number, to: number): Stretch {
    const { lower, labels } = this.line(at);
    const start = Math.max(0, from);
    const inside: Label[] = [];
    for (let index = firstFrom(labels, start); index < labels.length; index += 1) {
      const label = labels[index];
      if (label === undefined || label.end > to) break;
      inside.push({ kind: label.kind, start: label.start - start, end: label.end - start });
    }
    return { text: lower.slice(start, to), labels: inside };
  }
}

/** The index of the first key word that begins at an offset or behind it. */
function firstFrom(labels: readonly Label[], start: number): number {
  let low = 0;
  let high = labels.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((labels[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two stretches one behind the other. */
export function joined(one: Stretch, two: Stretch): Stretch {
  const offset = one.text.length;
  const moved = two.labels.map(({ kind, start, end }) => ({
    kind,
    start: start + offset,
    end: end + offset,
  }));
  return { text: one.text + two.text, labels: [...one.labels, ...moved] };
}
