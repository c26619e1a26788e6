import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browsed, htmlMails, measureAgreement, ownWords, plainWords } from "../../scripts/eval/seen.ts";
import { TRICKS } from "../fixtures/hiding/index.ts";
import { documentOf } from "../fixtures/hiding/trick.ts";
import { CHROMIUM, NO_BROWSER } from "./browser.ts";

describe.skipIf(NO_BROWSER)("what Chromium shows of a mail", () => {
  let browsed: Browsed;

  beforeAll(async () => {
    browsed = await Browsed.open(CHROMIUM);
  });
  afterAll(() => browsed.close());

  it.each(Object.entries(TRICKS))("is what the table of tricks says: %s", async (_, tricks) => {
    const wrong: object[] = [];
    for (const trick of tricks.filter(({ chromium: difference }) => difference === undefined)) {
      // Numbers of links are the view's own.
      const said = plainWords(`Before ${trick.shown?.replace(" [1]", "") ?? ""} After`);
      const shown = await browsed.text(documentOf(trick));
      if (shown !== said) wrong.push({ name: trick.name, shown, said });
    }
    expect(wrong).toEqual([]);
  });

  // `npm run eval` compares every mail of the fixtures.
  it("is, for 99 % of the characters, what is judged to be shown of the HTML mails of fixtures and corpora", async () => {
    const agreement = await measureAgreement(browsed, await htmlMails({ everyFixture: 12 }));
    expect(agreement.all).toBeGreaterThan(20_000);
    expect(agreement.same / agreement.all).toBeGreaterThan(0.99);
  });

  it("has every word that is judged to be shown of generated mails that hide text, and few more", async () => {
    const wrong: object[] = [];
    const count = { theirs: 0, own: 0 };
    for (const html of fc.sample(generatedMail, { numRuns: 120, seed: 17 })) {
      const [theirs, own] = [await browsed.words(html), ownWords(html)];
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
