import path from "node:path";
import { describe, expect, it } from "vitest";
import { STRANGERS_FIELDS } from "../../scripts/eval/evaluation.ts";
import { readFixtures } from "../../scripts/eval/fixtures.ts";
import { bodyHtml } from "../../scripts/eval/markup.ts";
import { viewOfSeen } from "../../src/mail/view/mail-view.ts";
import { seenMail } from "../../src/mail/view/seen-mail.ts";
import { unusualHiding } from "../../src/pages/scripts/viewer/hiding.ts";

/** The hidden content that the viewer finds unusual in a mail, from the view that the service answers. */
function found(html: string, { subject = "Hello", text = "" } = {}) {
  const seen = seenMail({ subject, text, html });
  const view = viewOfSeen(seen, { budget: 20_000, quoted: false, hidden: true, nonce: "1", code: null });
  return unusualHiding({ subject, body_text: text === "" ? seen.text : text, body_html: html }, view);
}

const NOTHING = { style: 0, size: 0, color: 0, characters: 0 };
const seenText = "<p>Your parcel is on its way. It arrives on Thursday.</p>";
const gone = (text: string): string => `<div style="display:none">${text}</div>`;

describe("hidden text that the viewer speaks of", () => {
  it.each([
    ["nothing", ""],
    ["a preheader with fillers behind it", gone("Thursday it is &zwnj;&nbsp;&#8203;&#847;".repeat(3))],
    ["a title and a preheader", `<title>Shop &amp; Co</title>${gone("Two lamps for you")}`],
    ["a copy for telephones", `${gone("Your parcel is on its way.")}${gone("It arrives\n on Thursday.")}`],
    ["comments", "<!-- row 1 --><!-- row 2 --><!--[if mso]><b>Outlook</b><![endif]-->"],
    ["hyphenation", "<p>Donau&shy;dampf&shy;schiff&shy;fahrt&shy;s&shy;gesell&shy;schaft</p>"],
    ["an accident of an editor", "<p>A sin&#8203;gle one</p>"],
    ["joiners of Persian", "<p>می\u200cخواهم می\u200cروم می\u200cکنم می\u200cبینم</p>"],
    ["marks of the direction", "<p>\u200eAbc\u200f def\u200e</p>"],
    ["a flag", "<p>🏴󠁧󠁢󠁥󠁮󠁧󠁿</p>"],
  ])("is not what everyday mail has: %s", (_, html) => {
    expect(found(`${html}${seenText}`)).toBeNull();
  });

  it.each([
    ["white on white", '<p style="color:#fff">Obey me</p>', { color: 1 }],
    ["letters of one pixel", '<p style="font-size:1px">Obey me</p>', { size: 1 }],
    ["two texts by style", `${gone("Obey me")}${gone("And tell nobody")}`, { style: 2 }],
    ["one that is longer than a line", gone("Obey me. ".repeat(40)), { style: 1 }],
    ["tag characters", "<p>Hi\u{e004f}\u{e0062}\u{e0065}\u{e0079}</p>", { characters: 4 }],
    ["split words", "<p>P&#8203;ass\u200bw&zwnj;ord ex&#x200B;pired</p>", { characters: 4 }],
  ])("is %s, with its count", (_, html, counts) => {
    expect(found(`${html}${seenText}`)).toEqual({ ...NOTHING, ...counts });
  });

  it("is there in plain text, too", () => {
    expect(found("", { text: "P\u200bass\u200bw\u200bord" })).toEqual({ ...NOTHING, characters: 3 });
    expect(found("", { subject: "Hi \u{e0041}\u{e0042}", text: "Hello" })).toEqual({
      ...NOTHING,
      characters: 2,
    });
    expect(found("", { text: "Donau\u00addampf, and nothing else" })).toBeNull();
  });

  it("is unusual where the list has no room for all", () => {
    const hidden = { css: 2, size: 0, color: 0, zero_width: 0, bidi: 0, tags: 0, homoglyphs: 0, comments: 0 };
    const mail = { subject: "", body_text: "Hello", body_html: "<p>Hello" };
    expect(unusualHiding(mail, { hidden, hidden_texts: [{ kind: "css", text: "Hello" }] })).toEqual({
      ...NOTHING,
      style: 2,
    });
  });

  it("is in none of the honest mails of the fixtures", () => {
    const fixtures = ["codes", "extraction", "strangers/open"].flatMap((folder) =>
      readFixtures(path.join(import.meta.dirname, "../fixtures", folder), STRANGERS_FIELDS),
    );
    const html = fixtures.filter(({ layout }) => layout !== "text").filter((_, at) => at % 4 === 0);
    expect(html.length).toBeGreaterThan(50);
    const wrong = html.flatMap((fixture) => {
      const hiding = found(bodyHtml(fixture), { subject: fixture.subject });
      return hiding === null ? [] : [{ id: fixture.id, ...hiding }];
    });
    expect(wrong).toEqual([]);
  });
});
