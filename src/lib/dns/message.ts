import { CNAME, negativeTtl, RECORD_CODES, SOA } from "./codes.ts";
import type { Fetched } from "./cached-dns.ts";
import type { RecordType } from "./dns.ts";

const HEADER_BYTES = 12;
const CLASS_IN = 1;
/** RFC 6891: a resolver may answer with datagrams of this size, which every path of the internet carries. */
const EDNS_BYTES = 1_232;
const OPT = 41;
/** Names in a chain of aliases. */
const MAX_ALIASES = 8;
/** Records of an answer that are read. */
const MAX_RECORDS = 512;
/** RFC 1035 §3.1, and pointers to follow in one name. */
const MAX_NAME_BYTES = 255;
const MAX_POINTERS = 16;

const NO_ERROR = 0;
const NAME_ERROR = 3;

/** One question to a resolver (RFC 1035 §4). */
export interface DnsQuestion {
  /** 0 to 65535; the answer must have the same. */
  id: number;
  name: string;
  type: RecordType;
}

/** A query that asks the resolver to resolve fully. */
export function encodeQuery({ id, name, type }: DnsQuestion): Buffer {
  const labels = name
    .split(".")
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  // Recursion desired; one question, one additional record.
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(1, 10);
  const asked = Buffer.from([0, RECORD_CODES[type], 0, CLASS_IN]);
  const edns = Buffer.from([0, 0, OPT, EDNS_BYTES >> 8, EDNS_BYTES & 0xff, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, ...labels, Buffer.from([0]), asked, edns]);
}

/** An answer. `other`: it answers another question, or is no answer. `cut`: it is cut off, and TCP gives the whole. */
export type Decoded = { kind: "answer"; fetched: Fetched } | { kind: "cut" | "other" | "failed" };

/** Reads an answer to `question`. Never throws. */
export function decodeAnswer(bytes: Buffer, question: DnsQuestion): Decoded {
  try {
    return decode(new Reader(bytes), question);
  } catch (error) {
    if (error instanceof RangeError) return { kind: "other" };
    throw error;
  }
}

function decode(reader: Reader, question: DnsQuestion): Decoded {
  const head = { id: reader.number(), flags: reader.number(), questions: reader.number() };
  const counts = { answers: reader.number(), authorities: reader.number() };
  reader.skip(2);
  if (!isAnswerTo(question, head, reader)) return { kind: "other" };
  if ((head.flags & 0x0200) !== 0) return { kind: "cut" };
  const code = head.flags & 0x000f;
  if (code !== NO_ERROR && code !== NAME_ERROR) return { kind: "failed" };
  const found = records(reader, counts.answers);
  const own = ownRecords(found, question);
  const answer = { records: own.map(({ text }) => text), exists: code === NO_ERROR };
  // An alias may be changed before what it leads to, so the shortest time counts.
  if (own.length > 0) {
    return { kind: "answer", fetched: { answer, ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)) } };
  }
  const soa = records(reader, counts.authorities).find(({ type }) => type === SOA);
  return { kind: "answer", fetched: { answer, ttlSeconds: soa?.ttl ?? 0 } };
}

/** Whether a message answers a question: it has its number, and repeats it. */
function isAnswerTo(
  question: DnsQuestion,
  { id, flags, questions }: { id: number; flags: number; questions: number },
  reader: Reader,
): boolean {
  if (id !== question.id || (flags & 0x8000) === 0 || questions !== 1) return false;
  const repeated = { name: reader.name(), type: reader.number(), class: reader.number() };
  return (
    repeated.name === question.name.toLowerCase() &&
    repeated.type === RECORD_CODES[question.type] &&
    repeated.class === CLASS_IN
  );
}

interface Resource {
  name: string;
  type: number;
  ttl: number;
  text: string;
}

/** The records of the asked type at the name, or at the one that it is an alias of. */
function ownRecords(found: readonly Resource[], question: DnsQuestion): Resource[] {
  let name = question.name.toLowerCase();
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const here = name;
    const own = found.filter((record) => record.name === here && record.type === RECORD_CODES[question.type]);
    const alias = found.find((record) => record.name === here && record.type === CNAME);
    if (own.length > 0 || alias === undefined) return own;
    name = alias.text;
  }
  return [];
}

function records(reader: Reader, count: number): Resource[] {
  if (count > MAX_RECORDS) throw new RangeError("too many records");
  const found: Resource[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = reader.name();
    const type = reader.number();
    const isInternet = reader.number() === CLASS_IN;
    const ttl = reader.number() * 0x1_0000 + reader.number();
    const length = reader.number();
    const end = reader.at + length;
    const text = isInternet ? recordText(reader, type, end) : null;
    if (type === SOA) found.push({ name, type, ttl: negativeTtl(ttl, reader.lastNumber(end)), text: "" });
    else if (text !== null) found.push({ name, type, ttl, text });
    reader.moveTo(end);
  }
  return found;
}

/** The data of a record as `DnsAnswer` has it; null for a type that is not read. */
function recordText(reader: Reader, type: number, end: number): string | null {
  switch (type) {
    case RECORD_CODES.A:
      return reader.bytes(4).join(".");
    case RECORD_CODES.AAAA:
      return hexGroups(reader.bytes(16));
    case RECORD_CODES.MX:
      return `${reader.number()} ${reader.name()}`;
    case RECORD_CODES.TXT:
      return reader.strings(end);
    case RECORD_CODES.PTR:
    case CNAME:
      return reader.name();
    default:
      return null;
  }
}

function hexGroups(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16)).join(":");
}

/** Reads a message from its start; throws RangeError behind its end. */
class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The next number of two bytes. */
  number(): number {
    this.at += 2;
    return this.#bytes.readUInt16BE(this.at - 2);
  }

  bytes(count: number): Buffer {
    if (this.at + count > this.#bytes.length) throw new RangeError("the message is too short");
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  skip(count: number): void {
    this.bytes(count);
  }

  moveTo(offset: number): void {
    if (offset < this.at || offset > this.#bytes.length)
      throw new RangeError("the record has a wrong length");
    this.at = offset;
  }

  /** The four bytes before `end`. */
  lastNumber(end: number): number {
    return this.#bytes.readUInt32BE(end - 4);
  }

  /** The character strings up to `end`, joined. */
  strings(end: number): string {
    const parts: Buffer[] = [];
    while (this.at < end) {
      const [length = 0] = this.bytes(1);
      parts.push(this.bytes(length));
    }
    return Buffer.concat(parts).toString("latin1");
  }

  /** A name in lower case, its compression followed (RFC 1035 §4.1.4). */
  name(): string {
    const labels: string[] = [];
    let at = this.at;
    let end = -1;
    let size = 0;
    for (let pointers = 0; pointers <= MAX_POINTERS;) {
      const length = this.#bytes.readUInt8(at);
      if (length >= 0xc0) {
        end = end === -1 ? at + 2 : end;
        at = this.#bytes.readUInt16BE(at) & 0x3fff;
        pointers += 1;
        continue;
      }
      size += length + 1;
      if (length > 63 || size > MAX_NAME_BYTES || at + 1 + length > this.#bytes.length) break;
      if (length === 0) {
        this.at = end === -1 ? at + 1 : end;
        return labels.join(".").toLowerCase();
      }
      labels.push(labelText(this.#bytes.subarray(at + 1, at + 1 + length)));
      at += length + 1;
    }
    throw new RangeError("the name is malformed");
  }
}

/** A label as text; a dot inside it, which no host name has, becomes a blank, so that it is not mistaken for two labels. */
function labelText(label: Buffer): string {
  return label.toString("latin1").replaceAll(".", " ");
}
