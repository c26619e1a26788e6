import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const MAX_GZIP_BYTES = 12_288;

it("is at most 12 KB, compressed, and loads nothing but itself", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ["src/client/index.ts"],
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    write: false,
    metafile: true,
  });
  const files = Object.keys(metafile.inputs);
  expect(files.filter((file) => !file.startsWith("src/client/"))).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});
