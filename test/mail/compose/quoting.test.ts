import { describe, expect, it } from "vitest";
import type { AnsweredMail } from "../../../src/mail/compose/answered-mail.ts";
import { forwardedBodies, withQuote } from "../../../src/mail/compose/quoting.ts";
import { cpuMs } from "../../cpu.ts";

const MAIL: AnsweredMail = {
  messageId: "<1@x.com>",
  ancestorIds: [],
  subject: "Offer <b>",
  from: { name: "Ann <i>", address: "ann@x.com" },
  replyTo: [],
  to: [{ name: "", address: "agent@mailkeep.test" }],
  cc: [{ name: "Bob", address: "bob@x.com" }],
  date: "2026-11-21T08:30:00.000Z",
  text: "First line\n\n> older\nlast & <b>least</b>\n",
  html: '<html><head><style>p{}</style></head><BODY class="x"><p>First</p><img src="cid:a"></body></html>',
};

describe("an answer", () => {
  it("stands above the message it answers", () => {
    expect(withQuote({ text: "Yes.", html: "" }, MAIL)).toEqual({
      text:
        "Yes.\n\nOn Sat, 21 Nov 2026 08:30:00 GMT, Ann <i> <ann@x.com> wrote:\n" +
        "> First line\n> \n>> older\n> last & <b>least</b>",
      html: "",
    });
  });

  it("quotes text in HTML, never a stranger's markup", () => {
    const { html } = withQuote({ text: "", html: "<html><body><p>Yes.</p></body></html>\n" }, MAIL);
    expect(html).toContain("Ann &lt;i&gt; &lt;ann@x.com&gt; wrote:");
    expect(html).toContain("last &amp; &lt;b&gt;least&lt;/b&gt;</blockquote></body></html>");
    expect(html).not.toContain("<style>");
  });

  it("leaves the date out where the message bears none", () => {
    expect(withQuote({ text: "Yes.", html: "" }, { ...MAIL, date: null }).text).toContain(
      "\n\nAnn <i> <ann@x.com> wrote:\n",
    );
  });

  it("never grows over the limits of a body", () => {
    const long = { ...MAIL, text: `é"&\n`.repeat(100_000) };
    for (const [textBytes, htmlBytes] of [
      [10, 10],
      [499_000, 999_000],
      [500_000, 1_000_000],
      [499_999, 999_900],
    ]) {
      const { text, html } = withQuote(
        { text: "t".repeat(textBytes ?? 0), html: "h".repeat(htmlBytes ?? 0) },
        long,
      );
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500_000);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(1_000_000);
      expect(text.isWellFormed() && !text.includes("\ufffd")).toBe(true);
    }
    const { text } = withQuote({ text: "t", html: "" }, long);
    expect(Buffer.byteLength(text)).toBeLessThan(130_000);
    expect(text.endsWith("[…]")).toBe(true);
  });
});

describe("a forward", () => {
  it("names the author of the message and carries it whole", () => {
    const { text, html } = forwardedBodies({ text: "See below", html: "" }, MAIL);
    expect(text).toBe(
      [
        "See below",
        "",
        "---------- Forwarded message ----------",
        "From: Ann <i> <ann@x.com>",
        "Date: Sat, 21 Nov 2026 08:30:00 GMT",
        "Subject: Offer <b>",
        "To: agent@mailkeep.test",
        "Cc: Bob <bob@x.com>",
        "",
        MAIL.text,
      ].join("\n"),
    );
    expect(html.startsWith('<html><head><style>p{}</style></head><BODY class="x"><div>See below</div>')).toBe(
      true,
    );
    expect(html).toContain("From: Ann &lt;i&gt; &lt;ann@x.com&gt;<br>");
    expect(html.endsWith('<p>First</p><img src="cid:a"></body></html>')).toBe(true);
  });

  it("needs neither a note nor HTML", () => {
    expect(forwardedBodies({ text: "", html: "" }, { ...MAIL, html: "" })).toEqual({
      text: expect.stringMatching(/^-{10} Forwarded/),
      html: "",
    });
  });

  it("takes a note in HTML, and says it in the text too", () => {
    const { text, html } = forwardedBodies(
      { text: "", html: "<p>See <b>below</b></p>" },
      { ...MAIL, html: "" },
    );
    expect(text.startsWith("See below\n\n-----")).toBe(true);
    expect(html).toContain("<p>See <b>below</b></p>");
    expect(html).toContain("last &amp; &lt;b&gt;least");
  });

  it("falls back to the text where the HTML has no room, within the limits", () => {
    const large = { ...MAIL, text: "é&".repeat(400_000), html: `<p>${"x".repeat(999_900)}` };
    const { text, html } = forwardedBodies({ text: "Note", html: "" }, large);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(499_990);
    expect(text.endsWith("\n[…]")).toBe(true);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(1_000_000);
    expect(html).not.toContain("xxx");
  });

  it("names at most 20 of a long list of recipients", () => {
    const to = Array.from({ length: 1_000 }, (_, n) => ({ name: "", address: `a${n}@x.com` }));
    const { text } = forwardedBodies({ text: "", html: "" }, { ...MAIL, to });
    expect(text).toContain("a19@x.com, …");
    expect(text).not.toContain("a20@x.com");
  });

  it("reads hostile pages in linear time", () => {
    const read = () => {
      forwardedBodies({ text: "", html: "" }, { ...MAIL, html: "<body ".repeat(160_000) });
      withQuote({ text: "", html: `${"</body> ".repeat(100_000)}x` }, MAIL);
      withQuote({ text: "", html: `</body>${" ".repeat(900_000)}x` }, MAIL);
    };
    expect(cpuMs(read)).toBeLessThan(2_000);
  });
});
