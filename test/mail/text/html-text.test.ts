import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlToText, readHtml, textToSnippet } from "../../../src/mail/text/html-text.ts";

describe("htmlToText", () => {
  it.each([
    ["blocks stand on lines of their own", "<div>a</div><div>b<div>c</div></div>", "a\nb\nc"],
    ["paragraphs are set apart by one blank line", "<h1>T</h1><p>a</p><p></p><p>b</p>", "T\n\na\n\nb"],
    ["whitespace folds", " a \n\t b&nbsp; <b>c</b>d ", "a b cd"],
    ["br ends a line, and many leave one blank line", "a<br>b<br><br><br><br>c", "a\nb\n\nc"],
    [
      "lists keep their markers",
      "<ul><li>a<li><p>b</p></ul>x<ol><li>c</li><li>d</ol>",
      "- a\n- b\n\nx\n\n1. c\n2. d",
    ],
    ["nested lists are indented", "<ul><li>a<ul><li>b</ul></ul>", "- a\n\n  - b"],
    [
      "cells stay on their row",
      "<table><tr><th>Total<td>$5<td></td></tr><tr><td>Tax<td>1</table>",
      "Total\t$5\nTax\t1",
    ],
    ["pre keeps its blanks", "<pre>  a\n   b\n\n\n\nc</pre>", "  a\n   b\n\nc"],
    ["quotes are marked", "hi<blockquote>one<br>two</blockquote>end", "hi\n\n> one\n> two\n\nend"],
    [
      "entities are decoded",
      "&lt;b&gt; &amp;amp; &#x20ac;&eacute; &copy &unknown;",
      "<b> &amp; €é © &unknown;",
    ],
    ["pictures give their description", 'a <img src=x alt="Logo"> b<img src=y>', "a Logo b"],
    ["an unclosed tag ends with the text", "a <b", "a"],
    ["text without any tag is text", "5 < 6 & 7", "5 < 6 & 7"],
  ])("%s", (_promise, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each([
    ['<a href="https://x.y/z?a=1&amp;b=2">Verify</a>', "Verify (https://x.y/z?a=1&b=2)"],
    ['<a href="https://x.y">https://x.y</a>', "https://x.y"],
    ['<a href="https://x.y/">https://x.y</a>', "https://x.y"],
    ['<a href="mailto:a@b.c">a@b.c</a>', "a@b.c"],
    ['<a href="mailto:a@b.c">write</a>', "write (mailto:a@b.c)"],
    ['<a href="https://x.y"><img src=button></a>', "https://x.y"],
    ['<a href="https://x.y"></a>a', "a"],
    [
      '<a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <a href="java\nscript:x">c</a>',
      "a b c",
    ],
    ['<a href="/relative">a</a> <a name=x>b</a>', "a b"],
    ['<a href="https://a.b">a<a href="https://c.d">c</a>', "a (https://a.b)c (https://c.d)"],
    ['<a href="https://a.b" style="display:none">a</a>x', "x"],
    ['<a href="https://a.b">unclosed', "unclosed (https://a.b)"],
  ])("keeps web and mail links: %s", (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each([
    "<script>no</script>",
    "<style>no</style>",
    "<head><title>no</title></head>",
    "<template>no</template>",
    "<!-- no -->",
    "<!--[if mso]>no<![endif]-->",
    "<svg><text>no</text></svg>",
    '<div style="display:none">no</div>',
    '<div style="DISPLAY : None !important">no<p>no</p></div>',
    '<div style="color:red;/*x*/display:none">no</div>',
    '<div hidden>no<div style="display:block">no</div></div>',
    '<div style="visibility:hidden">no</div>',
    '<div style="font-size:0">no<em>no</em></div>',
    '<div style="font-size:0px">no<b style="font-size:2em">no</b></div>',
    '<div style="font-size:1px">no</div>',
    '<div style="font:0/0 a">no</div>',
    '<div style="opacity:0.0">no</div>',
    '<div style="max-height:0;overflow:hidden">no</div>',
    "<span hidden>no<table><tr><td>no</table></span>",
    "<p hidden>no</p>",
    "<div hidden>no</b></span>no</div>",
    "<b><div hidden></b>no</div>",
    '<img alt="no" style="display:none">',
    '<div hidden><img alt="no"><a href="https://no.no">no</a></div>',
  ])("shows nothing of %s", (html) => {
    expect(htmlToText(`<p>before</p>${html}<p>after</p>`)).toBe("before\n\nafter");
  });

  it("shows what a descendant makes visible again, as mail templates rely on it", () => {
    expect(htmlToText('<td style="font-size:0px"><div style="font-size:13px">a</div></td>')).toBe("a");
    expect(htmlToText('<div style="visibility:hidden"><p style="visibility:visible">a</p>b</div>')).toBe("a");
  });

  it("keeps an aria-hidden node, which is visible", () => {
    expect(htmlToText('<p aria-hidden="true">a</p>')).toBe("a");
  });

  it("ends a hidden paragraph where a browser does", () => {
    expect(htmlToText("<p hidden>no<p>yes")).toBe("yes");
    expect(htmlToText("<div><span hidden>no</div>yes")).toBe("yes");
    expect(htmlToText("<head><meta charset=utf-8>yes<p>yes")).toContain("yes");
  });

  it("drops invisible characters, and keeps emoji whole", () => {
    expect(htmlToText("pa\u200bss\u{e0041}\u{e0042}wo\u200crd&zwnj;&#8203;\u202e x\u00ad\ufeff")).toBe(
      "password x",
    );
    expect(htmlToText("👨‍👩‍👧 ❤️")).toBe("👨‍👩‍👧 ❤️");
  });

  it("reads hostile markup to its end", () => {
    const many = 50_000;
    const hostile = [
      "<b>".repeat(many),
      `${"<div>".repeat(many)}${"</x>".repeat(many)}`,
      `${"<b><div>".repeat(many)}${"</b>".repeat(many)}`,
      "<".repeat(many),
      "&".repeat(many),
      "<a ".repeat(many),
      "<p style='/*".repeat(many),
      "<table><tr><td>".repeat(many),
      "<blockquote>".repeat(many),
      "<ol><li>".repeat(many),
      "<form>".repeat(many),
    ];
    // A space ends a tag that was left open in the text before it.
    for (const html of hostile) expect(htmlToText(`start ${html}`)).toMatch(/^start/);
    expect(htmlToText(`${"<div>".repeat(20_000)}end`)).toBe("end");
  });

  it("reads thirty thousand elements, and says whether there are more", () => {
    const read = readHtml("<b>word</b>\n".repeat(30_000));
    expect([read.text.split(" ").length, read.isCut]).toEqual([30_000, false]);
    const more = readHtml("<b>word</b>\n".repeat(30_001));
    expect([more.text.split(" ").length, more.isCut]).toEqual([30_000, true]);
  });

  it("never throws and never leaves two blank lines", () => {
    const token = fc.constantFrom(
      "<p>",
      "</p>",
      "<br>",
      "<li>",
      "<ul>",
      "</ul>",
      "<td>",
      "</table>",
      "<pre>",
      "\n",
      " x ",
      "<a href=http://a>",
    );
    const more = fc.constantFrom(
      "</a>",
      "<div hidden>",
      "</div>",
      "<b>",
      "</b>",
      "<!--",
      "-->",
      "&nbsp;",
      "<svg>",
      "<script>",
      "</script>",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(token, more, fc.string()), { maxLength: 40 }), (tokens) => {
        const text = htmlToText(tokens.join(""));
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\n\n\n/);
      }),
    );
  });
});

describe("textToSnippet", () => {
  it("folds a text to one line", () => {
    expect(textToSnippet("  Hello\r\n\r\n\tworld \u200b\u200c ")).toBe("Hello world");
    expect(textToSnippet("")).toBe("");
  });

  it("cuts at a word and says so", () => {
    expect(textToSnippet("one two three", 9)).toBe("one two…");
    expect(textToSnippet("one two", 7)).toBe("one two");
  });

  it("cuts a word that is longer than the line, never inside a character", () => {
    expect(textToSnippet("a".repeat(50), 10)).toBe(`${"a".repeat(9)}…`);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 30 }), (text, maxChars) => {
        const snippet = textToSnippet(text, maxChars);
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet.length).toBeLessThanOrEqual(maxChars);
      }),
    );
  });
});
