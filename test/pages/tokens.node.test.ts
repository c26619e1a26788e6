import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readTokens, type Tokens } from "../../scripts/components/tokens.ts";

const STYLES = path.resolve(import.meta.dirname, "../../src/pages/styles");
/** WCAG 2.2, 1.4.3 for text and 1.4.11 for what shows where a control is. */
const TEXT = 4.5;
const CONTROL = 3;

/** Colours that stand on a ground, with the contrast that they need. */
const PAIRS: readonly [front: string, ground: string, atLeast: number][] = [
  ...["ink", "muted", "accent", "good", "warn", "bad"].flatMap((front) =>
    ["paper", "sheet"].map((ground) => [front, ground, TEXT] as [string, string, number]),
  ),
  ...["ink", "muted"].map((front) => [front, "sunken", TEXT] as [string, string, number]),
  ...["accent", "good", "warn", "bad"].flatMap((kind): [string, string, number][] => [
    [kind, `${kind}-soft`, TEXT],
    ["ink", `${kind}-soft`, TEXT],
    ["accent", `${kind}-soft`, TEXT],
  ]),
  ["on-accent", "accent", TEXT],
  ["on-accent", "accent-strong", TEXT],
  ...["edge", "accent", "bad"].flatMap((front) =>
    ["paper", "sheet"].map((ground) => [front, ground, CONTROL] as [string, string, number]),
  ),
];

/** WCAG 2.2, relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(tokens: Tokens, front: string, ground: string): number {
  const [low = 0, high = 0] = [front, ground]
    .map((name) => luminance(tokens.get(name) ?? ""))
    .toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe("the tokens of the pages", () => {
  it.each(["light", "dark"] as const)(
    "reach 4.5:1 for text and 3:1 for edges of controls, in %s",
    (scheme) => {
      const tokens = readTokens()[scheme];
      const weak = PAIRS.filter(([front, ground, atLeast]) => !(contrast(tokens, front, ground) >= atLeast));
      expect(
        weak.map(([front, ground]) => `${front} on ${ground}: ${contrast(tokens, front, ground).toFixed(2)}`),
      ).toEqual([]);
    },
  );

  it("are the same names in both schemes: each colour has a dark one", () => {
    const { light, dark } = readTokens();
    const colours = [...light].filter(([, value]) => value.startsWith("#")).map(([name]) => name);
    expect(colours.length).toBeGreaterThan(15);
    expect(colours.filter((name) => dark.get(name) === light.get(name))).toEqual([]);
  });

  it("have five sizes of text, and no style sheet has another", () => {
    const sizes = [...readTokens().light.keys()].filter((name) => name.startsWith("text-"));
    expect(sizes).toEqual(["text-xs", "text-sm", "text-md", "text-lg", "text-xl"]);
    const sheets = readdirSync(STYLES, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".css"),
    );
    const others = sheets.flatMap((file) =>
      [...readFileSync(path.join(STYLES, file), "utf8").matchAll(/font(?:-size)?:\s*([^;]+);/g)]
        .map(([, value = ""]) => value)
        .filter(
          (value) =>
            !/var\(--text-(?:xs|sm|md|lg|xl)\)|^inherit$|^[\d.]+em$/.test(value) || value.includes("calc"),
        )
        .map((value) => `${file}: ${value}`),
    );
    expect(others).toEqual([]);
  });
});
