import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMboxEntry } from "../../../src/lib/archive/mbox-reader.ts";
import { Window } from "../../../src/lib/archive/window.ts";

const LIMIT = 100_000;

function windowOf(text: string): Window {
  const bytes = Buffer.from(text);
  return new Window(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
}

async function read(text: string, maxBytes = LIMIT) {
  const window = windowOf(text);
  const found: { text: string | null; at: string | null }[] = [];
  for (let at = 0; ;) {
    const entry = await readMboxEntry(window, at, maxBytes);
    if (entry === null) return found;
    const { raw, isRest, fromMs } = entry;
    if (!isRest) {
      found.push({
        text: raw === null ? null : Buffer.from(raw).toString(),
        at: fromMs === null ? null : new Date(fromMs).toISOString(),
      });
    }
    expect(entry.next).toBeGreaterThan(at);
    at = entry.next;
  }
}

const FROM = "From ann@example.com Thu Nov 26 08:30:05 2026\n";
const MAIL = "From: ann@example.com\nSubject: One\n\nHello.\n";

describe("an mbox file", () => {
  it("gives each message without its From_ line and the blank line after it", async () => {
    expect(await read(`${FROM}${MAIL}\n${FROM}${MAIL}`)).toEqual([
      { text: MAIL, at: "2026-11-26T08:30:05.000Z" },
      { text: MAIL, at: "2026-11-26T08:30:05.000Z" },
    ]);
  });

  it("is read with CRLF, without blank lines between messages, and without an end of its last line", async () => {
    const lines = `${FROM}${MAIL}\n`.replaceAll("\n", "\r\n");
    expect((await read(lines + lines)).map(({ text }) => text)).toEqual(
      Array(2).fill(MAIL.replaceAll("\n", "\r\n")),
    );
    expect((await read(`${FROM}${MAIL}${FROM}${MAIL.trimEnd()}`)).map(({ text }) => text)).toEqual([
      MAIL,
      MAIL.trimEnd(),
    ]);
  });

  it.each(["From ", "From -", "From ann@example.com"])(
    "is divided at a line %j without a time, where a blank line precedes it and a field of mail follows",
    async (line) => {
      const bare = `${line}\n`;
      const texts = (await read(`${bare}${MAIL}\n${bare}${MAIL}\n`)).map(({ text }) => text);
      expect(texts).toEqual([MAIL, MAIL]);
      expect((await read(`${bare}${MAIL}\n${bare}${MAIL}`.replaceAll("\n", "\r\n"))).length).toBe(2);
      for (const text of [
        `${FROM}Subject: x\n\nOne.\n\n${bare}the garden: apples.\n`,
        `${FROM}Subject: x\n\nOne.\n\n${bare}garden: apples.\n`,
        `${FROM}Subject: x\n\nThe first lines:\n${bare}Subject: y\n`,
        `${FROM}Subject: x\n\nOne.\n\nFrom here on:\nSubject: y\n`,
      ])
        expect(await read(text)).toHaveLength(1);
    },
  );

  it("keeps lines of a text that begin with From, quoted or not", async () => {
    const [quoted] = await read(`${FROM}Subject: x\n\n>From here\n>>From there\n> From far\n\n`);
    expect(quoted?.text).toBe("Subject: x\n\nFrom here\n>From there\n> From far\n");
    const unquoted = `${FROM}Subject: x\n\nOne.\n\nFrom here on it is text.\n\n`;
    expect(await read(unquoted)).toHaveLength(1);
    const quotedLine = `${FROM}Subject: x\n\nAs he wrote:\n\n${FROM}it is only text.\n\n`;
    expect(await read(quotedLine)).toHaveLength(1);
  });

  it("does not believe Content-Length", async () => {
    const lying = `${FROM}Content-Length: 5\nSubject: x\n\nHello, hello.\n\n${FROM}Content-Length: 99999\n\nBye.\n\n${FROM}${MAIL}`;
    expect((await read(lying)).map(({ text }) => text)).toEqual([
      "Content-Length: 5\nSubject: x\n\nHello, hello.\n",
      "Content-Length: 99999\n\nBye.\n",
      MAIL,
    ]);
  });

  it.each([
    ["From ann@example.com Thu Nov  6 08:30:05 2026", "2026-11-06T08:30:05.000Z"],
    ["From ann@example.com Thu Nov 26 08:30 2026", "2026-11-26T08:30:00.000Z"],
    ["From ann@example.com Thu Nov 26 08:30:05 +0200 2026", "2026-11-26T06:30:05.000Z"],
    ["From ann@example.com Thu Nov 26 08:30:05 2026 -0130", "2026-11-26T10:00:05.000Z"],
    ["From ann@example.com Thu Nov 26 08:30:05 CET 2026", "2026-11-26T08:30:05.000Z"],
    ["From ???@??? Thu Nov 26 08:30:05 2026", "2026-11-26T08:30:05.000Z"],
    ["From - Thu Nov 26 08:30:05 2026", "2026-11-26T08:30:05.000Z"],
    ["From 1234@xxx Thu Nov 26 08:30:05 +0000 2026", "2026-11-26T08:30:05.000Z"],
    ['From "a b"@example.com Thu Nov 26 08:30:05 2026 remote from host', "2026-11-26T08:30:05.000Z"],
  ])("reads the time of: %s", async (line, at) => {
    expect(await read(`${line}\n${MAIL}\n${line}\n${MAIL}`)).toEqual(Array(2).fill({ text: MAIL, at }));
  });

  it("passes over a message that is larger than the limit, and goes on after it", async () => {
    const large = `Subject: x\n\n${"a".repeat(600_000)}\n`;
    expect((await read(`${FROM}${large}\n${FROM}${MAIL}`, 1_000)).map(({ text }) => text)).toEqual([
      null,
      MAIL,
    ]);
  });

  it("is passed over in steps of bounded length where a message is larger than the limit", async () => {
    const window = windowOf(`${FROM}Subject: x\n\n${"\nFrom ".repeat(400_000)}\n${FROM}${MAIL}`);
    const steps: number[] = [];
    let texts = 0;
    for (let at = 0; ;) {
      const entry = await readMboxEntry(window, at, LIMIT);
      if (entry === null) break;
      if (entry.raw !== null) texts += 1;
      steps.push(entry.next - at);
      at = entry.next;
    }
    expect(Math.max(...steps)).toBeLessThan(400_000);
    expect(texts).toBe(1);
  });

  it.each([
    ["looks like the beginning of another on each line", "\nFrom ", "\nFrom "],
    ["is quoted on each line", "\n>From ", "\nFrom "],
  ])("lets other work run while it reads a message that %s", async (_name, line, plain) => {
    const lines = 200_000;
    const head = "Subject: x\n\n";
    const window = windowOf(FROM + head + line.repeat(lines));
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const entry = await readMboxEntry(window, 0, 10_000_000);
    isOver = true;
    expect(Buffer.from(entry?.raw ?? []).equals(Buffer.from(head + plain.repeat(lines)))).toBe(true);
    // Twice where the lines are changed as well: once to find the end, once for the copy.
    expect(turns).toBeGreaterThan(((line === plain ? 1 : 2) * lines * line.length) / 65_536 - 4);
  });

  it("of mboxrd gives back what was put in, whatever the messages", async () => {
    const line = fc.oneof(
      fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
      fc.constantFrom("", "From x", ">From x", ">>From y", FROM.trim(), "Subject: x", ">"),
    );
    const mail = fc.array(line, { maxLength: 12 }).map((lines) => `Subject: a\n\n${lines.join("\n")}\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(mail, { minLength: 1, maxLength: 4 }), async (mails) => {
        const quoted = mails.map((one) => `${FROM}${one.replaceAll(/^(>*From )/gm, ">$1")}\n`).join("");
        expect((await read(quoted)).map(({ text }) => text)).toEqual(mails);
      }),
    );
  });

  it("of any bytes is read to its end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("From ", "\n", ">", "a", FROM, "\r\n", "x: y\n")),
        async (parts) => {
          const found = await read(parts.join(""));
          expect(found.length).toBeLessThanOrEqual(parts.length);
        },
      ),
    );
  });
});
