import { isValid } from "./css-validity.ts";

/** Characters of one value that are read, once pictures inside of it are left out: enough for any real one. */
export const MAX_VALUE_CHARS = 2_000;
/** Stands for a declaration that is too long to be read: nobody can say what is shown of the mail. */
export const UNREAD = "-unread";
/** Stands for a declaration whose value is computed in ways not read here: it may hide the element. */
export const UNSURE = "-unsure";
/** Functions whose values come from elsewhere. */
const UNREAD_FUNCTION = /(?:^|[^\w-])(?:attr|if|env|sibling-index|sibling-count|--[\w-]+)\(/;

/** One declaration of a style: name and value in lower case. */
export interface Declaration {
  name: string;
  value: string;
  important: boolean;
}

/** Everything in which a brace, a bracket or a semicolon has no meaning, and escapes. */
const OPAQUE =
  /"(?:[^"\\\n]|\\[^])*(?:"|\n|$)|'(?:[^'\\\n]|\\[^])*(?:'|\n|$)|\/\*[^]*?(?:\*\/|$)|url\(\s*[^"'()\s][^()"']*\)?|\\(?:[0-9a-f]{1,6}[ \t\r\n\f]?|[^])|<!--|-->/gi;
const MAY_BE_OPAQUE = /["'\\]|\/\*|url\(|<!--|-->/i;

/** Characters that structure a style; elsewhere they are written as this one. */
const STRUCTURAL = /[{}()[\];:,>+~.#@!\\/*]/g;
const NO_STRUCTURE = "\ue001";

/** A text of CSS in which every brace, bracket and semicolon has its meaning: strings, comments and escapes are resolved. */
export function plainCss(text: string): string {
  if (!MAY_BE_OPAQUE.test(text)) return text;
  return text.replace(OPAQUE, (found) => {
    if (found.startsWith("/*") || found === "<!--" || found === "-->") return " ";
    if (found.startsWith("\\")) return unescaped(found);
    if (/^url/i.test(found)) return "url()";
    return `"${opaqueString(found.slice(1).replace(/["'\n]$/, ""))}"`;
  });
}

/** A string as {@link plainCss} writes its inside. */
export function opaqueString(text: string): string {
  return text.replaceAll(STRUCTURAL, NO_STRUCTURE);
}

function unescaped(escape: string): string {
  const [, hex] = /^\\([0-9a-f]{1,6})/i.exec(escape) ?? [];
  const point = hex === undefined ? 0 : Number.parseInt(hex, 16);
  const character =
    hex === undefined ? escape.slice(1) : point <= 0x10ffff ? String.fromCodePoint(point) : "";
  return opaqueString(character.toWellFormed());
}

/** The declarations of a block or a style attribute, in their order, shorthands beside their members. */
export function declarationsOf(block: string): Declaration[] {
  const found: Declaration[] = [];
  for (const text of splitOutside(plainCss(block).toLowerCase(), ";")) {
    const colon = text.indexOf(":");
    const name = colon === -1 ? "" : text.slice(0, colon).trim();
    if (!isRead(name)) continue;
    const written = text.slice(colon + 1).trim();
    const value = /\s\s|[^\S ]/.test(written) ? written.replaceAll(/\s+/g, " ") : written;
    const mark = value.lastIndexOf("!");
    const important = mark !== -1 && /^! ?important$/.test(value.slice(mark));
    if (value.length > MAX_VALUE_CHARS || (!name.startsWith("--") && UNREAD_FUNCTION.test(value))) {
      found.push({ name: value.length > MAX_VALUE_CHARS ? UNREAD : UNSURE, value: "", important: false });
      continue;
    }
    const declared = members({ name, value: important ? value.slice(0, mark).trim() : value, important });
    if (declared.every((member) => isValid(member.name, member.value))) found.push(...declared);
  }
  return found;
}

/** Properties that may hide a text, or show it again. */
const READ = new Set(
  (
    "display visibility opacity color background background-color background-image background-clip font font-size line-height " +
    "text-indent position left right top bottom inset inset-inline-start margin margin-left margin-top overflow overflow-x " +
    "overflow-y width height max-width max-height float clip clip-path transform translate scale zoom filter mask mask-image " +
    "inline-size block-size max-inline-size max-block-size inset-inline inset-block inset-inline-end inset-block-start " +
    "inset-block-end margin-inline margin-block margin-inline-start margin-block-start overflow-inline overflow-block contain " +
    "rotate backface-visibility -webkit-backface-visibility " +
    "content-visibility mso-hide -webkit-clip-path -webkit-transform -webkit-mask -webkit-mask-image -webkit-background-clip " +
    "-webkit-filter -webkit-text-fill-color"
  ).split(" "),
);

function isRead(name: string): boolean {
  return READ.has(name) || name.startsWith("--");
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

const SIDES = ["top", "right", "bottom", "left"] as const;

/** Properties that browsers also know without the prefix. */
const PREFIXED = new Set(
  ["backface-visibility", "clip-path", "transform", "mask", "mask-image", "background-clip", "filter"].map(
    (name) => `-webkit-${name}`,
  ),
);

/** Properties that follow the direction of writing, as those of a text from left to right. */
const PHYSICAL: ReadonlyMap<string, string> = new Map([
  ["inline-size", "width"],
  ["block-size", "height"],
  ["max-inline-size", "max-width"],
  ["max-block-size", "max-height"],
  ["inset-inline-start", "left"],
  ["inset-inline-end", "right"],
  ["inset-block-start", "top"],
  ["inset-block-end", "bottom"],
  ["margin-inline-start", "margin-left"],
  ["margin-block-start", "margin-top"],
  ["overflow-inline", "overflow-x"],
  ["overflow-block", "overflow-y"],
]);
const PAIRS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["inset-inline", ["left", "right"]],
  ["inset-block", ["top", "bottom"]],
  ["margin-inline", ["margin-left", "margin-right"]],
  ["margin-block", ["margin-top", "margin-bottom"]],
]);

/** A declaration as those of single properties. */
function members(declaration: Declaration): Declaration[] {
  const { name, value } = declaration;
  const as = (member: string, of: string): Declaration => ({ ...declaration, name: member, value: of });
  switch (name) {
    case "margin":
    case "inset":
      return fourSides(value).map((side, at) =>
        as(name === "margin" ? `margin-${SIDES[at]}` : `${SIDES[at]}`, side),
      );
    case "background":
      return backgroundMembers(value).map(([member, of]) => as(member, of));
    case "font":
      return fontMembers(value).map(([member, of]) => as(member, of));
    case "overflow":
      return [as("overflow-x", value.split(" ")[0] ?? ""), as("overflow-y", value.split(" ").at(-1) ?? "")];
    default:
      return singlesOf(name, value).map(([single, of]) => as(single, of));
  }
}

function singlesOf(name: string, value: string): [string, string][] {
  if (PREFIXED.has(name)) return [[name.slice("-webkit-".length), value]];
  const pair = PAIRS.get(name);
  if (pair === undefined) return [[PHYSICAL.get(name) ?? name, value]];
  const [first = value, second = first] = wordsOfValue(value);
  return [
    [pair[0], first],
    [pair[1], second],
  ];
}

function fourSides(value: string): string[] {
  const [top = "0", right = top, bottom = top, left = right] = wordsOfValue(value);
  return [top, right, bottom, left];
}

const IS_GLOBAL = /^(?:inherit|initial|unset|revert|revert-layer)$/;

function backgroundMembers(value: string): [string, string][] {
  const isImage = /(?:gradient|url|image|image-set)\(/.test(value);
  if (IS_GLOBAL.test(value) || value.includes("var(")) {
    return [
      ["background-color", value],
      ["background-image", IS_GLOBAL.test(value) ? value : "none"],
    ];
  }
  // Of several layers the last one has the colour.
  const words = wordsOfValue(splitOutside(value, ",").at(-1) ?? "");
  const color = words.find((word) => !/^(?:url|[a-z-]*gradient|image-set)\(/.test(word) && isColorWord(word));
  return [
    ["background-color", color ?? "transparent"],
    ["background-image", isImage ? value : "none"],
    ["background-clip", /(?:^| )text(?: |$)/.test(value) ? "text" : "border-box"],
  ];
}

const LAYER_WORD =
  /^(?:none|repeat|repeat-x|repeat-y|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto|border-box|padding-box|content-box|text|[+-]?[\d.].*|\/.*)$/;

function isColorWord(word: string): boolean {
  return !LAYER_WORD.test(word) && !/^(?:calc|min|max|clamp)\(/.test(word);
}

const FONT_SIZE =
  /^(?:[+-]?[\d.][\w.%+-]*|[a-z-]{3,12}\(.*\)|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger)(?:\/|$)/;
const FONT_WEIGHT = /^[1-9]\d{0,3}$/;

/** `font: italic 12px/0 a`: the size is the first word that is one. */
function fontMembers(value: string): [string, string][] {
  if (IS_GLOBAL.test(value)) return [["font-size", value]];
  const spaced = value.replaceAll(/ ?\/ ?/g, "/");
  const word = wordsOfValue(spaced).find((part) => FONT_SIZE.test(part) && !FONT_WEIGHT.test(part));
  if (word === undefined) return [];
  const [size = "", height] = word.split("/");
  return [
    ["font-size", size],
    ...(height === undefined ? [] : [["line-height", height] as [string, string]]),
  ];
}
