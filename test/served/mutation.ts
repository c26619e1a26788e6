import fc from "fast-check";

/** A change to a message. Positions are fractions of its length, so that they fit every message. */
export type Mutation =
  | { kind: "flip"; at: number; mask: number }
  | { kind: "cut"; from: number; length: number }
  | { kind: "repeat"; from: number; length: number; times: number }
  | { kind: "insert"; at: number; bytes: Uint8Array }
  | { kind: "header"; at: "first" | "last"; line: string }
  | { kind: "boundary"; trick: BoundaryTrick }
  | { kind: "charset"; label: string }
  | { kind: "encoding"; label: string }
  | { kind: "lines"; end: string }
  | { kind: "splice"; other: number; at: number };

type BoundaryTrick = (typeof BOUNDARY_TRICKS)[number];

const BOUNDARY_TRICKS = [
  "unclosed",
  "closed at once",
  "prefix",
  "empty",
  "doubled",
  "long",
  "in itself",
] as const;

/** Mutants stay small enough for a host to relay, so only short parts are repeated often. */
const MAX_BYTES = 400_000;
const MAX_REPEAT_BYTES = 100_000;

const HEADERS = [
  "Bcc: x",
  ": no name",
  "no colon at all",
  " folded before anything",
  "From: a@b.example, c@d.example",
  "From: undisclosed:;",
  "From: =?utf-8?B?!!!?= <a@b.example>",
  'From: "a\\',
  "Subject: =?utf-7?Q?+ADw-script+AD4-?=",
  "Subject: =?x?Q?=?= =?utf-8?Q?=FF=FE?=",
  `Subject: ${"=?utf-8?Q?a?= ".repeat(2_000)}`,
  "Message-ID: <twice@b.example>",
  "Message-ID: ",
  "Message-ID: <<>>",
  `References: ${"<a@b.example> ".repeat(3_000)}`,
  "In-Reply-To: <twice@b.example> <a@b.example> \0",
  "Date: 31 Feb 99999 25:61:61 +9999",
  "Date: ",
  "To: (((((((((((((((((((((((",
  `To: ${"a@b.example,".repeat(5_000)}`,
  `To: ${"(".repeat(50_000)}`,
  "Content-Type: multipart/mixed",
  'Content-Type: multipart/mixed; boundary=""',
  "Content-Type: multipart/mixed; boundary=--",
  "Content-Type: message/rfc822",
  "Content-Type: text/html; charset=\0",
  "Content-Type: text/plain; name*0*=''%00; name*99999=x",
  'Content-Disposition: attachment; filename="../../etc/passwd\r\n\tx"',
  "Content-Transfer-Encoding: base64",
  "Authentication-Results: mx.example; spf=pass",
  "List-Unsubscribe: <javascript:alert(1)>",
  "Auto-Submitted: \u{e0041}",
  `${"X".repeat(2_000)}: y`,
  `X-Long: ${"z".repeat(200_000)}`,
];

const CHARSETS = [
  "",
  "utf-7",
  "utf-16",
  "utf-16le",
  "utf-32",
  "iso-2022-jp",
  "iso-2022-kr",
  "gb18030",
  "big5",
  "ks_c_5601-1987",
  "koi8-r",
  "x-user-defined",
  "replacement",
  "__proto__",
  "nonsense",
  "utf-8\0",
];

const ENCODINGS = [
  "base64",
  "quoted-printable",
  "7bit",
  "8bit",
  "binary",
  "x-uuencode",
  "yenc",
  "",
  "__proto__",
];

const part = fc.double({ min: 0, max: 1, noNaN: true });

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant("flip"), at: part, mask: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant("cut"), from: part, length: part }),
  fc.record({
    kind: fc.constant("repeat"),
    from: part,
    length: part,
    times: fc.integer({ min: 2, max: 500 }),
  }),
  fc.record({ kind: fc.constant("insert"), at: part, bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }) }),
  fc.record({
    kind: fc.constant("header"),
    at: fc.constantFrom("first", "last"),
    line: fc.constantFrom(...HEADERS),
  }),
  fc.record({ kind: fc.constant("boundary"), trick: fc.constantFrom(...BOUNDARY_TRICKS) }),
  fc.record({ kind: fc.constant("charset"), label: fc.constantFrom(...CHARSETS) }),
  fc.record({ kind: fc.constant("encoding"), label: fc.constantFrom(...ENCODINGS) }),
  fc.record({ kind: fc.constant("lines"), end: fc.constantFrom("\n", "\r", "\n\r", "\r\r\n", "\0") }),
  fc.record({ kind: fc.constant("splice"), other: fc.nat(), at: part }),
);

/** The recipe of a mutant: a message and its changes. */
export interface Recipe {
  seed: number;
  mutations: Mutation[];
  /** Appended if the mutations change nothing. */
  salt: Uint8Array;
}

export const recipe: fc.Arbitrary<Recipe> = fc.record({
  seed: fc.noBias(fc.nat()),
  mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }),
  salt: fc.noBias(fc.uint8Array({ minLength: 8, maxLength: 8 })),
});

/** The mutant of a recipe: never empty, and always different from its message. */
export function mutantOf({ seed, mutations, salt }: Recipe, seeds: readonly Buffer[]): Buffer {
  const original = seedAt(seeds, seed);
  let bytes = original;
  for (const one of mutations) bytes = mutate(bytes, one, seeds).subarray(0, MAX_BYTES);
  const isMutant = bytes.length > 0 && !bytes.equals(original);
  return isMutant ? bytes : Buffer.concat([bytes, salt]);
}

const seedAt = (seeds: readonly Buffer[], index: number): Buffer =>
  seeds[index % seeds.length] ?? Buffer.from("x");

function mutate(bytes: Buffer, change: Mutation, seeds: readonly Buffer[]): Buffer {
  const at = (place: number): number => Math.floor(place * bytes.length);
  switch (change.kind) {
    case "flip":
      return replaced(bytes, at(change.at), 1, Buffer.of((bytes[at(change.at)] ?? 0) ^ change.mask));
    case "cut":
      return replaced(bytes, at(change.from), at(change.length), Buffer.alloc(0));
    case "repeat":
      return repeated(bytes, at(change.from), at(change.length), change.times);
    case "insert":
      return replaced(bytes, at(change.at), 0, Buffer.from(change.bytes));
    case "header":
      return withHeader(bytes, change);
    case "boundary":
      return rewritten(bytes, (text) => withBoundary(text, change.trick));
    case "charset":
      return rewritten(bytes, (text) =>
        text.replace(/charset="?[^";\r\n]*"?/gi, `charset="${change.label}"`),
      );
    case "encoding":
      return rewritten(bytes, (text) =>
        text.replace(/^Content-Transfer-Encoding:.*$/gim, `Content-Transfer-Encoding: ${change.label}`),
      );
    case "lines":
      return rewritten(bytes, (text) => text.replace(/\r?\n/g, change.end));
    case "splice":
      return Buffer.concat([bytes.subarray(0, at(change.at)), seedAt(seeds, change.other)]);
  }
}

function replaced(bytes: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

function repeated(bytes: Buffer, from: number, length: number, times: number): Buffer {
  const section = bytes.subarray(from, from + length);
  const count = Math.min(times, Math.ceil(MAX_REPEAT_BYTES / Math.max(1, section.length)));
  return replaced(bytes, from, 0, Buffer.concat(Array.from({ length: count }, () => section)));
}

function withHeader(bytes: Buffer, { at, line }: { at: "first" | "last"; line: string }): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  const place = at === "first" || end === -1 ? 0 : end + 2;
  return replaced(bytes, place, 0, Buffer.from(`${line}\r\n`));
}

/** Rewrites bytes as Latin-1 text, so that all other bytes stay unchanged. */
function rewritten(bytes: Buffer, rewrite: (text: string) => string): Buffer {
  return Buffer.from(rewrite(bytes.toString("latin1")), "latin1");
}

function withBoundary(text: string, trick: BoundaryTrick): string {
  const declared = /boundary="?([^";\r\n]+)"?/i.exec(text)?.[1] ?? "none";
  const line = `--${declared}`;
  switch (trick) {
    case "unclosed":
      return text.replaceAll(`${line}--`, "");
    case "closed at once":
      return text.replace(`${line}\r\n`, `${line}--\r\n${line}\r\n`);
    case "prefix":
      return text.replaceAll(`${line}\r\n`, `${line}x\r\n${line} \t\r\n`);
    case "empty":
      return text.replace(/boundary="?[^";\r\n]+"?/i, 'boundary=""');
    case "doubled":
      return text.replaceAll(`${line}\r\n`, `${line}\r\n`.repeat(500));
    case "long":
      return text.replaceAll(declared, declared.repeat(40));
    case "in itself":
      return text.replaceAll(
        `${line}\r\n`,
        `${line}\r\nContent-Type: multipart/mixed; boundary="${declared}"\r\n\r\n`.repeat(20),
      );
  }
}

/** A few messages to mutate if there is no corpus. */
export const SEEDS: readonly Buffer[] = [
  "From: Ann <ann@example.com>\r\nTo: b@example.com\r\nSubject: Hi\r\nMessage-ID: <plain@example.com>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\nYour code is 482913.\r\n.\r\n..\r\n",
  'From: =?iso-8859-1?Q?J=F6rg?= <j@example.com>\r\nSubject: =?utf-8?B?8J+YgA==?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b1"\r\n\r\npreamble\r\n--b1\r\nContent-Type: multipart/alternative; boundary="b11"\r\n\r\n--b11\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe=\r\n aus\r\n--b11\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+R3LDvMOfZTwvYj4=\r\n--b11--\r\n--b1\r\nContent-Type: application/pdf; name*=UTF-8\'\'pl%C3%A4ne.pdf\r\nContent-Disposition: attachment; filename="plan.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK\r\n--b1--\r\nepilogue\r\n',
  'From: mailer-daemon@example.com\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="rr"\r\n\r\n--rr\r\n\r\nIt failed.\r\n--rr\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; x@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n--rr\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n\xf0\xd2\xc9\xd7\xc5\xd4\r\n--rr--\r\n',
  "Subject: HTML only\r\nContent-Type: text/html; charset=windows-1252\r\n\r\n<!doctype html><style>b{}</style><p>Code: <b>739 204</b><script>x</script><div style='display:none'>h</div><a href='https://example.com/?a=1&amp;b'>l</a>\x80</p>\r\n",
  "From: ics@example.com\r\nMessage-ID: <cal@example.com>\r\nIn-Reply-To: <plain@example.com>\r\nReferences: <plain@example.com> <x@example.com>\r\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
].map((text) => Buffer.from(text, "latin1"));
