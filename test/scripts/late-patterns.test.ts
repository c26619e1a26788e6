import { describe, expect, it } from "vitest";
import { withLatePatterns } from "../../scripts/late-patterns.ts";

/** The text of the module without its first import, and without the blanks between words. */
const lateIn = (code: string): string =>
  withLatePatterns(code, "ts", "lazy")
    .replace('import { lazy as lateOf } from "lazy";', "")
    .replaceAll(/\s+/g, " ")
    .trim();

describe("regular expressions of the worker's modules", () => {
  it("are made at their first use, if they are constants of one module and name a property of Unicode", () => {
    const code = String.raw`const WORD = /\p{L}+/gu; const found = (text: string) => WORD.exec(text) ?? { WORD, key: WORD };
      type Kind = typeof WORD; const other = of.WORD;`;
    expect(lateIn(code)).toBe(
      String.raw`const WORD = lateOf(() => new RegExp("\\p{L}+", "gu")); const found = (text: string) => WORD().exec(text) ?? { WORD: WORD(), key: WORD() }; type Kind = typeof WORD; const other = of.WORD;`,
    );
  });

  it("are made at their first use, if they are constants that are made of a text", () => {
    expect(lateIn("const ZONE = new RegExp(`^${NAMES}$`); ZONE.test(name);")).toBe(
      "const ZONE = lateOf(() => new RegExp(`^${NAMES}$`)); ZONE().test(name);",
    );
  });

  it("are shared by the calls of a function, if they hold no state between calls", () => {
    const code = String.raw`function fold(text) { return /\p{Lu}/u.test(text) ? text.replaceAll(/\p{M}/gu, "") : text; }`;
    expect(lateIn(code)).toBe(
      String.raw`const late0 = lateOf(() => new RegExp("\\p{Lu}", "u")); const late1 = lateOf(() => new RegExp("\\p{M}", "gu")); function fold(text) { return late0().test(text) ? text.replaceAll( late1(), "") : text; }`,
    );
  });

  it("are made each time, if they hold a state between calls", () => {
    const code = String.raw`function all(text) { const word = /\p{L}+/gu; return word.exec(text) ?? /\p{L}/y.exec(text); }`;
    expect(lateIn(code)).toBe(
      String.raw`function all(text) { const word = new RegExp("\\p{L}+", "gu"); return word.exec(text) ?? new RegExp("\\p{L}", "y").exec(text); }`,
    );
  });

  it("are made with the module, if other modules know them or they are in a list", () => {
    const code = String.raw`export const WORD = /\p{L}/u; const all = [/\p{N}/u]; WORD.test(text);`;
    expect(lateIn(code)).toBe(
      String.raw`export const WORD = new RegExp("\\p{L}", "u"); const all = [ new RegExp("\\p{N}", "u")]; WORD.test(text);`,
    );
  });

  it("are refused, if a function declares another constant of the same name", () => {
    const code = String.raw`const WORD = /\p{L}/u; const own = () => { const WORD = "a"; return WORD; };`;
    expect(() => lateIn(code)).toThrow("WORD is declared twice");
  });

  it("stay as they are, if they name no property of Unicode", () => {
    const code = "const WORD = /[a-z]+/g;\nconst found = WORD.exec(text);\n";
    expect(withLatePatterns(code, "ts", "lazy")).toBe(code);
  });

  it("leave every line in its place", () => {
    const code =
      String.raw`import a from "a";` + "\nconst WORD =\n  /\\p{L}/u;\nconst last = WORD.test(a);\n";
    const lines = withLatePatterns(code, "ts", "lazy").split("\n");
    expect([lines.length, lines[3]]).toEqual([5, "const last = WORD().test(a);"]);
  });
});
