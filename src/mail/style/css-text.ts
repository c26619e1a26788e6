/** Characters of one value that are read, once pictures inside of it are left out: enough for any real one. */
export const MAX_VALUE_CHARS = 2_000;

/** Stands for a string that its line ends and for a bad `url()`: what it is part of is void. */
export const BAD = "\ue001";
/** Stands for a comment between two words, which stay apart. */
const SEAM = "\ue003";

/** Everything in which a brace, a bracket or a semicolon has no meaning, escapes, and the bracket that may begin a `url()`. */
const OPAQUE =
  /"(?:[^"\\\n\r\f]|\\(?:\r\n|[^]|$))*"?|'(?:[^'\\\n\r\f]|\\(?:\r\n|[^]|$))*'?|\/\*[^]*?(?:\*\/|$)|\\(?:[0-9a-f]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\n\r\f])|\(/gi;
const MAY_BE_OPAQUE = /["'\\]|\/\*|url\(|[\ue000-\ue2ff]/i;
/** The rest of a `url(` whose address is not a string. */
const URL_REST = /[ \t\r\n\f]*(?!["' \t\r\n\f])((?:[^)\\]|\\[^])*)\)?/y;
const BAD_ADDRESS = /["'(]|[^ \t\r\n\f][ \t\r\n\f]+[^ \t\r\n\f]|\\[\n\r\f]/;

/** An address as browsers read it: they leave out what a line may end with, and blanks before it. */
export const plainAddress = (address: string): string =>
  address.replaceAll(/[\t\r\n]/g, "").replace(/^[^!-\u{10ffff}]+/u, "");

/** Whether an address holds the data itself. */
export const isData = (address: string | undefined): boolean =>
  address !== undefined && /^data:/i.test(plainAddress(address));

/** Characters that structure a style; inside of strings and escapes they are written as others. */
const STRUCTURAL = /[{}()[\];:,>+~.#@!\\/*"'&|=^$%<\ue000-\ue2ff]/g;
const OPAQUE_BASE = 0xe100;

/** A text of CSS in which every brace, bracket and semicolon has its meaning: strings, comments and escapes are resolved. */
export function plainCss(text: string): string {
  if (!MAY_BE_OPAQUE.test(text)) return text;
  const source = text.replaceAll(/[\ue000-\ue2ff]/g, "\ue000");
  let plain = "";
  let at = 0;
  OPAQUE.lastIndex = 0;
  for (let found = OPAQUE.exec(source); found !== null; found = OPAQUE.exec(source)) {
    plain += source.slice(at, found.index);
    const [token] = found;
    at = OPAQUE.lastIndex;
    if (token === "(") {
      URL_REST.lastIndex = at;
      const rest = /(?:^|[^\w\u0080-\uffff-])url$/i.test(plain.slice(-4)) ? URL_REST.exec(source) : null;
      plain += rest === null ? "(" : urlOf(rest[1] ?? "");
      if (rest !== null) at = OPAQUE.lastIndex = URL_REST.lastIndex;
    } else if (token.startsWith("/*")) plain += seamBetween(plain.at(-1), source[at]);
    else
      plain += token.startsWith("\\")
        ? opaqueString(unescaped(token)).replaceAll(/\s/g, "\ue000")
        : stringOf(token);
  }
  return plain + source.slice(at);
}

function seamBetween(before = "", after = ""): string {
  return /[\w#@%.+\u0080-\uffff-]/.test(before) && /[\w(%\\\u0080-\uffff-]/.test(after) ? SEAM : "";
}

function stringOf(token: string): string {
  const quote = token.charAt(0);
  const isEnded = token.length > 1 && token.endsWith(quote) && !/[^\\](?:\\\\)*\\.$/.test(token);
  return `"${opaqueString(token.slice(1, isEnded ? -1 : undefined).replaceAll(ESCAPE, unescaped))}"${isEnded ? "" : BAD}`;
}

function urlOf(address: string): string {
  if (BAD_ADDRESS.test(address.trim())) return `(${BAD})`;
  return `("${opaqueString(address.trim().replaceAll(ESCAPE, unescaped))}")`;
}

/** A text as {@link plainCss} writes the inside of a string. */
export function opaqueString(text: string): string {
  return text.replaceAll(STRUCTURAL, (mark) =>
    mark > "\u007f" ? "\ue000" : String.fromCharCode(OPAQUE_BASE + mark.charCodeAt(0)),
  );
}

/** The text that {@link opaqueString} wrote. */
export function revealed(text: string): string {
  return text.replaceAll(/[\ue100-\ue17f]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - OPAQUE_BASE));
}

const ESCAPE = /\\(?:[0-9a-f]{1,6}(?:\r\n|[ \t\r\n\f])?|\r\n|[^]|$)/gi;

function unescaped(escape: string): string {
  const [, hex] = /^\\([0-9a-f]{1,6})/i.exec(escape) ?? [];
  if (hex === undefined) return escape.slice(1).replace(/^[\r\n\f]+/, "");
  const point = Number.parseInt(hex, 16);
  const isCharacter = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : "\ufffd";
}

/** In small letters, but for letters beyond ASCII and for the names of custom properties, which are as they are written. */
export function lowerCss(text: string): string {
  if (!/[A-Z]/.test(text)) return text;
  return text
    .replaceAll(/--[\w-]+/g, (name) => name.replaceAll(/[A-Z]/g, (letter) => `\ue002${letter.toLowerCase()}`))
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Goes through plain CSS from one mark of its structure to the next (CSS Syntax 3 §5.4). Linear. */
export class CssScanner {
  readonly text: string;
  at = 0;
  readonly #marks = /[{}()[\];]/g;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes behind the next `{`, `}` or `;` that stands in no brackets and returns it; "" at the end. */
  next(): string {
    return this.#pass([]);
  }

  /** Goes behind the brace that ends a block. */
  skipBlock(): void {
    this.#pass(["}"]);
  }

  #pass(open: string[]): string {
    const isBlock = open.length > 0;
    this.#marks.lastIndex = this.at;
    for (let found = this.#marks.exec(this.text); found !== null; found = this.#marks.exec(this.text)) {
      const [mark] = found;
      const closer = CLOSERS[mark];
      if (open.length === 0 && (mark === "{" || mark === "}" || mark === ";")) {
        this.at = found.index + 1;
        return mark;
      }
      if (closer !== undefined) open.push(closer);
      else if (open.length > 0 && mark === open.at(-1)) open.pop();
      if (isBlock && open.length === 0) {
        this.at = found.index + 1;
        return mark;
      }
    }
    this.at = this.text.length + 1;
    return "";
  }
}

/** The texts of the declarations in a block of plain CSS; rules in it are left out. */
export function itemsOf(block: string): string[] {
  if (!/[{}()[\]]/.test(block)) return block.split(";");
  const items: string[] = [];
  const scanner = new CssScanner(block);
  for (let start = 0; scanner.at <= block.length; start = scanner.at) {
    let mark = scanner.next();
    while (mark === "}" || (mark === "{" && isCustom(block.slice(start, scanner.at)))) {
      if (mark === "{") scanner.skipBlock();
      mark = scanner.next();
    }
    if (mark === "{") scanner.skipBlock();
    else items.push(block.slice(start, mark === "" ? block.length : scanner.at - 1));
  }
  return items;
}

/** Whether a text begins a custom property, whose value may be a block. */
export const isCustom = (text: string): boolean => /^\s*--[^\s:{}]*\s*:/.test(text);

/** One declaration as it is written: name and value in small letters. */
export interface Written {
  name: string;
  value: string;
  important: boolean;
}

/** Reads the text of one declaration in plain CSS; null if it is none, or one that every browser takes for void. */
export function writtenOf(item: string): Written | null {
  const text = lowerCss(item);
  const colon = text.indexOf(":");
  if (colon === -1) return null;
  const name = text.slice(0, colon);
  const value = text
    .slice(colon + 1)
    .replaceAll(/[\s\ue003]+/g, " ")
    .trim();
  const mark = value.lastIndexOf("!");
  const important = mark !== -1 && /^! ?important$/.test(value.slice(mark));
  const own = important ? value.slice(0, mark).trim() : value;
  const isName =
    /^\s*(?:--|-?[a-z_\u0080-\uffff])[\w\u0080-\uffff-]*\s*$/.test(name) && !/[\ue001\ue003]/.test(name);
  if (!isName || own.includes(BAD) || own.includes("!")) return null;
  if (!name.trimStart().startsWith("--") && /[{}]/.test(own)) return null;
  return { name: name.trim(), value: own, important };
}

/** Splits at a mark that stands outside of brackets. */
export function splitOutside(text: string, mark: string): string[] {
  if (!text.includes("(") && !text.includes("[")) return text.split(mark);
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "(" || character === "[") depth += 1;
    else if (character === ")" || character === "]") depth = Math.max(0, depth - 1);
    else if (character === mark && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** Splits a value at its blanks. */
export function wordsOfValue(value: string): string[] {
  return splitOutside(value, " ").filter((word) => word !== "");
}
