import { lengthOf, WINDOW, type LengthBase } from "./css-lengths.ts";
import { splitOutside, wordsOfValue } from "./css-text.ts";

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
/** Widths in px that the box around an element may have. */
const WIDTHS = [200, 600, 1_000, 1_264, 1_600];

/** Where the texts of an element begin, and how much of what is around it is left for them, in px. */
export interface Place {
  /** From the left of the page; and from the top, as far as it is pulled up. */
  x: number;
  y: number;
  /** Up to where a box around it cuts off what is over; Infinity where none does. */
  roomX: number;
  roomY: number;
  /** How much of the box that cuts off is full: shared by all that is in it; null where none does. */
  full: Filling | null;
}

/** Height in px, and characters on the line that is not full. */
export interface Filling {
  height: number;
  chars: number;
}

export const PAGE: Place = { x: 0, y: 0, roomX: Infinity, roomY: Infinity, full: null };

/** px of a box that any mail may have. */
const WIDEST = 1_700;

/** The part of an element's style that its box depends on. */
export interface Box {
  name: string;
  /** px. */
  lineHeight: number;
  indent: number;
  base: LengthBase;
}

/** Distances in px that put a text off the page. */
const FAR = {
  left: -60,
  up: -80,
  top: -40,
  right: WINDOW.width - 80,
  shift: -300,
  fromEnd: -150,
  down: WINDOW.height - 50,
} as const;

/** Where the box of an element stands in that around it; null where nothing of it can be seen. */
export function placeOf(declared: Declared, box: Box, around: Place): Place | null {
  if (isPathEmpty(declared.get("clip-path"))) return null;
  if (isPositioned(declared) && isRectEmpty(declared.get("clip"), box.base)) return null;
  const px = pxIn(declared, box, around);
  const place = moved(declared, px, around, box);
  if (place === null || isPlacedBeyond(declared, px, around)) return null;
  if (isInline(declared, box.name)) return place;
  return cut(declared, box, px, place);
}

type Px = (name: string) => number;

function pxIn(declared: Declared, { base }: Box, { roomX, roomY }: Place): Px {
  const [width, height] = [Math.min(roomX, WINDOW.width - 16), Math.min(roomY, WINDOW.height)];
  return (name) => {
    const value = declared.get(name);
    if (value === undefined) return 0;
    return lengthOf(value, { ...base, whole: name === "top" || name === "bottom" ? height : width }) ?? 0;
  };
}

/** The place of an element's content, by its margins, its frame, its position and its transforms. */
function moved(declared: Declared, px: Px, around: Place, { indent, base }: Box): Place | null {
  const position = declared.get("position") ?? "static";
  const isMoved = position !== "static";
  const frameX = px("padding-left") + px("border-left-width");
  const frameY = px("padding-top") + px("border-top-width");
  const whole = Math.min(around.roomX, WINDOW.width - 16);
  let [shiftX, shiftY] = [0, 0];
  for (const [x, y] of shiftsOf(declared, { ...base, whole })) [shiftX, shiftY] = [shiftX + x, shiftY + y];
  const x = px("margin-left") + frameX + (isMoved ? byPosition(declared, px, "left", "right") : 0) + shiftX;
  const y = px("margin-top") + (isMoved ? byPosition(declared, px, "top", "bottom") : 0) + shiftY;
  const isFree = isPositioned(declared) && declared.has("left");
  const place = {
    x: (isFree ? 0 : around.x) + x,
    y: around.y + Math.min(0, y),
    roomX: around.roomX - Math.max(0, x + indent),
    roomY: around.roomY - Math.max(0, y + frameY),
    full: around.full,
  };
  const isOff =
    place.x + Math.min(0, indent) <= FAR.left ||
    place.x + Math.max(0, indent) >= FAR.right ||
    place.y <= FAR.up;
  return isOff || place.roomX < LEAST_SIDE || place.roomY < LEAST_SIDE ? null : place;
}

/** How far the position of an element moves it from the first of two sides. */
function byPosition(declared: Declared, px: Px, from: string, to: string): number {
  if (declared.has(from) && declared.get(from) !== "auto") return px(from);
  return isPositioned(declared) ? Math.max(0, -px(to)) : -px(to);
}

function isPlacedBeyond(declared: Declared, px: Px, around: Place): boolean {
  if (px("margin-right") <= FAR.fromEnd || px("margin-bottom") <= FAR.shift) return true;
  if (px("width") > WIDEST || px("min-width") > WIDEST) return true;
  const position = declared.get("position") ?? "static";
  if (position === "static") return false;
  return isBefore(declared, px) || isBehind(position, px, around);
}

/** Whether its position takes it off the left or the top. */
function isBefore(declared: Declared, px: Px): boolean {
  return px("left") <= FAR.left || px("top") <= (isPositioned(declared) ? FAR.top : FAR.up);
}

/** Whether its position takes it off the right or the bottom, or from there off the left or the top. */
function isBehind(position: string, px: Px, { roomX, roomY }: Place): boolean {
  const isFixed = position === "fixed";
  const [right, bottom] = [px("right"), px("bottom")];
  if (right <= FAR.fromEnd || right >= Math.min(FAR.right - 80, roomX - LEAST_SIDE)) return true;
  if (bottom <= (isFixed ? -20 : FAR.fromEnd) || (isFixed && px("top") >= FAR.down)) return true;
  return /^(?:absolute|fixed)$/.test(position) && bottom >= Math.min(FAR.down, roomY - LEAST_SIDE);
}

/** The place inside of a block, by its size, if it hides what is over; null if it shows no line. */
function cut(declared: Declared, box: Box, px: Px, place: Place): Place | null {
  if (isUnsized(declared)) return null;
  if (isSqueezing(declared, box.base)) return null;
  const [cutsX, cutsY] = [cutsOff(declared, "overflow-x"), cutsOff(declared, "overflow-y")];
  if (!cutsX && !cutsY) return place;
  const isPart = isTablePart(declared, box.name);
  const { width, height } = contentOf(declared, box, px, isPart);
  if (width < LEAST_SIDE || height < LEAST_SIDE) return null;
  if (box.lineHeight === 0 && height === Infinity && !isPart) return null;
  const roomX = Math.min(place.roomX, width + px("padding-right"));
  const roomY = Math.min(place.roomY, height + px("padding-bottom"));
  if (box.indent >= roomX || (box.indent <= -LEAST_INDENT && cutsX)) return null;
  return { ...place, roomX, roomY, full: isLess(roomX, roomY, place) ? { height: 0, chars: 0 } : place.full };
}

const isLess = (roomX: number, roomY: number, around: Place): boolean =>
  roomX < around.roomX || roomY < around.roomY;

/** The size of what is inside the frame of a box; Infinity where its content decides. */
function contentOf(
  declared: Declared,
  { base }: Box,
  px: Px,
  isPart: boolean,
): { width: number; height: number } {
  const isFramed = declared.get("box-sizing") === "border-box";
  const [frameX, frameY] = isFramed
    ? [px("padding-left") + px("border-left-width"), px("padding-top") + px("border-top-width")]
    : [0, 0];
  const height = isPart ? Infinity : sideOf(declared, ["height", "max-height"], "min-height", base);
  return {
    width: sideOf(declared, ["width", "max-width", "flex-basis"], "min-width", base) - frameX,
    height: height - frameY,
  };
}

/** The width of a character in font sizes, less than that of most. */
const NARROW = 0.4;

/** Puts a text into the box that it is in. Returns how many of its characters the box shows. */
export function fits(
  text: string,
  { roomX, roomY, full }: Place,
  { fontSize, lineHeight, isOneLine }: { fontSize: number; lineHeight: number; isOneLine: boolean },
): number {
  if (full === null || /^[ \t\r\n\f]*$/.test(text)) return text.length;
  const perLine = Math.max(1, Math.min(roomX, WINDOW.width) / (fontSize * NARROW));
  const isOut = full.height >= roomY - LEAST_SIDE;
  const lines = isOneLine
    ? 1
    : Math.max(1, Math.ceil((roomY - LEAST_SIDE - full.height) / Math.max(lineHeight, 1)));
  const left = isOut ? 0 : Math.max(0, Math.floor(lines * perLine - full.chars));
  full.chars += text.length;
  if (!isOneLine && full.chars > perLine) {
    full.height += lineHeight * Math.floor(full.chars / perLine);
    full.chars %= perLine;
  }
  return Math.min(left, text.length);
}

/** Begins a line in the box that an element is in, after a height that is not text. */
export function beginLine({ full }: Place, lineHeight: number, lines: number, height: number): void {
  if (full === null) return;
  full.height += lineHeight * (full.chars > 0 ? Math.max(lines, 1) : lines) + height;
  full.chars = 0;
}

/** Whether a box squeezes what is in it. */
const isSqueezing = (declared: Declared, base: LengthBase): boolean =>
  /^(?:inline-)?(?:flex|grid)$/.test(declared.get("display") ?? "") &&
  (sideOf(declared, ["height", "max-height"], "min-height", base) < LEAST_SIDE ||
    sideOf(declared, ["width", "max-width"], "min-width", base) < LEAST_SIDE);

/** A first line that begins so many px to the left of a box is cut off by it. */
const LEAST_INDENT = 100;

/** The least size in px that a box may have; Infinity where its content decides. Shares are of any width that is around it. */
function sideOf(declared: Declared, most: readonly string[], least: string, base: LengthBase): number {
  const sizes = (name: string): number[] => {
    const value = declared.get(name);
    if (value === undefined) return [];
    const found = WIDTHS.map((whole) => lengthOf(value, { ...base, whole }));
    return found.every((size) => size !== null) ? [Math.min(...found.map((size) => size ?? 0))] : [];
  };
  return Math.max(Math.min(Infinity, ...most.flatMap(sizes)), ...sizes(least));
}

/** Whether a box hides what overflows it. */
export function cutsOff(declared: Declared, side: string): boolean {
  return /^(?:hidden|clip|scroll|auto|overlay)$/.test(declared.get(side) ?? "");
}

/** Whether a box has no size but its own, which is none, and shows nothing outside of it. */
function isUnsized(declared: Declared): boolean {
  const contain = declared.get("contain") ?? "";
  if (!/strict|size/.test(contain) || declared.has("height")) return false;
  return /strict|paint/.test(contain) || cutsOff(declared, "overflow-y") || cutsOff(declared, "overflow-x");
}

/** Whether an element is turned in a way that may show its edge or its back, or take it off the page, or is far slanted. */
export function isTurned(declared: Declared): boolean {
  const transforms = transformsOf(declared, PLAIN);
  const turn = lengthOf(declared.get("rotate") ?? "0", PLAIN) ?? 0;
  if (Math.abs(turn) > MOST_TURN) return true;
  return transforms.some(({ name, values }) => {
    const most = Math.max(...values.map(Math.abs));
    if (name.startsWith("skew")) return most > MOST_TURN;
    if (name === "matrix") return (values[0] ?? 1) <= 0 || (values[3] ?? 1) <= 0;
    if (/^rotate[xy]$/.test(name)) return most > MOST_TILT;
    return name.startsWith("rotate") && most > MOST_TURN;
  });
}

/** Degrees. */
const [MOST_TURN, MOST_TILT] = [60, 60];

export function isInline(declared: Declared, name: string): boolean {
  const display = declared.get("display");
  if (/^(?:left|right|inline-start|inline-end)$/.test(declared.get("float") ?? "") || isPositioned(declared))
    return false;
  if (display !== undefined && display !== "initial") return display === "inline" || display === "contents";
  return INLINE.has(name) || display === "initial";
}

function isTablePart(declared: Declared, name: string): boolean {
  const display = declared.get("display");
  if (/^(?:left|right)$/.test(declared.get("float") ?? "") || isPositioned(declared)) return false;
  return display === undefined ? TABLE_PART.has(name) : TABLE_PARTS.test(display);
}

/** Whether it is taken out of the flow, so that `clip` and all four sides count. */
export function isPositioned(declared: Declared): boolean {
  return /^(?:absolute|fixed)$/.test(declared.get("position") ?? "");
}

function isRectEmpty(clip: string | undefined, base: LengthBase): boolean {
  const [, inside] = /^rect\(([^()]*)\)$/.exec(clip ?? "") ?? [];
  if (inside === undefined) return false;
  const sides = inside.split(/[\s,]+/).filter((side) => side !== "");
  const [top, right, bottom, left] = sides.map((side) => lengthOf(side, base));
  const isNear = (from: number | null | undefined, to: number | null | undefined): boolean =>
    typeof to === "number" && to - (from ?? 0) < LEAST_SIDE;
  return isNear(top, bottom) || isNear(left, right) || (top ?? 0) > LEAST_SIDE || (left ?? 0) > LEAST_SIDE;
}

/** A length for shares of a box whose size is not known. */
const SHARE: LengthBase = { em: 16, rem: 16, whole: 100 };

/** Whether a path may leave nothing: it does not surely leave the greater part of the box. */
function isPathEmpty(path: string | undefined): boolean {
  if (path === undefined || path === "none") return false;
  const [, inside] = /^inset\(([^()]*)\)$/.exec(path) ?? [];
  if (inside !== undefined) {
    const [top = "0", right = top, bottom = top, left = right] = wordsOfValue(
      inside.split(" round ")[0] ?? "",
    );
    return [top, right, bottom, left].some((side) => (lengthOf(side, SHARE) ?? Infinity) > MOST_INSET);
  }
  const [, radius] = /^circle\((\d+)%(?: at center)?\)$/.exec(path) ?? [];
  return radius === undefined || Number(radius) < 40;
}
/** px or percent that a path may take away from each side of a box. */
const MOST_INSET = 10;

function shiftsOf(declared: Declared, base: LengthBase): [number, number][] {
  const [x, y] = wordsOfValue(declared.get("translate") ?? "");
  const own: [number, number][] = [[amountOf(x, base), heightOf(y, base)]];
  return [...own, ...transformsOf(declared, base).map((transform) => shiftOf(transform, base))];
}

const amountOf = (value: string | undefined, base: LengthBase): number => lengthOf(value ?? "0", base) ?? 0;

/** A share of an element's own height, which is not known: of a line or of a page. */
function heightOf(value: string | undefined, base: LengthBase): number {
  const share = /^-?[\d.]+%$/.test(value ?? "") ? Number.parseFloat(value ?? "") : null;
  return share === null ? amountOf(value, base) : share <= -60 ? FAR.up : share > 60 ? WINDOW.height : 0;
}

function shiftOf({ name, texts, values }: Transform, base: LengthBase): [number, number] {
  switch (name) {
    case "translate":
    case "translate3d":
      return [values[0] ?? 0, heightOf(texts[1], base)];
    case "translatex":
      return [values[0] ?? 0, 0];
    case "translatey":
      return [0, heightOf(texts[0], base)];
    case "matrix":
      return [values[4] ?? 0, values[5] ?? 0];
    default:
      return [0, 0];
  }
}

/** One function of `transform`, its name in lower case. */
interface Transform {
  name: string;
  texts: string[];
  values: number[];
}

const MAX_TRANSFORMS = 20;
/** A matrix has 16. */
const MAX_NUMBERS = 16;

function transformsOf(declared: Declared, base: LengthBase): Transform[] {
  const transform = declared.get("transform");
  if (transform === undefined || transform === "none") return [];
  return wordsOfValue(transform.replaceAll(/\)(?=[a-z])/g, ") "))
    .slice(0, MAX_TRANSFORMS)
    .map((text) => {
      const open = text.indexOf("(");
      const texts = splitOutside(text.slice(open + 1, -1), ",")
        .slice(0, MAX_NUMBERS)
        .map((value) => value.trim());
      return { name: text.slice(0, open), texts, values: texts.map((value) => lengthOf(value, base) ?? 0) };
    });
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

/** Distances in px by which an element moves what is beside it out of sight. */
const PUSH = { back: -100, forth: 1_000 } as const;

/** Whether an element moves the texts around it off the page, or over each other. */
export function isPushing(declared: Declared, name: string, base: LengthBase): boolean {
  if (isPositioned(declared)) return false;
  const px = (name: string): number =>
    lengthOf(declared.get(name) ?? "0", { ...base, whole: WINDOW.width }) ?? 0;
  if (["margin-top", "margin-bottom"].some((side) => px(side) <= PUSH.back)) return true;
  // A block moves nothing to the sides.
  if (
    !isInline(declared, name) &&
    name !== "img" &&
    !(declared.get("display") ?? "").startsWith("inline-") &&
    !declared.has("float")
  )
    return false;
  if (["margin-left", "margin-right"].some((side) => px(side) <= PUSH.back)) return true;
  const wide = [
    "padding-left",
    "padding-right",
    "border-left-width",
    "margin-left",
    "margin-right",
    "width",
    "min-width",
  ];
  return wide.some(
    (side) => px(side) >= (side.endsWith("width") && !side.startsWith("border") ? WIDEST : PUSH.forth),
  );
}

/** Whether an element may stand over others: it is taken out of its place, or moved. */
export function isOver(declared: Declared): boolean {
  const px = (name: string): number =>
    lengthOf(declared.get(name) ?? "0", { em: 16, rem: 16, whole: 600 }) ?? 0;
  if (isPositioned(declared) || declared.get("position") === "sticky") return true;
  if (declared.has("translate") || /translate|matrix/.test(declared.get("transform") ?? "")) return true;
  if (px("margin-top") < AWAY || px("margin-left") < AWAY || declared.has("grid-area")) return true;
  const isRelative = declared.get("position") === "relative";
  return isRelative && ["left", "right", "top", "bottom"].some((side) => Math.abs(px(side)) > -AWAY);
}
/** px. */
const AWAY = -15;

/** Whether a box is large enough to cover a line of text, by what it says of its size. */
export function isLarge(declared: Declared): boolean {
  const px = (name: string): number =>
    lengthOf(declared.get(name) ?? "0", { em: 16, rem: 16, whole: 600 }) ?? 0;
  if (declared.has("left") && declared.has("right")) return true;
  if (px("padding-top") + px("padding-bottom") > 60 || px("border-top-width") > 30) return true;
  const isTall = !declared.has("height") || px("height") > 12;
  const isBlock = !isPositioned(declared) && !isInline(declared, "div");
  return (
    isTall &&
    (px("width") > 60 || px("min-width") > 60 || (isBlock && !declared.has("width") && px("height") > 12))
  );
}
