import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { highlightsFor, snippetFor } from "../../../src/mail/search/excerpts.ts";
import {
  MAX_QUERY_ITEMS,
  MAX_READ_CHARS,
  parseSearchQuery,
  unreadHint,
} from "../../../src/mail/search/search-query.ts";
import { searchableText } from "../../../src/mail/search/search-text.ts";
import { cpuMs } from "../../cpu.ts";

const BODIES = [
  "The invoice from Paris",
  "The invoice from London",
  "A draft invoice",
  "Inventory of words: and or not near",
];

const db = new DatabaseSync(":memory:");
db.exec(
  `CREATE VIRTUAL TABLE search USING fts5(subject, names, addresses, body, code, attachments, content='',
   contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='2 3')`,
);
for (const [at, body] of BODIES.entries()) {
  db.prepare("INSERT INTO search(rowid, body, addresses) VALUES (?, ?, ?)").run(
    at,
    searchableText(body),
    "alice@example.com",
  );
}
const select = db.prepare("SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid");

function matching(match: string): number[] {
  return select.all(match).map((row) => Number(row["rowid"]));
}

/** The bodies found, by position. */
function found(input: string): number[] {
  const { match } = parseSearchQuery(input);
  return match === null ? [] : matching(match);
}

const NOTHING = {
  match: null,
  wanted: "",
  groups: [],
  phrases: [],
  prefixes: [],
  without: null,
  terms: [],
  from: [],
  to: [],
  subject: [],
  labels: [],
  hasAttachment: null,
  before: null,
  after: null,
};

describe("prefixes", () => {
  it("are named as the index has them, excluded ones too, unless they are read as whole words", () => {
    expect(parseSearchQuery('Inv* "red Éto"* -b* plain 手').prefixes).toEqual(["inv", "eto", "手", "b"]);
    // FTS5 stems prefixes too: this one finds all words that begin with an a.
    expect(parseSearchQuery("aed*").prefixes).toEqual(["a"]);
    // The index strips accents of Latin letters alone, and most marks end a word.
    expect(parseSearchQuery("й* ё* ά* 한* が* सितम* x\u0305a*").prefixes).toEqual(
      "й ё ά 한 が तम a".split(" "),
    );
    const whole = parseSearchQuery("inv* -b*", true);
    expect([whole.prefixes, whole.terms]).toEqual([[], ["inv"]]);
    expect(whole.match).not.toContain('" *');
  });
});

describe("words", () => {
  it("wants all words, in any order", () => {
    expect(found("paris invoice")).toEqual([0]);
    expect(found("paris london")).toEqual([]);
  });

  it("wants the words of a phrase side by side, also when its closing quote is missing", () => {
    expect(found('"from paris"')).toEqual([0]);
    expect(found('"paris from"')).toEqual([]);
    expect(found('invoice "from lon')).toEqual([]);
    expect(found('invoice "from london')).toEqual([1]);
  });

  it("takes the quotes of phones and full-width keyboards for quotes", () => {
    expect(found("“from paris”")).toEqual([0]);
    expect(found("＂from paris＂")).toEqual([0]);
  });

  it("asks for a beginning by a star, of a word and of a phrase", () => {
    expect(found("inv*")).toEqual([0, 1, 2, 3]);
    expect(found('"from par"*')).toEqual([0]);
    expect(found("inv")).toEqual([]);
  });

  it("finds an address by itself and by its parts", () => {
    for (const query of ["alice@example.com", "example.com", "alice"]) expect(found(query)).toHaveLength(4);
    expect(found("bob@example.com")).toEqual([]);
  });

  it("leaves out words after a minus or NOT", () => {
    expect(found("invoice -draft")).toEqual([0, 1]);
    expect(found('invoice -"from paris" NOT draft')).toEqual([1]);
    expect(found("invoice AND NOT draft")).toEqual([0, 1]);
  });

  it("keeps a hyphen within a word", () => {
    expect(found("words-and")).toEqual([3]);
  });

  it("lets OR bind closer than AND, with or without brackets", () => {
    expect(found("invoice paris OR london")).toEqual([0, 1]);
    expect(found("(paris OR london) invoice -paris")).toEqual([1]);
    expect(found("paris OR london OR draft")).toEqual([0, 1, 2]);
    expect(found("draft AND invoice")).toEqual([2]);
  });

  it("reads AND, OR and NOT as words where they join nothing", () => {
    for (const query of ["AND", "OR", "NOT", "words OR", "OR words", "words NOT", '"or"']) {
      expect([query, found(query)]).toEqual([query, [3]]);
    }
  });

  it("does not let an exclusion join an alternative", () => {
    expect(found("paris -draft OR invoice")).toEqual([0]);
  });

  it("hands out exclusions apart, which are all there is when there is nothing to exclude them from", () => {
    const query = parseSearchQuery("from:bob -draft -paris");
    expect(query).toMatchObject({ match: null, from: ["bob"], terms: [] });
    expect(matching(query.without ?? "")).toEqual([0, 2]);
    expect(matching(parseSearchQuery("invoice -draft -paris").without ?? "")).toEqual([0, 2]);
  });

  it("gives the wanted words and phrases to highlight, in lower case", () => {
    expect(parseSearchQuery('Invoice (Paris OR "New  York") -draft inv* from:bob Invoice').terms).toEqual([
      "invoice",
      "paris",
      "new york",
      "inv",
    ]);
  });
});

describe("the words of a query", () => {
  it("are named phrase by phrase, with those that are left out", () => {
    const { wanted, groups, phrases } = parseSearchQuery('"Red  fox" OR inv* -"to be*" x');
    expect(wanted).toBe('("Red fox" OR "inv*" *) AND ("x")');
    expect(groups.map((group) => group.map(({ expression }) => expression))).toEqual([
      ['"Red fox"', '"inv*" *'],
      ['"x"'],
    ]);
    expect(phrases.map(({ words }) => words)).toEqual([
      ['"Red"', '"fox"'],
      ['"inv" *'],
      ['"x"'],
      ['"to"', '"be"'],
    ]);
    expect(parseSearchQuery('"red éto"*').phrases.map(({ words }) => words)).toEqual([['"red"', '"éto" *']]);
    expect(parseSearchQuery("-draft").phrases.map(({ words }) => words)).toEqual([['"draft"']]);
  });
});

describe("operators", () => {
  it("hands out from, to, subject and label as written", () => {
    expect(
      parseSearchQuery('from:Alice@Example.com to:bob FROM:example.com subject:"Your order" label:自动 x'),
    ).toEqual({
      ...NOTHING,
      match: '("x")',
      wanted: '("x")',
      groups: [[expect.objectContaining({ expression: '"x"', words: ['"x"'] })]],
      phrases: [expect.objectContaining({ expression: '"x"' })],
      terms: ["x"],
      from: ["Alice@Example.com", "example.com"],
      to: ["bob"],
      subject: ["Your order"],
      labels: ["自动"],
    });
  });

  it("takes a full-width colon", () => {
    expect(parseSearchQuery("from：alice").from).toEqual(["alice"]);
  });

  it("asks for messages with and without attachment", () => {
    expect(parseSearchQuery("has:attachment")).toEqual({ ...NOTHING, hasAttachment: true });
    expect(parseSearchQuery("-has:attachments")).toEqual({ ...NOTHING, hasAttachment: false });
    expect(parseSearchQuery("has:star")).toMatchObject({ hasAttachment: null, terms: ["has:star"] });
  });

  it.each([
    ["2026-02-28", Date.UTC(2026, 1, 28)],
    ['"2026-02-28"', Date.UTC(2026, 1, 28)],
    ["2026-02-28T10:30Z", Date.UTC(2026, 1, 28, 10, 30)],
    ["2026-02-28T10:30:15", Date.UTC(2026, 1, 28, 10, 30, 15)],
    ["2026-02-28t10:30:15.250+02:00", Date.UTC(2026, 1, 28, 8, 30, 15, 250)],
  ])("reads the date %s as UTC or with its zone", (text, instant) => {
    expect(parseSearchQuery(`before:${text}`)).toEqual({ ...NOTHING, before: instant });
    expect(parseSearchQuery(`after:${text}`)).toEqual({ ...NOTHING, after: instant });
  });

  it.each(["2026-02-30", "2026-13-01", "2026-2-3", "yesterday", "2026-01-01T25:00", "99999-01-01", "NaN"])(
    "takes a date it cannot read for words: %s",
    (text) => {
      expect(parseSearchQuery(`before:${text}`)).toMatchObject({
        before: null,
        terms: [`before:${text.toLowerCase()}`],
      });
    },
  );

  it("narrows by the latest after and the earliest before", () => {
    expect(
      parseSearchQuery("after:2026-01-01 after:2026-02-01 before:2026-04-01 before:2026-03-01"),
    ).toMatchObject({ after: Date.UTC(2026, 1, 1), before: Date.UTC(2026, 2, 1) });
  });

  it("takes an operator without value, an unknown one and an excluded one for words", () => {
    expect(parseSearchQuery("from: alice").terms).toEqual(["from", "alice"]);
    expect(parseSearchQuery("nope:x").terms).toEqual(["nope:x"]);
    expect(parseSearchQuery("x -from:bob")).toMatchObject({ from: [], match: '(("x")) NOT ("from:bob")' });
  });
});

describe("any input", () => {
  it.each([
    "",
    " ",
    '"',
    '""',
    "*",
    "^",
    "-",
    "()",
    "{}:",
    "''",
    ";",
    "-*",
    "🎉",
    "…",
    "\0",
    '"*"',
    "- -",
    'from:""',
  ])("asks for nothing when no word is in it: %j", (input) => {
    expect(parseSearchQuery(input)).toEqual(NOTHING);
  });

  it.each([
    "NEAR(",
    "NEAR(a b, 2)",
    "a AND",
    "AND OR NOT",
    "nope:x",
    "-a",
    "a*b",
    "^a",
    "{body}:a",
    "body:a",
    "- a",
    '"a" *',
    "a\0b",
    'a"b',
    "a''; DROP TABLE search",
    "a + b",
    "\ud800",
    "a\udc00",
    "ᧀ",
    "ᧀ OR a",
    "a -ᧀ",
    "a ᧀ*",
    "(".repeat(10_000) + "a" + ")".repeat(10_000),
    "a ".repeat(5_000),
    "手".repeat(10_000),
    "(a OR ".repeat(2_000),
  ])("is accepted by FTS5: %j", (input) => {
    const { match, without } = parseSearchQuery(input);
    expect(() => [match, without].map((expression) => expression && matching(expression))).not.toThrow();
  });

  const syntax = fc.constantFrom(
    '"',
    "*",
    "-",
    "(",
    ")",
    " ",
    " AND ",
    " OR ",
    " NOT ",
    "NEAR(",
    "^",
    ":",
    "{",
    "}",
    "+",
    ",",
    "from:",
    "has:",
    "before:2026-01-01",
    "a",
    "手机",
    "é",
    "\0",
    "'",
    "\\",
    "“",
    "：",
    "＊",
    "\ud83c",
    "\u0301",
    "ᧀ",
    "1",
  );
  const inputs = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    fc.array(syntax, { maxLength: 40 }).map((parts) => parts.join("")),
  );

  it("gives an expression that FTS5 accepts, or none", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { match, without } = parseSearchQuery(input);
        expect(() => [match, without].map((expression) => expression && matching(expression))).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds a message by any word of it that the tokenizer sees", () => {
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((text) => !/[\s"“”„＂]/.test(text))
      // New Tai Lue vowels and two Vedic signs: marks in SQLite's tables, letters since Unicode 8.
      .filter((text) => !/[\u19B0-\u19C9\u1CF2\u1CF3]/.test(text));
    fc.assert(
      fc.property(word, (text) => {
        const { match } = parseSearchQuery(`"${text}"`);
        fc.pre(match !== null);
        db.prepare("INSERT INTO search(rowid, body) VALUES (99, ?)").run(searchableText(`x ${text} y`));
        const rows = matching(match);
        db.prepare("DELETE FROM search WHERE rowid = 99").run();
        expect(rows).toContain(99);
      }),
      { numRuns: 1_000 },
    );
  });

  it("counts as many items as the limit says and no more", () => {
    const words = Array.from({ length: MAX_QUERY_ITEMS + 1 }, (_, at) => `w${at}`);
    expect(parseSearchQuery(words.join(" ")).terms).toEqual(words.slice(0, MAX_QUERY_ITEMS));
  });

  describe("with more than it reads", () => {
    const words = (count: number, last = ""): string[] => [
      ...Array.from({ length: count - 1 }, (_, at) => `w${at}`),
      last === "" ? `w${count}` : last,
    ];

    it.each([16, 17, MAX_QUERY_ITEMS])("finds the last of %i alternatives, and says nothing", (count) => {
      const query = words(count, "paris").join(" OR ");
      expect(found(query)).toEqual([0]);
      expect(unreadHint(query)).toBe("");
    });

    it.each([" OR ", " AND ", " AND NOT ", " NOT ", " "])(
      "says so, and searches for the others: %j",
      (joiner) => {
        const query = words(MAX_QUERY_ITEMS + 1, "paris").join(joiner);
        expect(unreadHint(query)).toContain("first 32 words");
        const asked = parseSearchQuery(query);
        expect(asked.phrases).toHaveLength(MAX_QUERY_ITEMS);
        expect(asked.phrases.every(({ expression }) => /^"w\d+"$/.test(expression))).toBe(true);
      },
    );

    it("finds alternatives beside those that it does not read", () => {
      expect(found(["paris", ...words(60)].join(" OR "))).toEqual([0]);
      // The thousandth character is within a word, within OR, and between.
      for (let length = 1; length <= 12; length += 1) {
        const query = ["paris", "w".repeat(length), ...Array<string>(30).fill("x".repeat(40))].join(" OR ");
        expect(query.length).toBeGreaterThan(MAX_READ_CHARS);
        expect(found(query)).toEqual([0]);
        expect(unreadHint(query)).not.toBe("");
      }
    });

    it("counts AND, OR and NOT where they join nothing", () => {
      const query = "OR ".repeat(200);
      expect(parseSearchQuery(query).phrases.length).toBeLessThanOrEqual(MAX_QUERY_ITEMS + 1);
      expect(unreadHint(query)).not.toBe("");
    });
  });

  it("reads as many characters as the limit says and no more", () => {
    const padding = " ".repeat(MAX_READ_CHARS - 3);
    expect(parseSearchQuery(`${padding}abc`).terms).toEqual(["abc"]);
    expect(parseSearchQuery(`${padding}abcd`).terms).toEqual(["abc"]);
  });

  it("bounds the expression, even where words expand", () => {
    for (const unit of ["\uFDFA", "手", "a ", "½ "]) {
      expect((parseSearchQuery(unit.repeat(10_000)).match ?? "").length).toBeLessThan(20 * MAX_READ_CHARS);
    }
  });
});

describe("snippetFor", () => {
  const long = `${"lorem ipsum ".repeat(50)}the Café is open ${"dolor sit ".repeat(50)}`;

  it("gives a short text whole, on one line", () => {
    expect(snippetFor(" Hello\r\n\t world \u00a0", ["world"])).toBe("Hello world");
  });

  it("shows the first hit, regardless of case and accents, with an ellipsis on each cut", () => {
    for (const term of ["cafe", "CAFÉ", "cafe\u0301"]) {
      expect(snippetFor(long, [term], 60)).toMatch(/^….*the Café is open.*…$/);
    }
  });

  it("begins at the beginning when nothing hits", () => {
    expect(snippetFor(long, ["absent"], 40)).toMatch(/^lorem ipsum .*…$/);
    expect(snippetFor(long, [], 40)).toMatch(/^lorem ipsum .*…$/);
  });

  it("prefers the whole word, then a beginning, then a stem, and no middle of a word", () => {
    const padding = "x ".repeat(100);
    expect(snippetFor(`carpet ${padding} car end`, ["car"], 40)).toContain("car end");
    expect(snippetFor(`${padding} carpet end`, ["car"], 40)).toContain("carpet end");
    expect(snippetFor(`${padding} invoice end`, ["invoices"], 40)).toContain("invoice end");
    expect(snippetFor(`party ${padding} art end`, ["art"], 40)).toContain("art end");
  });

  it("finds a phrase across other white space and punctuation", () => {
    expect(snippetFor(`${"x ".repeat(100)}New -\n York end`, ["new york"], 40)).toContain("New - York end");
  });

  it("finds CJK within a run", () => {
    const text = `${"今日".repeat(100)}您的手机验证码是${"明天".repeat(100)}`;
    expect(snippetFor(text, ["手机"], 30)).toContain("手机验证码");
    expect(snippetFor(`${"𠀀".repeat(100)}𠀁${"𠀀".repeat(100)}`, ["𠀁"], 21)).toContain("𠀁");
  });

  it("keeps to its length, splits no surrogate pair and never throws", () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("hit", " ", "🎉", "𠀀", "手机")),
      {
        maxLength: 80,
      },
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), fc.string(), (parts, maxChars, term) => {
        const snippet = snippetFor(parts.join(""), ["hit", "手", term], maxChars);
        expect(snippet.length).toBeLessThanOrEqual(maxChars);
        expect(snippet.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("looks through a long text in little time", () => {
    for (const body of [
      "a".repeat(5_000_000),
      "a ".repeat(2_500_000),
      " ".repeat(5_000_000),
      "a\u0301\u0316".repeat(1_000_000),
    ]) {
      const terms = Array.from({ length: 32 }, (_, at) => "a".repeat(at + 1));
      expect(cpuMs(() => snippetFor(body, terms))).toBeLessThan(1_000);
    }
  });
});

describe("highlightsFor", () => {
  it("shows the subject first and then the body, three fragments at most", () => {
    const filler = "lorem ipsum dolor ".repeat(20);
    const body = `one invoice ${filler} two invoice ${filler} three invoice ${filler} four invoice`;
    const fragments = highlightsFor({ subject: "Invoice 7", body }, ["invoice"]);
    expect(fragments).toHaveLength(3);
    expect(fragments[0]).toBe("Invoice 7");
    expect(fragments[1]).toContain("one invoice");
    expect(fragments[2]).toContain("two invoice");
  });

  it("gives hits that lie together in one fragment", () => {
    expect(
      highlightsFor({ subject: "", body: "pay the invoice by invoice number" }, ["invoice", "pay"]),
    ).toEqual(["pay the invoice by invoice number"]);
  });

  it("gives plain text, and nothing when nothing hits", () => {
    expect(highlightsFor({ subject: "<b>hit</b>", body: "" }, ["hit"])).toEqual(["<b>hit</b>"]);
    expect(highlightsFor({ subject: "a", body: "b" }, ["c"])).toEqual([]);
    expect(highlightsFor({ subject: "a", body: "b" }, ["", "…"])).toEqual([]);
  });
});
