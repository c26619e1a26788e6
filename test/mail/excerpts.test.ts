import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyTextStart, excerptsFor } from "../../src/mail/excerpts.ts";

describe("bodyTextStart", () => {
  it("gives a whole text back however it is escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(bodyTextStart(JSON.stringify({ body_text: text, body_html: '"' }))).toBe(
          text.toWellFormed() === text ? text : text,
        );
      }),
    );
  });

  it("gives the beginning of a text that is cut anywhere, in an escape too", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "u00"), { maxLength: 30 }),
        fc.nat(80),
        (parts, cut) => {
          const text = parts.join("");
          const stored = JSON.stringify({ body_text: text, body_html: "" });
          const start = bodyTextStart(stored.slice(0, 14 + cut));
          expect(start !== null && text.startsWith(start)).toBe(true);
        },
      ),
    );
  });

  it("is null for anything that is no stored body", () => {
    expect(bodyTextStart('{"other":"x"}')).toBeNull();
  });
});

describe("excerptsFor", () => {
  it("shows the hit of a word in plain ASCII as in accented text", () => {
    const filler = "some words that say nothing ".repeat(20);
    for (const body of [`${filler}the Needle, found ${filler}`, `${filler}thé Nèedle, found ${filler}`]) {
      const { snippet, highlights } = excerptsFor({ subject: "Nothing", body }, ["needle"]);
      expect([snippet.includes("found"), highlights.length]).toEqual([true, 1]);
    }
  });
});
