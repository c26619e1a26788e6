import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MailScanner } from "../../../src/mail/mime/scanner.ts";

describe("the memory of a scanner", () => {
  /** Most that it may hold: the texts, the beginnings of header and body, and a piece. */
  const MAX_HELD_BYTES = 10_000_000;
  const MESSAGE_BYTES = 26_214_400;
  const line = `${"QUJD".repeat(19)}\r\n`;
  const many = (unit: string): Buffer => Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)), "latin1");

  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heldBytes = async (): Promise<number> => {
    collectGarbage();
    // Buffers are freed in the background.
    await setImmediate();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };

  it.each([
    ["a file in base64", "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n", line],
    [
      "a file in quoted-printable",
      "Content-Type: image/png\nContent-Transfer-Encoding: quoted-printable\n\n",
      "=41=\n",
    ],
    ["text", "Content-Type: text/html; charset=utf-16\n\n", "wo"],
    ["escapes that decode to nothing", "Content-Type: text/plain; charset=iso-2022-jp\n\n", "\x1b(B"],
    ["one line of dashes", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "-"],
    ["carriage returns", "Content-Type: image/png\n\n", "\r"],
    ["a header", "Subject: x\n", "X-Header: some words of a value\n"],
    ["a folded field", "Subject: x", "\n some words of a value"],
    ["words without a header", "", "word "],
    [
      "parts of a text",
      "Content-Type: multipart/mixed; boundary=b\n\n",
      `--b\nContent-Type: text/html\n\n${"é".repeat(20_000)}\n`,
    ],
    [
      "calendars",
      "Content-Type: multipart/mixed; boundary=b\n\n",
      `--b\nContent-Type: text/calendar\n\n${"x".repeat(60_000)}\n`,
    ],
    [
      "multiparts in each other",
      "Content-Type: multipart/mixed; boundary=b\n\n",
      `--b\nContent-Type: multipart/mixed; boundary=b\n\n${"p".repeat(280_000)}\n`,
    ],
    ["a soft break without an end", "Content-Transfer-Encoding: quoted-printable\n\n=", " \t"],
  ])("stays the same for 25 MiB of %s", { timeout: 60_000 }, async (_, opening, unit) => {
    const piece = many(unit);
    const scanner = new MailScanner();
    await scanner.write(Buffer.from(opening, "latin1"));
    const before = await heldBytes();
    let most = 0;
    for (let bytes = 0, step = 0; bytes < MESSAGE_BYTES; bytes += piece.length, step++) {
      await scanner.write(piece);
      if (step % 80 === 79) most = Math.max(most, (await heldBytes()) - before);
    }
    expect(most).toBeLessThan(MAX_HELD_BYTES);
    expect((await scanner.end()).sizeBytes).toBeGreaterThanOrEqual(MESSAGE_BYTES);
  });
});
