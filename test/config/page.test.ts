import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_SETTINGS } from "../../src/config/fault-lines.ts";
import { configurationPage } from "../../src/config/page.ts";
import { DESCRIPTIONS, GROUPS } from "../../src/config/setting.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

describe("docs/configuration.md", () => {
  it("is what `npm run docs` writes from the settings", async () => {
    const committed = await readFile(path.join(ROOT, "docs/configuration.md"), "utf8");
    expect(committed, "run `npm run docs` and commit the page").toBe(configurationPage());
  });

  it("has a heading, a meaning, values and a default for every setting, and no other", () => {
    const page = configurationPage();
    const headings = Array.from(page.matchAll(/^### `(\w+)`$/gm), ([, name]) => name);
    expect(new Set(headings)).toEqual(new Set(Object.keys(ALL_SETTINGS)));
    expect(headings).toHaveLength(Object.keys(ALL_SETTINGS).length);
    for (const schema of Object.values(ALL_SETTINGS)) {
      const described = DESCRIPTIONS.get(schema);
      expect(GROUPS).toContain(described?.group);
      expect(described?.meaning).toMatch(/^[A-Z`][^]+\.\)?$/);
      expect(described?.values).not.toBe("");
    }
    expect(page.match(/^- Default/gm)?.length).toBeGreaterThanOrEqual(headings.length);
  });

  it("names the defaults that npm start has for each exposure", () => {
    for (const schema of Object.values(ALL_SETTINGS)) {
      const { machineDefault, defaultWords } = DESCRIPTIONS.get(schema) ?? {};
      if (machineDefault === undefined) continue;
      const words = typeof defaultWords === "object" ? defaultWords.machine : "";
      for (const isReachable of [true, false]) {
        expect(words).toContain(`\`${machineDefault({ isReachable, sendsMail: isReachable })}\``);
      }
    }
  });
});

describe("wrangler.jsonc", () => {
  it("sets only variables that exist", async () => {
    const text = await readFile(path.join(ROOT, "wrangler.jsonc"), "utf8");
    const [, vars = ""] = /"vars": \{([^}]*)\}/.exec(text) ?? [];
    const names = Array.from(vars.matchAll(/"([A-Z_]+)":/g), ([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(Object.keys(ALL_SETTINGS)).toContain(name);
  });
});
