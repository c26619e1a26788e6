import { MAX_NAME_CHARS } from "../../../../lib/dns/dns.ts";

/** The values of the macros of an SPF record (RFC 7208 §7.2). */
export interface MacroValues {
  /** The address under test, `local@domain`. */
  sender: string;
  helo: string;
  /** The client's address, 4 or 16 bytes. */
  client: readonly number[];
}

/** A name of the client that DNS confirms; "unknown" if there is none. */
export type ValidatedName = (domain: string) => Promise<string>;

const MACRO = /%\{([a-z])(\d{0,3})(r?)([.\-+,/_=]*)\}|%%|%_|%-/gi;
const ESCAPES: Readonly<Record<string, string>> = { "%%": "%", "%_": " ", "%-": "%20" };
/** Characters of an expanded text; a name is cut to 253 in the end. */
const MAX_EXPANDED_CHARS = 2_048;

/**
 * Expands the macros of a domain (RFC 7208 §7.3) that `domain` is tested for. A name that becomes too long loses labels on its
 * left.
 */
export async function expanded(
  text: string,
  values: MacroValues & { domain: string },
  validatedName: ValidatedName,
): Promise<string> {
  let result = "";
  let end = 0;
  for (const match of text.matchAll(MACRO)) {
    result += text.slice(end, match.index);
    end = match.index + match[0].length;
    const [whole, letter, digits = "", reversed = "", delimiters = ""] = match;
    if (letter === undefined) result += ESCAPES[whole] ?? "";
    else {
      const value =
        letter.toLowerCase() === "p"
          ? await validatedName(values.domain)
          : valueOf(letter.toLowerCase(), values);
      const changed = transformed(value, { digits, isReversed: reversed !== "", delimiters });
      result += letter === letter.toLowerCase() ? changed : escaped(changed);
    }
    if (result.length > MAX_EXPANDED_CHARS) result = result.slice(-MAX_EXPANDED_CHARS);
  }
  return shortened((result + text.slice(end)).replace(/\.$/, ""));
}

function valueOf(letter: string, { sender, helo, client, domain }: MacroValues & { domain: string }): string {
  const at = sender.lastIndexOf("@");
  switch (letter) {
    case "s":
      return sender;
    case "l":
      return sender.slice(0, at);
    case "o":
      return sender.slice(at + 1);
    case "d":
      return domain;
    case "i":
      return dotted(client);
    case "h":
      return helo;
    case "v":
      return client.length === 4 ? "in-addr" : "ip6";
    default:
      return "";
  }
}

/** An IPv4 address as usual; the digits of an IPv6 address with dots between them. */
export function dotted(address: readonly number[]): string {
  if (address.length === 4) return address.join(".");
  return address.map((byte) => `${(byte >> 4).toString(16)}.${(byte & 15).toString(16)}`).join(".");
}

function transformed(
  value: string,
  { digits, isReversed, delimiters }: { digits: string; isReversed: boolean; delimiters: string },
): string {
  const splitters = new Set(delimiters === "" ? "." : delimiters);
  const parts = [""];
  for (const character of value) {
    if (splitters.has(character)) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  if (isReversed) parts.reverse();
  const count = digits === "" ? parts.length : Number(digits);
  return parts.slice(-count).join(".");
}

/** RFC 3986 §2.3: all but unreserved characters. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function shortened(name: string): string {
  let start = 0;
  while (name.length - start > MAX_NAME_CHARS) {
    const dot = name.indexOf(".", start);
    if (dot === -1) return name.slice(-MAX_NAME_CHARS);
    start = dot + 1;
  }
  return name.slice(start);
}
