import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { Scope } from "../../src/contract/scope.ts";
import { listedTool } from "../../src/http/mcp/listing.ts";
import { toolsFor } from "../../src/http/mcp/tools.ts";

const MAX_TOOLS = 12;
const MAX_TOKENS = 3_500;

const listFor = (scope: Scope, hasMailbox = true) =>
  toolsFor(scope, hasMailbox).map(({ spec }) => listedTool(spec));

/** The tokens of a list as a client hands it to a model. */
const tokensOf = (tools: readonly object[]) => countTokens(JSON.stringify({ tools }));

describe("the list of tools", () => {
  it("has at most 12 tools and 3,500 tokens for the key of a mailbox", () => {
    const tools = listFor("mailbox");
    expect(tools).toHaveLength(MAX_TOOLS);
    expect(tokensOf(tools)).toBeLessThanOrEqual(MAX_TOKENS);
  });

  it("shows a provisional key no tool that sends, changes mail or hands out files", () => {
    expect(listFor("provisional").map(({ name }) => name)).toEqual([
      "check_mail",
      "read_mail",
      "search_mail",
      "wait_for_code",
      "wait_for_mail",
      "read_thread",
      "mailbox_status",
      "extract",
    ]);
  });

  it("shows the tools of the deployment to the operator alone, also where no mailbox is named", () => {
    const own = ["create_mailbox", "list_mailboxes", "pause_mailbox", "deployment_status"];
    expect(listFor("operator", false).map(({ name }) => name)).toEqual(own);
    expect(listFor("operator").map(({ name }) => name)).toEqual([
      ...listFor("mailbox").map(({ name }) => name),
      ...own,
    ]);
  });

  it.each(Scope.options)(
    "says of each tool of a %s key what it does, and describes input and output",
    (scope) => {
      for (const { description, inputSchema, outputSchema, annotations } of listFor(scope)) {
        expect(description).toMatch(/\.$/);
        expect(inputSchema.type).toBe("object");
        expect(outputSchema?.type).toBe("object");
        expect(Object.values(annotations ?? {})).toEqual([
          expect.any(Boolean),
          expect.any(Boolean),
          expect.any(Boolean),
          expect.any(Boolean),
        ]);
      }
    },
  );

  it("describes each field that a stranger wrote as untrusted", () => {
    const text = JSON.stringify(listFor("operator"));
    const fields = [...text.matchAll(/"(untrusted_\w+)":\{([^{}]*)\}/g)];
    expect(fields.length).toBeGreaterThan(10);
    for (const [, name = "", schema = ""] of fields)
      expect([name, schema]).toEqual([name, expect.stringContaining("Untrusted")]);
  });
});
