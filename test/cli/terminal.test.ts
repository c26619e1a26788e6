import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Output } from "../../src/cli/terminal/output.ts";
import { safeJson, safeLine, safeText } from "../../src/cli/terminal/safe-text.ts";
import { painterOf, plain } from "../../src/cli/terminal/style.ts";
import { tableLines, type Column } from "../../src/cli/terminal/table.ts";
import { cutTo, padTo, widthOf } from "../../src/cli/terminal/width.ts";
import { KeptStream } from "./streams.ts";

/** Texts with controls, halves of pairs, marks and characters that turn the direction of writing. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\u001b[2J",
        "\u009b31m",
        "\u0007",
        "\r",
        "\n",
        "\u202e",
        "\u2066",
        "\ud83d",
        "\udce7",
        "e\u0301",
        "漢",
        "\u{e0041}",
        "\u2028",
        "a",
      ),
    )
    .map((parts) => parts.join("")),
);

/** Anything that a terminal obeys, or that turns the direction of writing. */
const OBEYED = /(?![\n])\p{Cc}|(?![\u200c\u200d])\p{Cf}|\p{Cs}|[\u2028\u2029]/u;

describe("text of a stranger", () => {
  it("holds nothing that a terminal obeys, whatever it held", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeText(text)).not.toMatch(OBEYED);
        expect(safeLine(text)).not.toMatch(/\n/);
        expect(safeLine(text)).not.toMatch(OBEYED);
      }),
    );
  });

  it("keeps what is harmless, and shows escapes as pictures", () => {
    expect(safeText("Grüße, 漢字 👩‍💻\nאבג")).toBe("Grüße, 漢字 👩‍💻\nאבג");
    expect(safeText("a\u001b[31mb\u007f\u009bc\r\nd\te\u202ef")).toBe("a␛[31mb␡\ufffdc\nd    ef");
    expect(safeText(`a${"\u0301".repeat(500)}`)).toBe(`a${"\u0301".repeat(4)}`);
    expect(safeLine("  one\n\n two\u2028three ")).toBe("one two three");
  });

  it("is one line of JSON, printable on any terminal, that reads back as it was", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = safeJson({ text });
        expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});

describe("columns", () => {
  it("are counted as a terminal shows them", () => {
    expect(["abc", "漢字", "e\u0301", "📧", "👩‍💻", "☀\ufe0f", ""].map(widthOf)).toEqual([3, 4, 1, 2, 2, 2, 0]);
  });

  it("hold a cut text, whatever it is", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 40 }), (text, columns) => {
        const safe = safeLine(text);
        expect(widthOf(cutTo(safe, columns))).toBeLessThanOrEqual(columns);
        expect(widthOf(safe) > columns || cutTo(safe, columns) === safe).toBe(true);
        expect(widthOf(padTo(cutTo(safe, columns), columns))).toBe(columns);
      }),
    );
  });

  it("of a table stand below each other", () => {
    const columns: readonly Column<{ name: string; subject: string }>[] = [
      { title: "NAME", of: ({ name }) => name },
      { title: "SUBJECT", of: ({ subject }) => subject, flexible: true },
    ];
    const rows = [
      { name: "Ann", subject: "Hello" },
      { name: "漢", subject: `Long ${"x".repeat(100)}` },
      { name: "\u001b[2J", subject: "line\nbreak" },
    ];
    expect(tableLines(columns, rows, { total: 30, paint: plain })).toEqual([
      "NAME  SUBJECT",
      "Ann   Hello",
      `漢    Long ${"x".repeat(18)}…`,
      "␛[2J  line break",
    ]);
  });
});

function outputTo({ isTTY = true, json = false, env = {} }) {
  const [stdout, stderr] = [new KeptStream(isTTY), new KeptStream(isTTY)];
  return { stdout, stderr, output: new Output({ stdout, stderr, env, json }) };
}

describe("output", () => {
  const columns: readonly Column<{ id: string }>[] = [{ title: "ID", of: ({ id }) => id, style: "dim" }];

  it("is a table on a terminal, and JSON lines in a pipe or with --json", async () => {
    const rows = [{ id: "a" }, { id: "b" }];
    const terminal = outputTo({ env: { NO_COLOR: "1" } });
    await terminal.output.rows(rows, columns, "None.");
    expect(terminal.stdout.text).toBe("ID\na\nb\n");
    for (const options of [{ isTTY: false }, { json: true }]) {
      const piped = outputTo(options);
      await piped.output.rows(rows, columns, "None.");
      expect(piped.stdout.text).toBe('{"id":"a"}\n{"id":"b"}\n');
    }
  });

  it("has no row to show: a terminal is told on stderr, a pipe gets nothing", async () => {
    const terminal = outputTo({});
    await terminal.output.rows([], columns, "None.");
    expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", "None.\n"]);
    const piped = outputTo({ isTTY: false });
    await piped.output.rows([], columns, "None.");
    expect([piped.stdout.text, piped.stderr.text]).toEqual(["", ""]);
  });

  it("has colours on a terminal, unless NO_COLOR is set", () => {
    expect(painterOf(true, {})("red", "x")).toBe("\u001b[31mx\u001b[0m");
    expect(painterOf(true, { NO_COLOR: "1" })("red", "x")).toBe("x");
    expect(painterOf(true, { TERM: "dumb" })("red", "x")).toBe("x");
    expect(painterOf(false, {})("red", "x")).toBe("x");
    expect(painterOf(false, { FORCE_COLOR: "1" })("red", "x")).toBe("\u001b[31mx\u001b[0m");
    expect(painterOf(true, { NO_COLOR: "1", FORCE_COLOR: "1" })("red", "x")).toBe("x");
  });

  it("shows progress on a terminal after a second, and takes it away again", async () => {
    const { output, stdout, stderr } = outputTo({});
    let release = (): void => {};
    const work = output.progress.during("Waiting", () => new Promise<void>((resolve) => (release = resolve)));
    await expect.poll(() => stderr.text, { timeout: 10_000 }).toMatch(/Waiting… \d+ s$/);
    await output.lines(["found"]);
    expect(stderr.text.endsWith("\r\u001b[K")).toBe(true);
    release();
    await work;
    expect(stdout.text).toBe("found\n");
    const piped = outputTo({ isTTY: false });
    await piped.output.progress.during("Waiting", () => new Promise((resolve) => setTimeout(resolve, 1_200)));
    expect(piped.stderr.text).toBe("");
  });
});
