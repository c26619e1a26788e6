import { describe, expect, it } from "vitest";
import { findCode } from "../../../src/mail/code/find-code.ts";
import { linkKindsIn } from "../../../src/mail/code/link-words.ts";
import { LANGUAGES } from "../../../src/mail/languages/index.ts";
import { keyWordsOf, LETTERS, listed } from "../../../src/mail/languages/matching.ts";
import { WordIndex } from "../../../src/mail/languages/word-index.ts";
import { REFUSALS } from "../../fixtures/codes/refusals.ts";

const FROM = "no-reply@shop.example";
const REFUSES = "https://konto.shop.example/x/r/8fK2mWq7pQ3z";
const MEANT = "https://konto.shop.example/x/c/Zt5Lr9Vb1nXk";

const linkIn = (subject: string, text: string, html = ""): string | null =>
  findCode({ subject, text, html, fromAddress: FROM }).link;
const anchor = (url: string, label: string): string => `<p><a href="${url}">${label}</a></p>`;

describe.each(REFUSALS)("%s: %s", (_, subject, refuses, meant) => {
  it(`answers "${meant}" and never "${refuses}"`, () => {
    const html = `<p>${subject}</p>${anchor(REFUSES, refuses)}${anchor(MEANT, meant)}`;
    expect(linkIn(subject, `${refuses} (${REFUSES})\n${meant} (${MEANT})`, html)).toBe(MEANT);
    expect(linkIn(subject, `${subject}\n\n${refuses}:\n${REFUSES}\n\n${meant}:\n${MEANT}\n`)).toBe(MEANT);
  });

  it(`answers nothing where "${refuses}" stands alone`, () => {
    const html = `<p>${subject}</p>${anchor(REFUSES, refuses)}`;
    expect(linkIn(subject, `${refuses} (${REFUSES})`, html)).toBeNull();
    expect(linkIn(subject, `${subject}\n\n${refuses}:\n${REFUSES}\n`)).toBeNull();
  });
});

describe("a link to refuse by", () => {
  const SUBJECT = "Confirm your new device";
  const CONFIRM = "https://id.shop.example/device/confirm?t=Zt5Lr9Vb1nXk7Qp2";
  const answered = (refusal: string, html = true): string | null => {
    const body = html
      ? `${refusal}${anchor(CONFIRM, "Confirm device")}`
      : `${refusal}\n\nConfirm device:\n${CONFIRM}`;
    return html ? linkIn(SUBJECT, "", `<p>${SUBJECT}</p>${body}`) : linkIn(SUBJECT, body);
  };

  it.each([
    "/geraet/ablehnen?g=8fK2mWq7pQ3z",
    "/device/deny/8fK2mWq7pQ3z",
    "/device/not-me?t=8fK2mWq7pQ3z",
    "/device/notMe?t=8fK2mWq7pQ3z",
    "/device/wasntMe/8fK2mWq7pQ3z",
    "/device/verify?action=reject&t=8fK2mWq7pQ3z",
    "/device/verify?decision=no&t=8fK2mWq7pQ3z",
    "/device/verify?confirm=false&t=8fK2mWq7pQ3z",
    "/device/verify?unsubscribe=1&t=8fK2mWq7pQ3z",
    "/device/report-abuse/8fK2mWq7pQ3z",
    "/appareil/refuser/8fK2mWq7pQ3z",
    "/dispositivo/rechazar/8fK2mWq7pQ3z",
    "/urzadzenie/odrzuc/8fK2mWq7pQ3z",
    "/ustroystvo/%D0%BE%D1%82%D0%BA%D0%BB%D0%BE%D0%BD%D0%B8%D1%82%D1%8C/8fK2mWq7pQ3z",
  ])("is known by its address alone: %s", (path) => {
    const url = `https://id.shop.example${path}`;
    for (const label of ["Click here", "Confirm device", url, ""])
      expect(answered(anchor(url, label))).toBe(CONFIRM);
    expect(answered(url, false)).toBe(CONFIRM);
    expect(linkIn(SUBJECT, url)).toBeNull();
  });

  it.each([
    "https://id.shop.example/device/confirm?t=8fK2mWq7pQ3z8fK2&cancel_url=https%3A%2F%2Fshop.example%2Fcancel",
    "https://id.shop.example/device/confirm?t=8fK2mWq7pQ3z8fK2&unsubscribe_token=8fK2",
    "https://report.shop.example/verify/8fK2mWq7pQ3z8fK2",
    "https://id.shop.example/blockchain/verify/8fK2mWq7pQ3z8fK2",
    "https://id.shop.example/verify/8fK2mWq7pQ3z8fK2?notify=no",
  ])("is none that only names such a thing: %s", (url) => {
    expect(linkIn("Confirm your email", "", anchor(url, "Confirm email"))).toBe(url);
  });

  it.each([
    ["If this wasn't you, <a>click here</a>.", true],
    ["Wenn Sie das nicht waren, <a>klicken Sie hier</a>.", true],
    ["Si ce n'était pas vous, <a>cliquez ici</a>.", true],
    ["¿No has sido tú? Avísanos si no reconozco este acceso <a>aquí</a>.", true],
    ['<a><img src="https://shop.example/x.png" alt="Das war ich nicht"></a>', true],
    ["If this wasn't you: LINK", false],
    ["If you did not request this,\nuse this link: LINK", false],
    ["Das war ich nicht:\nLINK", false],
    ["Das war ich nicht:\n\nLINK", false],
    ["Nie ja: LINK", false],
  ])("is known by the words beside it: %s", (text, isHtml) => {
    const written = text.replace("<a>", `<a href="${REFUSES}">`).replace("LINK", REFUSES);
    expect(answered(isHtml ? `<p>${written}</p>` : written, isHtml)).toBe(CONFIRM);
  });

  it("is none because of a sentence before it that only says what to ignore", () => {
    const text =
      "If you did not request this, ignore this email.\n\nTo confirm your email, open this link:\n";
    expect(linkIn("Confirm your email", `${text}${CONFIRM}`)).toBe(CONFIRM);
    const again = `Confirm your email: ${CONFIRM}\n\nThe button does not work? Copy this address:\n${CONFIRM}`;
    expect(linkIn("Confirm your email", again)).toBe(CONFIRM);
  });
});

describe("a number as the secret of a link", () => {
  it.each(["48291357026849", "4829135702684917", "4829-1357-0268-4917"])(
    "%s counts from 14 digits on",
    (secret) => {
      const url = `https://shop.example/verify/${secret}`;
      const { evidence } = findCode({
        subject: "Verify your email",
        text: "",
        html: anchor(url, "Verify email"),
        fromAddress: FROM,
      });
      expect(evidence).toContain("link_token");
    },
  );

  it.each(["4829135702684", "20261123094512", "20261123094512345", "2026-11-23-09-45-12"])(
    "%s is a count or a time and none",
    (number) => {
      const url = `https://shop.example/verify/${number}`;
      const { evidence } = findCode({
        subject: "Verify your email",
        text: "",
        html: anchor(url, "Verify email"),
        fromAddress: FROM,
      });
      expect(evidence).not.toContain("link_token");
    },
  );
});

it("no word that refuses is a part of a word that proves, signs in or takes on, in any language", () => {
  const kinds = ["proves", "signsIn", "goesOn", "password", "account"] as const;
  const faults = LANGUAGES.flatMap(({ tag, link = {} }) =>
    kinds.flatMap((kind) =>
      listed(link[kind])
        .map((word) => word.replace(/\*$/, ""))
        .filter((word) => linkKindsIn(word).has("refuses"))
        .map((word) => `${tag} ${kind}: ${word}`),
    ),
  );
  expect(faults).toEqual([]);
});

it("no word for another purpose hides one that refuses", () => {
  const { whole, anywhere } = keyWordsOf(({ link }) => link?.refuses);
  const refuses = new WordIndex(whole, anywhere, LETTERS);
  const hiding = LANGUAGES.flatMap(({ tag, link = {} }) =>
    listed(link.otherPurpose)
      .filter((word) => refuses.first(word.replace(/\*$/, "")) !== null)
      .map((word) => `${tag}: ${word}`),
  );
  expect(hiding).toEqual([]);
});
