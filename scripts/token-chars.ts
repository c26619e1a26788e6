// Makes src/mail/tables/token-chars.ts of the vocabulary o200k as the package gpt-tokenizer has it. `npm run docs` writes it.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { TOKEN_CHAR_RANGES } from "../src/mail/view/token-count.ts";

const LINE_CHARS = 100;
/** The digits are printable characters from this one on, without the backslash. */
const FIRST = 35;
const BACKSLASH = 92;

function tokensOf(code: number): number {
  const isHalf = code >= 0xd8_00 && code <= 0xdf_ff;
  return Math.min(4, Math.max(1, countTokens(isHalf ? "\ufffd" : String.fromCodePoint(code))));
}

/** The text of the generated file. */
export function tokenCharsFile(): string {
  const counts = TOKEN_CHAR_RANGES.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => tokensOf(from + index) - 1),
  );
  let text = "";
  for (let at = 0; at < counts.length; at += 3) {
    const code = FIRST + (counts[at] ?? 0) * 16 + (counts[at + 1] ?? 0) * 4 + (counts[at + 2] ?? 0);
    text += String.fromCharCode(code < BACKSLASH ? code : code + 1);
  }
  const lines = text.match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? [];
  return `/**
 * Made by \`npm run docs\`: how many tokens each character of \`TOKEN_CHAR_RANGES\` is in the vocabulary o200k, less one, three
 * to a character.
 */
export const TOKEN_CHARS =
${lines.map((line) => `  ${JSON.stringify(line)}`).join(" +\n")};
`;
}
