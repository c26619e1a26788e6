/** A colour: red, green and blue from 0 to 255, and how opaque it is, from 0 to 1. */
export interface Color {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

export const WHITE: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
export const BLACK: Color = { red: 0, green: 0, blue: 0, alpha: 1 };
export const TRANSPARENT: Color = { red: 0, green: 0, blue: 0, alpha: 0 };

/** The named colours of CSS Color 4 §6.1, and the system colours of a light page (§6.2). */
const NAMES =
  "aliceblue f0f8ff antiquewhite faebd7 aqua 0ff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000 " +
  "blanchedalmond ffebcd blue 00f blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 " +
  "chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 0ff darkblue 00008b darkcyan 008b8b " +
  "darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b " +
  "darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f " +
  "darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 " +
  "deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 " +
  "fuchsia f0f gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f " +
  "grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa " +
  "lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff " +
  "lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a " +
  "lightseagreen 20b2aa lightskyblue 87cefa lightslategray 789 lightslategrey 789 lightsteelblue b0c4de lightyellow ffffe0 " +
  "lime 0f0 limegreen 32cd32 linen faf0e6 magenta f0f maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd " +
  "mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a " +
  "mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 " +
  "navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 " +
  "palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 " +
  "peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 639 red f00 rosybrown bc8f8f " +
  "royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d " +
  "silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f " +
  "steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 " +
  "white fff whitesmoke f5f5f5 yellow ff0 yellowgreen 9acd32 transparent 0000 canvas fff window fff field fff " +
  "canvastext 000 windowtext 000 fieldtext 000 buttontext 000 graytext 808080 linktext 00e buttonface efefef " +
  "infobackground fff infotext 000 menu fff menutext 000 background fff";

let named: ReadonlyMap<string, string> | null = null;

function hexOfName(name: string): string | undefined {
  if (named === null) {
    const words = NAMES.split(" ");
    named = new Map(
      words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : [])),
    );
  }
  return named.get(name);
}

/** Colours of the system and of the program, which differ. */
const UNREAD_NAME =
  /^(?:-webkit-.*|-moz-.*|accentcolor|accentcolortext|activetext|activeborder|activecaption|appworkspace|button(?:border|highlight|shadow)|captiontext|highlight|highlighttext|inactive.*|mark|marktext|scrollbar|selecteditem|selecteditemtext|threed.*|visitedtext|windowframe)$/;
const NUMBER = String.raw`[+-]?(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?`;
const PART = `(${NUMBER}%?)`;
const HUE = `(${NUMBER}(?:deg)?)`;
const ALPHA = `(?: ?[,/] ?${PART})?`;
const three = (one: string, mark: string): string => `${one}${mark}${PART}${mark}${PART}${ALPHA}`;
const FORMS: readonly (readonly [RegExp, (parts: readonly string[]) => Color])[] = [
  [new RegExp(`^rgba?\\( ?(?:${three(PART, " ?, ?")}|${three(PART, " ")}) ?\\)$`), rgbColor],
  [new RegExp(`^hsla?\\( ?(?:${three(HUE, " ?, ?")}|${three(HUE, " ")}) ?\\)$`), hslColor],
  [new RegExp(`^hwb\\( ?${three(HUE, " ")} ?\\)$`), hwbColor],
  [new RegExp(`^oklab\\( ?${three(PART, " ")} ?\\)$`), oklabColor],
  [new RegExp(`^oklch\\( ?${PART} ${PART} ${HUE}${ALPHA} ?\\)$`), oklchColor],
];

/** A colour of CSS in lower case; null if the text is none, "unread" if it is one that is computed in ways not read here. */
export function colorOf(value: string): Color | "unread" | null {
  if (value.startsWith("#")) return hexColor(value.slice(1));
  const hex = hexOfName(value);
  if (hex !== undefined) return hexColor(hex);
  if (!value.includes("(")) return UNREAD_NAME.test(value) ? "unread" : null;
  for (const [form, color] of FORMS) {
    const parts = form
      .exec(value)
      ?.slice(1)
      .filter((part) => part !== undefined);
    if (parts !== undefined) return color(parts);
  }
  return "unread";
}

function hexColor(hex: string): Color | null {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(hex)) return null;
  const long = hex.length < 6 ? hex.replaceAll(/./g, "$&$&") : hex;
  const part = (at: number): number => Number.parseInt(long.slice(at, at + 2), 16);
  return {
    red: part(0),
    green: part(2),
    blue: part(4),
    alpha: long.length === 8 ? part(6) / 255 : 1,
  };
}

const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

function shareOf(part: string | undefined, whole: number): number {
  if (part === undefined) return whole;
  const value = Number.parseFloat(part);
  if (Number.isNaN(value)) return 0;
  return within(part.endsWith("%") ? (value / 100) * whole : value, whole);
}

function rgbColor([red, green, blue, alpha]: readonly string[]): Color {
  return {
    red: shareOf(red, 255),
    green: shareOf(green, 255),
    blue: shareOf(blue, 255),
    alpha: shareOf(alpha, 1),
  };
}

const percent = (part: string): number => within((Number.parseFloat(part) || 0) / 100, 1);

function hslColor([hue = "", saturation = "", lightness = "", alpha]: readonly string[]): Color {
  const degrees = Number.parseFloat(hue) || 0;
  const [full, light] = [percent(saturation), percent(lightness)];
  const part = (offset: number): number => {
    const at = (((offset + degrees / 30) % 12) + 12) % 12;
    return 255 * (light - full * Math.min(light, 1 - light) * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return { red: part(0), green: part(8), blue: part(4), alpha: shareOf(alpha, 1) };
}

function hwbColor([hue = "", white = "", black = "", alpha]: readonly string[]): Color {
  const sum = Math.max(1, percent(white) + percent(black));
  const [whiteness, blackness] = [percent(white) / sum, percent(black) / sum];
  const pure = hslColor([hue, "100%", "50%"]);
  const mixed = (part: number): number => part * (1 - whiteness - blackness) + 255 * whiteness;
  return { red: mixed(pure.red), green: mixed(pure.green), blue: mixed(pure.blue), alpha: shareOf(alpha, 1) };
}

const partOf = (part: string, whole: number): number =>
  part.endsWith("%") ? (Number.parseFloat(part) / 100) * whole : Number.parseFloat(part);

/** CSS Color 4 §9.2 and §18. */
function oklabColor([lightness = "", first = "", second = "", alpha]: readonly string[]): Color {
  const [light, a, b] = [within(partOf(lightness, 1), 1), partOf(first, 0.4), partOf(second, 0.4)];
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return {
    red: encoded(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    green: encoded(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    blue: encoded(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
    alpha: shareOf(alpha, 1),
  };
}

function oklchColor([lightness = "", chroma = "", hue = "", alpha]: readonly string[]): Color {
  const [size, turn] = [partOf(chroma, 0.4), (Number.parseFloat(hue) * Math.PI) / 180];
  const parts = [lightness, String(size * Math.cos(turn)), String(size * Math.sin(turn))];
  return oklabColor(alpha === undefined ? parts : [...parts, alpha]);
}

function encoded(light: number): number {
  const part = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  return 255 * within(part, 1);
}

/** The colour of an attribute such as `bgcolor` (HTML §2.4.6, "rules for parsing a legacy color value"). */
export function legacyColorOf(value: string): Color | null {
  const text = value.trim().toLowerCase().slice(0, 128);
  if (text === "" || text === "transparent") return null;
  const name = hexOfName(text);
  if (name !== undefined) return hexColor(name);
  if (/^#[0-9a-f]{3}$/.test(text)) return hexColor(text.slice(1));
  let hex = text.replace(/^#/, "").replaceAll(/[^0-9a-f]/g, "0");
  while (hex.length === 0 || hex.length % 3 !== 0) hex += "0";
  const size = hex.length / 3;
  let parts = [0, 1, 2].map((at) => hex.slice(at * size, (at + 1) * size).slice(-8));
  while ((parts[0]?.length ?? 0) > 2 && parts.every((part) => part.startsWith("0"))) {
    parts = parts.map((part) => part.slice(1));
  }
  return hexColor(parts.map((part) => part.slice(0, 2).padStart(2, "0")).join(""));
}

/** Colours of one gradient that are looked at. */
const MAX_STOPS = 8;
const STOP = /#[0-9a-f]{3,8}|(?:rgba?|hsla?)\([^()]*\)|(?<![a-z-])[a-z]{3,}(?![a-z(-])/g;

/**
 * The colours that an image of CSS is painted in: those of its gradients. Pictures are not loaded, and have none, but for those
 * that lie in the mail. "unread" if a colour of it is not known.
 */
export function gradientColors(image: string): Color[] | "unread" {
  if (/"data|\ue004/.test(image) || /(?:image-set|image|element|cross-fade|paint)\(/.test(image))
    return "unread";
  if (!image.includes("gradient(")) return [];
  const found = image.match(STOP) ?? [];
  const stops = found.map(colorOf).filter((color) => color !== null);
  if (stops.length > MAX_STOPS || /(?:lab|lch|color|mix|hwb|dark|var|calc)\(/.test(image)) return "unread";
  return stops.includes("unread") ? "unread" : stops.filter((color) => color !== "unread");
}

/** A colour that is painted over an opaque one. */
export function painted(over: Color, under: Color, opacity = 1): Color {
  const alpha = over.alpha * opacity;
  if (alpha === 1) return over;
  const mixed = (one: number, two: number): number => one * alpha + two * (1 - alpha);
  return {
    red: mixed(over.red, under.red),
    green: mixed(over.green, under.green),
    blue: mixed(over.blue, under.blue),
    alpha: 1,
  };
}

/** Text whose contrast (WCAG 2.2) is below this, and whose colour is near its background's, is not seen. WCAG asks for 4.5. */
const LEAST_CONTRAST = 1.2;
/** Colours that differ more than this in red, green or blue are told apart by their hue. */
const NEAR = 40;

/** Whether a reader sees text of this colour on this background. */
export function isSeen(color: Color, background: Color): boolean {
  const difference = Math.max(
    Math.abs(color.red - background.red),
    Math.abs(color.green - background.green),
    Math.abs(color.blue - background.blue),
  );
  if (difference > NEAR) return true;
  const [one, two] = [luminance(color) + 0.05, luminance(background) + 0.05];
  return Math.max(one, two) / Math.min(one, two) >= LEAST_CONTRAST;
}

function luminance({ red, green, blue }: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
