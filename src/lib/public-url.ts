import ipaddr from "ipaddr.js";
import { done, refused, type Outcome } from "./outcome.ts";

/** As given and as encoded: a target is stored, shown and sent on each delivery. */
export const MAX_URL_CHARS = 2_048;

/** Where web servers listen for the public; any other port may be a mail server or a database that reads lines (T20). */
const PUBLIC_PORTS: ReadonlySet<string> = new Set(["443", "8443"]);

/** RFC 1035 §2.3.4, without the length octets and the root. */
const MAX_NAME_CHARS = 253;

/** More than any honest host has; a longer answer is refused rather than walked. */
export const MAX_RESOLVED_ADDRESSES = 64;

/** Half an attempt, so that a slow resolver does not look like a slow target. */
export const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Endings that name no host of the public internet, though a resolver at home may answer for them: RFC 6761, RFC 6762
 * with its appendix G, RFC 7686, RFC 8375, RFC 9476, ICANN's `internal`. `test` and `example` lead nowhere and harm nobody.
 */
const PRIVATE_ENDINGS: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "home.arpa",
  "invalid",
  "onion",
  "alt",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  // The second name of metadata.google.internal.
  "metadata.goog",
];

/** Answers about the machine that runs us, though its range is public (Azure). */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** RFC 4291 §2.4: no other IPv6 prefix was ever given to a public host. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR("2000::/3");

/** WHATWG URL drops or turns these, so that the text and the URL would not be the same target (T14). */
const UNSAFE_CHARS = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u;

/** A host as URL writes it, after IDNA: letters, digits, hyphens, and the underscore that some names have. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Why `ip` is no public address; null if it is one. */
function addressProblem(ip: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) {
    if (METADATA_ADDRESSES.has(ip)) return `${ip} is a metadata address`;
    const range = ipaddr.IPv4.parse(ip).range();
    return range === "unicast" ? null : `${ip} is not public (${range})`;
  }
  if (!ipaddr.IPv6.isValid(ip)) return "it is no IP address";
  const address = ipaddr.IPv6.parse(ip);
  // A zone names an interface of this machine.
  if (address.zoneId !== undefined) return `${ip} is not public (linkLocal)`;
  const range = address.range();
  if (range !== "unicast") return `${ip} is not public (${range})`;
  return address.match(GLOBAL_UNICAST) ? null : `${ip} is not public (reserved)`;
}

/** The ending that keeps a name in lower case off the public internet; null if none does. */
export function privateEnding(name: string): string | null {
  return PRIVATE_ENDINGS.find((one) => name === one || name.endsWith(`.${one}`)) ?? null;
}

/** Why a host in lower case without brackets is not on the public internet; null if it may be. */
function nameProblem(name: string): string | null {
  if (name.endsWith(".")) return "must name its host without a trailing dot";
  const labels = name.split(".");
  if (name.length > MAX_NAME_CHARS || !labels.every((label) => LABEL.test(label))) {
    return "must name its host by a valid domain name";
  }
  const ending = privateEnding(name);
  if (ending !== null) return `must name a public host: "${ending}" is reserved`;
  return labels.length < 2 ? "must name a public host: a single label is a name of the local network" : null;
}

/** The address a hostname of a URL spells, without brackets; null for a name. URL has normalised every other spelling. */
function literalOf(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) || ipaddr.IPv6.isValid(hostname) ? hostname : null;
}

/** What is wrong with the text before anything reads it as a URL; null if nothing. */
function spellingProblem(text: string, allowPrivate: boolean): string | null {
  if (text.length > MAX_URL_CHARS) return `must have at most ${MAX_URL_CHARS} characters`;
  if (UNSAFE_CHARS.test(text)) {
    return "must not contain spaces, line breaks, backslashes, control or invisible characters";
  }
  // URL also reads "https:host" and "https:///host", which other readers take for a path.
  const match = /^(https?):\/\/([^/?#]+)/i.exec(text);
  const scheme = match?.[1]?.toLowerCase();
  if (scheme !== "https" && !(allowPrivate && scheme === "http")) {
    return allowPrivate
      ? "must begin with https:// or http:// and a host"
      : "must begin with https:// and a host";
  }
  return match?.[2]?.includes("@") === true ? "must not carry a user name or password" : null;
}

function portProblem(port: string, allowPrivate: boolean): string | null {
  if (port === "0") return "must not use port 0";
  return allowPrivate || port === "" || PUBLIC_PORTS.has(port) ? null : "must use port 443 or 8443";
}

function hostProblem(hostname: string): string | null {
  const literal = literalOf(hostname);
  if (literal === null) return nameProblem(hostname);
  const problem = addressProblem(literal);
  return problem === null ? null : `must name a public host: ${problem}`;
}

/**
 * The target that `text` names, if mail of strangers may make us call it (wire contract, parts 3 and 5; T14–T20): https to
 * a public host on port 443 or 8443. With `allowPrivate`, for local work, any host and port, and http. The error names the
 * rule, so that the name of a field before it makes a sentence. A name may still resolve to anything: see `resolution`.
 */
export function checkPublicUrl(text: string, options: { allowPrivate: boolean }): Outcome<URL, string> {
  const spelling = spellingProblem(text, options.allowPrivate);
  if (spelling !== null) return refused(spelling);
  const url = URL.parse(text);
  if (url === null) return refused("must be a valid URL");
  if (url.href.length > MAX_URL_CHARS) {
    return refused(`must have at most ${MAX_URL_CHARS} characters when encoded`);
  }
  const problem =
    portProblem(url.port, options.allowPrivate) ?? (options.allowPrivate ? null : hostProblem(url.hostname));
  return problem === null ? done(url) : refused(problem);
}

/**
 * Whether `ip`, an address as a resolver or a socket writes it, belongs to a host of the public internet. Everything else
 * is refused: private, special and documentation ranges, IPv6 that carries an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * zones, and any text that is no plain address.
 */
export function isPublicAddress(ip: string): boolean {
  return addressProblem(ip) === null;
}

/** Looks a name up: every address of it, IPv4 and IPv6. Rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** `unresolved`: no address, no answer in time, or a resolver that failed. */
export type Resolution = "public" | "not_public" | "unresolved";

/**
 * Where the hostname of a URL leads. One address that is not public spoils them all: the connection may choose any (T18).
 * Never rejects. A name can lead elsewhere a moment later, so the network that connects has the last word.
 */
export async function resolution(
  hostname: string,
  resolve: Resolve,
  timeoutMs: number = RESOLVE_TIMEOUT_MS,
): Promise<Resolution> {
  const literal = literalOf(hostname);
  if (literal !== null) return isPublicAddress(literal) ? "public" : "not_public";
  const late = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => late.resolve([]), timeoutMs);
  try {
    const addresses = await Promise.race([resolve(hostname), late.promise]);
    if (addresses.length === 0) return "unresolved";
    if (addresses.length > MAX_RESOLVED_ADDRESSES) return "not_public";
    return addresses.every(isPublicAddress) ? "public" : "not_public";
  } catch {
    // A resolver rejects for a name without an address, and when it cannot be reached.
    return "unresolved";
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a hostname leads to public addresses only, and to at least one. Never rejects. */
export async function resolvesPublicly(hostname: string, resolve: Resolve): Promise<boolean> {
  return (await resolution(hostname, resolve)) === "public";
}
