import ipaddr from "ipaddr.js";

/** The results that a mechanism gives by the sign in front of it (RFC 7208 §4.6.2). */
export type Qualified = "pass" | "fail" | "softfail" | "neutral";

/** Prefix lengths; those of a mechanism that gives none are 32 and 128. */
export interface Prefixes {
  ipv4: number;
  ipv6: number;
}

export type Mechanism = { qualifier: Qualified } & (
  | { kind: "all" }
  | { kind: "include" | "exists"; domain: string }
  /** `domain` is null where the record does not name one: the domain under test. */
  | { kind: "a" | "mx"; domain: string | null; prefixes: Prefixes }
  | { kind: "ptr"; domain: string | null }
  | { kind: "ip"; network: number[]; prefix: number }
);

/** An SPF record (RFC 7208 §4.6.1). Domains still have their macros. */
export interface SpfRecord {
  mechanisms: Mechanism[];
  redirect: string | null;
}

/** Records in use stay below 1,000 characters; DNS allows 64 KB. */
const MAX_RECORD_CHARS = 4_096;
const MAX_TERMS = 200;

const QUALIFIERS: Readonly<Record<string, Qualified>> = {
  "": "pass",
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
};

/** Whether a TXT record is one of SPF (RFC 7208 §4.5). */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

/** Reads an SPF record; null if any part of it is malformed, wherever it stands. */
export function readSpfRecord(text: string): SpfRecord | null {
  const terms = text
    .split(" ")
    .slice(1)
    .filter((term) => term !== "");
  if (text.length > MAX_RECORD_CHARS || terms.length > MAX_TERMS) return null;
  const record: SpfRecord = { mechanisms: [], redirect: null };
  const modifiers = new Set<string>();
  for (const term of terms) {
    const [, name, value = ""] = /^([a-z][a-z0-9_.-]*)=(.*)$/is.exec(term) ?? [];
    if (name === undefined) {
      const mechanism = readMechanism(term);
      if (mechanism === null) return null;
      record.mechanisms.push(mechanism);
    } else if (!addModifier(record, modifiers, { name: name.toLowerCase(), value })) return null;
  }
  return record;
}

/** False where the modifier is malformed. Unknown ones are passed over (RFC 7208 §6). */
function addModifier(
  record: SpfRecord,
  seen: Set<string>,
  { name, value }: { name: string; value: string },
): boolean {
  if (name !== "redirect" && name !== "exp") return isMacroText(value);
  if (seen.has(name) || !isDomainSpec(value)) return false;
  seen.add(name);
  if (name === "redirect") record.redirect = value;
  return true;
}

function readMechanism(term: string): Mechanism | null {
  const match = /^([+?~-]?)([a-z0-9]+)([:/].*)?$/is.exec(term);
  const qualifier = QUALIFIERS[match?.[1] ?? ""];
  if (match === null || qualifier === undefined) return null;
  const argument = match[3] ?? "";
  const read = readArgument((match[2] ?? "").toLowerCase(), argument);
  return read === null ? null : { qualifier, ...read };
}

type Unqualified<T> = T extends unknown ? Omit<T, "qualifier"> : never;

function readArgument(name: string, argument: string): Unqualified<Mechanism> | null {
  switch (name) {
    case "all":
      return argument === "" ? { kind: "all" } : null;
    case "include":
    case "exists":
      return argument.startsWith(":") && isDomainSpec(argument.slice(1))
        ? { kind: name, domain: argument.slice(1) }
        : null;
    case "a":
    case "mx":
      return readHosts(name, argument);
    case "ptr":
      return readPtr(argument);
    case "ip4":
    case "ip6":
      return readNetwork(name, argument);
    default:
      return null;
  }
}

function readPtr(argument: string): Unqualified<Mechanism> | null {
  if (argument === "") return { kind: "ptr", domain: null };
  return argument.startsWith(":") && isDomainSpec(argument.slice(1))
    ? { kind: "ptr", domain: argument.slice(1) }
    : null;
}

function readHosts(kind: "a" | "mx", argument: string): Unqualified<Mechanism> | null {
  // A slash may be a delimiter inside a macro, so prefix lengths are what stands at the end.
  const match = /^(?::(.*?))?(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/s.exec(argument);
  if (match === null) return null;
  const [, domain, ipv4 = "32", ipv6 = "128"] = match;
  const prefixes = { ipv4: Number(ipv4), ipv6: Number(ipv6) };
  if (prefixes.ipv4 > 32 || prefixes.ipv6 > 128) return null;
  if (domain === undefined) return { kind, domain: null, prefixes };
  return isDomainSpec(domain) ? { kind, domain, prefixes } : null;
}

function readNetwork(name: "ip4" | "ip6", argument: string): Unqualified<Mechanism> | null {
  const [, address = "", prefix] = /^:([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/s.exec(argument) ?? [];
  const bits = name === "ip4" ? 32 : 128;
  const network = name === "ip4" ? ipv4Bytes(address) : ipv6Bytes(address);
  const length = Number(prefix ?? bits);
  return network === null || length > bits ? null : { kind: "ip", network, prefix: length };
}

function ipv4Bytes(text: string): number[] | null {
  const isPlain =
    /^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text);
  return isPlain ? ipaddr.IPv4.parse(text).toByteArray() : null;
}

function ipv6Bytes(text: string): number[] | null {
  const isPlain = /^[0-9a-f:.]+$/i.test(text) && text.includes(":") && ipaddr.IPv6.isValid(text);
  return isPlain ? ipaddr.IPv6.parse(text).toByteArray() : null;
}

/** The bytes of a client's address; a mapped IPv4 address counts as IPv4 (RFC 7208 §5). Null if it is none. */
export function addressBytes(text: string): number[] | null {
  const bytes = ipv4Bytes(text) ?? ipv6Bytes(text);
  const isMapped = bytes?.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0);
  return isMapped && bytes[10] === 0xff && bytes[11] === 0xff ? bytes.slice(12) : bytes;
}

/** Whether the first `prefix` bits of two addresses are the same. */
export function isInNetwork(address: readonly number[], network: readonly number[], prefix: number): boolean {
  if (address.length !== network.length) return false;
  return address.every((byte, index) => {
    const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
    return (byte ^ (network[index] ?? 0)) >> (8 - bits) === 0;
  });
}

/** RFC 7208 §7.1: a macro, an escape, or any visible character but the percent sign. */
const MACRO_TEXT = /^(?:%\{[slodiphcrtv]\d{0,3}r?[.\-+,/_=]*\}|%%|%_|%-|[!-$&-~])*$/i;

function isMacroText(text: string): boolean {
  return MACRO_TEXT.test(text);
}

/** RFC 7208 §7.1 `domain-spec`: it ends with a macro, or with a label that is no number. `c`, `r` and `t` stand in explanations only. */
function isDomainSpec(text: string): boolean {
  if (!isMacroText(text) || /%\{[crt]/i.test(text)) return false;
  if (/%\{[^}]*\}$/.test(text)) return true;
  const label = /\.([a-z0-9-]+)\.?$/i.exec(text)?.[1] ?? "";
  return /^(?:[a-z0-9]*[a-z][a-z0-9]*|[a-z0-9]+-[a-z0-9-]*[a-z0-9])$/i.test(label);
}
