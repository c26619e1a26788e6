/** Functions that load something; of a single image, only where it does not stand there itself. */
const LOADS = /\b(?:(?:image|image-set|cross-fade)\s*\(|(?:url|src)\s*\((?!\s*["']?data:image\/))/gi;
/** Rules that do. */
const LOADING_RULES = /@(?:import|font-face|namespace|charset)/gi;
/** An escape that may stand for a character of such a name: `\75 rl(` is `url(` (CSS Syntax 3, §4.3.7). */
const ESCAPE = /\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([g-z@(:/.-]))/gi;
const COMMENT = /\/\*[^]*?(?:\*\/|$)/g;

/**
 * Takes out of a style sheet, or of a `style` attribute, what would load something: its declaration becomes one that no
 * browser understands. What keeps a mail from loading anything, however it is written, is the policy of its frame
 * (mail-frame.ts). This keeps the console from being full of refusals, and it keeps styles from loading once the reader asked
 * for images: Chromium tells the host of an image in a style where the page is, whatever the page's referrer policy says.
 */
export function stillStyle(style: string): string {
  return style
    .replaceAll(COMMENT, " ")
    .replaceAll(ESCAPE, unescaped)
    .replaceAll(LOADING_RULES, "@left-out")
    .replaceAll(LOADS, "left-out(");
}

function unescaped(escape: string, hex: string | undefined, char: string | undefined): string {
  if (hex === undefined) return char ?? escape;
  const code = Number.parseInt(hex, 16);
  const letter = code < 0x80 ? String.fromCharCode(code) : "";
  return /^[a-z@(:/.-]$/i.test(letter) ? letter : escape;
}
