import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DotStuffing } from "../../src/outbound/dot-stuffing.ts";

function wire(chunks: readonly string[]): string {
  const stuffing = new DotStuffing();
  const body = chunks.map((chunk) =>
    Buffer.from(stuffing.stuff(Buffer.from(chunk, "latin1"))).toString("latin1"),
  );
  return body.join("") + stuffing.end();
}

/** The message as a receiver reads it: up to the first end of data, without stuffed dots; and the rest. */
function received(text: string): { message: string; rest: string } {
  const at = `\r\n${text}`.indexOf("\r\n.\r\n");
  const lines = `\r\n${text}`.slice(0, at + 2).replaceAll("\r\n.", "\r\n");
  return { message: lines.slice(2), rest: `\r\n${text}`.slice(at + 5) };
}

const awkward = fc.string({ unit: fc.constantFrom("\r", "\n", ".", "a", "\u00ff"), maxLength: 40 });

describe("dot stuffing", () => {
  it.each([
    ["a message that is a single dot", [".\r\n"], "..\r\n.\r\n"],
    ["an empty message", [], ".\r\n"],
    ["a last line without a line end", ["a"], "a\r\n.\r\n"],
    ["a last line that ends with CR alone", ["a\r"], "a\r\n.\r\n"],
    ["bare line ends around a dot", ["a\n.\nb\r.\rc"], "a\r\n..\r\nb\r\n..\r\nc\r\n.\r\n"],
    ["a line end that is split between chunks", ["a\r", "\n", ".b\r\n"], "a\r\n..b\r\n.\r\n"],
  ])("produces valid data for %s", (_, chunks, expected) => {
    expect(wire(chunks)).toBe(expected);
  });

  it("delivers any message unchanged and as one message, whatever its chunks", () => {
    fc.assert(
      fc.property(fc.array(awkward), (chunks) => {
        const text = chunks.join("").replaceAll(/\r\n|\r|\n/g, "\r\n");
        const whole = text === "" || text.endsWith("\r\n") ? text : `${text}\r\n`;
        expect(received(wire(chunks))).toEqual({ message: whole, rest: "" });
      }),
      { numRuns: 2_000 },
    );
  });
});
