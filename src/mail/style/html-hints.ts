import { legacyColorOf } from "./css-colors.ts";
import type { Declaration } from "./css-text.ts";
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
  ["noscript", list({ display: "none" })],
  ["datalist", list({ display: "none" })],
  ["select", list({ display: "none" })],
  ["meter", list({ display: "none" })],
  ["progress", list({ display: "none" })],
  ["marquee", list({ "overflow-x": "hidden", "overflow-y": "hidden" })],
  ["rp", list({ display: "none" })],
]);

const LINK = list({ color: "#0000ee" });
const NONE = list({ display: "none" });

/** Sizes of `<font size>` in px. */
const FONT_SIZES = [10, 10, 13, 16, 18, 24, 32, 48];
const COLORED = new Set(["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]);
/** Attributes that change how a text is shown. */
const HINTING = ["hidden", "bgcolor", "color", "size", "text", "href", "popover"];

/** The declarations of an element by its name and attributes, weaker than every style sheet. */
export function hintsOf(
  { name, namespace, attributes, parent }: Selectable,
  links = LINK,
): readonly Declaration[] {
  if (namespace !== "html") return NO_HINTS;
  const own = OF_ELEMENT.get(name) ?? NO_HINTS;
  if (attributes.size === 0 && name !== "dialog" && parent?.name !== "details") return own;
  const hints: Declaration[] = [];
  if (name === "a" && attributes.has("href")) hints.push(...links);
  if (isClosed({ name, attributes, parent })) hints.push(...NONE);
  if (HINTING.some((attribute) => attributes.has(attribute))) hints.push(...attributeHints(name, attributes));
  if (hints.length === 0) return own;
  return [...own, ...hints];
}

/** The declarations of the links in a body that says their colour; null where it does not. */
export function linksOf({ name, attributes }: Selectable): readonly Declaration[] | null {
  const color = name === "body" ? legacyColorOf(attributes.get("link") ?? "") : null;
  return color === null ? null : list({ color: `rgb(${color.red},${color.green},${color.blue})` });
}

/** Whether it is hidden until something opens it, which in a mail nothing does. */
function isClosed({ name, attributes, parent }: Pick<Selectable, "name" | "attributes" | "parent">): boolean {
  if (name === "dialog") return !attributes.has("open");
  return parent?.name === "details" && name !== "summary" && !parent.attributes.has("open");
}

function attributeHints(name: string, attributes: ReadonlyMap<string, string>): Declaration[] {
  const hints: Declaration[] = [];
  const color = (property: string, value: string | undefined): void => {
    const found = value === undefined ? null : legacyColorOf(value);
    if (found !== null) hints.push(declared(property, `rgb(${found.red},${found.green},${found.blue})`));
  };
  if (attributes.has("hidden") || attributes.has("popover")) hints.push(declared("display", "none"));
  if (COLORED.has(name)) color("background-color", attributes.get("bgcolor"));
  if (name === "body") color("color", attributes.get("text"));
  if (name === "font") {
    color("color", attributes.get("color"));
    const size = fontSizeOf(attributes.get("size"));
    if (size !== null) hints.push(declared("font-size", `${size}px`));
  }
  return hints;
}

function fontSizeOf(size: string | undefined): number | null {
  const [, sign, digits] = /^\s*([+-]?)(\d{1,3})/.exec(size ?? "") ?? [];
  if (digits === undefined) return null;
  const steps = Number(digits);
  const at = sign === "+" ? 3 + steps : sign === "-" ? 3 - steps : steps;
  return FONT_SIZES[Math.min(Math.max(at, 1), 7)] ?? null;
}
