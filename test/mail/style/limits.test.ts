import { afterEach, describe, expect, it, vi } from "vitest";
import { Cascade } from "../../../src/mail/style/cascade.ts";
import { htmlLinks } from "../../../src/mail/code/mail-links.ts";
import { parseMail } from "../../../src/mail/mime/parse.ts";
import { readHtml } from "../../../src/mail/text/html-text.ts";
import { CANNOT_BE_SHOWN, seenMail } from "../../../src/mail/view/seen-mail.ts";

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join("");
const seen = (html: string) => seenMail({ subject: "Hello", text: "", html });
const received = (html: string) =>
  parseMail(new TextEncoder().encode(`From: a@b.example\r\nContent-Type: text/html\r\n\r\n${html}`));

/** Sets style properties in a value a few hundred times. */
const repeated = (property: string, of: string): string =>
  `<p>shown</p><style>.a{${property}}</style><div style="--a:${of}">${times(15, () => "<p class=a>hidden")}</div>`;

const BEYOND: Readonly<Record<string, string>> = {
  "a custom property more in each of 4,000 elements": `<p>shown</p>${times(4_000, (at) => `<b style=--v${at}:1>`)}hidden`,
  "a value that custom properties make long": repeated(
    `transform:${"var(--a)".repeat(240)}`,
    "scale(1)".repeat(240),
  ),
  "a shape whose points custom properties multiply": repeated(
    `clip-path:polygon(${"var(--a)".repeat(240)}0 0)`,
    "1 1,".repeat(490),
  ),
  "a value that is too long to be read": `<p>shown</p><p style="color:${"#000 ".repeat(500)}">hidden`,
  "one rule with many selectors and many declarations": `<p>shown</p><style>${"b,".repeat(5_000)}b{${"top:0;".repeat(30_000)}}</style><b>hidden`,
};

describe("a mail that asks for more work than a mail may", () => {
  it.each(Object.entries(BEYOND))("is shown up to there, and is marked as cut: %s", async (_, html) => {
    const { text, isCut } = seen(html);
    expect({ text, isCut }).toEqual({ text: "shown", isCut: true });
    const { text: stored, isTextCut, faults } = await received(html);
    expect({ stored: stored.trim(), isTextCut, faults }).toEqual({
      stored: "shown",
      isTextCut: true,
      faults: ["text_cut"],
    });
  });
});

describe("a mail whose styles cannot be judged", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const html = '<style>p{color:red}</style><p>Hello <a href="https://a.example/">there</a></p>';
  const failing = (): void => {
    vi.spyOn(Cascade.prototype, "styleOf").mockImplementation(() => {
      throw new RangeError("too much");
    });
  };

  it("keeps its text at receipt, marked as cut", async () => {
    failing();
    expect(readHtml(html)).toEqual({ text: "Hello there (https://a.example/)", isCut: true });
    const { text, isTextCut, faults } = await received(html);
    expect({ text: text.trim(), isTextCut, faults }).toEqual({
      text: "Hello there (https://a.example/)",
      isTextCut: true,
      faults: ["text_cut"],
    });
  });

  it("gives no link to follow", () => {
    failing();
    expect(htmlLinks(html)).toEqual([]);
  });

  it("says in its view that it cannot be shown", () => {
    failing();
    expect(seen(html)).toMatchObject({ text: CANNOT_BE_SHOWN, links: [], isCut: true });
  });
});

it("shows no link in the colour that its body has for links and for itself", () => {
  expect(seen('<body link="white">Hello <a href="https://a.example/">hidden</a>').hidden.color).toBe(1);
});
