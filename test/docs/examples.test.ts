import { describe, expect, it } from "vitest";
import { firstMinute, mcpHosts } from "../../src/contract/first-minute.ts";
import { fixOf, insufficientScope, notFound, rateLimited, type Problem } from "../../src/contract/problem.ts";
import { UPLOAD_FIRST } from "../../src/contract/sending.ts";
import { OWNERS } from "../../src/contract/scope.ts";
import { page, PAGES } from "./pages.ts";

/** The address of `npm start`, as the documentation has it. */
const URL = "http://127.0.0.1:8787";

describe("the examples of the documentation", () => {
  const examples = new Map(
    [...firstMinute(URL), ...mcpHosts(URL)].map(({ id, language, text }) => [id, { language, text }]),
  );
  const shown = PAGES.flatMap(({ file, blocks }) =>
    blocks.flatMap((block) => {
      const ids = /^example: (.+)$/.exec(block.mark)?.[1]?.split(", ");
      return ids === undefined ? [] : [{ file, ids, ...block }];
    }),
  );

  it.each(shown)("are those of the start page: $file:$line", ({ file, ids, language, text }) => {
    const parts = ids.map((id) => examples.get(id));
    expect(parts.map((part) => part?.language)).toEqual(ids.map(() => language));
    // The shell of the README has the key of its first step in KEY.
    const key = file === "README.md" ? "$KEY" : "$MAILKEEP_KEY";
    const wanted = parts.map((part) => part?.text.replaceAll("$MAILKEEP_KEY", () => key)).join("");
    // The formatter lays JSON out in its own way.
    const layout = (one: string): unknown => (language === "json" ? JSON.parse(one) : one);
    expect(layout(text)).toEqual(layout(wanted));
  });

  it("have every host and every client", () => {
    // The README shows curl as commands that are run.
    const there = new Set([
      "curl",
      ...shown.filter(({ file }) => file === "docs/agents.md").flatMap(({ ids }) => ids),
    ]);
    expect([...examples.keys()].filter((id) => !there.has(id))).toEqual([]);
    const first = shown.filter(({ file }) => file === "README.md").flatMap(({ ids }) => ids);
    expect(first).toEqual(["typescript", "cli", "claude-code"]);
  });
});

describe("docs/agents.md", () => {
  it("quotes what refusals say", () => {
    const budget = { limit: 10, windowSeconds: 60, resetSeconds: 41 };
    const parameters: Problem = {
      code: "invalid",
      error: "limit: must be a whole number",
      details: ["limit", "offset"].map((path) => ({ path, message: "must be a whole number" })),
    };
    const { prose } = page("docs/agents.md");
    for (const fix of [
      fixOf(rateLimited("any", budget)),
      fixOf(insufficientScope("provisional", { scopes: OWNERS, upgradeUrl: "https://…/claim" })),
      fixOf(parameters),
      fixOf(notFound("Email")),
      UPLOAD_FIRST,
    ]) {
      expect(prose).toContain(fix);
    }
  });
});
