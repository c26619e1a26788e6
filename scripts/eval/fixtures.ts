import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * One mail of a corpus as its file describes it (test/fixtures/README.md says how): what it looks like on the wire, and what
 * a reader should find in it.
 */
export interface Fixture {
  /** `language/name`. */
  id: string;
  language: string;
  /** `text`, or `html`, `both` and `stub` with a template. */
  layout: (typeof LAYOUTS)[number];
  /** "" for `text`. */
  template: string;
  charset: string;
  encoding: string;
  from: string;
  subject: string;
  /** The values to be found, by field: `code`, `link`. */
  expected: Record<string, string>;
  /** Fields that nobody can argue about in this mail are judged; these are not. */
  unjudged: readonly string[];
  /** Further header lines, as they are. */
  headers: string[];
  body: string;
}

/** Fields of orders, parcels, appointments and receipts that a fixture may name. */
export const EXTRACTED_FIELDS = [
  "order_id",
  "total",
  "currency",
  "merchant",
  "items",
  "tracking_number",
  "carrier",
  "eta",
  "status",
  "title",
  "date",
  "time",
  "location",
  "attendees",
  "start",
  "end",
  "uid",
  "method",
  "amount",
  "payment_method",
];

const LAYOUTS = ["text", "html", "both", "stub"] as const;
const ENCODINGS = ["7bit", "8bit", "quoted-printable", "base64"];
const FIELDS = ["from", "subject"];

/** `layout:template charset encoding`, the latter two in any order or left out. */
function readForm(form: string): Pick<Fixture, "layout" | "template" | "charset" | "encoding"> {
  const [shape = "", ...words] = form.split(" ");
  const [name = "", template = ""] = shape.split(":");
  const layout = LAYOUTS.find((each) => each === name);
  if (layout === undefined) throw new Error(`No layout: ${form}`);
  return {
    layout,
    template,
    charset: words.find((word) => !ENCODINGS.includes(word)) ?? "utf-8",
    encoding: words.find((word) => ENCODINGS.includes(word)) ?? "8bit",
  };
}

function readFixture(record: string, expectations: readonly string[]): Fixture {
  const [title = "", ...rest] = record.split("\n");
  const end = rest.indexOf("");
  const { id, form } = /^(?<id>\S+): (?<form>.+)$/.exec(title)?.groups ?? {};
  if (id === undefined || form === undefined || end < 0) throw new Error(`No fixture: ${title}`);
  const fixture: Fixture = {
    id,
    language: id.slice(0, id.indexOf("/")),
    ...readForm(form),
    from: "",
    subject: "",
    expected: {},
    unjudged: [],
    headers: [],
    body: rest
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
  for (const line of rest.slice(0, end)) readHeader(fixture, line, expectations);
  return fixture;
}

function readHeader(fixture: Fixture, line: string, expectations: readonly string[]): void {
  const colon = line.indexOf(": ");
  const name = line.slice(0, colon).toLowerCase();
  const value = line.slice(colon + 2);
  if (colon < 0) throw new Error(`${fixture.id}: ${line}`);
  if (expectations.includes(name)) fixture.expected[name] = value;
  else if (FIELDS.includes(name)) Object.assign(fixture, { [name]: value });
  else fixture.headers.push(line);
}

/**
 * The fixtures of the files in a folder. Throws where two have one id or one text: a corpus is as large as its mails are
 * different.
 */
export function readFixtures(folder: string, expectations: readonly string[]): Fixture[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  const records = files
    .toSorted()
    .flatMap((file) => readFileSync(path.join(folder, file), "utf8").split(/^=== /m).slice(1));
  const fixtures = records.map((record) => readFixture(record, expectations));
  const seen = new Set<string>();
  for (const { id, subject, body } of fixtures) {
    // Mails that differ in numbers only count as one.
    const text = `${subject}\n${body}`.replaceAll(/[0-9]/g, "0");
    if (seen.has(id) || seen.has(text)) throw new Error(`${id} is there twice`);
    seen.add(id).add(text);
  }
  return fixtures;
}
