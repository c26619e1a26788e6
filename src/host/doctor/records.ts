import { quoted } from "./finding.ts";

/** The most bytes of a string of a TXT record (RFC 1035 §3.3). */
const MAX_STRING_BYTES = 255;
/** The TTL of a printed record, one hour: a mistake in it is cached no longer. */
const TTL_SECONDS = 3_600;

/** A name of a host as DNS and SMTP take it (RFC 1123 §2.1), with underscores in labels such as `_dmarc`. */
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?)*$/i;

/** Whether a name from a DNS answer may stand in a record or a command. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** A record of DNS as a line of a zone file (RFC 1035 §5.1). `data` of TXT is the text itself. */
export function recordLine(
  name: string,
  type: "A" | "AAAA" | "MX" | "NS" | "PTR" | "TXT",
  data: string,
): string {
  return `${name}. ${TTL_SECONDS} IN ${type} ${type === "TXT" ? strings(data) : data}`;
}

/** An address record for an IPv4 or IPv6 address. */
export function addressLine(name: string, address: string): string {
  return recordLine(name, address.includes(":") ? "AAAA" : "A", address);
}

/** A text as the strings of a TXT record; a long one takes several. */
function strings(text: string): string {
  const parts = text.match(new RegExp(`.{1,${MAX_STRING_BYTES}}`, "gs")) ?? [""];
  return parts.map((one) => `"${one.replaceAll(/["\\]/g, "\\$&")}"`).join(" ");
}

/** The tags of a record such as `v=DMARC1; p=none`, names in lower case. The first of two equal names counts. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
    if (name !== "" && !tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

/** A list of names for a title: at most four of them. */
export function listed(names: readonly string[]): string {
  const MOST = 4;
  const shown = names.slice(0, MOST).map((name) => (isName(name) ? name : quoted(name)));
  return `${shown.join(", ")}${names.length > MOST ? ` and ${names.length - MOST} more` : ""}`;
}

/** A name without the dot at its end, in lower case. */
export function bare(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** The name of the PTR record (reverse DNS) of an address (RFC 1035 §3.5, RFC 3596 §2.5); null for an IPv6 address in a form that is not plain. */
export function reverseName(address: string): string | null {
  if (!address.includes(":")) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...after];
  if (groups.length !== 8 || groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  const digits = groups
    .map((group) => group.padStart(4, "0"))
    .join("")
    .toLowerCase();
  return `${Array.from(digits).reverse().join(".")}.ip6.arpa`;
}
