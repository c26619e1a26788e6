import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyHash } from "../../../../src/mail/authentication/checks/body-hash.ts";

type Form = ConstructorParameters<typeof BodyHash>[0];

/** The canonical form as RFC 6376 §3.4.3 and §3.4.4 describe it, of a body that is held whole. */
function canonical(body: string, form: Form): string {
  const lines = body.replace(/\r?\n/g, "\r\n").split("\r\n");
  const kept =
    form === "simple" ? lines : lines.map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (kept.at(-1) === "") kept.pop();
  const isEmpty = kept.length === 0;
  return isEmpty && form === "relaxed" ? "" : `${kept.join("\r\n")}\r\n`;
}

describe.each<Form>(["simple", "relaxed"])("the hash of a body in the %s form", (form) => {
  it("is that of its canonical form, in whatever pieces the body comes", () => {
    const run = fc
      .tuple(fc.constantFrom("a", "word", " ", "\t", "\r", "\n", "\r\n", "\x01", "\xff"), fc.nat(300))
      .map(([text, count]) => text.repeat(count % 7 === 0 ? count * 20 : count % 4));
    const pieces = fc.array(fc.array(run, { maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, (runs) => {
        const texts = runs.map((some) => some.join(""));
        const hash = new BodyHash(form);
        for (const text of texts) hash.push(Buffer.from(text, "latin1"));
        const expected = Buffer.from(canonical(texts.join(""), form), "latin1");
        const digest = createHash("sha256").update(expected).digest("hex");
        const found = hash.finish();
        expect({ ...found, digest: found.digest.toString("hex") }).toEqual({
          digest,
          length: expected.length,
        });
      }),
      { numRuns: 300 },
    );
  });
});
