import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CODES } from "../../../scripts/eval/codes.ts";
import { strangersOf } from "../../../scripts/eval/evaluation.ts";
import { readFixtures } from "../../../scripts/eval/fixtures.ts";
import { keyWordFinder, lowered } from "../../../src/mail/code/key-words.ts";
import { LANGUAGES } from "../../../src/mail/languages/index.ts";
import type { Language } from "../../../src/mail/languages/language.ts";
import { finderOf } from "../../../src/mail/extract/labelled-values.ts";
import {
  isWrittenIn,
  keyWordPattern,
  keyWordsOf,
  listed,
  wordsOf,
} from "../../../src/mail/languages/matching.ts";

const FOLDER = path.join(import.meta.dirname, "../../../src/mail/languages");
const NO_LANGUAGES = ["index.ts", "language.ts", "matching.ts", "word-index.ts"];

/** The least number of mails by which the codes of a language are measured. */
const LEAST_MAILS = 20;

/** The lists of a language, with the path of each. */
function lists(value: unknown, at = ""): [string, string][] {
  if (typeof value === "string") return [[at, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => lists(inner, at === "" ? key : `${at}.${key}`));
}

/** The lists of words: without the tag, how key words stand, the expressions of footers, and months of which CLDR has all spellings. */
const wordLists = (language: Language): [string, string][] =>
  lists(language).filter(
    ([at, list]) =>
      !/^(?:tag|keyWords)$|\.footers\./.test(at) && !(at.startsWith("dates.months.") && list === ""),
  );

const readCodes = LANGUAGES.filter(({ code }) => code !== undefined);
const fixtures = [
  ...readFixtures(CODES.folder, CODES.fields),
  ...strangersOf(CODES, "open"),
  // Counted, not looked at.
  ...strangersOf(CODES, "sealed"),
];

describe("The list of languages", () => {
  it("has every file of the folder, each under its own BCP 47 tag", () => {
    const files = readdirSync(FOLDER).filter((name) => !NO_LANGUAGES.includes(name));
    const tags = LANGUAGES.map(({ tag }) => tag);
    expect(files.toSorted()).toEqual(tags.map((tag) => `${tag.toLowerCase()}.ts`).toSorted());
    expect(Intl.getCanonicalLocales(tags)).toEqual(tags);
  });
});

describe.each(LANGUAGES.map((language) => [language.tag, language] as const))(
  "The language %s",
  (_, language) => {
    it("lists its words in lower case, each once in a list", () => {
      const faults = wordLists(language).filter(([, list]) => {
        const words = listed(list);
        const isSound = words.length > 0 && new Set(words).size === words.length;
        return (
          !isSound ||
          /^\s*,|,\s*$/.test(list) ||
          words.some((word) => word !== lowered(word) || /\s{2}|\n/.test(word))
        );
      });
      expect(faults).toEqual([]);
    });

    it("has twelve months or none, and footers that are regular expressions", () => {
      expect([undefined, 12]).toContain(language.dates?.months?.length);
      for (const footer of language.signature?.footers ?? [])
        expect(() => new RegExp(footer, "u")).not.toThrow();
    });
  },
);

describe.each(readCodes.map(({ tag }) => [tag]))("Codes in %s", (tag) => {
  it(`are measured by ${LEAST_MAILS} mails at least, with a code and without`, () => {
    const ofLanguage = fixtures.filter(({ language }) => language === tag.toLowerCase());
    const decoys = ofLanguage.filter(({ expected }) => expected.code === undefined);
    expect(ofLanguage.length).toBeGreaterThanOrEqual(LEAST_MAILS);
    expect(decoys.length).toBeGreaterThanOrEqual(LEAST_MAILS / 4);
    expect(ofLanguage.length - decoys.length).toBeGreaterThanOrEqual(LEAST_MAILS / 4);
  });
});

/** An invented language whose words take endings. */
const INFLECTED: Language = {
  tag: "art-x-inflected",
  keyWords: "whole",
  code: { strong: "vrelko zirm, vrelk*", instruction: "tolpi" },
  link: { proves: "vrelkuna" },
  order: { numberLabel: "grof nalmi*" },
  recognisedBy: ["qua, sned", "vrelk*"],
};

/** An invented language written from right to left that attaches articles to words. */
const ATTACHED: Language = {
  tag: "art-x-attached",
  keyWords: "anywhere",
  code: { strong: "קודטל", number: "מספרזב" },
};

describe("A language that is added", () => {
  const languages = [...LANGUAGES, INFLECTED, ATTACHED];
  const kindsIn = (text: string, list: readonly Language[] = languages) =>
    keyWordFinder(list)(lowered(text)).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

  it("is read by its own words, and by those of no other language", () => {
    expect(kindsIn("Tolpi VRELKO ZIRM: 482913", LANGUAGES)).toEqual([]);
    expect(kindsIn("Tolpi VRELKO ZIRM: 482913")).toEqual([
      ["instruction", "Tolpi"],
      ["strong", "VRELKO ZIRM"],
    ]);
  });

  it("has words with any ending where they end in a star, and no parts of words", () => {
    expect(kindsIn("482913 vrelkunami, evrelk, tolpis")).toEqual([["strong", "vrelkunami"]]);
    const label = finderOf(wordsOf(({ order }) => order?.numberLabel, languages));
    expect(label.exec("die grof nalmitera 17")?.[0]).toBe("grof nalmitera");
    expect(label.test("begrof nalmi 17")).toBe(false);
  });

  it("has words within words where it attaches articles or has no spaces, from right to left too", () => {
    expect(kindsIn("הקודטלשלך 482913, למספרזב 17")).toEqual([
      ["strong", "קודטל"],
      ["number", "מספרזב"],
    ]);
  });

  it("has its words for links and for how it is recognised", () => {
    const proves = keyWordPattern(keyWordsOf(({ link }) => link?.proves, languages));
    expect(proves.test("la vrelkuna")).toBe(true);
    expect(proves.test("la vrelkunat")).toBe(false);
    expect(isWrittenIn(INFLECTED, "Qua vrelkami 17")).toBe(true);
    expect(isWrittenIn(INFLECTED, "Qua 17")).toBe(false);
  });

  it("may leave out every group", () => {
    expect(() => kindsIn("482913", [{ tag: "art-x-empty", keyWords: "whole" }])).not.toThrow();
    const none = keyWordPattern(keyWordsOf(({ link }) => link?.proves, [ATTACHED]));
    expect(none.test("")).toBe(false);
  });
});
