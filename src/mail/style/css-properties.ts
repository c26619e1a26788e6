import { colorOf } from "./css-colors.ts";
import { measureOf, type LengthBase } from "./css-lengths.ts";
import {
  itemsOf,
  MAX_VALUE_CHARS,
  plainCss,
  splitOutside,
  wordsOfValue,
  writtenOf,
  type Written,
} from "./css-text.ts";

/** One declaration of a property that is judged: name and value in small letters. */
export interface Declaration {
  name: string;
  value: string;
  important: boolean;
}

/** Stands for a declaration that is too long to be read: nobody can say what is shown of the mail. */
export const UNREAD = "-unread";
/** Stands for a value that is not understood: it may hide the element. */
export const UNSURE = "\ue004";
/** Stands before the name and the value of a shorthand whose members custom properties decide. */
const PENDING = "\ue005";

/** Whether a value is taken by browsers; null if that or its meaning is not known. */
type Verdict = boolean | null;
type Test = (value: string) => Verdict;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const GLOBAL = /^(?:inherit|initial|unset|revert|revert-layer)$/;
/** Functions whose values come from elsewhere. */
const ELSEWHERE =
  /(?:^|[^\w-])(?:attr|if|env|inherit|random|random-item|sibling-index|sibling-count|--[\w\ue002-]+)\(/;

/** Properties that hide no text, whatever their value. */
const HARMLESS = words(
  "text-align text-align-last -webkit-text-align text-transform text-justify text-rendering text-wrap-style " +
    "text-autospace text-spacing-trim text-emphasis text-emphasis-color text-emphasis-position text-emphasis-style " +
    "text-decoration-line text-decoration-color text-decoration-style text-decoration-skip text-decoration-skip-ink " +
    "text-underline-position text-overflow text-orientation text-shadow text-anchor font-weight font-variant font-variant-caps " +
    "font-variant-ligatures font-variant-numeric font-variant-east-asian font-variant-alternates font-variant-emoji " +
    "font-variant-position font-kerning font-stretch font-feature-settings font-variation-settings font-optical-sizing " +
    "font-synthesis font-synthesis-weight font-synthesis-style font-synthesis-small-caps font-language-override font-smoothing " +
    "font-smooth white-space-collapse word-break word-wrap overflow-wrap line-break hyphens hyphenate-character " +
    "hyphenate-limit-chars hanging-punctuation direction unicode-bidi quotes orphans widows list-style list-style-type " +
    "list-style-position list-style-image counter-reset counter-increment counter-set caption-side empty-cells border-collapse " +
    "table-layout clear cursor pointer-events user-select touch-action tap-highlight-color touch-callout resize " +
    "border-color border-style border-top-color border-right-color border-bottom-color border-left-color border-top-style " +
    "border-right-style border-bottom-style border-left-style border-block-color border-block-style border-inline-color " +
    "border-inline-style border-radius border-top-left-radius border-top-right-radius border-bottom-left-radius " +
    "border-bottom-right-radius border-start-start-radius border-start-end-radius border-end-start-radius " +
    "border-end-end-radius border-image-repeat outline-color outline-style background-attachment " +
    "object-fit object-position image-rendering image-orientation interpolation-mode order flex-direction flex-wrap flex-flow " +
    "align-content align-items align-self justify-content justify-items justify-self place-content place-items place-self " +
    "box-align box-direction box-flex box-flex-group box-lines box-ordinal-group box-orient box-pack " +
    "grid-auto-flow grid-row-start grid-row-end grid-column-start grid-column-end " +
    "grid-template-areas column-rule column-rule-color column-rule-style column-rule-width column-fill column-span " +
    "break-inside page-break-before page-break-after page-break-inside page isolation will-change box-decoration-break " +
    "transition transition-property transition-duration transition-delay transition-timing-function transition-behavior " +
    "animation-duration animation-delay animation-timing-function animation-iteration-count animation-direction " +
    "animation-fill-mode animation-play-state animation-composition print-color-adjust color-adjust forced-color-adjust " +
    "accent-color caret-color appearance scroll-behavior overscroll-behavior overscroll-behavior-x overscroll-behavior-y " +
    "scrollbar-color scrollbar-width scrollbar-gutter overflow-anchor overflow-scrolling mask-size mask-position mask-repeat " +
    "mask-clip mask-origin mask-mode mask-composite mask-type transform-style transform-box container-name speak src " +
    "unicode-range font-display locale font-palette ruby-position ruby-align ruby-overhang paint-order behavior z-index user-drag " +
    "fill fill-opacity fill-rule clip-rule vector-effect shape-rendering color-rendering color-interpolation nbsp-mode " +
    "image-set background-origin interpolate-size line-height-step math-style math-shift " +
    "user-modify rtl-ordering voice-family azimuth",
);

/** Names that no browser takes for properties: of Office, of other browsers, of programs that write mails, and attributes. */
const OF_OTHERS =
  /^(?:mso-|-ms-|-o-|-khtml-|-moz-|-premailer-|-apple-|-epub-|-mc-|mc-|-mru-|-pm-|panose-|tab-|layout-|punctuation-|ime-|webkit-|moz-|ms-)|^(?:accelerator|yahoo|outlook|align|valign|bgcolor|cellpadding|cellspacing|colspan|rowspan|nowrap|alt|href|class|style|font-color|text-color|colour)$/;
/** Values that say nothing of hiding, of properties that no browser knows: mostly slips of the pen. */
const ORDINARY =
  /^(?:(?:[+]?[1-9][\d.]*(?:px|pt|em|%)?|0(?:px|pt|em|%)?|#[0-9a-f]{3,6}|"[^"]*"|[a-z][a-z-]*),? ?)+$/;
/** Properties of browsers that may hide whatever their value: nothing of them is read here. */
const MAY_HIDE =
  /^(?:(?:alignment-baseline|dominant-baseline|overlay|math-depth|text-fit|block-ellipsis|border-shape|column-height|column-wrap|object-view-box|scroll-initial-target|inset-area|continue)$|baseline-|corner-|offset|position-|stroke|shape-(?:margin|inside)|scroll-snap-|scroll-start)/;
const NOT_ORDINARY = /(?:^| )(?:hidden|hide|collapse|zero|invisible|transparent|clip)(?: |$)/;

const BASE: LengthBase = { em: 16, rem: 16, whole: 100 };

const test =
  (form: RegExp): Test =>
  (value) =>
    form.test(value) || null;
const each =
  (one: Test): Test =>
  (value) =>
    wordsOfValue(value).every((word) => one(word) === true) || null;
/** Numbers and lengths from `least` to `most`, and shares of `share` at most. */
const between =
  (least: number, most: number, share = most): Test =>
  (value) => {
    const measure = measureOf(value, BASE);
    if (measure === null || measure === "unread") return null;
    const { amount, kind } = measure;
    return (amount >= least && amount <= (kind === "percent" ? share : most)) || null;
  };
const either =
  (...tests: readonly Test[]): Test =>
  (value) => {
    const verdicts = tests.map((one) => one(value));
    return verdicts.includes(true) || (verdicts.includes(null) ? null : false);
  };
const keyword = (list: string): Test => {
  const known = words(list);
  return (value) => known.has(value) || null;
};

const BORDER = either(keyword("medium thin thick none hidden"), between(0, 300));
const GAP = each(either(keyword("normal"), between(0, 100, 20)));
const TRACK =
  /^(?:none|subgrid|auto|masonry|(?:(?:auto|min-content|max-content|\[[^\]]*\]|(?:[1-9]\d*|0?\.[1-9]\d*)fr|(?:[1-9]\d|[1-9]\d\d)(?:px|%)|minmax\((?:0|0px|[1-9]\d*px|auto|min-content|max-content),(?: ?)(?:[1-9]\d*fr|auto|max-content|[1-9]\d+px)\)|repeat\((?:\d{1,2}|auto-fit|auto-fill),(?: ?)(?:[1-9]\d*fr|auto|[1-9]\d+(?:px|%)|minmax\((?:0|0px|[1-9]\d*px|auto),(?: ?)(?:[1-9]\d*fr|auto)\))\)) ?)+)$/;
const SPLIT = /\s*,\s*/;

/** Values of properties that hide nothing; every other value may hide. Such declarations are not kept. */
const SAFE: Readonly<Record<string, Test>> = {
  content: (value) => !/(?:url|gradient|image|image-set|element|cross-fade|paint)\(/.test(value) || null,
  "font-size-adjust": either(keyword("none auto from-font"), between(0.3, 2)),
  "font-style": test(/^(?:normal|italic|oblique(?: -?\d{1,2}deg)?)$/),
  "letter-spacing": either(keyword("normal"), between(-2, 30)),
  "word-spacing": either(keyword("normal"), between(-3, 60)),
  "tab-size": between(0, 20),
  "vertical-align": either(
    keyword(
      "baseline top middle bottom sub super text-top text-bottom center -webkit-baseline-middle absmiddle inherit none",
    ),
    between(-15, 30, 100),
  ),
  "text-decoration": each(
    either(
      keyword("none underline overline line-through blink solid double dotted dashed wavy auto from-font"),
      between(0, 4),
      (value) => (colorOf(value) === null && value !== "currentcolor" ? null : true),
    ),
  ),
  "text-decoration-thickness": either(keyword("auto from-font"), between(0, 4)),
  "text-underline-offset": either(keyword("auto"), between(-2, 20)),
  "text-size-adjust": either(
    keyword("auto none"),
    (value) => (Number.parseFloat(value) >= 50 && /^\d+(?:\.\d+)?%$/.test(value)) || null,
  ),
  "text-stroke": (value) =>
    wordsOfValue(value).every((word) => !/^[\d.]/.test(word) || Number.parseFloat(word) <= 0.3) || null,
  "text-stroke-width": between(0, 0.3),
  "text-stroke-color": () => true,
  "text-security": keyword("none"),
  "text-combine-upright": keyword("none"),
  "text-combine": keyword("none horizontal"),
  "text-box": keyword("normal"),
  "text-box-trim": keyword("none"),
  "text-box-edge": () => true,
  "line-clamp": keyword("none"),
  "max-lines": keyword("none"),
  "writing-mode": keyword("horizontal-tb lr-tb lr rl rl-tb"),
  "mix-blend-mode": keyword("normal"),
  "background-blend-mode": keyword("normal"),
  "backdrop-filter": keyword("none"),
  perspective: either(
    keyword("none"),
    (value) => (Number.parseFloat(value) >= 500 && /^\d+(?:px)?$/.test(value)) || null,
  ),
  "perspective-origin": each(either(keyword("left right top bottom center"), between(0, 100, 100))),
  "transform-origin": each(either(keyword("left right top bottom center"), between(-50, 600, 100))),
  "box-reflect": () => true,
  "border-width": each(BORDER),
  outline: each(
    either(keyword("none solid dotted dashed double auto medium thin thick"), between(0, 4), (value) =>
      colorOf(value) === null && !/^(?:currentcolor|invert|hidden|-webkit-focus-ring-color)$/.test(value)
        ? null
        : true,
    ),
  ),
  "outline-width": either(keyword("medium thin thick"), between(0, 4)),
  "outline-offset": between(-2, 20),
  "border-image": (value) => !/gradient\(|"data|(?:^| )fill(?: |$)|\//.test(value) || null,
  "border-image-source": (value) => !/gradient\(|"data/.test(value) || null,
  "border-image-slice": (value) => !/fill/.test(value) || null,
  "border-image-width": each(either(keyword("auto"), between(0, 30, 30))),
  "border-image-outset": each(between(0, 10)),
  "border-spacing": each(between(0, 60)),
  gap: GAP,
  "row-gap": GAP,
  "column-gap": GAP,
  "grid-gap": GAP,
  "grid-row-gap": GAP,
  "grid-column-gap": GAP,
  "grid-template-columns": test(TRACK),
  "grid-template-rows": test(TRACK),
  "grid-auto-rows": test(TRACK),
  "grid-auto-columns": test(TRACK),
  "grid-template": (value) => value.split(/ ?\/ ?/).every((part) => TRACK.test(part)) || null,
  grid: (value) => value.split(/ ?\/ ?/).every((part) => TRACK.test(part)) || null,
  columns: each(
    either(
      keyword("auto"),
      (value) => /^[1-4]$/.test(value) || (value.endsWith("px") && Number.parseFloat(value) >= 100) || null,
    ),
  ),
  "column-count": either(keyword("auto"), between(1, 4)),
  "column-width": either(keyword("auto"), between(100, 1_000)),
  "column-break-before": keyword("auto avoid"),
  "column-break-after": keyword("auto avoid"),
  "column-break-inside": () => true,
  "break-before": keyword("auto avoid avoid-page avoid-column page left right"),
  "break-after": keyword("auto avoid avoid-page avoid-column page left right"),
  "flex-grow": (value) => value === "0" || /^(?:[1-9]|0?\.[5-9]\d*|1[0-2])$/.test(value) || null,
  "flex-shrink": (value) => /^[0-9]$/.test(value) || null,
  "aspect-ratio": (value) => {
    const [width = 1, height = 1] = value
      .replace(/^auto ?/, "")
      .split(/ ?\/ ?/)
      .filter(Boolean)
      .map(Number);
    return (width / height <= 5 && width / height > 0.1) || null;
  },
  "mask-border": keyword("none"),
  "mask-border-source": keyword("none"),
  "mask-box-image": keyword("none"),
  "mask-box-image-source": keyword("none"),
  "container-type": keyword("normal"),
  container: (value) => !value.includes("/") || null,
  "color-scheme": (value) => /(?:^| )(?:light|normal)(?: |$)/.test(value) || null,
  "scroll-snap-type": keyword("none"),
  "shape-outside": keyword("none"),
  "initial-letter": keyword("normal"),
};
/** Shorthands whose other words harm nothing. */
const BORDERS =
  /^border(?:-(?:top|right|bottom|left|block|inline|block-start|block-end|inline-start|inline-end))?$/;

const isColor: Test = (value) => {
  if (value === "currentcolor") return true;
  const color = colorOf(value);
  if (color === "unread") return null;
  return color !== null || (/\(/.test(value) ? null : false);
};
const kind =
  (...kinds: readonly ("number" | "length" | "percent" | "angle")[]): Test =>
  (value) => {
    const measure = measureOf(value, BASE);
    if (measure === "unread") return null;
    if (measure === null) return value.includes("(") ? null : false;
    if (kinds.includes(measure.kind)) return true;
    if (measure.kind !== "number" || !kinds.includes("length") || value.includes("(")) return false;
    // Of numbers without a unit only zero is a length; documents without a type also take others, as px.
    if (measure.amount === 0) return true;
    return measure.amount >= LEAST_CERTAIN && measure.amount <= MOST_CERTAIN ? false : null;
  };
/** Lengths in px that hide nothing, whether a browser takes them or not. */
const [LEAST_CERTAIN, MOST_CERTAIN] = [4, 700];
const LENGTH = kind("length", "percent");
const ANGLE: Test = (value) => value === "0" || kind("angle")(value);
const positive =
  (one: Test): Test =>
  (value) => {
    const verdict = one(value);
    return verdict === true && value.startsWith("-") && !/^-[a-z]/.test(value) ? false : verdict;
  };
/** Words, of which others may be those of newer browsers. */
const choice = (list: string): Test => {
  const known = words(list);
  const junk = words(
    "true false yes no null undefined none auto show visible hidden normal nothing left right center middle top bottom bold block inline",
  );
  return (value) =>
    known.has(value) ||
    (/^-?[a-z][a-z-]*$/.test(value) && !junk.has(value) && !/^-(?:ms|o|moz)-/.test(value)
      ? null
      : /\(/.test(value)
        ? null
        : false);
};
const SIZE_WORDS =
  "min-content max-content fit-content stretch -webkit-fill-available -moz-available -webkit-fit-content -webkit-min-content -webkit-max-content intrinsic";
const SIDE = either(positive(LENGTH), keywordIn(`auto ${SIZE_WORDS}`));
const MOST = either(positive(LENGTH), keywordIn(`none ${SIZE_WORDS}`));
const SHIFT = either(LENGTH, keywordIn("auto"));

/** Words; every other is void. */
function keywordIn(list: string): Test {
  const known = words(list);
  return (value) => known.has(value);
}

const DISPLAY =
  "none contents block inline inline-block table inline-table flex inline-flex grid inline-grid run-in flow flow-root list-item table-row table-cell " +
  "table-column table-caption table-row-group table-column-group table-header-group table-footer-group -webkit-box -webkit-inline-box -webkit-flex " +
  "-webkit-inline-flex ruby ruby-text ruby-base math";
const DISPLAYS =
  /^(?:block|inline) (?:flow|flow-root|table|flex|grid|ruby|math)$|^(?:flow-root|block) list-item$|^list-item block$/;

/** Values that browsers take, of the properties that are judged by what they say. */
const JUDGED: Readonly<Record<string, Test>> = {
  display: either(choice(DISPLAY), (value) => DISPLAYS.test(value)),
  visibility: choice("visible hidden collapse"),
  opacity: kind("number", "percent"),
  color: isColor,
  "-webkit-text-fill-color": isColor,
  "background-color": isColor,
  "background-image": (value) => value === "none" || /^[a-z-]*(?:gradient|url)\(/.test(value) || null,
  "background-clip": (value) =>
    value.split(SPLIT).every((word) => /^(?:(?:border|padding|content)-box|text)$/.test(word)) || null,
  "background-size": () => true,
  "background-position": () => true,
  "background-repeat": () => true,
  "font-size": either(
    positive(LENGTH),
    keywordIn("xx-small x-small small medium large x-large xx-large xxx-large smaller larger"),
    (value) => (value === "math" || value === "-webkit-xxx-large" ? null : false),
  ),
  "font-family": () => true,
  "line-height": either(positive(kind("number", "length", "percent")), keywordIn("normal")),
  "text-indent": (value) => (wordsOfValue(value).length === 1 ? LENGTH(value) : null),
  position: choice("static relative absolute fixed sticky -webkit-sticky"),
  "overflow-x": choice("visible hidden clip scroll auto overlay"),
  "overflow-y": choice("visible hidden clip scroll auto overlay"),
  "content-visibility": choice("visible auto hidden"),
  "box-sizing": choice("content-box border-box"),
  width: SIDE,
  height: SIDE,
  "min-width": SIDE,
  "min-height": SIDE,
  "max-width": MOST,
  "max-height": MOST,
  "flex-basis": either(positive(LENGTH), keywordIn(`auto content ${SIZE_WORDS}`)),
  left: SHIFT,
  right: SHIFT,
  top: SHIFT,
  bottom: SHIFT,
  "margin-left": SHIFT,
  "margin-right": SHIFT,
  "margin-top": SHIFT,
  "margin-bottom": SHIFT,
  "padding-left": positive(LENGTH),
  "padding-right": positive(LENGTH),
  "padding-top": positive(LENGTH),
  "padding-bottom": positive(LENGTH),
  "border-left-width": either(positive(kind("length")), keywordIn("thin medium thick")),
  "border-right-width": either(positive(kind("length")), keywordIn("thin medium thick")),
  "border-top-width": either(positive(kind("length")), keywordIn("thin medium thick")),
  "border-bottom-width": either(positive(kind("length")), keywordIn("thin medium thick")),
  float: choice("left right none inline-start inline-end"),
  clip: (value) => value === "auto" || /^rect\([^()]*\)$/.test(value) || (value.includes("(") ? null : false),
  "clip-path": (value) =>
    /^(?:none|url\([^()]*\)|(?:inset|circle|ellipse|polygon|rect|xywh|path)\([^()]*\))$/.test(value) ||
    (value.includes("(") ? null : false),
  transform: transformVerdict,
  translate: (value) =>
    value === "none" || (wordsOfValue(value).length <= 2 && each(LENGTH)(value) === true) || null,
  scale: (value) =>
    value === "none" ||
    (wordsOfValue(value).length <= 3 && each(kind("number", "percent"))(value) === true) ||
    null,
  rotate: (value) => value === "none" || ANGLE(value) || null,
  zoom: either(kind("number", "percent"), keywordIn("normal reset")),
  filter: filterVerdict,
  "mask-image": (value) => value === "none" || null,
  contain: (value) =>
    wordsOfValue(value).every((word) =>
      /^(?:none|strict|content|size|inline-size|layout|style|paint)$/.test(word),
    ) || null,
  "backface-visibility": choice("visible hidden"),
  "animation-name": () => true,
  "box-shadow": shadowVerdict,
  "mso-hide": () => true,
  "white-space": () => true,
  "grid-area": () => true,
  all: () => false,
};

const TRANSFORMS: Readonly<Record<string, readonly [arguments: number, test: Test]>> = {
  translate: [2, LENGTH],
  translatex: [1, LENGTH],
  translatey: [1, LENGTH],
  translatez: [1, test(/^0(?:px)?$/)],
  translate3d: [3, LENGTH],
  scale: [2, kind("number", "percent")],
  scalex: [1, kind("number", "percent")],
  scaley: [1, kind("number", "percent")],
  scalez: [1, kind("number", "percent")],
  scale3d: [3, kind("number", "percent")],
  rotate: [1, ANGLE],
  rotatez: [1, ANGLE],
  rotatex: [1, ANGLE],
  rotatey: [1, ANGLE],
  skew: [2, ANGLE],
  skewx: [1, ANGLE],
  skewy: [1, ANGLE],
  matrix: [6, kind("number")],
};
const FULL = words("translate3d scale3d matrix");

function transformVerdict(value: string): Verdict {
  if (value === "none") return true;
  if (!value.includes("(")) return false;
  const functions = wordsOfValue(value.replaceAll(/\)(?=[a-z])/g, ") "));
  return (
    functions.every((text) => {
      const [, name = "", inside = ""] = /^([a-z0-9]+)\((.*)\)$/.exec(text) ?? [];
      const known = TRANSFORMS[name];
      if (known === undefined) return false;
      const values = splitOutside(inside, ",").map((part) => part.trim());
      if (values.length > known[0] || (FULL.has(name) && values.length !== known[0])) return false;
      if (name === "translate3d" && !/^0(?:px)?$/.test(values[2] ?? "")) return false;
      return values.every((part) => known[1](part) === true);
    }) || null
  );
}

/** Filters that leave a text as it is, or say by number how faint it becomes. */
function filterVerdict(value: string): Verdict {
  const isRead = wordsOfValue(value).every((word) =>
    /^(?:none|alpha\(.*\)|progid.*|opacity\([\d.]+%?\)|(?:drop-shadow|url)\(.*\)|blur\(0(?:px)?\)|(?:brightness|contrast|saturate)\((?:1|100%)\)|(?:grayscale|invert|sepia)\((?:0|0%)\))$/.test(
      word,
    ),
  );
  return isRead || null;
}

/** Whether a filter paints far beyond its element, or nobody knows where. */
export const isFilterFar = (filter: string): boolean =>
  wordsOfValue(filter).some(
    (word) =>
      word.startsWith("url(") ||
      (word.startsWith("drop-shadow(") && shadowVerdict(word.slice(12, -1)) === null),
  );

/** px that an opaque shadow may reach beyond its box: less than to the next line of text. */
const MOST_REACH = 16;

const isFaint = (shadow: string): boolean =>
  wordsOfValue(shadow).some((word) => {
    const color = colorOf(word);
    return color !== null && color !== "unread" && color.alpha <= 0.4;
  });

/** Shadows that lie behind the box, and do not reach far beyond it. */
function shadowVerdict(value: string): Verdict {
  const isNear = splitOutside(value, ",").every((shadow) => {
    const lengths = wordsOfValue(shadow).map((word) =>
      colorOf(word) === null ? measureOf(word, BASE) : null,
    );
    const [x = 0, y = 0, , spread = 0] = lengths.flatMap((one) =>
      one === "unread" ? [Infinity] : one === null ? [] : [one.amount],
    );
    if (Math.max(Math.abs(x), Math.abs(y)) + spread > MOST_REACH && !isFaint(shadow)) return false;
    const longest = Math.max(
      0,
      ...lengths.map((one) => (one === "unread" ? Infinity : Math.abs(one?.amount ?? 0))),
    );
    return longest <= (/(?:^| )inset(?: |$)/.test(shadow) ? 8 : 80);
  });
  return isNear || null;
}

const SIDES = ["top", "right", "bottom", "left"] as const;

/** Properties that follow the direction of writing, as those of a text from left to right. */
const PHYSICAL: ReadonlyMap<string, string> = new Map([
  ["inline-size", "width"],
  ["block-size", "height"],
  ["max-inline-size", "max-width"],
  ["max-block-size", "max-height"],
  ["min-inline-size", "min-width"],
  ["min-block-size", "min-height"],
  ["logical-width", "width"],
  ["logical-height", "height"],
  ["max-logical-width", "max-width"],
  ["max-logical-height", "max-height"],
  ["min-logical-width", "min-width"],
  ["min-logical-height", "min-height"],
  ["overflow-inline", "overflow-x"],
  ["overflow-block", "overflow-y"],
  ["font-width", "font-stretch"],
  ["grid-row", "grid-area"],
  ["grid-column", "grid-area"],
  ["text-wrap", "white-space"],
  ["text-wrap-mode", "white-space"],
  ["transform-origin-x", "transform-origin"],
  ["transform-origin-y", "transform-origin"],
  ["transform-origin-z", "transform-origin"],
  ["perspective-origin-x", "perspective-origin"],
  ["perspective-origin-y", "perspective-origin"],
  ["background-position-x", "background-position"],
  ["background-position-y", "background-position"],
  ["mask", "mask-image"],
  ...["margin", "padding"].flatMap((box) =>
    [
      "inline-start left",
      "inline-end right",
      "block-start top",
      "block-end bottom",
      "start left",
      "end right",
      "before top",
      "after bottom",
    ].map((pair): [string, string] => [`${box}-${pair.split(" ")[0]}`, `${box}-${pair.split(" ")[1]}`]),
  ),
  ...[
    "inline-start left",
    "inline-end right",
    "block-start top",
    "block-end bottom",
    "start left",
    "end right",
    "before top",
    "after bottom",
  ].flatMap((pair): [string, string][] => {
    const [logical = "", side = ""] = pair.split(" ");
    return [
      [`inset-${logical}`, side],
      [`border-${logical}-width`, `border-${side}-width`],
      [`border-${logical}`, `border-${side}`],
    ];
  }),
]);
const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  "inset-inline": ["left", "right"],
  "inset-block": ["top", "bottom"],
  "margin-inline": ["margin-left", "margin-right"],
  "margin-block": ["margin-top", "margin-bottom"],
  "padding-inline": ["padding-left", "padding-right"],
  "padding-block": ["padding-top", "padding-bottom"],
  "border-inline-width": ["border-left-width", "border-right-width"],
  "border-block-width": ["border-top-width", "border-bottom-width"],
};

/** The members of shorthands. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  margin: SIDES.map((side) => `margin-${side}`),
  padding: SIDES.map((side) => `padding-${side}`),
  inset: [...SIDES],
  "border-width": SIDES.map((side) => `border-${side}-width`),
  border: SIDES.map((side) => `border-${side}-width`),
  "border-inline": ["border-left-width", "border-right-width"],
  "border-block": ["border-top-width", "border-bottom-width"],
  ...Object.fromEntries(SIDES.map((side) => [`border-${side}`, [`border-${side}-width`]])),
  background: [
    "background-color",
    "background-image",
    "background-clip",
    "background-size",
    "background-position",
    "background-repeat",
  ],
  font: ["font-size", "line-height", "font-family"],
  overflow: ["overflow-x", "overflow-y"],
  flex: ["flex-basis"],
  animation: ["animation-name"],
  ...PAIRS,
};

/** The name under which a property is judged. */
function nameOf(written: string): string {
  if (written in JUDGED || written in MEMBERS) return written;
  const name = written.replace(/^-(?:webkit|moz)-/, "");
  return PHYSICAL.get(name) ?? name;
}

/** The declarations of a style attribute that may hide its text, or show it again, in their order. */
export function declarationsOf(style: string): Declaration[] {
  const plain = plainCss(style);
  const isMixed = /[{}]/.test(plain) && !plain.includes("--");
  // Browsers differ in what they read behind a block.
  return isMixed ? [{ name: "-mixed", value: UNSURE, important: false }] : declarationsIn(plain);
}

/** The same of a block of plain CSS. */
export function declarationsIn(block: string): Declaration[] {
  return itemsOf(block).flatMap((item) => {
    if (item.length > MAX_KNOWN_CHARS) return declarationsOfItem(item);
    const known = KNOWN.get(item);
    if (known !== undefined) return known;
    const found = declarationsOfItem(item);
    if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
    KNOWN.set(item, found);
    return found;
  });
}

/** Declarations by their text: mails repeat a few hundred. */
const KNOWN = new Map<string, readonly Declaration[]>();
const MAX_KNOWN = 2_000;
const MAX_KNOWN_CHARS = 80;

function declarationsOfItem(item: string): readonly Declaration[] {
  const written = writtenOf(item);
  return written === null ? NONE : read(written);
}

const NONE: readonly Declaration[] = [];

/** Characters that each function in a text costs to read, beside its own. */
const FUNCTION_CHARS = 40;

/** How long it takes to read a text of CSS, in characters. */
export const costOfCss = (text: string): number =>
  text.length + FUNCTION_CHARS * (text.split("(").length - 1);

/** Whether a declaration is one that every browser takes, and is understood here. */
export function isUnderstood({ name, value }: Written): boolean {
  return JUDGED[name]?.(value) === true && !value.includes("(");
}

function read({ name: writtenName, value, important }: Written): Declaration[] {
  const as = (name: string, of: string): Declaration => ({ name, value: of, important });
  if (writtenName.startsWith("--"))
    return value.length > MAX_VALUE_CHARS ? [as(UNREAD, "")] : [as(writtenName, value)];
  const name = nameOf(writtenName);
  if (HARMLESS.has(name) || value === "") return [];
  const members = MEMBERS[name] ?? [name];
  const isKnown = name in JUDGED || name in SAFE || name in MEMBERS;
  if (!isKnown && isOfOthers(writtenName, value)) return [];
  if (value.length > MAX_VALUE_CHARS) return [as(UNREAD, "")];
  if (ELSEWHERE.test(value)) return members.map((member) => as(member, UNSURE));
  if (/(?:^|[^\w-])var\(/.test(value)) {
    const pending = `${PENDING}${name}${PENDING}${value}`;
    return members.map((member) => as(member, member === name && name in JUDGED ? value : pending));
  }
  if (GLOBAL.test(value)) return name in SAFE ? [] : members.map((member) => as(member, value));
  return expanded(name, closed(value)).map(([member, of]) => as(member, of));
}

const isOfOthers = (name: string, value: string): boolean =>
  OF_OTHERS.test(name) ||
  name.startsWith("_") ||
  (!MAY_HIDE.test(name.replace("-webkit-", "")) && ORDINARY.test(value) && !NOT_ORDINARY.test(value));

/** A value with the brackets that its end closes. */
function closed(value: string): string {
  const missing = value.split("(").length - value.split(")").length;
  return missing > 0 ? value + ")".repeat(missing) : value;
}

/** The single declarations of one; none if it is void or hides nothing. */
function expanded(name: string, value: string): [string, string][] {
  const safe = SAFE[name];
  if (safe !== undefined && !(name in MEMBERS)) return safe(value) === true ? [] : [[name, UNSURE]];
  const members = name in MEMBERS ? membersOf(name, value) : ([[name, value]] as [string, string][]);
  if (members === null) return (MEMBERS[name] ?? [name]).map((member) => [member, UNSURE]);
  const verdicts = members.map(([member, of]) => (of === UNSURE ? null : (JUDGED[member]?.(of) ?? null)));
  if (name === "all") return GLOBAL.test(value) ? [[name, value]] : [];
  if (verdicts.includes(false)) return [];
  return members.map(([member, of], at) => [member, verdicts[at] === true ? of : UNSURE]);
}

/** Splits a shorthand; [] if it is void, null if it is not read. */
function membersOf(name: string, value: string): [string, string][] | null {
  const members = MEMBERS[name] ?? [];
  const parts = wordsOfValue(value);
  switch (name) {
    case "background":
      return backgroundMembers(value);
    case "font":
      return fontMembers(value);
    case "flex":
      return flexMembers(parts);
    case "animation":
      return [["animation-name", value]];
    case "margin":
    case "padding":
    case "inset":
    case "border-width":
      return parts.length > 4 ? [] : fourSides(parts).map((part, at) => [members[at] ?? "", part]);
    default:
      return BORDERS.test(name) ? borderMembers(members, parts) : pairOf(members, parts);
  }
}

function pairOf([first = "", second = ""]: readonly string[], parts: readonly string[]): [string, string][] {
  const [one = "", two = one] = parts;
  const pair: [string, string][] = [
    [first, one],
    [second, two],
  ];
  return parts.length > 2 ? [] : pair;
}

function fourSides([top = "0", right = top, bottom = top, left = right]: readonly string[]): string[] {
  return [top, right, bottom, left];
}

function borderMembers(members: readonly string[], parts: readonly string[]): [string, string][] {
  const width = parts.find(
    (part) => /^[\d.+-]|^(?:thin|medium|thick)$|^[a-z-]+\(/.test(part) && colorOf(part) === null,
  );
  return members.map((member) => [member, width ?? "0"]);
}

function flexMembers(parts: readonly string[]): [string, string][] | null {
  if (parts.length === 1 && /^(?:none|auto)$/.test(parts[0] ?? "")) return [["flex-basis", "auto"]];
  const grow = parts[0] ?? "";
  if (parts.length === 1) return /^(?:[1-9]|1[0-2])$/.test(grow) ? [["flex-basis", "auto"]] : null;
  const basis = parts.at(-1) ?? "";
  const grows = /^(?:[1-9]|1[0-2])$/.test(grow);
  const isNumber = /^\d+$/.test(basis) && parts.length === 2;
  if (isNumber) return grows ? [["flex-basis", "auto"]] : null;
  return [["flex-basis", grows && /^0(?:px|%)?$/.test(basis) ? "auto" : basis]];
}

const LAYER_WORD =
  /^(?:none|repeat|repeat-x|repeat-y|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto|border-box|padding-box|content-box|border-area|text|[+-]?[\d.][^\s]*|\/|(?:calc|min|max|clamp)\(.*\))$/;
const IMAGE =
  /^(?:url|[a-z-]*gradient|image-set|-webkit-image-set|image|element|cross-fade|-webkit-cross-fade|paint)\(/;

/** The background by its members: the last layer has the colour. A word that is nothing else is one. */
function backgroundMembers(value: string): [string, string][] | null {
  const layers = splitOutside(value, ",").map((layer) => wordsOfValue(layer.replaceAll("/", " / ")));
  const others = layers.map((parts) => parts.filter((part) => !LAYER_WORD.test(part) && !IMAGE.test(part)));
  const colors = others.at(-1) ?? [];
  if (others.slice(0, -1).some(({ length }) => length > 0) || colors.length > 1) return [];
  const all = layers.flat();
  const images = all.filter((part) => IMAGE.test(part));
  const has = (form: RegExp): boolean => all.some((part) => form.test(part));
  const isPlaced = all.some(
    (part, at) =>
      part === "/" || (/^[+-]?[\d.]|^calc\(/.test(part) && !/^(?:0|0px|0%|50%|100%)$/.test(part) && at >= 0),
  );
  return [
    ["background-color", colors[0] ?? "transparent"],
    ["background-image", images.length === 0 ? "none" : images.join(",")],
    ["background-clip", has(/^text$/) ? "text" : has(/^border-area$/) ? UNSURE : "border-box"],
    [
      "background-size",
      all.includes("/")
        ? (all.slice(all.indexOf("/") + 1).find((part) => part !== "no-repeat") ?? "auto")
        : "auto",
    ],
    ["background-position", isPlaced ? "1px" : "0"],
    ["background-repeat", "repeat"],
  ];
}

const FONT_SIZE =
  /^(?:[+-]?[\d.][\w.%+-]*|[a-z-]{3,12}\(.*\)|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger|math)(?:\/|$)/;
const FONT_WEIGHT = /^[1-9]\d{0,3}$/;
const BEFORE_SIZE =
  /^(?:normal|italic|oblique|small-caps|bold|bolder|lighter|[1-9]\d{0,2}|1000|(?:ultra-|extra-|semi-)?(?:condensed|expanded)|-?\d+deg)$/;
const SYSTEM_FONT = /^(?:caption|icon|menu|message-box|small-caption|status-bar)$/;

/** `font: italic 12px/0 a`: the size is the first word that is one, and a family follows. */
function fontMembers(value: string): [string, string][] | null {
  if (SYSTEM_FONT.test(value))
    return [
      ["font-size", "13px"],
      ["line-height", "normal"],
      ["font-family", "system-ui"],
    ];
  const parts = wordsOfValue(value.replaceAll(/ ?\/ ?/g, "/"));
  const at = parts.findIndex(
    (part) => FONT_SIZE.test(part) && !FONT_WEIGHT.test(part) && !BEFORE_SIZE.test(part),
  );
  const part = parts[at];
  if (part === undefined || at === parts.length - 1) return [];
  if (!parts.slice(0, at).every((before) => BEFORE_SIZE.test(before))) return [];
  const [size = "", height = "normal"] = splitOutside(part, "/");
  return [
    ["font-size", size],
    ["line-height", height],
    ["font-family", parts.slice(at + 1).join(" ")],
  ];
}

/** The value of a member, once the custom properties in it are known; null if it is void then. */
export function computed(name: string, text: string): string | null {
  const [, shorthand, value] = text.split(PENDING);
  const of = closed((value ?? text).trim());
  if (of === "") return null;
  if (GLOBAL.test(of)) return of;
  const members = expanded(shorthand ?? name, of);
  return members.find(([member]) => member === name)?.[1] ?? null;
}
