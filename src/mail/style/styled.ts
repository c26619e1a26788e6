import { colorOf, gradientColors, isSeen, painted, TRANSPARENT, type Color } from "./css-colors.ts";
import { isInline, isOver, isPositioned, isTurned, placeOf, scaleOf } from "./css-boxes.ts";
import { lengthOf } from "./css-lengths.ts";
import { computed, isFilterFar, UNREAD, UNSURE } from "./css-properties.ts";
import type { Rules } from "./css-rules.ts";
import type { Work } from "./css-selectors.ts";
import { MAX_VALUE_CHARS, splitOutside } from "./css-text.ts";
import { UNJUDGED, type HidingKind, type TextStyle } from "./text-style.ts";

/** The element that is styled. */
export interface StyledElement {
  name: string;
  /** px. */
  rootFontSize: number;
  /** The declarations that `revert` restores. */
  hints: Declared;
  /** Findings of the sheets beside their rules. */
  sheets: Pick<Rules, "fonts" | "registered">;
  /** Everything that is copied or expanded for the element is charged to it. */
  work: Work;
}

/** Nobody can read text of fewer px. */
const LEAST_FONT_SIZE = 4;
/** An element with less opacity than this counts as invisible. */
const LEAST_OPACITY = 0.1;
/** A first line that begins so many px to the left is off the page. */
const FAR_INDENT = -150;

/** Declarations of one element, the one that counts of each property. */
export type Declared = ReadonlyMap<string, string>;

/** The style of an element's texts: what it declares, inside of what is around it. Pictures count as not loaded. */
export function styled(written: Declared, parent: TextStyle, element: StyledElement): TextStyle {
  const variables = variablesOf(written, parent.variables, element.work);
  const resolvedOnes = variables === null ? written : resolved(written, variables, element);
  const declared = inherited(resolvedOnes, parent, element.hints);
  if (declared.has(UNREAD)) element.work.left = 0;
  if (element.work.left <= 0) return UNJUDGED;
  const fontSize = fontSizeOf(declared.get("font-size"), parent.fontSize, element.rootFontSize);
  const base = { em: fontSize, rem: element.rootFontSize, whole: 0 };
  const indent = declared.get("text-indent");
  const lineHeight = lineHeightOf(
    declared.get("line-height"),
    parent.lineHeight,
    fontSize,
    element.rootFontSize,
  );
  const style: TextStyle = {
    ...parent,
    gone: null,
    isInvisible: isInvisible(declared.get("visibility"), parent.isInvisible),
    fontSize,
    scale: parent.scale * scaleOf(declared),
    opacity: parent.opacity * opacityOf(declared),
    indent:
      indent === undefined ? parent.indent : (lengthOf(indent, { ...base, whole: 600 }) ?? parent.indent),
    lineHeight,
    isOddFont: isOddFont(declared.get("font-family"), parent.isOddFont, element.sheets.fonts),
    isOver: parent.isOver || isOver(declared),
    isOneLine: isOneLine(declared.get("white-space"), parent.isOneLine),
    variables,
    declared,
    others: [],
  };
  const place = placeOf(
    declared,
    {
      name: element.name,
      lineHeight: pxOfLine(lineHeight, fontSize),
      indent: style.indent,
      base: { ...base, whole: 600 },
    },
    parent.place,
  );
  style.place = place ?? parent.place;
  Object.assign(style, paintOf(declared, parent, element.name, base.em));
  style.gone = place === null ? "css" : goneBy(declared, style);
  style.hidden = style.gone ?? verdictOn(style);
  return style;
}

function goneBy(declared: Declared, style: TextStyle): HidingKind | null {
  const display = declared.get("display");
  if (display === "none" || display === "table-column" || display === "table-column-group") return "css";
  if (style.opacity < LEAST_OPACITY || declared.get("content-visibility") === "hidden") return "css";
  // Outlook hides it, whatever the rest says.
  if (declared.get("mso-hide") === "all") return "css";
  return isUnsure(declared) ||
    isFilterFar(declared.get("filter") ?? "") ||
    isTurned(declared) ||
    isBackHidden(declared)
    ? "css"
    : null;
}

/** Properties of which only the text itself depends on, so that elements inside can undo them. */
const OF_TEXT = new Set(
  (
    "color -webkit-text-fill-color font-size font-family background-color background-image background-clip background-size background-position " +
    "background-repeat grid-area"
  ).split(" "),
);

function isUnsure(declared: Declared): boolean {
  for (const [name, value] of declared) {
    if (value === UNSURE && !OF_TEXT.has(name)) return true;
  }
  return false;
}

const isBackHidden = (declared: Declared): boolean =>
  declared.get("backface-visibility") === "hidden" &&
  /rotate[xy]|-/.test(`${declared.get("transform")}${declared.get("scale")}`);

function verdictOn(style: TextStyle): HidingKind | null {
  if (style.isInvisible || style.isOddFont) return "css";
  if (style.fontSize * style.scale < LEAST_FONT_SIZE) return "size";
  if (style.indent <= FAR_INDENT) return "css";
  const { roomY } = style.place;
  if (roomY < Infinity && (pxOfLine(style.lineHeight, style.fontSize) - style.fontSize) / 2 > roomY - 3)
    return "css";
  return isPaintSeen(style) ? null : "color";
}

function isPaintSeen({ color, letters, background, fill, opacity }: TextStyle): boolean {
  if (background.length === 0 || fill?.length === 0) return false;
  const top = letters ?? color;
  const painting = fill === null ? [top] : fill.map((under) => overlaid(top, under));
  return background.every((behind) => painting.every((one) => isSeen(painted(one, behind, opacity), behind)));
}

const overlaid = (over: Color, under: Color): Color =>
  over.alpha === 0 ? under : { ...painted(over, under), alpha: Math.max(over.alpha, under.alpha) };

function isInvisible(visibility: string | undefined, isInherited: boolean): boolean {
  if (visibility === undefined) return isInherited;
  return visibility !== "visible";
}

const FONT_KEYWORDS: Readonly<Record<string, number>> = {
  "xx-small": 9,
  "x-small": 10,
  small: 13,
  medium: 16,
  large: 18,
  "x-large": 24,
  "xx-large": 32,
  "xxx-large": 48,
};
const SMALLER = 1.2;

function fontSizeOf(size: string | undefined, around: number, rem: number): number {
  if (size === undefined) return around;
  if (size === UNSURE) return 0;
  if (size === "smaller") return around / SMALLER;
  if (size === "larger") return around * SMALLER;
  return FONT_KEYWORDS[size] ?? lengthOf(size, { em: around, rem, whole: around }) ?? around;
}

function lineHeightOf(
  height: string | undefined,
  around: string | null,
  fontSize: number,
  rem: number,
): string | null {
  if (height === undefined) return around;
  if (height === "normal" || height === UNSURE) return null;
  if (/^[\d.]+$/.test(height)) return height;
  return `${lengthOf(height, { em: fontSize, rem, whole: fontSize }) ?? fontSize}px`;
}

const isOneLine = (space: string | undefined, isInherited: boolean): boolean =>
  space === undefined ? isInherited : /nowrap|^pre(?: |$)/.test(space);

export function pxOfLine(height: string | null, fontSize: number): number {
  if (height === null) return fontSize * 1.2;
  return height.endsWith("px") ? Number.parseFloat(height) : Number(height) * fontSize;
}

function opacityOf(declared: Declared): number {
  let opacity = shareOf(declared.get("opacity"));
  for (const [, filter] of (declared.get("filter") ?? "").matchAll(/opacity\(([^()]*)\)/g))
    opacity *= shareOf(filter);
  return opacity;
}

function shareOf(value: string | undefined): number {
  if (value === undefined) return 1;
  const share = lengthOf(value.trim(), { em: 1, rem: 1, whole: 1 });
  return share === null ? 1 : Math.min(Math.max(share, 0), 1);
}

/** Fonts whose letters are pictures or nothing. */
const SYMBOLS = /^(?:webdings|wingdings(?: [23])?|symbol|marlett|zapf ?dingbats|adobe blank|blank)$/;

function isOddFont(families: string | undefined, isInherited: boolean, fonts: ReadonlySet<string>): boolean {
  if (families === undefined) return isInherited;
  if (families === UNSURE) return true;
  const names = splitOutside(families, ",").map((name) => name.trim().replaceAll('"', ""));
  return SYMBOLS.test(names[0] ?? "") || (fonts.size > 0 && names.some((name) => fonts.has(name)));
}

/** Colours of the text and behind it. */
function paintOf(
  declared: Declared,
  parent: TextStyle,
  name: string,
  em: number,
): Pick<TextStyle, "color" | "letters" | "background" | "outer" | "fill"> {
  const color = textColor(declared.get("color"), parent.color) ?? parent.color;
  const filling = declared.get("-webkit-text-fill-color");
  const letters = filling === undefined ? parent.letters : textColor(filling, color);
  const isFilled = declared.get("background-clip") === "text";
  const own = layersOf(declared, color, isFilled ? [TRANSPARENT] : parent.background, em, name);
  if (isFilled)
    return { color, letters, background: parent.background, outer: parent.outer, fill: own ?? [TRANSPARENT] };
  const moved =
    isOver(declared) || isLoose(declared, parent)
      ? union(parent.background, parent.outer)
      : parent.background;
  const background =
    own === null
      ? moved
      : isOver(declared) && own.some(({ alpha }) => alpha < 1)
        ? union(own, parent.outer)
        : own;
  return { color, letters, background, outer: union(parent.outer, background), fill: parent.fill };
}

/** Whether an element floats in one whose background may end above it: a block does not grow with what floats in it. */
function isLoose(declared: Declared, { declared: around }: TextStyle): boolean {
  if (around === null || (!around.has("background-color") && !around.has("background-image"))) return false;
  const px = (of: Declared, name: string): number =>
    (of.get(name) ?? "").endsWith("px") ? Number.parseFloat(of.get(name) ?? "") : 0;
  if (px(around, "width") > 0 && px(declared, "margin-left") > px(around, "width") - 30) return true;
  if (!/^(?:left|right)$/.test(declared.get("float") ?? "")) return false;
  const isGrowing = /^(?:table|inline-|flex|grid|flow-root|-webkit)/.test(around.get("display") ?? "");
  const holds = ["float", "overflow-x", "overflow-y", "height", "min-height"].some((name) =>
    around.has(name),
  );
  return !isGrowing && !holds && !isPositioned(around);
}

/** Colours at most that may be behind a text; of more nobody can say. */
const MAX_BEHIND = 12;

function union(one: readonly Color[], two: readonly Color[]): readonly Color[] {
  if (one.length === 0 || two.length === 0) return [];
  const all = [...one];
  for (const color of two) if (!all.some((known) => isSame(known, color))) all.push(color);
  return all.length === one.length ? one : all.length > MAX_BEHIND ? [] : all;
}

const isSame = (one: Color, two: Color): boolean =>
  one.red === two.red && one.green === two.green && one.blue === two.blue && one.alpha === two.alpha;

function textColor(value: string | undefined, around: Color): Color | null {
  if (value === undefined || value === "currentcolor") return null;
  const color = colorOf(value);
  if (value === UNSURE || color === "unread") return TRANSPARENT;
  return color ?? around;
}

const WHOLE_SIZE = /^(?:auto|cover|contain|100%)(?: (?:auto|100%|cover))?$/;
const AT_EDGE = /^(?:(?:0|0px|0%|50%|100%|left|right|top|bottom|center) ?)+$/;

/** The colours of an element's own background over what is behind it; null where it has none; [] where it is not known. */
function layersOf(
  declared: Declared,
  color: Color,
  behind: readonly Color[],
  em: number,
  name: string,
): readonly Color[] | null {
  const written = declared.get("background-color");
  const image = declared.get("background-image") ?? "none";
  if (written === undefined && image === "none") return null;
  const own = written === undefined ? TRANSPARENT : written === "currentcolor" ? color : colorOf(written);
  const stops = image === "none" ? [] : gradientColors(image);
  if (own === null || own === "unread" || stops === "unread") return [];
  if (own.alpha === 0 && stops.length === 0) return null;
  const under = behind.map((one) => (one.alpha === 0 ? own : painted(own, one)));
  const shown = stops.length === 0 ? under : gradientOver(under, stops, declared);
  return isLow(declared, name, em) || declared.get("background-clip") === UNSURE
    ? union(shown, behind)
    : shown;
}

/** The colours of a gradient, and those under it where it does not fill the box. */
function gradientOver(
  under: readonly Color[],
  stops: readonly Color[],
  declared: Declared,
): readonly Color[] {
  const isPart =
    !/^(?:border-box|padding-box|text)?$/.test(declared.get("background-clip") ?? "") ||
    !WHOLE_SIZE.test(declared.get("background-size") ?? "auto") ||
    !AT_EDGE.test(declared.get("background-position") ?? "0");
  const [first] = under;
  const layers = first === undefined ? under : stops.map((stop) => painted(stop, first));
  return isPart ? union(layers, under) : layers;
}

/** Whether the text of a box runs over it, so that its background is not behind all of it. */
function isLow(declared: Declared, name: string, em: number): boolean {
  if (isInline(declared, name)) return false;
  return ["height", "max-height", "width", "max-width"].some((side) => {
    const size = lengthOf(declared.get(side) ?? "", { em, rem: 16, whole: 600 });
    return size !== null && size < em / 2;
  });
}

/** Properties whose value an element has from around it unless it declares one, with the first of all. */
const INHERITED: Readonly<Record<string, string>> = {
  "white-space": "normal",
  color: "canvastext",
  "-webkit-text-fill-color": "currentcolor",
  visibility: "visible",
  "font-size": "medium",
  "font-family": "serif",
  "line-height": "normal",
  "text-indent": "0px",
};

/** The declarations with their values for `inherit`, `initial`, `unset` and `revert`. */
function inherited(declared: Declared, parent: TextStyle, hints: Declared): Declared {
  let values: Map<string, string> | null = null;
  for (const [name, value] of declared) {
    if (!GLOBAL.test(value) || name.startsWith("--")) continue;
    values ??= new Map(declared);
    const own = globalValue(name, value, parent, hints);
    if (own === undefined) values.delete(name);
    else values.set(name, own);
  }
  return values ?? declared;
}

const GLOBAL = /^(?:inherit|initial|unset|revert|revert-layer)$/;

function globalValue(name: string, value: string, parent: TextStyle, hints: Declared): string | undefined {
  const first = INHERITED[name];
  switch (value) {
    case "initial":
      return name === "display" ? "inline" : first;
    case "inherit": {
      if (first !== undefined) return undefined;
      const around = parent.declared?.get(name);
      // It is relative to another font size or box.
      return around === undefined || /^(?:0|[a-z-]+|[-\d.]+px|#[\da-f]+)$/.test(around) ? around : UNSURE;
    }
    case "unset":
      return name === "display" ? "inline" : undefined;
    case "revert":
      return hints.get(name);
    default:
      return UNSURE;
  }
}

/** Custom properties of one element at most, with those of the elements around it. */
const MAX_VARIABLES = 200;

function variablesOf(
  declared: Declared,
  around: ReadonlyMap<string, string> | null,
  work: Work,
): ReadonlyMap<string, string> | null {
  let own: Map<string, string> | null = null;
  for (const [name, value] of declared) {
    if (!name.startsWith("--")) continue;
    const known: ReadonlyMap<string, string> = own ?? around ?? NO_VARIABLES;
    if (known.size >= MAX_VARIABLES) {
      work.left = 0;
      return around;
    }
    if (own === null) {
      work.left -= known.size;
      own = new Map(known);
    }
    if (value === "inherit" || value === "unset") continue;
    if (value === "initial") own.delete(name);
    else own.set(name, value);
  }
  return own ?? around ?? noVariables(declared);
}

/** Without any, `var(--x, value)` still has a value. */
function noVariables(declared: Declared): ReadonlyMap<string, string> | null {
  for (const value of declared.values()) if (value.includes("var(")) return NO_VARIABLES;
  return null;
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
/** Innermost `var()`, with the value that it has where the property is not set. */
const VAR = /var\( ?(--[^\s,()]*) ?(?:,((?:[^()]|\((?:[^()]|\([^()]*\))*\))*))?\)/g;
const MAX_ROUNDS = 5;
/** Characters that cost as much as a comparison. */
const CHARS_PER_STEP = 8;

function resolved(
  declared: Declared,
  variables: ReadonlyMap<string, string>,
  { work, sheets }: StyledElement,
): Declared {
  let values: Map<string, string> | null = null;
  for (const [name, value] of declared) {
    if (!value.includes("var(") || name.startsWith("--")) continue;
    values ??= new Map(declared);
    let text: string | null = value;
    for (let round = 0; round < MAX_ROUNDS && text?.includes("var(") === true && work.left > 0; round += 1)
      text = substituted(text, variables, sheets.registered, work);
    // A value that is not known may hide the element; one that is void is that of no declaration.
    const own =
      text === UNSURE || text?.includes("var(") === true
        ? UNSURE
        : text === null
          ? null
          : computed(name, text);
    values.set(name, own ?? "unset");
  }
  return values ?? declared;
}

/**
 * A value with the custom properties in it replaced once; null if one has no value. One that grows beyond the limit uses up all
 * work.
 */
function substituted(
  text: string,
  variables: ReadonlyMap<string, string>,
  registered: ReadonlySet<string>,
  work: Work,
): string | null {
  let left = MAX_VALUE_CHARS - text.length;
  let [isVoid, isOther] = [false, false];
  const longer = text.replaceAll(VAR, (_, variable: string, other?: string) => {
    const value = left < 0 ? "" : (variables.get(variable) ?? other);
    isOther ||= registered.has(variable);
    isVoid ||= value === undefined;
    left -= value?.length ?? 0;
    return value ?? "";
  });
  work.left = left < 0 ? 0 : work.left - Math.ceil(longer.length / CHARS_PER_STEP);
  return isOther ? UNSURE : isVoid ? null : longer;
}
