import { lazy } from "../lazy.ts";
import { wordsOf } from "../languages/matching.ts";
import { languages } from "../tables/tables.ts";

/** RFC 3676 §4.3 recommends four lines; signatures with an address and a disclaimer have more. */
const MAX_SIGNATURE_LINES = 15;
/** Lines below a closing such as "Best regards": name, role, company, telephone, address. */
const MAX_CLOSING_LINES = 8;
const MAX_CLOSING_CHARS = 80;
/** A program's footer is the last line, or another footer stands below it. */
const MAX_FOOTER_LINES = 2;
const MAX_FOOTER_CHARS = 120;

const SEPARATOR = /^(?:--|—|––)\s?$/;

/** Closing formulas before the name of the sender. */
const closings = lazy(() => new Set(wordsOf(({ signature }) => signature?.closings)));
const longestClosing = lazy(() => Math.max(...[...closings()].map((closing) => closing.length)));
/** Punctuation behind a closing. */
const MAX_CLOSING_MARKS = 8;
const CLOSING_MARKS = /[\s,.!;،，。、！~-]{1,8}$/u;

/** Matches lines that mail programs and telephones add below a mail, in lower case. */
const footer = lazy(() => {
  const lines = languages().flatMap(({ signature }) => signature?.footers ?? []);
  return new RegExp(`^(?:${lines.join("|")})$`, "u");
});

/** Lines without the signature below them: behind `-- `, a closing formula, or what a program writes of itself. */
export function withoutSignature(lines: readonly string[]): readonly string[] {
  const above = withoutEnd(lines, separatorAt);
  // Each may stand below the other: a telephone's footer below a name, a name below a closing, which another footer is above.
  const kept = withoutEnd(withoutEnd(above, footerAt), closingAt);
  return kept === above ? kept : withoutEnd(kept, footerAt);
}

/** The lines above where something begins; the very same lines where it does not. */
function withoutEnd(
  lines: readonly string[],
  startOf: (below: readonly PlacedLine[], lines: readonly string[]) => number,
): readonly string[] {
  const at = startOf(lowest(lines), lines);
  return at === -1 ? lines : lines.slice(0, at);
}

/** A line without the blanks around it, and where it stands. */
interface PlacedLine {
  line: string;
  at: number;
}

const isBlank = (line: string): boolean => line.trim() === "";

/** The lowest lines that are not blank, from below: those in which a signature can begin. */
function lowest(lines: readonly string[]): PlacedLine[] {
  const found: PlacedLine[] = [];
  for (let at = lines.length - 1; at >= 0 && found.length <= MAX_SIGNATURE_LINES; at -= 1) {
    const line = (lines[at] ?? "").trim();
    if (line !== "") found.push({ line, at });
  }
  return found;
}

function separatorAt(below: readonly PlacedLine[]): number {
  return below.findLast(({ line }) => SEPARATOR.test(line))?.at ?? -1;
}

function footerAt(below: readonly PlacedLine[]): number {
  const found = below
    .slice(0, MAX_FOOTER_LINES + 1)
    .findLast(
      ({ line }) =>
        line.length <= MAX_FOOTER_CHARS && footer().test(line.toLowerCase().replace(/[.。]$/, "")),
    );
  return found?.at ?? -1;
}

/** A closing with short lines below it. One that is all there is, is the message. */
function closingAt(below: readonly PlacedLine[], lines: readonly string[]): number {
  const near = below.slice(0, MAX_CLOSING_LINES + 1);
  const long = near.findIndex(({ line }) => line.length > MAX_CLOSING_CHARS);
  const short = long === -1 ? near : near.slice(0, long);
  const found = short.findLast(({ line }) => isClosing(line));
  if (found === undefined || lines.slice(0, found.at).every(isBlank)) return -1;
  return found.at;
}

function isClosing(line: string): boolean {
  return line.length <= longestClosing() + MAX_CLOSING_MARKS && closings().has(closingOf(line));
}

const closingOf = (line: string): string =>
  line.toLowerCase().replace(CLOSING_MARKS, "").replaceAll("’", "'");
