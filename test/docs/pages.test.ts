import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codeSpansOf, holds, linksOf, page, PAGES, ROOT } from "./pages.ts";

/** Hosts that pages may link to: public sites that explain what we build on. */
const HOSTS: ReadonlySet<string> = new Set([
  "caddyserver.com",
  "datatracker.ietf.org",
  "developers.cloudflare.com",
  "github.com",
  "html.spec.whatwg.org",
  "modelcontextprotocol.io",
  "schema.org",
  "www.npmjs.com",
  "www.standardwebhooks.com",
]);

/** Folders of which every source, test, script and page must cite only texts of the repository and public standards. */
const FOLDERS: readonly string[] = ["src", "test", "scripts", "docs"];

/** Names of texts that the repository does not hold. They are concatenated, so that this file itself does not match. */
const FOREIGN = new RegExp(
  [
    "wire " + "contract",
    "interface " + "specification",
    "\\(speci" + "fication",
    "the specification'?s? ",
    "architecture \\d",
    "runtime" + " facts",
    "house" + "\\.md",
    // Numbers of threats, faults and invariants in brackets; a time such as T00:00 is not one.
    "(?:\\(|threats? |faults? )[TFI]\\d{1,2}\\b",
    "/work" + "/",
  ].join("|"),
  "i",
);

/** Paths with a placeholder, which pages name instead of a list of files. */
const PATTERNS: readonly string[] = [
  "src/mailbox/<capability>/rows.ts",
  "src/mailbox/<capability>/schema.ts",
  "src/mailbox/<capability>/<capability>.ts",
  "src/mail/languages/<tag>.ts",
];

const isThere = (file: string): boolean => holds(file) || PATTERNS.includes(file);

describe("the documentation", () => {
  it("has a README of at most 150 lines, which links to every page", () => {
    const readme = page("README.md");
    expect(readme.text.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
    const linked = linksOf(readme).map((target) => target.split("#")[0]);
    const pages = PAGES.map(({ file }) => file).filter((file) => file !== "README.md");
    expect(linked).toEqual(expect.arrayContaining(pages));
  });

  it("opens each page with a title and with whom it is for", () => {
    for (const { file, headings } of PAGES) {
      const titles = headings.filter(({ level }) => level === 1);
      expect([file, titles]).toEqual([file, [headings[0]]]);
    }
    const docs = PAGES.filter(({ file }) => file.startsWith("docs/"));
    const opened = docs.map(({ file, headings, lines }) => [file, lines[(headings[0]?.line ?? 0) + 1]]);
    expect(opened).toEqual(opened.map(([file]) => [file, expect.stringMatching(/^For |for /)]));
  });

  it.each(PAGES)("leads nowhere that is not there: $file", (one) => {
    for (const target of linksOf(one)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const linked = file === "" ? one.file : path.join(path.dirname(one.file), file);
      expect([target, isThere(linked)]).toEqual([target, true]);
      if (anchor === undefined || !linked.endsWith(".md") || !holds(linked)) continue;
      const anchors = page(linked).headings.map((heading) => heading.anchor);
      expect([target, anchors]).toEqual([target, expect.arrayContaining([anchor])]);
    }
  });

  it.each(PAGES)("links to known public sites by https, and to this machine: $file", (one) => {
    for (const target of linksOf(one).filter((link) => /^[a-z]+:/.test(link))) {
      const { protocol, hostname } = new URL(target);
      if (hostname === "127.0.0.1") continue;
      expect([target, protocol, HOSTS.has(hostname)]).toEqual([target, "https:", true]);
    }
  });

  it.each(PAGES)("names no file that is not there: $file", (one) => {
    const named = codeSpansOf(one).filter((code) =>
      /^(?:\.ci|src|test|scripts|docs)\/[\w./<>-]*$/.test(code),
    );
    for (const file of named) expect([file, isThere(file)]).toEqual([file, true]);
  });

  it.each(PAGES)("names each anchor once, so that a link is never ambiguous: $file", ({ headings }) => {
    const anchors = headings.map(({ anchor }) => anchor);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });

  it.each(PAGES)("cites no text that the repository does not hold: $file", ({ lines }) => {
    expect(lines.filter((line) => FOREIGN.test(line))).toEqual([]);
  });

  it.each(PAGES)(
    "says of every command that is not run why, and holds no other mark: $file",
    ({ blocks }) => {
      for (const { line, language, mark } of blocks) {
        const known = {
          sh: /^(?:|not run: .+|example: .+)$/,
          json: /^(?:answer: \w+ \d{3}|problem|event data|webhook body|example: .+)$/,
          js: /^module: \w+$/,
          ts: /^(?:|example: .+)$/,
          "": /^$/,
        }[language];
        expect([line, language, mark]).toEqual([line, language, expect.stringMatching(known ?? /never/)]);
      }
    },
  );

  it("holds only commands that a shell can read", () => {
    for (const { file, blocks } of PAGES) {
      for (const { line, language, text } of blocks) {
        if (language !== "sh") continue;
        const read = () => execFileSync("sh", ["-n"], { input: text, stdio: ["pipe", "pipe", "pipe"] });
        expect(read, `${file}:${line}`).not.toThrow();
      }
    }
  });

  it("names every folder of src and of test", () => {
    const foldersOf = (root: string): string[] =>
      readdirSync(path.join(ROOT, root), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${root}/${name}`);
    expect(codeSpansOf(page("docs/architecture.md"))).toEqual(expect.arrayContaining(foldersOf("src")));
    const tests = foldersOf("test").filter((folder) => folder !== "test/fixtures");
    expect(codeSpansOf(page("docs/contributing.md"))).toEqual(expect.arrayContaining(tests));
  });

  it("says what has to be installed, as .ci/run installs it", () => {
    const ci = readFileSync(path.join(ROOT, ".ci/run"), "utf8");
    const installed = [...ci.matchAll(/^ *install(?:_without_service)? (\w+)/gm)].map(
      ([, name = ""]) => name,
    );
    expect(installed.toSorted()).toEqual([
      "age",
      "chromium",
      "curl",
      "dovecot",
      "firefox",
      "fish",
      "gcc",
      "openssl",
      "prometheus",
      "python3",
      "strace",
      "swaks",
      "systemd",
      "zsh",
    ]);
    const needs = page("docs/contributing.md").text.toLowerCase();
    for (const name of installed) expect(needs).toContain(name);
  });
});

describe("the text of sources, tests, scripts and pages", () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|tsx|mjs|css|md|jsonc)$/.test(file))
      // A list of names.
      .filter((file) => !file.endsWith("public-suffixes.ts") || folder !== "src")
      .map((file) => path.join(folder, file)),
  );

  it("says in its comments who does what: none begins with What", () => {
    const begin = files
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file))
      .flatMap((file) =>
        readFileSync(path.join(ROOT, file), "utf8")
          .split("\n")
          .filter((line) => /^\s*\/\*\*? What /.test(line) || line.startsWith("// What "))
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(begin).toEqual([]);
  });

  it("cites no text that the repository does not hold", () => {
    expect(files.length).toBeGreaterThan(500);
    const cited = [...files, "README.md", "wrangler.jsonc", ".ci/run"].flatMap((file) =>
      readFileSync(path.join(ROOT, file), "utf8")
        .split("\n")
        .filter((line) => FOREIGN.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(cited).toEqual([]);
  });

  it("names only pages and sections of the documentation that are there", () => {
    const named = ["src", "scripts", "test"].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("docs/"))
        .map((file) => path.join(folder, file)),
    );
    const references = [...named, "wrangler.jsonc"].flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), "utf8").matchAll(/\b(docs\/[\w-]+\.md)(?:#([\w-]+))?/g)].map(
        ([, target = "", anchor]) => ({ file, target, anchor }),
      ),
    );
    expect(references.length).toBeGreaterThan(0);
    for (const { file, target, anchor } of references) {
      expect([file, target, isThere(target)]).toEqual([file, target, true]);
      const anchors = holds(target) ? page(target).headings.map((heading) => heading.anchor) : [anchor];
      expect([file, anchors]).toEqual([file, expect.arrayContaining(anchor === undefined ? [] : [anchor])]);
    }
  });
});
