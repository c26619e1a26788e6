import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Start tags read of a text: a long newsletter has some thousand, and 30,000 take 100 ms. End tags alone take a tenth of that. */
const MAX_TAGS = 30_000;

/**
 * Reads the tokens of an HTML text in the order they stand, and gathers each tag with its attributes; what they mean, a
 * subclass says. Linear in the input. See `OpenElements` for why tokens, and not htmlparser2's Parser.
 */
export abstract class TagReader implements TokenizerCallbacks {
  /** Name of the start tag that is read, in lower case. */
  protected tag = "";
  /** Its attributes: name in lower case → value with its entities decoded, "" where it has none. */
  protected attributes = new Map<string, string>();
  /** Whether it stopped at so many tags; what follows was not read. */
  isCut = false;
  readonly #html: string;
  #tags = 0;
  #tokenizer: Tokenizer | null = null;
  #attribute = "";
  #value = "";

  constructor(html: string) {
    this.#html = html;
  }

  /** A piece of text; a run of it comes in several where it has entities. */
  protected abstract text(text: string): void;
  /** A start tag is whole: `tag` and `attributes` are its own. */
  protected abstract startTag(): void;
  /** An end tag of this name, in lower case. */
  protected abstract endTag(name: string): void;

  /** A tag that ends in `/>`; a browser takes most of them for start tags. */
  protected selfClosingTag(): void {
    this.startTag();
  }

  /** Reads all of the text; once. */
  protected readTokens(): void {
    const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: true }, this);
    this.#tokenizer = tokenizer;
    tokenizer.write(this.#html);
    tokenizer.end();
  }

  /** A tokenizer that pauses and is not resumed has ended. */
  #countTag(): void {
    this.#tags += 1;
    if (this.#tags <= MAX_TAGS) return;
    this.isCut = true;
    this.#tokenizer?.pause();
  }

  ontext(start: number, end: number): void {
    this.text(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.#html.slice(start, end).toLowerCase();
    this.attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = "";
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    // HTML §13.2.5.33: the first of two attributes of one name counts.
    if (!this.attributes.has(this.#attribute)) this.attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#countTag();
    this.startTag();
  }

  onselfclosingtag(): void {
    this.#countTag();
    this.selfClosingTag();
  }

  onclosetag(start: number, end: number): void {
    this.endTag(this.#html.slice(start, end).toLowerCase());
  }

  /** A comment, which no reader of the mail sees. */
  protected comment(_text: string): void {}

  oncomment(start: number, end: number, marks: number): void {
    this.comment(this.#html.slice(start, end - marks));
  }

  // Declarations and the conditional markup of Outlook say nothing to a reader of the mail.
  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}
