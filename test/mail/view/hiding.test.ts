import { describe, expect, it } from "vitest";
import { seenMail } from "../../../src/mail/view/seen-mail.ts";
import { TRICKS } from "../../fixtures/hiding/index.ts";
import { documentOf, NONE_HIDDEN, SECRET } from "../../fixtures/hiding/trick.ts";

const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

describe.each(Object.entries(TRICKS))("what a person sees of a mail with text %s", (_, tricks) => {
  it.each(tricks.map((trick) => [trick.name, trick] as const))("%s", (_name, trick) => {
    const { text, hidden } = seenMail({ subject: "", text: "", html: documentOf(trick) });
    const shown = words(`Before ${trick.shown ?? ""} After`);
    expect({ text: words(text), hidden }).toEqual({
      text: shown,
      hidden: { ...NONE_HIDDEN, ...trick.hidden },
    });
  });
});

it("the corpus has 150 tricks that hide something", () => {
  const hiding = Object.values(TRICKS)
    .flat()
    .filter(({ hidden }) => Object.keys(hidden).length > 0);
  expect(hiding.length).toBeGreaterThanOrEqual(150);
  expect(new Set(hiding.map(({ html, head }) => `${head} ${html}`)).size).toBe(hiding.length);
});

it("leaves the pictures in a mail unread, and nothing else that stands in an address", () => {
  const long = "A".repeat(300);
  const shownOf = (html: string): string =>
    seenMail({ subject: "", text: "", html: `${html}<p>${SECRET}</p>` }).text;
  const picture = `data:image/png;base64,${long}`;
  expect(shownOf(`<img src="${picture}${"A".repeat(500_000)}">`)).toBe(SECRET);
  const sheet = `p%7Bdisplay:none%7D/*${long}*/`;
  for (const type of ["text/css", "TEXT/CSS;charset=utf-8", "text&#47;css"])
    expect(shownOf(`<link rel="stylesheet" href="data:${type},${sheet}">`)).toBe("");
  expect(shownOf(`<style>@import url(data:text/css,${sheet});</style>`)).toBe("");
  expect(shownOf(`<style>a{b:${picture}}p{display:none}</style>`)).toBe("");
});

it("shows nothing of a mail that goes on behind the limits with what may stand over all of it", () => {
  const shownOf = (end: string): string =>
    seenMail({ subject: "", text: "", html: `<p>${SECRET}</p><p title="${"x".repeat(400_000)}"></p>${end}` })
      .text;
  const box = (style: string): string => `<div style="${style};background:#fff">x</div>`;
  expect(shownOf('<p style="color:#333">More</p>')).toBe(SECRET);
  expect(shownOf(box("position:fixed;inset:0"))).toBe("");
  expect(shownOf(box("posi&#116;ion:fixed;inset:0"))).toBe("");
  expect(shownOf(box("margin-top:-900px;height:900px"))).toBe("");
  expect(shownOf('<style>.a{position:absolute;inset:0;background:#fff}</style><i class="a">x</i>')).toBe("");
});
