import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STRANGERS_FIELDS } from "../../scripts/eval/evaluation.ts";
import { readFixtures } from "../../scripts/eval/fixtures.ts";
import { bodyHtml } from "../../scripts/eval/markup.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { readStyled, type PieceReader } from "../../src/mail/text/html-document.ts";
import { withoutInvisible } from "../../src/mail/text/invisible-characters.ts";
import { TRICKS } from "../fixtures/hiding/index.ts";
import { documentOf } from "../fixtures/hiding/trick.ts";
import { CORPORA } from "../mail/corpora.ts";
import { CHROMIUM, NO_BROWSER } from "./browser.ts";
import { SHOWN_IN_BROWSER } from "./shown-in-browser.ts";

const words = (text: string): string => withoutInvisible(text).replaceAll(/\s+/g, " ").trim();

describe.skipIf(NO_BROWSER)("what Chromium shows of a mail", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? undefined, args: ["--disable-gpu"] });
    page = await browser.newPage({ viewport: { width: 1280, height: 3_000 } });
    await page.route("**/*", (route) => route.abort());
  });
  afterAll(() => browser.close());

  async function shownOf(html: string): Promise<string> {
    await page.setContent(html, { waitUntil: "domcontentloaded" });
    return words((await page.evaluate<string[]>(SHOWN_IN_BROWSER)).join(" "));
  }

  it.each(Object.entries(TRICKS))("is what the table of tricks says: %s", async (_, tricks) => {
    const wrong: object[] = [];
    for (const trick of tricks.filter(({ chromium: difference }) => difference === undefined)) {
      // Numbers of links are the view's own.
      const said = words(`Before ${trick.shown?.replace(" [1]", "") ?? ""} After`);
      const shown = await shownOf(documentOf(trick));
      if (shown !== said) wrong.push({ name: trick.name, shown, said });
    }
    expect(wrong).toEqual([]);
  });

  // In a corpus of some hundred mails each is laid out once.
  it("is, for 99 % of the characters, what is judged to be shown of every HTML mail of the fixtures and the corpora", async () => {
    const sum = { same: 0, all: 0 };
    for (const html of await htmlMails()) addAgreement(sum, await browserWords(html), ownWords(html));
    expect(sum.all).toBeGreaterThan(20_000);
    expect(sum.same / sum.all).toBeGreaterThan(0.99);
  });

  it("has every word that is judged to be shown of generated mails that hide text, and few more", async () => {
    const wrong: object[] = [];
    const count = { theirs: 0, own: 0 };
    for (const html of fc.sample(generatedMail, { numRuns: 120, seed: 17 })) {
      const [theirs, own] = [await browserWords(html), ownWords(html)];
      const left = [...theirs];
      const leaked = own.filter(
        (word) => !left.includes(word) || left.splice(left.indexOf(word), 1).length === 0,
      );
      if (leaked.length > 0) wrong.push({ html, theirs, own });
      count.theirs += theirs.length;
      count.own += own.length;
    }
    expect(wrong).toEqual([]);
    // Some declarations hide more here than in Chromium, which applies them to blocks only.
    expect(count.own / count.theirs).toBeGreaterThan(0.8);
  });

  async function browserWords(html: string): Promise<string[]> {
    const text = await shownOf(/^\s*<!doctype/i.test(html) ? html : `<!doctype html>${html}`);
    return text.split(" ").filter((word) => word !== "");
  }
});

/** The words that are judged to be shown. */
function ownWords(html: string): string[] {
  const texts: string[] = [];
  const reader: PieceReader = {
    text: (text, { style }) => {
      if (style.hidden === null) texts.push(text);
    },
    start: () => {},
    end: () => {},
    comment: () => {},
    newline: () => {},
  };
  readStyled(html.toWellFormed(), reader, ({ attributes }) => attributes.get("aria-hidden") === "true");
  return words(texts.join(" "))
    .split(" ")
    .filter((word) => word !== "");
}

/** Adds the characters of the words that both have, and of all words. */
function addAgreement(
  sum: { same: number; all: number },
  theirs: readonly string[],
  own: readonly string[],
): void {
  const left = new Map<string, number>();
  for (const word of theirs) left.set(word, (left.get(word) ?? 0) + 1);
  for (const word of own) {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    if (count > 0) sum.same += word.length;
    sum.all += word.length;
  }
  for (const [word, count] of left) if (count > 0) sum.all += count * word.length;
}

/** The HTML of the fixtures, one of twelve, and of all mails of the corpora that lie here. */
async function htmlMails(): Promise<string[]> {
  const fixtures = ["codes", "extraction", "strangers/open"].flatMap((folder) =>
    readFixtures(path.join(import.meta.dirname, "../fixtures", folder), STRANGERS_FIELDS),
  );
  const composed = fixtures.filter(({ layout }) => layout !== "text").map(bodyHtml);
  return [...composed.filter((_, at) => at % 12 === 0), ...(await corpusMails())];
}

const MAX_CORPUS_BYTES = 1_000_000;

async function corpusMails(): Promise<string[]> {
  if (!existsSync(CORPORA)) {
    console.warn("No shared/corpus here: only the fixtures are compared with Chromium.");
    return [];
  }
  const files = readdirSync(CORPORA, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:json|md)$/.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name)))
    .filter(({ byteLength }) => byteLength <= MAX_CORPUS_BYTES);
  const mails = await Promise.all(files.map((bytes) => parseMail(bytes)));
  return mails.flatMap(({ html }) => (html.trim() === "" ? [] : [html]));
}

/** Declarations of which some hide, and some show again. */
const declaration = fc.constantFrom(
  "display:none",
  "display:block",
  "visibility:hidden",
  "visibility:visible",
  "opacity:0",
  "opacity:.6",
  "font-size:0",
  "font-size:1px",
  "font-size:20px",
  "font-size:150%",
  "color:#fff",
  "color:#fefefe",
  "color:#333",
  "background:#fff",
  "background:#333",
  "background-color:rgba(255,255,255,.5)",
  "height:0;overflow:hidden",
  "max-height:0;overflow:hidden",
  "position:absolute;left:-9999px",
  "text-indent:-9999px",
  "clip-path:inset(50%)",
  "transform:scale(0)",
  "font-weight:bold",
  "color:nonsense",
  "display:none!important",
);
const style = fc.array(declaration, { maxLength: 2 }).map((list) => list.join(";"));
const rule = fc
  .tuple(
    fc.constantFrom(
      ".a",
      ".b",
      "#c",
      "span",
      "div span",
      "div>.a",
      ".a.b",
      "[title]",
      "div+div",
      "@media print{.a",
    ),
    style,
  )
  .map(([selector, body]) => `${selector}{${body}}${selector.startsWith("@") ? "}" : ""}`);
const attributes = fc.constantFrom(
  "",
  "",
  'class="a"',
  'class="b a"',
  'id="c"',
  'title="x"',
  "hidden",
  "style",
);
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .record({
      name: fc.constantFrom("div", "span", "section"),
      attribute: attributes,
      inline: style,
      inside: fc.array(
        fc.oneof({ depthSize: "small" }, fc.constantFrom("one ", "two ", "three "), tie("element")),
        {
          maxLength: 3,
        },
      ),
    })
    .map(
      ({ name, attribute, inline, inside }) =>
        `<${name} ${attribute === "style" ? "" : attribute} style="${inline}">${inside.join("")}</${name}>`,
    ),
}));
const generatedMail = fc
  .tuple(fc.array(rule, { maxLength: 4 }), fc.array(element, { minLength: 1, maxLength: 4 }))
  .map(
    ([rules, elements]) => `<!doctype html><style>${rules.join("")}</style><body>${elements.join("")}</body>`,
  );
