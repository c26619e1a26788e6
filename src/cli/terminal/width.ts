/** Ranges of characters that take two columns: Unicode TR 11, classes W and F, merged where gaps are unassigned. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

const ASCII = /^[\x20-\x7e]*$/;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\uFE0F/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u;

let segmenter: Intl.Segmenter | null = null;

/** The characters as a reader sees them. */
function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function columnsOf(grapheme: string): number {
  if (ASCII.test(grapheme)) return grapheme.length;
  if (NO_WIDTH.test(grapheme)) return 0;
  const code = grapheme.codePointAt(0) ?? 0;
  const isWide = WIDE.some(([first, last]) => code >= first && code <= last);
  return isWide || EMOJI.test(grapheme) ? 2 : 1;
}

/** The columns that a text without control characters takes in a terminal. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + columnsOf(grapheme), 0);
}

/** More UTF-16 units than fit in any column are not measured. */
const UNITS_PER_COLUMN = 16;

/** The text, or its beginning and an ellipsis, in at most `columns` columns. */
export function cutTo(text: string, columns: number): string {
  if (columns <= 0) return "";
  const measured = text.slice(0, (columns + 1) * UNITS_PER_COLUMN).toWellFormed();
  if (measured.length === text.length && widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const grapheme of graphemesOf(measured)) {
    width += columnsOf(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** The text with blanks behind it, `columns` wide at least. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
