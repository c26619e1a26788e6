/** Functions that load something, and what they are given first. */
const LOADS = /(url|src|image|image-set|cross-fade)\s*\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*))/gi;
/** Rules that do. */
const LOADING_RULES = /@(?:import|font-face|namespace|charset)/gi;
/** An escape that stands for a character of such a name: `\75 rl(` is `url(` (CSS Syntax 3, §4.3.7). */
const ESCAPE = /\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([g-z@(:/.-]))/gi;
const COMMENT = /\/\*[^]*?(?:\*\/|$)/g;

/** Whether an image may be loaded from there. */
export type MayLoad = (url: string) => boolean;

/** A style in which nothing loads but what may, and whether something would have. */
export interface StillStyle {
  text: string;
  wasStilled: boolean;
}

/**
 * Takes out of a style sheet, or of a `style` attribute, what would load something: its declaration becomes one that no
 * browser understands. So the viewer can say that images were left out, and the console is not full of refusals. What
 * keeps a mail from loading anything, however it is written, is the policy of its frame (mail-frame.ts).
 */
export function stillStyle(style: string, mayLoad: MayLoad): StillStyle {
  let wasStilled = false;
  const text = style
    .replaceAll(COMMENT, " ")
    .replaceAll(ESCAPE, unescaped)
    .replaceAll(LOADING_RULES, "@left-out")
    .replaceAll(LOADS, (found: string, name: string, ...given: (string | undefined)[]) => {
      const url = given.slice(0, 3).find((one) => one !== undefined) ?? "";
      if (name.toLowerCase() === "url" && mayLoad(url.trim())) return found;
      wasStilled = true;
      return "left-out(";
    });
  return { text, wasStilled };
}

function unescaped(escape: string, hex: string | undefined, char: string | undefined): string {
  if (hex === undefined) return char ?? escape;
  const code = Number.parseInt(hex, 16);
  const letter = code < 0x80 ? String.fromCharCode(code) : "";
  return /^[a-z@(:/.-]$/i.test(letter) ? letter : escape;
}
