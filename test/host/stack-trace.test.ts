import { mkdtempSync, readFileSync, rmSync, utimesSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { sourcePositions } from "../../src/host/stack-trace.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "mailkeep-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds a minified module that throws, and answers the stack that workerd writes for it. */
function trace(): string {
  const outfile = path.join(folder, "index.js");
  const contents = "\n\nexport function fails() {\n  throw new Error('boom');\n}\n";
  const stdin = { contents, sourcefile: "src/fails.ts" };
  buildSync({ stdin, outfile, minify: true, format: "esm", sourcemap: true });
  const column = readFileSync(outfile, "utf8").indexOf("throw") + 1;
  return `Error: boom\n    at o (file://${outfile}:1:${column})\n    at async file://${outfile}:1:1`;
}

it("shows the file, line and column of the source for each position in the bundle", () => {
  const stack = trace();
  const [, first] = sourcePositions(path.join(folder, "index.js.map"))(stack).split("\n");
  expect(first?.trim()).toBe("at src/fails.ts:4:3");
});

it("leaves positions as they are without a source map, or once another build has replaced it", () => {
  const stack = trace();
  expect(sourcePositions(path.join(folder, "none.map"))(stack)).toBe(stack);
  const map = path.join(folder, "index.js.map");
  const positions = sourcePositions(map);
  utimesSync(map, 1, 1);
  expect(positions(stack)).toBe(stack);
});
