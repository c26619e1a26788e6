import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browsed, htmlMails, measureAgreement, ownWords } from "../../scripts/eval/seen.ts";
import { seenMail } from "../../src/mail/view/seen-mail.ts";
import { HONEST, RENDERED, TRICKS } from "../fixtures/hiding/index.ts";
import { documentOf, SECRET } from "../fixtures/hiding/trick.ts";
import { CHROMIUM, NO_BROWSER } from "./browser.ts";

const isShown = (html: string): boolean => seenMail({ subject: "", text: "", html }).text.includes(SECRET);
/** Every trick as a document, by its kind. */
const DOCUMENTS = [
  ...Object.entries(TRICKS).map(
    ([kind, tricks]) =>
      [kind, tricks.map((trick) => ({ name: trick.name, html: documentOf(trick) }))] as const,
  ),
  ...Object.entries(RENDERED),
];

// A text that changes while the picture stays the same is one that nobody sees.
describe.skipIf(NO_BROWSER)("what Chromium paints of a mail", () => {
  let browsed: Browsed;

  beforeAll(async () => {
    browsed = await Browsed.open(CHROMIUM);
  });
  afterAll(() => browsed.close());

  it.each(DOCUMENTS)("changes with every text that the view shows: %s", async (_, documents) => {
    const leaked: string[] = [];
    for (const { name, html } of documents) {
      if (isShown(html) && !(await browsed.showsSecret(html))) leaked.push(name);
    }
    expect(leaked).toEqual([]);
  });

  it("changes with the words of honest mails, and the view shows them", async () => {
    const wrong: object[] = [];
    for (const { name, html } of HONEST) {
      const [view, picture] = [isShown(html), await browsed.showsSecret(html)];
      if (!view || !picture) wrong.push({ name, view, picture });
    }
    expect(wrong).toEqual([]);
  });

  it("changes with every word that is judged to be shown of generated mails that hide text, and with few more", async () => {
    const wrong: object[] = [];
    const count = { painted: 0, own: 0 };
    // Each word takes two pictures, so that more mails would take minutes.
    for (const mail of fc.sample(generatedMail, { numRuns: 60, seed: 17 })) {
      let words = 0;
      const html = mail.replaceAll("WORD", () => `${String.fromCharCode(97 + (words += 1))}mn`);
      const own = ownWords(html);
      for (let at = 1; at <= words; at += 1) {
        const word = `${String.fromCharCode(97 + at)}mn`;
        const isPainted = await browsed.changes(html, word, `${word.charAt(0)}nm`);
        if (own.includes(word) && !isPainted) wrong.push({ html, word });
        count.painted += isPainted ? 1 : 0;
        count.own += own.includes(word) ? 1 : 0;
      }
    }
    expect(wrong).toEqual([]);
    // Letters of 1 px and pale ones leave a trace, and some declarations hide more here than in Chromium.
    expect(count.own / count.painted).toBeGreaterThan(0.8);
  });

  // `npm run eval` compares every mail of the fixtures.
  it("is laid out as text, for 99 % of the characters, where the view shows it of the HTML mails of fixtures and corpora", async () => {
    const agreement = await measureAgreement(browsed, await htmlMails({ everyFixture: 12 }));
    expect(agreement.all).toBeGreaterThan(10_000);
    expect(agreement.same / agreement.all).toBeGreaterThan(0.99);
  });
});

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
      inside: fc.array(fc.oneof({ depthSize: "small" }, fc.constant("WORD "), tie("element")), {
        maxLength: 3,
      }),
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
