import ipaddr from "ipaddr.js";
import { done, refused, type Outcome } from "./outcome.ts";

/** The longest URL, as written and as encoded: it is stored, shown and sent at each delivery. */
export const MAX_URL_CHARS = 2_048;

/** Ports of public web servers. Another port may be a mail server or a database that would read a request line by line. */
const PUBLIC_PORTS: ReadonlySet<string> = new Set(["443", "8443"]);

/** RFC 1035 §2.3.4, without the length octets and the root. */
const MAX_NAME_CHARS = 253;

/** More addresses than any honest host has; a longer answer is refused. */
export const MAX_RESOLVED_ADDRESSES = 64;

/** Half the time of an attempt, so that a slow resolver is not mistaken for a slow target. */
export const RESOLVE_TIMEOUT_MS = 5_000;

/**
 * Endings that name no public host, although a local resolver may answer for them: RFC 6761, RFC 6762 with its appendix G,
 * RFC 7686, RFC 8375, RFC 9476, ICANN's `internal`. `test` and `example` lead nowhere and are allowed.
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
  // Another name of metadata.google.internal.
  "metadata.goog",
];

/** Addresses of metadata services, whose range is public (Azure): they reveal secrets of the machine. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** RFC 4291 §2.4: public hosts have addresses of this prefix only. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR("2000::/3");

/** WHATWG URL drops or replaces these characters, so that the text and the parsed URL would name different targets. */
const UNSAFE_CHARS = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u;

/** A label of a host name after IDNA: letters, digits, hyphens, and the underscore that some names have. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Why an IP address is not public; null if it is. */
function addressProblem(ip: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) {
    if (METADATA_ADDRESSES.has(ip)) return `${ip} is a metadata address`;
    const range = ipaddr.IPv4.parse(ip).range();
    return range === "unicast" ? null : `${ip} is not public (${range})`;
  }
  if (!ipaddr.IPv6.isValid(ip)) return "it is no IP address";
  const address = ipaddr.IPv6.parse(ip);
  // A zone id names a network interface of this machine.
  if (address.zoneId !== undefined) return `${ip} is not public (linkLocal)`;
  const range = address.range();
  if (range !== "unicast") return `${ip} is not public (${range})`;
  return address.match(GLOBAL_UNICAST) ? null : `${ip} is not public (reserved)`;
}

/** The reserved ending of a lower-case name; null if it has none. */
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

/** The IP address that a URL's hostname spells, without brackets; null for a name. URL normalises every other spelling. */
function literalOf(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) || ipaddr.IPv6.isValid(hostname) ? hostname : null;
}

/** The rule that the text breaks before it is parsed as a URL; null if none. */
function spellingProblem(text: string, allowPrivate: boolean): string | null {
  if (text.length > MAX_URL_CHARS) return `must have at most ${MAX_URL_CHARS} characters`;
  if (UNSAFE_CHARS.test(text)) {
    return "must not contain spaces, line breaks, backslashes, control or invisible characters";
  }
  // URL also accepts "https:host" and "https:///host", which other parsers read as a path.
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
 * Parses the URL of a webhook and checks that the service may call it: https to a public host on port 443 or 8443. With
 * `allowPrivate`, for local work, any host and port, and http. The error is a rule that completes "<field>: …". A name may
 * still resolve to a private address: see `resolution`.
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
 * Whether `ip`, written as a resolver or a socket writes it, is the address of a public host. False for private, special and
 * documentation ranges, IPv6 addresses that carry an IPv4 address (mapped, NAT64, 6to4, Teredo), zone ids, and text that is no
 * plain address.
 */
export function isPublicAddress(ip: string): boolean {
  return addressProblem(ip) === null;
}

/** Looks up all addresses of a name, IPv4 and IPv6. Rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** `unresolved`: no address, no answer in time, or a resolver that failed. */
export type Resolution = "public" | "not_public" | "unresolved";

/**
 * Whether the hostname of a URL leads to public addresses. One private address makes it `not_public`, because the connection may
 * use any of them. Never rejects. The name can change a moment later, so the network that connects must check again.
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
    // The name has no address, or the resolver cannot be reached.
    return "unresolved";
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a hostname leads to at least one address, and to public addresses only. Never rejects. */
export async function resolvesPublicly(hostname: string, resolve: Resolve): Promise<boolean> {
  return (await resolution(hostname, resolve)) === "public";
}
