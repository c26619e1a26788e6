import { describe, expect, it } from "vitest";
import { readHtml } from "../../../src/mail/text/html-text.ts";
import { readTree, walk } from "../../../src/mail/text/html-tree.ts";
import { seenMail } from "../../../src/mail/view/seen-mail.ts";
import { cpuMs } from "../../cpu.ts";

const CHARS = 1_000_000;
const filled = (unit: string, chars = CHARS): string =>
  unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
const many = (count: number, unit: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => unit(at)).join("");

/** Texts that ask a parser for more than their length: each opens, closes, moves or repeats what stands before. */
const HOSTILE: Readonly<Record<string, string>> = {
  "blocks that are not closed": filled("<div>"),
  "formatting elements that are not closed": filled("<b>"),
  "formatting elements that are all different": many(80_000, (at) => `<font x=${at}>`),
  "formatting elements that each paragraph opens again":
    many(2_000, (at) => `<font x=${at}>`) + filled("<p>x"),
  "blocks that move out of formatting elements": filled("<b>", CHARS / 3) + filled("<p></b>", CHARS / 2),
  "links in links": filled("<a href=x><b><p>"),
  "end tags that close everything": filled("<div>", CHARS / 2) + filled("</x>", CHARS / 2),
  "tables in tables": filled("<table><tr><td>"),
  "text beside the cells of a table": `<table>${filled(" x")}`,
  "elements beside the cells of a table": `<table>${filled("a<b>")}`,
  "a hundred thousand attributes": `<div ${many(100_000, (at) => ` a${at}`)}>`,
  "attributes that each paragraph repeats": `<b ${many(50_000, (at) => ` a${at}`)}>${filled("<p></b>", CHARS / 2)}`,
  "attributes that each body adds": `<body ${many(50_000, (at) => ` a${at}`)}>${filled("<body b>", CHARS / 2)}`,
  "attributes of which each body adds one": `<body ${many(40_000, (at) => ` a${at}`)}>${many(40_000, (at) => `<body b${at}>`)}`,
  "choices in choices": filled("<select><optgroup><option>"),
  "formulas in formulas": `<math>${filled("<annotation-xml encoding=text/html><p>")}`,
  "templates in templates": filled("<template>"),
  "comments that an element moves": `<b><div>${filled("<!---->", CHARS / 2)}${filled("</b><b>", CHARS / 2)}`,
  words: filled("a b "),
};

/** Nodes of a tree, and characters of their attributes. */
function sizeOf(html: string): { nodes: number; chars: number } {
  const size = { nodes: 0, chars: 0 };
  walk(readTree(html).document, {
    start: ({ attributes }) => {
      size.nodes += 1;
      for (const [name, value] of attributes) size.chars += name.length + value.length;
    },
    end: () => {},
    comment: () => {
      size.nodes += 1;
    },
  });
  return size;
}

describe("a tree", () => {
  it.each(Object.entries(HOSTILE))("is small, and read in the time of its text: %s", (_, html) => {
    const { nodes, chars } = sizeOf(html);
    // The list that an element opens again may go past the limit once.
    expect(nodes).toBeLessThan(33_000);
    expect(chars).toBeLessThan(3 * CHARS);
    // A tenth of this on an idle machine.
    expect(cpuMs(() => readTree(html))).toBeLessThan(2_000);
  });

  it("has what an unclosed link repeats, up to 400,000 characters of its address", () => {
    const mail = (chars: number): string =>
      `<div><a href="https://a.example/${"x".repeat(chars)}"></div>${"<div>word</div>".repeat(100)}`;
    expect(readHtml(mail(3_000)).isCut).toBe(false);
    expect(readHtml(mail(5_000)).isCut).toBe(true);
    expect(readHtml(mail(5_000)).text.length).toBeLessThan(500_000);
  });
});

describe("a text beyond the limits", () => {
  const FILLER = `<p>shown${"<b></b>".repeat(29_990)}</p>`;
  const LONG = `<p>shown</p><!--${"x".repeat(400_000)}-->`;
  const seen = (html: string) => {
    const { text, isCut } = seenMail({ subject: "", text: "", html });
    return { text, isCut };
  };

  it.each([
    ["more elements", `<p class="a">hidden</p>${FILLER}${"<i>x</i>".repeat(20)}`],
    ["more characters", `<p class="a">hidden</p>${LONG}`],
  ])("shows nothing that a style sheet behind them hides: %s", (_, html) => {
    expect(seen(html)).toMatchObject({ text: expect.stringContaining("hidden"), isCut: true });
    const sheet = "<style>.a{display:none}</style>";
    expect(seen(html + sheet)).toMatchObject({ text: expect.not.stringContaining("hidden"), isCut: true });
    expect(seen(html + sheet)).toMatchObject({ text: expect.stringContaining("shown") });
  });

  it.each([
    ["<style>.a{display:none}</style>", 12],
    ["<style>.a{display:none}</style>", 8],
    ["<style>.a{display:none}</style>", 3],
    ["<style><!-- .a{display:none} --></style>", 3],
    ['<body title="<" class=b>', 18],
    ["<html class=b>", 3],
  ])("shows nothing that what lies across them hides: %s from its character %i on", (html, at) => {
    const before = '<style>.b .a{display:none}</style><p class="a">hidden</p><p>shown</p>';
    const filler = `<!--${"x".repeat(400_000 - before.length - at - 7)}-->`;
    expect(seen(before + filler + html)).toEqual({ text: "shown", isCut: true });
    expect(seen(`${before}${"<b></b>".repeat(29_996)}${html}`).text).toBe("shown");
  });

  it("shows a text up to the limit", () => {
    const { text, isCut } = seen(`<p>${"word ".repeat(100_000)}</p>`);
    expect(isCut).toBe(true);
    expect(text.length).toBeGreaterThan(399_900);
    expect(text.length).toBeLessThanOrEqual(400_000);
  });

  it("shows nothing that a style sheet behind them shows", () => {
    const html = `<p hidden class="a">hidden</p>${LONG}<style>.a{display:block!important}</style>`;
    expect(seen(html)).toEqual({ text: "shown", isCut: true });
  });

  it.each([
    ["<div hidden><noscript></div></noscript>hidden</div>?", ""],
    ["<noscript><div hidden></noscript>hidden</div>?", ""],
    ["<p>Hello<noscript><!--</noscript>?<!-- -->?", "Hello"],
    ["<b>Hello<noscript></b></noscript>?", "Hello"],
  ])("shows nothing that programs with and without scripts read differently: %s", (html, text) => {
    expect(seen(html)).toEqual({ text, isCut: true });
  });

  it("shows all around what is for programs without scripts", () => {
    const head = "<head><noscript>Scripts are off<img></noscript><title>x</title></head>";
    const html = `${head}<body>One <b>two<noscript>no <i>no</i></noscript></b> three`;
    expect(seen(html)).toEqual({ text: "One two three", isCut: false });
  });

  it.each(["<body hidden>", "<html style=display:none>", "<template shadowrootmode=open></template>"])(
    "shows nothing where all may be hidden: %s",
    (tag) => {
      expect(seen(`<p>Hello</p>${LONG}${tag}`)).toEqual({ text: "", isCut: true });
    },
  );
});
