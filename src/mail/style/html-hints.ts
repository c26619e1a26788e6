import { isSeen, legacyColorOf, WHITE } from "./css-colors.ts";
import { UNSURE, type Declaration } from "./css-properties.ts";
import { isData } from "./css-text.ts";
import type { Selectable } from "./css-selectors.ts";

/** No declarations. */
export const NO_HINTS: readonly Declaration[] = [];

const declared = (name: string, value: string): Declaration => ({ name, value, important: false });
const list = (pairs: Readonly<Record<string, string>>): readonly Declaration[] =>
  Object.entries(pairs).map(([name, value]) => declared(name, value));

const FORM_FIELD = list({ "font-size": "13.333px", color: "black", "background-color": "white" });
const SMALLER = list({ "font-size": "smaller" });

/** The style that browsers give an element, as far as it may hide or show a text. */
const OF_ELEMENT: ReadonlyMap<string, readonly Declaration[]> = new Map([
  ["small", SMALLER],
  ["sub", SMALLER],
  ["sup", SMALLER],
  ["big", list({ "font-size": "larger" })],
  ["h1", list({ "font-size": "2em" })],
  ["h2", list({ "font-size": "1.5em" })],
  ["h3", list({ "font-size": "1.17em" })],
  ["h5", list({ "font-size": ".83em" })],
  ["h6", list({ "font-size": ".67em" })],
  ["mark", list({ color: "black", "background-color": "yellow" })],
  ["button", list({ "font-size": "13.333px", color: "black", "background-color": "#efefef" })],
  ["textarea", [...FORM_FIELD, ...list({ "overflow-y": "auto" })]],
  ["title", list({ display: "none" })],
  ["template", list({ display: "none" })],
  ["datalist", list({ display: "none" })],
  ["marquee", list({ "overflow-x": "hidden", "overflow-y": "hidden" })],
  ["rp", list({ display: "none" })],
  ["rt", list({ "font-size": "50%" })],
]);

const LINK = list({ color: "#0000ee" });
const NONE = list({ display: "none" });

const words = (text: string): readonly string[] => text.split(" ");
/** A value that is not understood. */
const NOT_READ = list({ display: UNSURE });

/** Elements of formulas that show their text as it is, and attributes that leave it so. */
const FORMULA = new Set(
  words(
    "math mrow mi mn mo mtext mspace ms mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd",
  ),
);
const OF_FORMULA = new Set(
  words("xmlns display class id style dir href title mathvariant displaystyle stretchy fence form"),
);

/** Sizes of `<font size>` in px. */
const FONT_SIZES = [10, 10, 13, 16, 18, 24, 32, 48];
const COLORED = new Set([
  "body",
  "table",
  "thead",
  "tbody",
  "tfoot",
  "tr",
  "td",
  "th",
  "col",
  "colgroup",
  "marquee",
]);
/** Attributes that change how a text is shown. */
const HINTING = words(
  "hidden bgcolor color size text href popover background cellpadding leftmargin marginwidth scrolldelay scrollamount name width",
);

/** The declarations of an element by its name and attributes, weaker than every style sheet. */
export function hintsOf(
  { name, namespace, attributes, parent }: Selectable,
  links = LINK,
): readonly Declaration[] {
  if (namespace === "svg") return NO_HINTS;
  if (namespace === "math") return isPlainFormula(name, attributes) ? NO_HINTS : NOT_READ;
  const own = OF_ELEMENT.get(name) ?? NO_HINTS;
  if (attributes.size === 0 && name !== "dialog" && parent?.name !== "details") return own;
  const hints: Declaration[] = [];
  if (name === "a" && attributes.has("href")) hints.push(...links);
  if (isClosed({ name, attributes, parent })) hints.push(...NONE);
  if (HINTING.some((attribute) => attributes.has(attribute))) hints.push(...attributeHints(name, attributes));
  if (hints.length === 0) return own;
  return [...own, ...hints];
}

function isPlainFormula(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return FORMULA.has(name) && [...attributes.keys()].every((attribute) => OF_FORMULA.has(attribute));
}

/** The declarations of the links in a body that says their colour; null where it does not. */
export function linksOf({ name, attributes }: Selectable): readonly Declaration[] | null {
  // One color of both is enough to hide a link from some of its readers.
  const written = name === "body" ? [attributes.get("link") ?? "", attributes.get("vlink") ?? ""] : [];
  const colors = written.flatMap((value) => legacyColorOf(value) ?? []);
  const color = colors.find((one) => !isSeen(one, WHITE)) ?? colors[0] ?? null;
  return color === null ? null : list({ color: `rgb(${color.red},${color.green},${color.blue})` });
}

/** Whether it is hidden until something opens it, which in a mail nothing does. */
function isClosed({ name, attributes, parent }: Pick<Selectable, "name" | "attributes" | "parent">): boolean {
  if (name === "dialog") return !attributes.has("open");
  return parent?.name === "details" && name !== "summary" && !parent.attributes.has("open");
}

/** px that no honest mail asks for. */
const LEAST_WIDE = 1_700;

function attributeHints(name: string, attributes: ReadonlyMap<string, string>): Declaration[] {
  const hints: Declaration[] = [];
  const color = (property: string, value: string | undefined): void => {
    const found = value === undefined ? null : legacyColorOf(value);
    if (found !== null) hints.push(declared(property, `rgb(${found.red},${found.green},${found.blue})`));
  };
  if (attributes.has("hidden") || attributes.has("popover")) hints.push(declared("display", "none"));
  if (COLORED.has(name)) color("background-color", attributes.get("bgcolor"));
  if (name === "body") color("color", attributes.get("text"));
  if (isData(attributes.get("background"))) hints.push(declared("background-image", UNSURE));
  hints.push(...sizeHints(name, attributes));
  if (name === "marquee" && (attributes.has("scrolldelay") || attributes.has("scrollamount")))
    hints.push(...NOT_READ);
  if (name === "font") {
    color("color", attributes.get("color"));
    const size = fontSizeOf(attributes.get("size"));
    if (size !== null) hints.push(declared("font-size", `${size}px`));
  }
  return hints;
}

function sizeHints(name: string, attributes: ReadonlyMap<string, string>): Declaration[] {
  const count = (attribute: string): number => Number.parseInt(attributes.get(attribute) ?? "", 10) || 0;
  const inset = name === "table" ? count("cellpadding") : Math.max(count("leftmargin"), count("marginwidth"));
  const width = count("width");
  return [
    ...(width > LEAST_WIDE ? [declared("width", `${width}px`)] : []),
    ...(inset > 0 ? [declared("padding-left", `${inset}px`)] : []),
  ];
}

function fontSizeOf(size: string | undefined): number | null {
  const [, sign, digits] = /^\s*([+-]?)(\d{1,3})/.exec(size ?? "") ?? [];
  if (digits === undefined) return null;
  const steps = Number(digits);
  const at = sign === "+" ? 3 + steps : sign === "-" ? 3 - steps : steps;
  return FONT_SIZES[Math.min(Math.max(at, 1), 7)] ?? null;
}
