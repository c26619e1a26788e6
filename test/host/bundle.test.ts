import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { BUNDLE_ROOT, readBundle } from "../../src/host/bundle.ts";

const MAX_SCRIPT_BYTES = 484 * 1024;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

describe("the script that is deployed", () => {
  it("is at most 484 KiB compressed, so that it starts quickly", () => {
    const bytes = readBundle().reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  it("contains one language of zod: `import * as z`, as `import { z }` brings all of them", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(BUNDLE_ROOT, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file);
    expect(included.filter((file) => file.includes("zod/v4/locales/"))).toEqual([
      expect.stringMatching(/\/en\.js$/),
    ]);
  });

  it("holds no modules of libraries that are never used (`alias` in wrangler.jsonc)", () => {
    const meta = Metafile.parse(JSON.parse(readFileSync(path.join(BUNDLE_ROOT, "bundle-meta.json"), "utf8")));
    const included = Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(included.filter((file) => /\/(?:mime-types|html-entities|fetch\/index)\.js$/.test(file))).toEqual(
      [],
    );
    expect(included.filter((file) => /no-(?:mime-types|html-entities|fetch)\.ts/.test(file))).toHaveLength(3);
  });

  it("has a source map that names the files of src/", () => {
    const map = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(path.join(BUNDLE_ROOT, "index.js.map"), "utf8")));
    expect(map.sources.some((file) => file.endsWith("src/http/app.ts"))).toBe(true);
  });
});
