import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../src/host/doctor/catalogue/catalogue.ts";
import type { Entry } from "../../../src/host/doctor/catalogue/entry.ts";
import { doctorPage } from "../../../src/host/doctor/page.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

describe("docs/doctor.md", () => {
  it("is what `npm run docs` writes from the catalogue", async () => {
    const committed = await readFile(path.join(ROOT, "docs/doctor.md"), "utf8");
    expect(committed, "run `npm run docs` and commit the page").toBe(doctorPage());
  });

  it("explains every finding in whole sentences, each once, and no other", () => {
    const headings = Array.from(doctorPage().matchAll(/^### `([\w.-]+)`$/gm), ([, id]) => id);
    expect(headings).toHaveLength(Object.keys(CATALOGUE).length);
    expect(new Set(headings)).toEqual(new Set(Object.keys(CATALOGUE)));
    for (const { meaning, cost, fix } of Object.values<Entry>(CATALOGUE)) {
      for (const text of [meaning, cost, fix]) expect(text).toMatch(/^[A-Z`].*[.)]$/s);
    }
  });
});
