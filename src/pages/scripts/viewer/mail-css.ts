/** CSS functions that load something. `url()` and `src()` with a data: image load nothing. */
const LOADS = /\b(?:(?:image|image-set|cross-fade)\s*\(|(?:url|src)\s*\((?!\s*["']?data:image\/))/gi;
/** CSS rules that load something. */
const LOADING_RULES = /@(?:import|font-face|namespace|charset)/gi;
/** A CSS escape that may stand for a character of such a name: `\75 rl(` is `url(` (CSS Syntax 3, §4.3.7). */
const ESCAPE = /\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([g-z@(:/.-]))/gi;
const COMMENT = /\/\*[^]*?(?:\*\/|$)/g;

/**
 * Makes declarations invalid that would load something, in a style sheet or a `style` attribute. The policy of the frame
 * (mail-frame.ts) already keeps a mail from loading anything. This function prevents the browser's reports of refused loads,
 * and it keeps styles from loading images after the reader asked for remote images: Chromium sends a referrer for images in
 * styles, whatever the page's referrer policy says.
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
