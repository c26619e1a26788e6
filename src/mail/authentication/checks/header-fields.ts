import { trimmed } from "./tag-list.ts";

/** RFC 5322 §2.2. */
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/;

/** One field of a header as it was sent. */
export interface RawField {
  /** Lower case, without blanks before the colon. */
  name: string;
  /** Name, colon and value, without the line end behind it; lines end with CR LF. A character for each byte. */
  text: string;
  /** Offset of the value in `text`. */
  valueStart: number;
}

/**
 * The fields of a header block, top first, from its bytes as text (a character for each byte). A line feed ends a line, with or
 * without CR. Lines that are no field are kept with an empty name: they are no part of what is signed.
 */
export function readFields(block: string): RawField[] {
  const fields: RawField[] = [];
  for (const line of block.replace(/\r?\n/g, "\r\n").split(/\r\n(?![ \t])/)) {
    if (line === "") continue;
    const colon = line.indexOf(":");
    const name = colon === -1 ? "" : trimmed(line.slice(0, colon));
    const isField = FIELD_NAME.test(name) && !line.startsWith(" ") && !line.startsWith("\t");
    fields.push({ name: isField ? name.toLowerCase() : "", text: line, valueStart: colon + 1 });
  }
  return fields;
}

/** Whether a text is the name of a field (RFC 5322 §2.2). */
export function isFieldName(text: string): boolean {
  return FIELD_NAME.test(text);
}

/** The value of a field, folded as it was. */
export function valueOf(field: RawField): string {
  return field.text.slice(field.valueStart);
}

export type Canonicalization = "simple" | "relaxed";

/** A field in the canonical form of RFC 6376 §3.4.1 or §3.4.2, without a line end. */
export function canonicalField(field: RawField, how: Canonicalization): string {
  if (how === "simple") return field.text;
  const value = valueOf(field)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ");
  return `${field.name}:${value.replace(/^ /, "").replace(/ $/, "")}`;
}

/** A signature field without the value of its `b=` tag and the blanks around it (RFC 6376 §3.7). */
export function withoutSignature(field: RawField): RawField {
  const value = valueOf(field);
  let start = 0;
  while (start <= value.length) {
    const semicolon = value.indexOf(";", start);
    const end = semicolon === -1 ? value.length : semicolon;
    const equals = value.indexOf("=", start);
    if (equals !== -1 && equals < end && value.slice(start, equals).trim() === "b") {
      const text = field.text.slice(0, field.valueStart) + value.slice(0, equals + 1) + value.slice(end);
      return { ...field, text };
    }
    start = end + 1;
  }
  return field;
}
