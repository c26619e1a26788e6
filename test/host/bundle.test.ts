import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readBuiltWorker } from "../../src/host/built-worker.ts";
import { DIST } from "../../scripts/build-worker.ts";

// The script has 498 KiB. By their share of its text, some 57 KiB of them are the library of the Model Context Protocol, which parses
// each revision of the protocol by schemas of its own, 35 KiB zod, 34 KiB nodemailer, 26 KiB ical.js, and 26 KiB what reads facts
// out of mail (src/mail/extract). The limit leaves 4 KiB: raise it only with the reason.
const MAX_SCRIPT_BYTES = 502 * 1024;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

describe("the script that is deployed", () => {
  it("is at most 502 KiB compressed, so that it starts quickly", () => {
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
        /\/(?:mime-types|html-entities|decode-data-html|fetch\/index)\.js$|cfWorkerProvider/.test(file),
      ),
    ).toEqual([]);
    expect(
      included.filter((file) => /no-(?:mime-types|html-entities|fetch|validator)\.ts/.test(file)),
    ).toHaveLength(4);
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

  it("has a source map that names the files of src/", () => {
    const map = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(path.join(DIST, "index.js.map"), "utf8")));
    expect(map.sources.some((file) => file.endsWith("src/http/app.ts"))).toBe(true);
  });
});
