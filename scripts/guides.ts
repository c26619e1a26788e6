// Renders the pages of `docs/` for the pages that a deployment serves below /docs.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Marked, type Tokens } from "marked";

const ROOT = path.resolve(import.meta.dirname, "..");
const DOCS = path.join(ROOT, "docs");
/** A page that is where people look for it, beside the README. */
const CHANGELOG = path.join(ROOT, "CHANGELOG.md");

/** A page of `docs/`, rendered. */
export interface Guide {
  /** Of the file, without `.md`. */
  name: string;
  title: string;
  /** The contents of its article, and a list of its sections beside it. */
  html: string;
  sections: readonly Section[];
}

/** A part of a page, for the search: from one heading to the next. */
export interface Section {
  /** "" for the part above the first heading below the title. */
  anchor: string;
  heading: string;
  text: string;
}

/** A picture of a page, where a deployment serves it. */
export interface Picture {
  url: string;
  width: number;
  height: number;
}

/** Finds a picture by its path below `docs/`. */
export type FindPicture = (file: string) => Picture;

/** The title of each page, by the name of its file. */
export type Titles = ReadonlyMap<string, string>;

/** Renders every page of `docs/` and the changelog, in the order of their names. */
export function readGuides(findPicture: FindPicture): Guide[] {
  const files = readdirSync(DOCS).filter((file) => file.endsWith(".md"));
  const texts = [...files.map((file) => path.join(DOCS, file)), CHANGELOG]
    .map((file) => [path.basename(file, ".md").toLowerCase(), readFileSync(file, "utf8")] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const titles = new Map(texts.map(([name, text]) => [`${name}.md`, titleOf(text) ?? name]));
  return texts.map(([name, text]) => renderGuide(name, text, findPicture, titles));
}

/** The name of a page within a sentence: its title up to a colon. */
function titleOf(markdown: string): string | undefined {
  return /^# ([^:\n]+)/m.exec(markdown)?.[1];
}

/**
 * Renders one page. Links to other pages of `docs/` lead to where they are served, and show the title of the page instead of the
 * name of its file; those to files of the repository are left out.
 */
export function renderGuide(
  name: string,
  markdown: string,
  findPicture: FindPicture,
  titles: Titles = new Map(),
): Guide {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${html}</h1>\n`;
        const anchor = anchorOf(plainText(html));
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${html} ${link}</h${depth}>\n`;
      },
      link({ href, text: written, tokens }) {
        const text = titles.get(written) ?? this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === null ? text : `<a href="${escaped(target)}">${text}</a>`;
      },
      // Its place is kept before it is loaded, which is when a reader comes near it.
      image({ href, text }) {
        const { url, width, height } = findPicture(href);
        return `<img src="${url}" alt="${escaped(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      codespan: ({ text }) => `<code>${unbroken(text)}</code>`,
      code: ({ text }: Tokens.Code) => `<pre tabindex="0" aria-label="Example">${escaped(text)}</pre>\n`,
      tablecell({ tokens, header, align }) {
        const tag = header ? "th" : "td";
        return `<${tag}${align === "right" ? ' class="num"' : ""}>${this.parser.parseInline(tokens)}</${tag}>`;
      },
      // Marks for the tests of the docs.
      html: () => "",
    },
  });
  const body = marked
    .parse(markdown, { async: false })
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
  const sections = sectionsOf(body);
  const title = sections[0]?.heading ?? name;
  return { name, title, html: `<article>${body}</article>${contentsList(body)}`, sections };
}

const HEADING =
  /<h(?<depth>[1-6])(?: id="(?<anchor>[^"]*)")?>(?<html>.*?)(?: <a class="anchor".*?<\/a>)?<\/h\1>/g;

function sectionsOf(body: string): Section[] {
  const headings = [...body.matchAll(HEADING)];
  return headings.map(({ index, 0: whole, groups }, at) => ({
    anchor: groups?.anchor ?? "",
    heading: plainText(groups?.html ?? ""),
    text: plainText(body.slice(index + whole.length, headings[at + 1]?.index)),
  }));
}

function contentsList(body: string): string {
  const contents = [...body.matchAll(HEADING)].filter(({ groups }) => groups?.depth === "2");
  if (contents.length < 2) return "";
  const items = contents
    .map(({ groups }) => `<li><a href="#${groups?.anchor}">${groups?.html}</a></li>`)
    .join("");
  return `<nav class="on-page" aria-label="On this page"><p class="label">On this page</p><ul>${items}</ul></nav>`;
}

/** Where a link leads on a deployment: a page below /docs, or the address that it has; null for files of the repository. */
function targetOf(href: string): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [, name, anchor = ""] = /^(?:docs\/)?([\w-]+|\.\.\/CHANGELOG)\.md(#[^#]*)?$/.exec(href) ?? [];
  return name === undefined ? null : `/docs/${path.basename(name).toLowerCase()}${anchor}`;
}

/** As GitHub makes it: lower case, without punctuation, hyphens for blanks. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

/** Code within a sentence. A browser breaks a line behind a hyphen, and so would show an option as two words. */
function unbroken(code: string): string {
  return escaped(code).replaceAll(/\S*-\S*/g, (word) => `<span>${word}</span>`);
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function plainText(html: string): string {
  return (
    html
      // Elements within a sentence stand beside its marks.
      .replaceAll(/<\/?(?:a|code|em|span|strong|wbr)\b[^>]*>/g, "")
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}
