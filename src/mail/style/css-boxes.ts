import { lengthOf, type LengthBase } from "./css-lengths.ts";
import { wordsOfValue } from "./css-text.ts";

type Declared = ReadonlyMap<string, string>;

/** Elements that are no boxes of their own unless they are made so: they have no width and height. */
const INLINE = new Set(
  (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike " +
    "strong sub sup time tt u var o:p"
  ).split(" "),
);
/** They grow with their content, whatever their height. */
const TABLE_PART = new Set(["td", "th", "tr", "tbody", "thead", "tfoot", "table"]);
const TABLE_PARTS = /^(?:inline-)?table(?:-(?:cell|row|row-group|header-group|footer-group))?$/;

/** A box so low or so narrow, in px, shows no line of text. */
const LEAST_SIDE = 4;

const SIDES = ["width", "max-width", "height", "max-height"];

/** The part of an element's style that says whether its box clips its text. */
export interface Box {
  name: string;
  /** `line-height: 0`. */
  isFlat: boolean;
  base: LengthBase;
}

/** Whether an element shows nothing of its content: its box has no size and hides what overflows it, or a clip covers all. */
export function isClipped(declared: Declared, box: Box): boolean {
  if (isPathEmpty(declared.get("clip-path"))) return true;
  if (isPositioned(declared) && isRectEmpty(declared.get("clip"), box.base)) return true;
  if (isInline(declared, box.name)) return false;
  if (isUnsized(declared)) return true;
  if (
    !["overflow-x", "overflow-y"].some((side) => cutsOff(declared, side)) ||
    isTablePart(declared, box.name)
  )
    return false;
  const isSmall = (side: string): boolean => {
    const value = declared.get(side);
    const px = value === undefined ? null : lengthOf(value, box.base);
    return px !== null && px < LEAST_SIDE;
  };
  return SIDES.some(isSmall) || (box.isFlat && !declared.has("height"));
}

/** Whether a box hides what overflows it. */
export function cutsOff(declared: Declared, side: string): boolean {
  return /^(?:hidden|clip|scroll|auto)$/.test(declared.get(side) ?? "");
}

/** Whether a box has no size but its own, which is none, and shows nothing outside of it. */
function isUnsized(declared: Declared): boolean {
  const contain = declared.get("contain") ?? "";
  if (!/strict|size/.test(contain) || declared.has("height")) return false;
  return /strict|paint/.test(contain) || cutsOff(declared, "overflow-y");
}

/** Whether an element is turned in space in a way that is not computed, or far slanted, so that it may show its edge or its back. */
export function isTurned(declared: Declared): boolean {
  const transform = declared.get("transform") ?? "";
  const turn = declared.get("rotate") ?? "";
  if (/matrix3d|rotate3d|skew/.test(transform) || / /.test(turn)) return true;
  return declared.get("backface-visibility") === "hidden" && /rotate[xy]/.test(transform);
}

function isInline(declared: Declared, name: string): boolean {
  const display = declared.get("display");
  if (/^(?:left|right)$/.test(declared.get("float") ?? "") || isPositioned(declared)) return false;
  if (display !== undefined && display !== "initial") return display === "inline" || display === "contents";
  return INLINE.has(name) || display === "initial";
}

function isTablePart(declared: Declared, name: string): boolean {
  const display = declared.get("display");
  if (/^(?:left|right)$/.test(declared.get("float") ?? "") || isPositioned(declared)) return false;
  return display === undefined ? TABLE_PART.has(name) : TABLE_PARTS.test(display);
}

/** Whether it is taken out of the flow, so that `clip` and all four sides count. */
function isPositioned(declared: Declared): boolean {
  return /^(?:absolute|fixed)$/.test(declared.get("position") ?? "");
}

function isRectEmpty(clip: string | undefined, base: LengthBase): boolean {
  const [, inside] = /^rect\(([^()]*)\)$/.exec(clip ?? "") ?? [];
  if (inside === undefined) return false;
  const sides = inside.split(/[\s,]+/).filter((side) => side !== "");
  const [top, right, bottom, left] = sides.map((side) => lengthOf(side, base));
  const isNear = (from: number | null | undefined, to: number | null | undefined): boolean =>
    typeof to === "number" && to - (from ?? 0) < LEAST_SIDE;
  return isNear(top, bottom) || isNear(left, right);
}

/** A length for shares of a box whose size is not known. */
const SHARE: LengthBase = { em: 16, rem: 16, whole: 100 };

function isPathEmpty(path: string | undefined): boolean {
  const [, shape, inside = ""] =
    /^(inset|circle|ellipse|polygon|rect|xywh|path)\(([^]*)\)/.exec(path ?? "") ?? [];
  if (shape === undefined) return false;
  if (shape === "inset") return isInsetEmpty(inside.split(" round ")[0] ?? "");
  if (shape === "circle" || shape === "ellipse") {
    const radii = wordsOfValue(inside.split(/(?:^| )at /)[0] ?? "").map((word) => lengthOf(word, SHARE));
    return radii.some((radius) => radius !== null && radius < LEAST_SIDE / 2);
  }
  if (shape === "polygon") return isPolygonEmpty(inside);
  // What the other shapes leave is not computed.
  return true;
}

function isInsetEmpty(inside: string): boolean {
  const [top = "0", right = top, bottom = top, left = right] = wordsOfValue(inside);
  const covers = (one: string, two: string): boolean => {
    const [first, second] = [lengthOf(one, SHARE) ?? 0, lengthOf(two, SHARE) ?? 0];
    const isShare = one.endsWith("%") || two.endsWith("%");
    // No line of a mail is so many px high.
    return isShare ? first + second >= 98 : first + second >= 1_000;
  };
  return covers(top, bottom) || covers(left, right);
}

/** Points of one shape that are looked at. */
const MAX_POINTS = 100;

function isPolygonEmpty(inside: string): boolean {
  const points = inside
    .split(",", MAX_POINTS)
    .map((point) => wordsOfValue(point).map((word) => lengthOf(word, SHARE) ?? 0));
  const spread = (axis: 0 | 1): number => {
    let [least, most] = [Infinity, -Infinity];
    for (const point of points) {
      least = Math.min(least, point[axis] ?? 0);
      most = Math.max(most, point[axis] ?? 0);
    }
    return most - least;
  };
  return points.length < 3 || spread(0) < 2 || spread(1) < 2;
}

/** Distances in px that put a text off the page. */
const FAR = { back: -100, margin: -300, forth: 3_000, fromEnd: -400, up: -1_000 } as const;

/** Whether an element stands off the page: by its position, its margins or a transform. */
export function isBeyond(declared: Declared, base: LengthBase): boolean {
  const px = (name: string): number => {
    const value = declared.get(name);
    return value === undefined ? 0 : (lengthOf(value, base) ?? 0);
  };
  const position = declared.get("position") ?? "static";
  if (position !== "static" && isPlacedBeyond(px)) return true;
  if (px("margin-left") <= FAR.margin || px("margin-top") <= FAR.up) return true;
  if (px("margin-left") >= FAR.forth) return true;
  return shiftsOf(declared, base).some(([x, y]) => x <= FAR.margin || y <= FAR.up || x >= FAR.forth);
}

function isPlacedBeyond(px: (name: string) => number): boolean {
  return (
    px("left") <= FAR.back ||
    px("top") <= FAR.back ||
    px("inset-inline-start") <= FAR.back ||
    px("right") <= FAR.fromEnd ||
    px("bottom") <= FAR.fromEnd ||
    px("left") >= FAR.forth ||
    px("right") >= FAR.forth ||
    px("bottom") >= FAR.forth
  );
}

function shiftsOf(declared: Declared, base: LengthBase): [number, number][] {
  const shifts: [number, number][] = [];
  const moved = wordsOfValue(declared.get("translate") ?? "").map((word) => lengthOf(word, base) ?? 0);
  if (moved.length > 0) shifts.push([moved[0] ?? 0, moved[1] ?? 0]);
  return [...shifts, ...transformsOf(declared, base).map(shiftOf)];
}

function shiftOf({
  name,
  values: [first = 0, second = 0, , , fifth = 0, sixth = 0],
}: Transform): [number, number] {
  switch (name) {
    case "translate":
    case "translate3d":
      return [first, second];
    case "translatex":
      return [first, 0];
    case "translatey":
      return [0, first];
    case "matrix":
      return [fifth, sixth];
    default:
      return [0, 0];
  }
}

/** One function of `transform`, its name in lower case. */
interface Transform {
  name: string;
  values: number[];
}

const MAX_TRANSFORMS = 20;
/** A matrix has 16. */
const MAX_NUMBERS = 16;

function transformsOf(declared: Declared, base: LengthBase): Transform[] {
  const transform = declared.get("transform");
  if (transform === undefined) return [];
  return [...transform.matchAll(/([a-z0-9]{1,20})\(([^()]*)\)/g)]
    .slice(0, MAX_TRANSFORMS)
    .map(([, name, inside]) => ({
      name: name ?? "",
      values: (inside ?? "").split(",", MAX_NUMBERS).map((value) => lengthOf(value.trim(), base) ?? 0),
    }));
}

const PLAIN: LengthBase = { em: 16, rem: 16, whole: 1 };

/** By how much transforms and zoom scale an element; 0 where they turn it edge-on. */
export function scaleOf(declared: Declared): number {
  if (!declared.has("transform") && !declared.has("scale") && !declared.has("zoom")) return 1;
  const own = wordsOfValue(declared.get("scale") ?? "").map((word) => lengthOf(word, PLAIN) ?? 1);
  const zoom = lengthOf(declared.get("zoom") ?? "1", PLAIN) ?? 1;
  return transformsOf(declared, PLAIN).reduce(
    (scale, transform) => scale * leastOf(factorsOf(transform)),
    leastOf(own) * (zoom > 0 ? zoom : 1),
  );
}

const leastOf = (factors: readonly number[]): number =>
  factors
    .slice(0, MAX_NUMBERS)
    .reduce((least, factor) => Math.min(least, Math.abs(factor)), factors.length === 0 ? 1 : Infinity);

/** By how much a transform scales each axis. */
function factorsOf({ name, values }: Transform): readonly number[] {
  if (name === "scale3d") return values.slice(0, 2);
  if (name.startsWith("scale")) return values;
  if (name === "rotatex" || name === "rotatey") return [Math.cos(((values[0] ?? 0) * Math.PI) / 180)];
  return name === "matrix" ? [areaOf(values)] : [];
}

/** Of a matrix: by how much it scales its narrower side, about. */
function areaOf([a = 1, b = 0, c = 0, d = 1]: readonly number[]): number {
  const longest = Math.max(Math.hypot(a, b), Math.hypot(c, d));
  return longest === 0 ? 0 : Math.abs(a * d - b * c) / longest;
}
