import { MAX_BODY_BYTES } from "../../contract/limits.ts";
import { readHtml } from "../text/html-text.ts";
import type { TextType } from "./postal-mime-internals.ts";
import { cutToUtf8 } from "./utf8-cut.ts";

type Texts = Partial<Record<TextType, string[]>>;

/** Joins the text parts of a message to its text and its HTML, each of MAX_BODY_BYTES at most. */
export class BodyTexts {
  readonly #bytesLeft: Record<TextType, number> = { plain: MAX_BODY_BYTES, html: MAX_BODY_BYTES };
  readonly #bySelector = new Map<object, Texts>();
  /** Whether something beyond the limit is missing. */
  isCut = false;

  /** Bytes of UTF-8 that the next part of this type may take. */
  bytesLeft(type: TextType): number {
    return this.#bytesLeft[type];
  }

  /**
   * Takes the text of the next part. `selector` is the multipart/alternative that it is one version of, or the part itself;
   * `isStart` says that the part goes on.
   */
  add(selector: object, type: TextType, part: { text: string; isStart: boolean }): void {
    // A character that was cut in two is decoded to U+FFFD.
    const read = part.isStart ? part.text.replace(/\uFFFD{1,3}$/, "") : part.text;
    const text = cutToUtf8(read, this.#bytesLeft[type]);
    if (part.isStart || text !== read) this.isCut = true;
    // Where no room is left, empty texts would only add separators.
    if (this.#bytesLeft[type] > 0) this.#keep(selector, type, text);
    this.#bytesLeft[type] -= Buffer.byteLength(text);
  }

  #keep(selector: object, type: TextType, text: string): void {
    const texts = this.#bySelector.get(selector) ?? {};
    this.#bySelector.set(selector, texts);
    (texts[type] ??= []).push(text);
  }

  /** The texts of the message; HTML is read as text where an alternative has no plain part. */
  joined(): { text: string; html: string } {
    const entries = [...this.#bySelector.values()];
    const texts: string[] = [];
    let left = MAX_BODY_BYTES;
    for (const { plain, html } of entries) {
      // Some senders put an empty plain part beside the HTML.
      const own = notBlank(plain?.join("\n"));
      const text = own ?? this.#textOfHtml(left > 0 ? html?.join("\n") : "");
      if (own === undefined && left <= 0 && html !== undefined) this.isCut = true;
      if (text !== "") texts.push(text);
      left -= Buffer.byteLength(text);
    }
    // Where the HTML part is the body, a plain part beside it (a list's footer) is in the text alone.
    const html = entries.flatMap((entry) => (entry.html === undefined ? [] : [entry.html.join("\n")]));
    return { text: this.#cut(texts.join("\n")), html: this.#cut(html.join("\n")) };
  }

  #textOfHtml(html = ""): string {
    const { text, isCut } = readHtml(html);
    if (isCut) this.isCut = true;
    return text;
  }

  #cut(text: string): string {
    const cut = cutToUtf8(text, MAX_BODY_BYTES);
    if (cut !== text) this.isCut = true;
    return cut;
  }
}

function notBlank(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}
