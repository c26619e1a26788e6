/** Deeper quotes and lists are shown at this depth: a prefix per line must not multiply the text. */
const MAX_SHOWN_DEPTH = 5;

/**
 * Plain text built from words and breaks: whitespace folded, at most one blank line in a row, no line with
 * trailing blanks. Breaks and separators are only wishes until a word follows.
 */
export class TextLayout {
  readonly #parts: string[] = [];
  #breaks = 0;
  #separator: "" | " " | "\t" = "";
  #marker = "";
  #isLineEmpty = true;

  /** The pieces written so far; a mark for {@link since}. */
  get mark(): number {
    return this.#parts.length;
  }

  /** The text written since a mark. */
  since(mark: number): string {
    return this.#parts.slice(mark).join("");
  }

  /** Asks for at least that many line ends before the next word: 1 a new line, 2 a blank line. */
  break(lines: 1 | 2): void {
    // Between a marker and the first word of its item there is no break.
    if (this.#marker === "") this.#breaks = Math.max(this.#breaks, lines);
  }

  /** A line end of its own, as `<br>` and a newline in `<pre>` write it. */
  newline(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2);
  }

  /** Separates table cells on one line. */
  cell(): void {
    this.#separator = "\t";
  }

  /** A list marker, written before the next word of the item; an empty item shows none. */
  item(marker: string, depth: number): void {
    this.#breaks = Math.max(this.#breaks, 1);
    this.#marker = "  ".repeat(Math.min(Math.max(depth - 1, 0), MAX_SHOWN_DEPTH)) + marker;
  }

  /** An item without words leaves its marker to nobody. */
  endItem(): void {
    this.#marker = "";
  }

  /** Running text: whitespace of any kind and length is one blank. */
  write(text: string, quoteDepth: number): void {
    const folded = text.replace(
      /[ \t\r\n\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g,
      " ",
    );
    if (folded.startsWith(" ")) this.#space();
    const core = folded.trim();
    if (core === "") return;
    this.#put(core, quoteDepth);
    if (folded.endsWith(" ")) this.#space();
  }

  /** Preformatted text: blanks and line ends as they are, but for the limit of one blank line. */
  writePreformatted(text: string, quoteDepth: number): void {
    text.split(/\r\n|\r|\n/).forEach((line, index) => {
      if (index > 0) this.newline();
      const shown = line.trimEnd();
      if (shown !== "") this.#put(shown, quoteDepth);
      if (shown !== line) this.#space();
    });
  }

  toString(): string {
    return this.#parts.join("");
  }

  #space(): void {
    if (this.#separator === "") this.#separator = " ";
  }

  #put(text: string, quoteDepth: number): void {
    if (this.#breaks > 0 && this.#parts.length > 0) {
      this.#parts.push("\n".repeat(this.#breaks));
      this.#isLineEmpty = true;
    }
    if (this.#isLineEmpty) {
      this.#parts.push("> ".repeat(Math.min(quoteDepth, MAX_SHOWN_DEPTH)) + this.#marker);
    } else {
      this.#parts.push(this.#separator + this.#marker);
    }
    this.#parts.push(text);
    this.#breaks = 0;
    this.#separator = "";
    this.#marker = "";
    this.#isLineEmpty = false;
  }
}
