import {
  BLACK,
  colorOf,
  gradientColors,
  isSeen,
  painted,
  TRANSPARENT,
  WHITE,
  type Color,
} from "./css-colors.ts";
import { cutsOff, isBeyond, isClipped, isTurned, scaleOf } from "./css-boxes.ts";
import { lengthOf } from "./css-lengths.ts";
import { MAX_VALUE_CHARS, UNREAD, UNSURE } from "./css-text.ts";
import type { Work } from "./css-selectors.ts";
import { UNJUDGED, type HidingKind, type TextStyle } from "./text-style.ts";

/** The element that is styled. */
export interface StyledElement {
  name: string;
  /** px. */
  rootFontSize: number;
  /** Everything that is copied or expanded for the element is charged to it. */
  work: Work;
}

/** Nobody can read text of fewer px. */
const LEAST_FONT_SIZE = 4;
/** An element with less opacity than this counts as invisible. */
const LEAST_OPACITY = 0.1;
/** A first line that begins so many px to the left is off the page. */
const FAR_INDENT = -200;

/** Declarations of one element, the one that counts of each property. */
export type Declared = ReadonlyMap<string, string>;

/** The style of an element's texts: what it declares, inside of what is around it. Pictures count as not loaded. */
export function styled(written: Declared, parent: TextStyle, element: StyledElement): TextStyle {
  const variables = variablesOf(written, parent.variables, element.work);
  const declared = variables === null ? written : resolved(written, variables, element.work);
  if (declared.has(UNREAD)) element.work.left = 0;
  if (element.work.left <= 0) return UNJUDGED;
  const fontSize = fontSizeOf(declared.get("font-size"), parent.fontSize, element.rootFontSize);
  const base = { em: fontSize, rem: element.rootFontSize, whole: 0 };
  const indent = declared.get("text-indent");
  const lineHeight = declared.get("line-height");
  const style: TextStyle = {
    gone: null,
    isInvisible: isInvisible(declared.get("visibility"), parent.isInvisible),
    fontSize,
    scale: parent.scale * scaleOf(declared),
    ...paintOf(declared, parent),
    opacity: parent.opacity * opacityOf(declared),
    indent:
      indent === undefined ? parent.indent : (lengthOf(indent, { ...base, whole: 600 }) ?? parent.indent),
    isFlat:
      lineHeight === undefined ? parent.isFlat : lengthOf(lineHeight, { ...base, whole: fontSize }) === 0,
    variables,
    hidden: null,
  };
  style.gone = goneBy(declared, style, element.name);
  style.hidden = style.gone ?? verdictOn(style);
  return style;
}

function goneBy(declared: Declared, style: TextStyle, name: string): HidingKind | null {
  const display = declared.get("display");
  if (display === "none" || display === "table-column" || display === "table-column-group") return "css";
  if (style.opacity < LEAST_OPACITY || declared.get("content-visibility") === "hidden") return "css";
  // Outlook hides it, whatever the rest says.
  if (declared.get("mso-hide") === "all") return "css";
  const tests = [isUnknown, isMasked, isTurned, isIndentedAway];
  if (tests.some((isGone) => isGone(declared, style.indent))) return "css";
  const base = { em: style.fontSize, rem: 16, whole: 600 };
  if (isBeyond(declared, base) || isClipped(declared, { name, isFlat: style.isFlat, base })) return "css";
  return null;
}

/** Whether the first line begins outside of a box that hides what is outside of it. */
function isIndentedAway(declared: Declared, indent: number): boolean {
  const isClipping = ["overflow-x", "overflow-y"].some((side) => cutsOff(declared, side));
  return isClipping && (indent <= -100 || indent >= 1_000);
}

const isUnknown = (declared: Declared): boolean => declared.has(UNSURE);

function isMasked(declared: Declared): boolean {
  const masks = [declared.get("mask"), declared.get("mask-image")];
  return masks.some((mask) => mask !== undefined && !/^(?:none|initial|unset|inherit)?$/.test(mask));
}

function verdictOn(style: TextStyle): HidingKind | null {
  if (style.isInvisible) return "css";
  if (style.fontSize * style.scale < LEAST_FONT_SIZE) return "size";
  if (style.indent <= FAR_INDENT) return "css";
  if (style.isFilled) return null;
  const { color, background, opacity } = style;
  const isShown = background.some((behind) => isSeen(painted(color, behind, opacity), behind));
  return isShown ? null : "color";
}

function isInvisible(visibility: string | undefined, inherited: boolean): boolean {
  if (visibility === undefined || visibility === "inherit" || visibility === "unset") return inherited;
  if (visibility === "hidden" || visibility === "collapse") return true;
  return visibility === "visible" || visibility === "initial" ? false : inherited;
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
  initial: 16,
};
const SMALLER = 1.2;

function fontSizeOf(size: string | undefined, inherited: number, rem: number): number {
  if (size === undefined) return inherited;
  if (size === "smaller") return inherited / SMALLER;
  if (size === "larger") return inherited * SMALLER;
  const named = FONT_KEYWORDS[size];
  if (named !== undefined) return named;
  const px = lengthOf(size, { em: inherited, rem, whole: inherited });
  // A number without a unit is no size, but for zero; a negative one is void.
  if (px === null || px < 0 || (px > 0 && /^[\d.+e]+$/.test(size))) return inherited;
  return px;
}

function opacityOf(declared: Declared): number {
  const own = shareOf(declared.get("opacity"));
  const filter = /opacity\(([^()]*)\)/.exec(declared.get("filter") ?? "")?.[1];
  return own * shareOf(filter);
}

function shareOf(value: string | undefined): number {
  if (value === undefined) return 1;
  const share = lengthOf(value.trim(), { em: 1, rem: 1, whole: 1 });
  return share === null ? 1 : Math.min(Math.max(share, 0), 1);
}

/** Colours of the text and behind it. */
function paintOf(
  declared: Declared,
  parent: TextStyle,
): Pick<TextStyle, "color" | "background" | "isFilled"> {
  const color =
    textColor(declared.get("-webkit-text-fill-color"), parent.color) ??
    textColor(declared.get("color"), parent.color) ??
    parent.color;
  const isFilled = declared.get("background-clip")?.includes("text") ?? false;
  return {
    color,
    background: isFilled ? parent.background : backgroundOf(declared, parent, color),
    isFilled: parent.isFilled || isFilled,
  };
}

function textColor(value: string | undefined, inherited: Color): Color | null {
  if (value === undefined || value === "inherit" || value === "unset" || value === "currentcolor")
    return null;
  if (value === "initial") return BLACK;
  return colorOf(value) ?? inherited;
}

/** On a background of an unknown colour, text counts as hidden. */
function backgroundOf(declared: Declared, parent: TextStyle, color: Color): readonly Color[] {
  const written = declared.get("background-color");
  const image = declared.get("background-image") ?? "";
  if (written === undefined && image === "") return parent.background;
  const own = written === "currentcolor" ? color : (colorOf(written ?? "transparent") ?? TRANSPARENT);
  const stops = gradientColors(image);
  if (own.alpha === 0 && stops.length === 0) return parent.background;
  const behind = parent.background.map((under) => painted(own, under));
  if (stops.length === 0) return behind;
  const [under = WHITE] = behind;
  return stops.map((stop) => painted(stop, under));
}

/** Custom properties of one element at most, with those of the elements around it. */
const MAX_VARIABLES = 200;

function variablesOf(
  declared: Declared,
  inherited: ReadonlyMap<string, string> | null,
  work: Work,
): ReadonlyMap<string, string> | null {
  let own: Map<string, string> | null = null;
  for (const [name, value] of declared) {
    if (!name.startsWith("--")) continue;
    const known: ReadonlyMap<string, string> = own ?? inherited ?? NO_VARIABLES;
    if (known.size >= MAX_VARIABLES) {
      work.left = 0;
      return inherited;
    }
    if (own === null) {
      work.left -= known.size;
      own = new Map(known);
    }
    own.set(name, value);
  }
  return own ?? inherited ?? noVariables(declared);
}

/** Without any, `var(--x, value)` still has a value. */
function noVariables(declared: Declared): ReadonlyMap<string, string> | null {
  for (const value of declared.values()) if (value.includes("var(")) return NO_VARIABLES;
  return null;
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
/** Innermost `var()`, with the value that it has where the property is not set. */
const VAR = /var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)/g;
const MAX_ROUNDS = 5;
/** Characters that cost as much as a comparison. */
const CHARS_PER_STEP = 8;

function resolved(declared: Declared, variables: ReadonlyMap<string, string>, work: Work): Declared {
  let values: Map<string, string> | null = null;
  for (const [name, value] of declared) {
    if (!value.includes("var(") || name.startsWith("--")) continue;
    values ??= new Map(declared);
    let text = value;
    for (let round = 0; round < MAX_ROUNDS && text.includes("var(") && work.left > 0; round += 1)
      text = substituted(text, variables, work);
    // A value that is not known may hide the element.
    if (text.includes("var(")) values.set(UNSURE, "");
    values.set(name, text.trim());
  }
  return values ?? declared;
}

/** A value with the custom properties in it replaced once. One that grows beyond the limit uses up all work. */
function substituted(text: string, variables: ReadonlyMap<string, string>, work: Work): string {
  let left = MAX_VALUE_CHARS - text.length;
  const longer = text.replaceAll(VAR, (_, variable: string, other?: string) => {
    const value = left < 0 ? "" : (variables.get(variable) ?? other ?? "");
    left -= value.length;
    return value;
  });
  work.left = left < 0 ? 0 : work.left - Math.ceil(longer.length / CHARS_PER_STEP);
  return longer;
}
