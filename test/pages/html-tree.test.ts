import { chromium, type Browser, type Page } from "playwright-core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTree, walk } from "../../src/mail/text/html-tree.ts";
import { CHROMIUM, NO_BROWSER } from "./browser.ts";

/** The tree of a document, a line for each node; comments and what is in a `<template>`, which no one sees, are left out. */
const TREES = String.raw`(list) => list.map((html) => {
  const lines = [];
  const add = (parent, depth) => {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3) lines.push(depth + JSON.stringify(node.data));
      if (node.nodeType !== 1) continue;
      const space = /svg$/.test(node.namespaceURI) ? "svg:" : /MathML$/.test(node.namespaceURI) ? "math:" : "";
      const attributes = Array.from(node.attributes, ({ name, value }) => " " + name + "=" + value).sort().join("");
      lines.push(depth + space + node.localName + attributes);
      if (node.localName !== "template" || space !== "") add(node, depth + " ");
    }
  };
  add(new DOMParser().parseFromString(html, "text/html"), "");
  return lines.join("\n");
})`;

function ownTree(html: string): string {
  const lines: string[] = [];
  let depth = "";
  let inert = 0;
  walk(readTree(html).document, {
    text: ({ text }) => {
      if (inert === 0) lines.push(depth + JSON.stringify(text));
    },
    start: ({ name, namespace, attributes }) => {
      const written = Array.from(attributes, ([key, value]) => ` ${key}=${value}`).toSorted();
      const space = namespace === "html" ? "" : `${namespace}:`;
      if (inert === 0) lines.push(`${depth}${space}${name}${written.join("")}`);
      if (namespace === "html" && name === "template") inert += 1;
      depth += " ";
    },
    end: ({ name, namespace }) => {
      if (namespace === "html" && name === "template") inert -= 1;
      depth = depth.slice(1);
    },
  });
  return lines.join("\n");
}

const NAMES = (
  "html head body title style script template p div span b i u a font nobr code table tbody thead tfoot tr td th " +
  "caption colgroup col select option optgroup hr input button form textarea xmp pre plaintext iframe noembed noframes " +
  "svg math mi mtext annotation-xml foreignObject desc image img br h1 h2 li ul dl dt dd blockquote details summary ruby " +
  "rt rp rb rtc address section marquee applet object fieldset main x-y"
).split(" ");
const ATTRIBUTES = [
  "",
  "",
  "hidden",
  "class=a",
  "type=hidden",
  "encoding=text/html",
  "color=red",
  "href=#",
  "open",
];
const OTHER = ["<![CDATA[x]]>", "&amp;", "&lt", "<", "-->", "</>", "<!doctype html>", "\r\n", "<!--<", "?>"];
const words = fc.constantFrom("one", "two", " ", "three ");

/** Markup of a few elements, so that start and end tags meet. */
const soup = fc.array(fc.constantFrom(...NAMES), { minLength: 4, maxLength: 7 }).chain((names) => {
  const name = fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...names) },
    { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  );
  const start = fc.tuple(name, fc.constantFrom(...ATTRIBUTES)).map((tag) => `<${tag.join(" ").trim()}>`);
  const end = name.map((tag) => `</${tag}>`);
  const piece = fc.oneof(
    { weight: 10, arbitrary: start },
    { weight: 5, arbitrary: end },
    { weight: 4, arbitrary: words },
    { weight: 1, arbitrary: fc.constantFrom(...OTHER) },
  );
  return fc
    .tuple(fc.constantFrom("", "<!doctype html>"), fc.array(piece, { maxLength: 16 }))
    .map(([type, pieces]) => `${type}${pieces.join("")}end`);
});

/** The same inside of as many elements as browsers nest, and some more. */
const deepSoup = fc
  .tuple(
    fc.constantFrom("div", "b", "span", "a", "li", "p><b", "table><tr><td", "math><mi"),
    fc.nat(20),
    soup,
  )
  .map(([around, more, html]) => {
    const each = around.split("><").length;
    return `${`<${around}>`.repeat(Math.ceil((500 + more) / each))}${html.replaceAll(/<[!?][^>]*>?|<\/>/g, "")}`;
  });

describe.skipIf(NO_BROWSER)("the tree of an HTML text", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? undefined, args: ["--disable-gpu"] });
    page = await browser.newPage();
  });
  afterAll(() => browser.close());

  it.each([
    ["of any tags", soup, 4_000],
    ["of more open elements than browsers nest", deepSoup, 150],
  ])("is that of Chromium: %s", async (_, texts, numRuns) => {
    const wrong: object[] = [];
    const sample = fc.sample(texts, { numRuns, seed: fc.readConfigureGlobal().seed });
    for (let at = 0; at < sample.length; at += 100) {
      const list = sample.slice(at, at + 100);
      const trees = await page.evaluate<string[]>(`(${TREES})(${JSON.stringify(list)})`);
      list.forEach((html, which) => {
        const own = ownTree(html);
        if (own !== trees[which]) wrong.push({ html, own, theirs: trees[which] });
      });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });
});
