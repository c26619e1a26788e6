import { readFileSync } from "node:fs";
import path from "node:path";

const FILE = path.resolve(import.meta.dirname, "../../src/pages/styles/parts/tokens.css");

/** Declarations of custom properties, by name without `--`. */
export type Tokens = ReadonlyMap<string, string>;

/** The tokens of the pages in both schemes. Dark has those of light where it does not say otherwise. */
export function readTokens(): { light: Tokens; dark: Tokens } {
  const css = readFileSync(FILE, "utf8");
  const block = (start: RegExp): [string, string][] => {
    const from = css.slice(css.search(start));
    const body = from.slice(0, from.indexOf("}"));
    return [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value]);
  };
  const light = block(/^:root/m);
  return { light: new Map(light), dark: new Map([...light, ...block(/prefers-color-scheme: dark/)]) };
}
