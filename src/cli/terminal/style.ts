/** Styles of ECMA-48 (SGR) that stay readable on light and dark backgrounds. */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** Styles a text that is safe for a terminal. */
export type Painter = (style: Style, text: string) => string;

/** Without colours. */
export const plain: Painter = (_, text) => text;

const colourful: Painter = (style, text) => `\x1b[${STYLES[style]}m${text}\x1b[0m`;

/**
 * Whether a stream shows colours: a terminal does, unless NO_COLOR is set to anything (no-color.org) or the terminal is
 * a dumb one. FORCE_COLOR, other than 0, turns them on elsewhere.
 */
export function painterOf(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Painter {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return plain;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR === "0" ? plain : colourful;
  return isTerminal && TERM !== "dumb" ? colourful : plain;
}
