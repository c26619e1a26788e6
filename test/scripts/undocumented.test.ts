import { describe, expect, it } from "vitest";
import { withoutDocumentation } from "../../scripts/undocumented.ts";

/** Without the blanks between words. */
const wordsOf = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

describe("what is taken out of the modules of the worker", () => {
  it("is what schemas say of themselves, whatever the words are, and nothing that judges a value", () => {
    const code = `export const schema = z
      .string()
      .meta({ description: "Not a call: .meta(1) (" }) // of a mail
      .max(5, "must be \`short\`")
      .meta(ABOUT);`;
    expect(wordsOf(withoutDocumentation(code))).toBe(
      'export const schema = /* @__PURE__ */ (() => (z .string() // of a mail .max(5, "must be `short`") ))();',
    );
  });

  it("is the words about a route and the shapes of its answers, whose statuses stay", () => {
    const code = `const inbox = route({ path: "/v1/inbox", summary: "List emails", tag: "Reading",
      query: z.object({ from: text("Part of the sender", 40), limit: integer({ min: 1, about: "Items" }) }),
      rawBody: { media: "*/*", example: FILE },
      responses: { 200: json(Page), 202: { media: "text/plain", about: "Later." } } });`;
    expect(wordsOf(withoutDocumentation(code))).toBe(
      wordsOf(`const inbox = /* @__PURE__ */ (() => (route({ path: "/v1/inbox",
      query: z.object({ from: text("", 40), limit: integer({ min: 1, }) }),
      rawBody: { media: "*/*", },
      responses: { 200: 0, 202: 0 } })))();`),
    );
  });

  it("is the output of a tool, not its input", () => {
    const code = `export const read = tool({ name: "read", input: z.object({ id }), output: Mail, run });`;
    expect(wordsOf(withoutDocumentation(code))).toBe(
      'export const read = /* @__PURE__ */ (() => (tool({ name: "read", input: z.object({ id }), run })))();',
    );
  });

  it("leaves what a module computes when it is asked, and types, as they are", () => {
    const code = `export type Mail = z.output<typeof Mail>;
      export function integer({ about }: { about: string }) { return z.int(about); }
      const later = () => tool.meta; let state = start();`;
    expect(withoutDocumentation(code)).toBe(code);
  });

  it("leaves every line in its place", () => {
    const code = `const a = z.object({}).meta({\n  description: "Many\\nlines",\n});\nconst last = 1;\n`;
    const lines = withoutDocumentation(code).split("\n");
    expect([lines.length, lines.indexOf("const last = 1;")]).toEqual([5, 3]);
  });
});
