import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGuides, renderGuide } from "../../scripts/guides.ts";
import { GUIDE_GROUPS, GUIDE_NAMES } from "../../src/pages/docs/groups.ts";
import { excerptOf, findSections } from "../../src/pages/scripts/lib/guide-search.ts";
import { page } from "./pages.ts";

const PICTURE = { url: "/assets/page.0123456789abcdef.webp", width: 1280, height: 800 };
const GUIDES = readGuides(() => PICTURE);
const byName = new Map<string, (typeof GUIDES)[number]>(GUIDES.map((guide) => [guide.name, guide]));

describe("the documentation that a deployment serves", () => {
  it("has every page of docs in one group of its list", () => {
    const listed = GUIDE_GROUPS.flatMap(({ names }) => [...names]);
    expect(listed.toSorted()).toEqual(GUIDES.map(({ name }) => name));
    expect(new Set(GUIDE_NAMES).size).toBe(listed.length);
  });

  it.each(GUIDES)(
    "links only to pages and sections that it serves, and to the web: $name",
    ({ name, html }) => {
      const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = ""]) => href);
      const broken = links.filter((href) => {
        if (/^(?:https?:|mailto:)/.test(href)) return false;
        const [, target = name, anchor = ""] = /^(?:\/docs\/([\w-]+))?(?:#(.*))?$/.exec(href) ?? [
          href,
          "none",
        ];
        const guide = byName.get(target);
        return guide === undefined || !(anchor === "" || guide.html.includes(` id="${anchor}"`));
      });
      expect(broken).toEqual([]);
    },
  );

  it.each(GUIDES)(
    "has the anchors by which pages link to each other on GitHub: $name",
    ({ name, sections }) => {
      const file = name === "changelog" ? "CHANGELOG.md" : `docs/${name}.md`;
      const anchors = page(file).headings.map(({ level, anchor }) => (level === 1 ? "" : anchor));
      expect(sections.map(({ anchor }) => anchor)).toEqual(anchors);
    },
  );

  it.each(GUIDES)("names other pages by their titles, and by no name of a file: $name", ({ html }) => {
    const texts = [...html.matchAll(/<a [^>]*>(.*?)<\/a>/gs)].map(([, text = ""]) => text);
    expect(texts.filter((text) => /^[\w-]+\.md$/.test(text))).toEqual([]);
  });

  it("keeps the words of a command together", () => {
    const { html, sections } = renderGuide(
      "x",
      "# X\n\nRun `claude mcp --header <x-y>` now.\n",
      () => PICTURE,
    );
    expect(html).toContain("<code>claude mcp <span>--header</span> <span>&lt;x-y&gt;</span></code>");
    expect(sections[0]?.text).toBe("Run claude mcp --header <x-y> now.");
  });

  it("shows an example of code as text, whatever it contains", () => {
    const { html } = renderGuide(
      "x",
      '# X\n\n```html\n<script>alert("1")</script>\n```\n\nA `<b>` and <i>markup</i>.\n',
      () => PICTURE,
    );
    expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(html).toContain("<code>&lt;b&gt;</code>");
    expect(html).not.toMatch(/<(?:script|i|b)>/);
  });
});

describe("a picture on a page of the documentation", () => {
  it("comes from the deployment, has its words, and keeps its place before it is loaded", () => {
    const { html } = renderGuide("x", '# X\n\n![A "list"](screens/list.webp)\n', () => PICTURE);
    const { url, width, height } = PICTURE;
    expect(html).toContain(
      `<img src="${url}" alt="A &quot;list&quot;" width="${width}" height="${height}" loading="lazy">`,
    );
  });
});

describe("the search of the documentation", () => {
  it("finds a section by words of its heading first, also in another form", () => {
    const [first] = findSections(GUIDES, "refused mails");
    expect(first).toMatchObject({ href: "/docs/rules#refused-mail", heading: "Refused mail" });
  });

  it("finds every section by three neighbouring words of its text", () => {
    const sections = GUIDES.flatMap(({ name, sections: own }) =>
      own.map((section) => ({ name, ...section })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...sections), fc.nat(), ({ name, anchor, text }, from) => {
        const words = text.split(" ");
        const at = from % Math.max(1, words.length - 2);
        const query = words.slice(at, at + 3).join(" ");
        fc.pre(query.trim() !== "");
        const index = [{ name, title: "", sections: [{ anchor, heading: "", text }] }];
        expect(findSections(index, query)).toHaveLength(1);
        const [before, match, after] = excerptOf(text, query);
        const shown = `${before}${match}${after}`.replace(/^… /, "").replace(/ …$/, "");
        expect(text).toContain(shown);
      }),
    );
  });

  it("ends what it shows of a section with a whole word, and has no blanks that the page does not have", () => {
    const words = Array.from({ length: 60 }, (_, index) => `number${index}`);
    const [before, match, after] = excerptOf(words.join(" "), "number3");
    const shown = `${before}${match}${after}`.replace(/ …$/, "").split(" ");
    expect(words).toContain(shown.at(-1));
    const texts = GUIDES.flatMap(({ sections }) => sections.map(({ text }) => text));
    expect(texts.filter((text) => /\w , /.test(text))).toEqual([]);
  });

  it("finds nothing where a word is missing, and for no words", () => {
    expect(findSections(GUIDES, "mailbox xylophone")).toEqual([]);
    expect(findSections(GUIDES, "  ")).toEqual([]);
  });
});
