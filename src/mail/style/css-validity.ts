import { colorOf } from "./css-colors.ts";
import { lengthOf, type LengthBase } from "./css-lengths.ts";

const ANY_BASE: LengthBase = { em: 16, rem: 16, whole: 100 };
const GLOBAL = /^(?:inherit|initial|unset|revert|revert-layer)$/;

const isLength = (value: string): boolean => {
  const number = lengthOf(value, ANY_BASE);
  if (number === null) return false;
  // Of numbers without a unit only zero is a length.
  return number === 0 || !/^[\d.+-]+$/.test(value);
};
const words = (list: string): ((value: string) => boolean) => {
  const known = new Set(list.split(" "));
  return (value) => known.has(value);
};
const either =
  (...tests: readonly ((value: string) => boolean)[]): ((value: string) => boolean) =>
  (value) =>
    tests.some((test) => test(value));
const isColor = (value: string): boolean => value === "currentcolor" || colorOf(value) !== null;
const isSide = either(
  isLength,
  words("auto none min-content max-content fit-content stretch -webkit-fill-available"),
);
const isShift = either(isLength, words("auto"));

const DISPLAY =
  /^(?:none|contents|(?:inline-)?(?:block|table|flex|grid)|inline|run-in|flow|flow-root|list-item|table-(?:row|cell|column|caption|row-group|column-group|header-group|footer-group)|ruby(?:-text|-base)?|math|-webkit-(?:inline-)?box|-webkit-(?:inline-)?flex|(?:block|inline) (?:flow|flow-root|table|flex|grid|ruby|math))$/;

/** Tests of the value of a property whose declarations could undo those before them. */
const TESTS: Readonly<Record<string, (value: string) => boolean>> = {
  display: (value) => DISPLAY.test(value),
  visibility: words("visible hidden collapse"),
  opacity: (value) =>
    lengthOf(value, ANY_BASE) !== null && /^(?:[\d.+-]+(?:e[+-]?\d+)?%?|[a-z]+\(.*\))$/.test(value),
  color: isColor,
  "-webkit-text-fill-color": isColor,
  "background-color": isColor,
  "font-size": either(
    (value) => isLength(value) && !value.startsWith("-"),
    words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger"),
  ),
  "line-height": (value) => value === "normal" || lengthOf(value, ANY_BASE) !== null,
  "text-indent": isLength,
  position: words("static relative absolute fixed sticky -webkit-sticky"),
  "overflow-x": words("visible hidden clip scroll auto overlay"),
  "overflow-y": words("visible hidden clip scroll auto overlay"),
  "content-visibility": words("visible auto hidden"),
  width: isSide,
  height: isSide,
  "max-width": isSide,
  "max-height": isSide,
  left: isShift,
  right: isShift,
  top: isShift,
  bottom: isShift,
  "margin-left": isShift,
  "margin-top": isShift,
  float: words("left right none inline-start inline-end"),
  "clip-path": (value) => /^(?:none|url\(\)|[a-z]+\(.*\)|[a-z]+-box)/.test(value),
  clip: (value) => value === "auto" || /^rect\(.*\)$/.test(value),
  transform: (value) => value === "none" || /^(?:[a-z0-9]+\([^()]*\) ?)+$/i.test(value),
  zoom: (value) => lengthOf(value, ANY_BASE) !== null || value === "normal",
};

/** Whether browsers take a declaration; one that is void leaves what was declared before it. */
export function isValid(name: string, value: string): boolean {
  if (value === "") return name.startsWith("--");
  const test = TESTS[name];
  return test === undefined || GLOBAL.test(value) || value.includes("var(") || test(value);
}
