import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonBoundError, JsonScanner, type JsonPath } from "../../src/lib/json-scanner.ts";
import { runs } from "../runs.ts";

const BOUNDS = { depth: 64, entries: 1_000, values: 10_000, heldBytes: 1_000_000 };
const PATH: JsonPath = ["attachments", null, "content"];

/** Cuts bytes at the given places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.slice(at[index], end));
}

/** Reads JSON as a body is read, and puts the strings that are taken out back. Null if the parser refuses it. */
function read(bytes: Uint8Array, cuts: readonly number[] = [], path: JsonPath | null = PATH) {
  const scanner = new JsonScanner(BOUNDS, path);
  const places: string[] = [];
  const contents = new Map<string, string>();
  let literal: number[] | null = null;
  for (const piece of pieces(bytes, cuts)) {
    for (let at = 0; at < piece.length;) {
      if (literal === null) {
        at = scanner.scan(piece, at);
        if (!scanner.isAtString) continue;
        places.push(scanner.place);
        literal = [0x22];
      } else {
        literal.push(piece[at] ?? 0);
        at += 1;
        const text: string = new TextDecoder().decode(new Uint8Array(literal));
        if (!/^"(?:[^"\\]|\\[^])*"$/.test(text)) continue;
        const placeholder = `taken out ${contents.size}`;
        const content = parsed(text);
        if (typeof content !== "string") return { places, value: undefined };
        contents.set(placeholder, content);
        scanner.replace(placeholder);
        literal = null;
      }
    }
  }
  if (literal !== null) return { places, value: undefined };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(scanner.held());
    const value: unknown = JSON.parse(text, (_, member: unknown) =>
      typeof member === "string" ? (contents.get(member) ?? member) : member,
    );
    return { places, value };
  } catch {
    return { places, value: undefined };
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Bodies with many names that are on the path. None is a single character that is escaped: V8 13.6 (Node 24) parses `"\n"` as the
 * name `\` where an object of the same shape came before, and two parses of one text differ.
 */
const name = fc.oneof(
  fc.constantFrom("attachments", "content", "filename", "__proto__", "to", '""', "\\\\", "é\ud800"),
  fc.string(),
);
const { body } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 6 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: "binary" }),
    fc.array(tie("body"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("body")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const withFiles = fc
  .tuple(fc.array(fc.dictionary(name, body, { maxKeys: 3 })), fc.string(), body)
  .map(([files, content, other]) => ({ other, attachments: [...files, { content }, { content: other }] }));
const spaced = fc
  .tuple(fc.oneof(body, withFiles), fc.constantFrom(undefined, 1, "\t", "\r\n "))
  .map(([value, space]) => JSON.stringify(value, null, space));
const cuts = fc.array(fc.nat());

/** JSON that was damaged in one or more places. */
const damaged = fc
  .tuple(
    spaced,
    fc.array(
      fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...Array.from('{}[]",:\\/u0e-+.tn \n\u0000x\ufeff'))),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
  )
  .map(([text, faults]) =>
    faults.reduce((damagedText, [at, removed, added]) => {
      const place = at % (damagedText.length + 1);
      return damagedText.slice(0, place) + added + damagedText.slice(place + removed);
    }, text),
  );

describe("JSON that is read while it arrives", () => {
  it("gives what JSON.parse gives, wherever it is cut", () => {
    fc.assert(
      fc.property(spaced, cuts, (text, at) => {
        expect(read(encode(text), at).value).toEqual(parsed(new TextDecoder().decode(encode(text))));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("is refused if and only if JSON.parse refuses it", () => {
    fc.assert(
      fc.property(damaged, cuts, (text, at) => {
        const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(encode(text));
        let outcome: unknown;
        try {
          outcome = read(encode(text), at).value;
        } catch (error) {
          // A damaged body may exceed a bound; valid JSON here never does.
          if (!(error instanceof JsonBoundError)) throw error;
        }
        expect(outcome).toEqual(parsed(whole));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"attachments":[{"content":"x","content":"y"}],"attachments":[]}', { attachments: [] }],
    ['{"\\u0061ttachments":[{"c\\u006fntent":"x"}]}', { attachments: [{ content: "x" }] }],
    ['"\\ud800"', "\ud800"],
    ["1e400", Infinity],
    ["-0", -0],
    ['{"attachments":[{"content":"x"}', undefined],
    ['{"attachments":[{"content":"x', undefined],
    ['{"attachments":[{"content" "x"}]}', undefined],
    ['{"attachments":[{"content":"x"}]}}', undefined],
    ["\ufeff{}", undefined],
    ["1 2", undefined],
    ["", undefined],
  ])("reads %s as JSON.parse does", (text, value) => {
    expect(parsed(text)).toEqual(value);
    expect(read(encode(text)).value).toEqual(value);
  });

  it("refuses what is not UTF-8", () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      expect(read(new Uint8Array([0x22, ...bytes, 0x22])).value).toBeUndefined();
    }
  });

  it("keeps __proto__ as a member like any other", () => {
    const { value } = read(encode('{"__proto__":{"admin":true}}'));
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("a string that is taken out", () => {
  it.each<[string, string[]]>([
    [
      '{"attachments":[{"content":"x"},{"a":1,"content":"y"}]}',
      ["attachments.0.content", "attachments.1.content"],
    ],
    ['{"attachments":[[],1,{"content":"x"}],"to":"a"}', ["attachments.2.content"]],
    ['{"to":1,"attachments":[{"content":null},{"content":["x"]}]}', []],
    ['{"attachments":{"0":{"content":"x"}}}', []],
    ['{"attachments":[{"a":{"content":"x"}}],"content":"x"}', []],
    ['[{"attachments":[{"content":"x"}]}]', []],
    ['{"a":{"attachments":[{"content":"x"}]}}', []],
    ['{"attachments":[{"content":"x","filename":"content"}]}', ["attachments.0.content"]],
  ])("is one at its path alone: %s", (text, places) => {
    expect(read(encode(text)).places).toEqual(places);
  });
});

describe("the bounds of a text", () => {
  const scan = (text: string, bounds: Partial<typeof BOUNDS>) => () =>
    new JsonScanner({ ...BOUNDS, ...bounds }).scan(encode(text), 0);

  it.each([
    ["depth", "[[[]]]", "[[[[]]]]"],
    ["entries", "[1,2,3]", "[1,2,3,4]"],
    ["entries", '{"a":1,"b":2,"c":3}', '{"a":1,"b":2,"c":3,"d":4}'],
    ["values", "[1,[]]", "[1,[2]  ,[]]"],
    ["heldBytes", "   ", "    "],
  ] as const)("%s lets %s pass, and nothing more", (bound, within, beyond) => {
    expect(scan(within, { [bound]: 3 })).not.toThrow();
    expect(scan(beyond, { [bound]: 3 })).toThrow(JsonBoundError);
  });
});
