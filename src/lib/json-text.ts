/** The index of the closing quote of the string literal whose content begins at `from`; -1 if the literal is cut off. */
export function literalEnd(json: string, from: number): number {
  let end = json.indexOf('"', from);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes precedes `at`. */
export function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

/** Closes a string literal that was cut off. If the cut is inside an escape (up to six characters), it ends before it. */
export function closedLiteral(start: string): string {
  const whole = start.replace(/\\(?:u[0-9a-f]{0,3})?$/, "");
  return isEscaped(whole, whole.length) ? `${whole.slice(0, -1)}"` : `${whole}"`;
}

/** The ellipsis as JSON writes it in ASCII. */
export const ESCAPED_ELLIPSIS = "\\u2026";

/**
 * `value` as JSON, with the ellipsis of our excerpts as an escape: one character beyond Latin-1 would make the text, and the
 * whole page that it is pasted into, take two bytes a character.
 */
export function latinJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("…", ESCAPED_ELLIPSIS);
}

/** A member of a JSON object that is a string: its value, and where its literal begins and ends in the text. */
export interface StringMember {
  value: () => string;
  start: number;
  end: number;
}

/**
 * Finds a string member without parsing the object: the first of that name, which must exist. Inside a string every quote has
 * a backslash, so the name between unescaped quotes with a colon behind it can only be the member.
 */
export function stringMember(json: string, name: string): StringMember {
  const key = `"${name}":"`;
  let at = json.indexOf(key);
  // This is the end of another name, such as a header called `x"subject`.
  while (at !== -1 && isEscaped(json, at)) at = json.indexOf(key, at + 1);
  const start = at + key.length - 1;
  const end = literalEnd(json, start + 1) + 1;
  return { value: () => ownJson<string>(json.slice(start, end)), start, end };
}

/** Reads JSON that this program wrote itself, and whose shape it therefore knows. Never for JSON from outside. */
export function ownJson<Shape>(text: string): Shape {
  return JSON.parse(text) as Shape;
}
