import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Email } from "../../src/contract/message.ts";
import { InboxQuery } from "../../src/contract/routes/emails.ts";
import { routes } from "../../src/contract/routes.ts";
import { lazy } from "../../src/mail/lazy.ts";
import { readBuiltWorker } from "../../src/host/built-worker.ts";
import { DIST } from "../../scripts/build-worker.ts";
import { childrenOf, parseModule, type Node } from "../../scripts/module-edits.ts";

// The platform takes 3 MiB; the time to start grows with the script. Raise the limit only with the reason.
const MAX_SCRIPT_BYTES = 600 * 1024;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

/** The syntax tree of the script. */
const program = lazy(() => parseModule(readBuiltWorker(DIST).script.contents));

describe("the script that is deployed", () => {
  it("is at most 600 KiB compressed, so that it starts quickly", () => {
    const bytes = gzipSync(readBuiltWorker(DIST).script.contents).byteLength;
    expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  it("contains one language of zod: `import * as z`, as `import { z }` brings all of them", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(DIST, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file);
    expect(included.filter((file) => file.includes("zod/v4/locales/"))).toEqual([
      expect.stringMatching(/\/en\.js$/),
    ]);
  });

  it("holds no list by which mail is read: those are a static asset (`src/mail/tables`)", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(DIST, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    const lists = included.filter((file) =>
      /\/languages\/[a-z-]+\.ts$|-names\.ts$|tables\/(?:all-tables|public-suffixes)\.ts$/.test(file),
    );
    expect(lists.map((file) => path.basename(file)).toSorted()).toEqual([
      "matching.ts",
      "month-names.ts",
      "word-index.ts",
    ]);
    expect(included.some((file) => file.endsWith("tables/loaded-tables.ts"))).toBe(true);
    expect(included.some((file) => file.endsWith("tables/loaded-suffixes.ts"))).toBe(true);
  });

  it("holds no check of SPF, which only the SMTP listener makes", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(DIST, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(included.some((file) => file.endsWith("checks/message-check.ts"))).toBe(true);
    expect(included.filter((file) => file.includes("/spf/"))).toEqual([]);
  });

  it("holds no literal of a regular expression with a property of Unicode: reading one makes a set of characters", () => {
    const literals = literalsIn(program());
    expect(literals.length).toBeGreaterThan(500);
    expect(literals.filter((pattern) => /\\p\{/i.test(pattern))).toEqual([]);
  });

  it("holds no words that only documents show: summaries of routes, descriptions of members", () => {
    const { contents } = readBuiltWorker(DIST).script;
    const summaries = Object.values(routes).map(({ summary }) => summary);
    const described = [InboxQuery, Email]
      .flatMap(({ shape }): z.ZodType[] => Object.values(shape))
      .map((member) => member.meta()?.description ?? "");
    const words = [...summaries, ...described].filter(
      // The console asks whether to do the latter.
      (text) => text.length > 30 && text !== routes.haltSending.summary,
    );
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((text) => contents.includes(`"${text}"`))).toEqual([]);
  });

  it("has a source map that shows the files of src/ as they are", () => {
    const map = z
      .object({ sources: z.array(z.string()), sourcesContent: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(path.join(DIST, "index.js.map"), "utf8")));
    for (const file of ["src/http/app.ts", "src/contract/routes/emails.ts"]) {
      const index = map.sources.findIndex((source) => source.endsWith(file));
      expect(map.sourcesContent[index]).toBe(readFileSync(path.join(DIST, "..", file), "utf8"));
    }
  });
});

/** The patterns of all literals of regular expressions below a node. */
function literalsIn(node: Node): string[] {
  const { regex } = node as { regex?: { pattern: string } };
  return regex === undefined ? childrenOf(node).flatMap(literalsIn) : [regex.pattern];
}
