import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readBuiltWorker } from "../../src/host/built-worker.ts";
import { DIST } from "../../scripts/build-worker.ts";

// 8 KiB of it are metrics: their names and texts, the monitor, and the plots of the operator console. 60 KiB are the library of the Model Context Protocol and its tools (src/http/mcp): the library parses each revision of
// the protocol by schemas of its own.
const MAX_SCRIPT_BYTES = 600 * 1024;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

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

  it("holds no modules of libraries that are never used (`alias` in wrangler.jsonc)", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(DIST, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(
      included.filter((file) =>
        /\/(?:mime-types|html-entities|fetch\/index)\.js$|cfWorkerProvider/.test(file),
      ),
    ).toEqual([]);
    expect(
      included.filter((file) => /no-(?:mime-types|html-entities|fetch|validator)\.ts/.test(file)),
    ).toHaveLength(4);
  });

  it("has a source map that names the files of src/", () => {
    const map = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(path.join(DIST, "index.js.map"), "utf8")));
    expect(map.sources.some((file) => file.endsWith("src/http/app.ts"))).toBe(true);
  });
});
