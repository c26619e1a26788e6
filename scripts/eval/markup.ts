import type { Fixture } from "./fixtures.ts";

/** A line of a fixture's body. Only `words` and `footer` have inline marks: `**bold**` and `[label](https://…)`. */
type Block =
  | { kind: "words" | "heading" | "footer" | "preheader" | "quote"; text: string }
  /** Text that stands out, in the manner of the template. */
  | { kind: "code"; text: string }
  | { kind: "button"; label: string; url: string }
  | { kind: "row"; cells: string[] }
  /** HTML for programs, which readers do not see. */
  | { kind: "markup"; html: string }
  | { kind: "gap" };

const LINK = /\[([^\]]+)\]\((https?:[^)\s]+)\)/g;

const TEXT_MARKS = [
  ["# ", "heading"],
  ["^ ", "preheader"],
  ["> ", "quote"],
] as const;

function blockOf(line: string, isFooter: boolean): Block {
  const [, code] = /^\[\[(.+)\]\]$/.exec(line) ?? [];
  if (code !== undefined) return { kind: "code", text: code };
  const [, label, url] = /^\[([^\]]+)\]\((https?:[^)\s]+)\)$/.exec(line) ?? [];
  if (label !== undefined && url !== undefined && !isFooter) return { kind: "button", label, url };
  if (line === "") return { kind: "gap" };
  const marked = TEXT_MARKS.find(([mark]) => line.startsWith(mark));
  if (marked !== undefined) return { kind: marked[1], text: line.slice(marked[0].length) };
  if (line.startsWith("<")) return { kind: "markup", html: line };
  if (/^\|.*\|$/.test(line)) return { kind: "row", cells: cellsOf(line) };
  return { kind: isFooter ? "footer" : "words", text: line };
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

function blocksOf(body: string): Block[] {
  const blocks: Block[] = [];
  let isFooter = false;
  for (const line of body.split("\n")) {
    if (line === "--") isFooter = true;
    else blocks.push(blockOf(line, isFooter));
  }
  return blocks;
}

/** The plain text of a body: what stands out stands alone, links are `label: address`, preheaders are not there. */
export function bodyText(body: string): string {
  const inline = (text: string): string => text.replaceAll("**", "").replaceAll(LINK, "$1 ($2)");
  const lines = blocksOf(body).flatMap((block) => {
    switch (block.kind) {
      case "preheader":
      case "markup":
        return [];
      case "gap":
        return [""];
      case "button":
        return [`${block.label}: ${block.url}`];
      case "row":
        return [block.cells.join("    ")];
      case "quote":
        return [`> ${block.text}`];
      case "code":
      case "words":
      case "heading":
      case "footer":
        return [inline(block.text)];
    }
  });
  return `${lines.join("\n")}\n`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const inlineHtml = (text: string): string =>
  escaped(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
    .replaceAll(LINK, '<a href="$2" style="color:#336699">$1</a>');

/** A way to lay out a mail in HTML: a frame, and how a code stands out in it. */
interface Template {
  frame: (content: string) => string;
  code: (code: string) => string;
  words: (html: string) => string;
}

const paragraph = (html: string): string => `<p>${html}</p>`;

const cell = (html: string): string =>
  `<tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:Arial,sans-serif;font-size:15px;line-height:22px;color:#475569;">${html}</div></td></tr>`;

/** Widths, colours and a year in head and comments: numbers that no reader sees. */
const nested = (content: string): string => `<!doctype html>
<html><head><meta charset="utf-8"><title>Mail</title>
<style type="text/css">#outlook a{padding:0} .b{color:#202124;background:#112233} @media only screen and (max-width:480px){.w{width:100%!important}}</style>
<!--[if mso]><xml><o:PixelsPerInch>96</o:PixelsPerInch></xml><![endif]--></head>
<body style="background-color:#f1f5f9;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<!--[if mso | IE]><table width="600"><tr><td><![endif]-->
<table role="presentation" class="w" width="600" style="background:#ffffff;border:1px solid #999999;">
${content}
</table>
<!--[if mso | IE]></td></tr></table><![endif]-->
</td></tr></table>
<img src="https://open.mailer.example/o/482910/px.gif?u=771204" width="1" height="1" alt="">
</body></html>`;

const plainFrame = (content: string): string => `<html><body>\n${content}\n</body></html>`;

const TEMPLATES: Record<string, Template> = {
  plain: { frame: plainFrame, words: paragraph, code: (code) => `<p><strong>${code}</strong></p>` },
  heading: { frame: plainFrame, words: paragraph, code: (code) => `<h1>${code}</h1>` },
  div: {
    frame: (content) =>
      `<div dir="auto"><style>.code{font-size:28px}</style><div class="wrap">${content}</div></div>`,
    words: (html) => `<div>${html}</div><div><br></div>`,
    code: (code) =>
      `<div class="code" style="font-family:monospace;letter-spacing:6px;font-weight:700">${code}</div>`,
  },
  card: {
    frame: nested,
    words: cell,
    code: (code) =>
      cell(`<span style="font-size:32px;letter-spacing:8px;font-weight:bold;color:#202124;">${code}</span>`),
  },
  cells: {
    frame: nested,
    words: cell,
    code: (code) =>
      `<tr><td><table cellspacing="8"><tr>${Array.from(code)
        .map((digit) => `<td style="border:1px solid #cccccc;width:40px;font-size:24px">${digit}</td>`)
        .join("\n")}</tr></table></td></tr>`,
  },
  spans: {
    frame: nested,
    words: cell,
    code: (code) =>
      cell(
        Array.from(code)
          .map(
            (digit) => `<span style="display:inline-block;padding:8px 12px;background:#eee">${digit}</span>`,
          )
          .join(""),
      ),
  },
  outlook: {
    frame: (content) =>
      `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt;} --></style></head><body lang="EN-GB" link="#0563C1"><div class="WordSection1">${content}</div></body></html>`,
    words: (html) => `<p class="MsoNormal">${html}<o:p></o:p></p>`,
    code: (code) =>
      `<p class="MsoNormal"><b><span style="font-size:18.0pt">${code}</span></b><o:p></o:p></p>`,
  },
};

/** Characters that fill a preheader up, so that no preview shows what follows. */
const FILLER = "&#847;&zwnj;&nbsp;".repeat(12);

function blockHtml(block: Block, template: Template): string {
  const { words } = template;
  switch (block.kind) {
    case "code":
      return template.code(escaped(block.text));
    case "heading":
      return words(`<h2>${inlineHtml(block.text)}</h2>`);
    case "button":
      return words(
        `<a href="${escaped(block.url)}" style="display:inline-block;background:#0055aa;color:#ffffff">${escaped(block.label)}</a>`,
      );
    case "markup":
      return block.html;
    case "row":
      return words(
        `<table><tr>${block.cells.map((text) => `<td>${inlineHtml(text)}</td>`).join("")}</tr></table>`,
      );
    case "preheader":
      return words(
        `<div style="display:none;max-height:0;overflow:hidden">${escaped(block.text)}${FILLER}</div>`,
      );
    case "quote":
      return words(`<blockquote type="cite">${inlineHtml(block.text)}</blockquote>`);
    case "footer":
      return words(`<span style="font-size:11px;color:#888888">${inlineHtml(block.text)}</span>`);
    case "words":
      return words(inlineHtml(block.text));
    case "gap":
      return "";
  }
}

/** The HTML of a fixture's body in its template. */
export function bodyHtml({ id, body, template }: Fixture): string {
  const chosen = TEMPLATES[template];
  if (chosen === undefined) throw new Error(`${id}: no template ${template}`);
  const blocks = blocksOf(body).map((block) => blockHtml(block, chosen));
  return chosen.frame(blocks.filter((html) => html !== "").join("\n"));
}
