import ipaddr from "ipaddr.js";
import { addressesOf, type Dns } from "./ports/dns.ts";
import { bare, isName } from "./records.ts";

/** RFC 7208 §4.6.4: terms that look something up, in the record and in all that it includes. */
const MAX_LOOKUPS = 10;
/** Look-ups are counted beyond the limit of ten, so that the title can say how many there are. Here the count ends, also for a hostile chain. */
const MAX_READ = 30;
/** A record has a few dozen terms; 4 KB hold a thousand. */
const MAX_TERMS = 200;

const VERSION = /^v=spf1(?: |$)/i;
const LOOKUP_TERMS: readonly string[] = ["include", "a", "mx", "ptr", "exists", "redirect"];

/** One term of an SPF record. */
export interface Term {
  qualifier: string;
  name: string;
  /** Behind `:` or `=`; "" for none. */
  value: string;
  /** Prefix lengths such as `/24`; "" for none. */
  prefix: string;
  /** As it is written. */
  text: string;
}

/** An SPF record with all that it includes. */
export interface SpfTree {
  /** The terms of the record itself that can be read. */
  terms: Term[];
  /** The words of the record that are no valid terms. */
  unreadable: string[];
  lookups: number;
  /** Terms of the record that lead to a domain without exactly one SPF record, or back to a domain on the way. */
  broken: Term[];
  /** Domains that are included, at any depth. */
  included: Set<string>;
  /** Networks that may send, as CIDR. */
  networks: string[];
}

/** The SPF records among the TXT records of a name. */
export function spfRecords(texts: readonly string[]): string[] {
  return texts.filter((text) => VERSION.test(text.trim())).map((text) => text.trim());
}

/** The terms of a record, and its words that are no valid terms. */
export function termsOf(record: string): { terms: Term[]; unreadable: string[] } {
  const words = record
    .split(/ +/)
    .slice(1, MAX_TERMS)
    .filter((word) => word !== "");
  const terms: Term[] = [];
  const unreadable: string[] = [];
  for (const text of words) {
    const term = termOf(text);
    if (term === null) unreadable.push(text);
    else terms.push(term);
  }
  return { terms, unreadable };
}

const MECHANISM =
  /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/]*|ip6))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i;
const IP6 = /^([+?~-]?)(ip6):([0-9a-f:.]+)(\/\d{1,3})?$/i;
const MODIFIER = /^([a-z][a-z0-9._-]*)=([\x21-\x7e]*)$/i;
/** A domain of a term, macros such as `%{i}` included (RFC 7208 §7). */
const DOMAIN_SPEC = /^[a-z0-9_.%{}+,/=-]+$/i;
const NEEDS_VALUE: readonly string[] = ["include", "exists", "ip4", "ip6"];

function termOf(text: string): Term | null {
  const found = IP6.exec(text) ?? MECHANISM.exec(text);
  if (found !== null) {
    const [, qualifier = "", name = "", value = "", prefix = ""] = found;
    const term = { qualifier: qualifier || "+", name: name.toLowerCase(), value, prefix, text };
    return isReadable(term) ? term : null;
  }
  const [, name, value = ""] = MODIFIER.exec(text) ?? [];
  // Unknown modifiers are ignored (RFC 7208 §6).
  return name === undefined ? null : { qualifier: "", name: name.toLowerCase(), value, prefix: "", text };
}

function isReadable({ name, value, prefix, text }: Term): boolean {
  if (name === "all") return value === "" && prefix === "" && !text.includes(":");
  if (value === "") return !NEEDS_VALUE.includes(name) && !text.includes(":");
  if (name === "ip4" || name === "ip6") return networkOf({ name, value, prefix }) !== null;
  return DOMAIN_SPEC.test(value);
}

/** The network of an `ip4` or `ip6` term as CIDR; null where it is none. */
function networkOf({ name, value, prefix }: Pick<Term, "name" | "value" | "prefix">): string | null {
  const kind = name === "ip4" ? "ipv4" : "ipv6";
  const cidr = `${value}${prefix || (kind === "ipv4" ? "/32" : "/128")}`;
  try {
    if (kind === "ipv4" && !ipaddr.IPv4.isValidFourPartDecimal(value)) return null;
    return ipaddr.parse(value).kind() === kind && ipaddr.parseCIDR(cidr) ? cidr : null;
  } catch {
    // Not an address.
    return null;
  }
}

/** Reads a record and all that it includes. Rejects where the resolver cannot tell. */
export async function readSpf(dns: Dns, domain: string, record: string): Promise<SpfTree> {
  const { terms, unreadable } = termsOf(record);
  const tree: SpfTree = { terms, unreadable, lookups: 0, broken: [], included: new Set(), networks: [] };
  await walk({ dns, tree, read: 0 }, terms, { domain: bare(domain), way: [bare(domain)], top: null });
  return tree;
}

interface Walk {
  dns: Dns;
  tree: SpfTree;
  read: number;
}

interface Place {
  domain: string;
  /** The domains on the way from the record to here. */
  way: readonly string[];
  /** The term of the record itself that led here. */
  top: Term | null;
}

async function walk(state: Walk, terms: readonly Term[], place: Place): Promise<void> {
  const { tree } = state;
  // An `all` makes `redirect` and what follows void (RFC 7208 §5.1, §6.1).
  const end = terms.findIndex(({ name }) => name === "all");
  const counted = end === -1 ? terms : terms.slice(0, end);
  for (const term of counted) {
    if (LOOKUP_TERMS.includes(term.name)) tree.lookups += 1;
    if (term.qualifier === "+" || term.name === "redirect") await follow(state, term, place);
  }
}

async function follow(state: Walk, term: Term, place: Place): Promise<void> {
  const { dns, tree } = state;
  const target = bare(term.value === "" ? place.domain : term.value);
  if (term.name === "ip4" || term.name === "ip6") tree.networks.push(networkOf(term) ?? "");
  // Macros depend on the mail that is judged.
  if (!isName(target) || state.read >= MAX_READ) return;
  state.read += 1;
  if (term.name === "include" || term.name === "redirect") {
    await include(state, { term, target }, place);
  } else if (term.name === "a") {
    tree.networks.push(...(await addressesOf(dns, target)).map(hostNetwork));
  } else if (term.name === "mx") {
    const hosts = (await dns.look("MX", target)).slice(0, MAX_LOOKUPS);
    const found = await Promise.all(hosts.map(({ exchange }) => addressesOf(dns, exchange)));
    tree.networks.push(...found.flat().map(hostNetwork));
  }
}

async function include(
  state: Walk,
  { term, target }: { term: Term; target: string },
  place: Place,
): Promise<void> {
  const { dns, tree } = state;
  const top = place.top ?? term;
  const [record, ...more] = place.way.includes(target) ? [] : spfRecords(await dns.look("TXT", target));
  if (record === undefined || more.length > 0) {
    if (!tree.broken.includes(top)) tree.broken.push(top);
    return;
  }
  tree.included.add(target);
  await walk(state, termsOf(record).terms, { domain: target, way: [...place.way, target], top });
}

const hostNetwork = (address: string): string => `${address}/${address.includes(":") ? 128 : 32}`;

/** Whether the record needs more look-ups than receivers make. */
export function needsTooMany({ lookups }: SpfTree): boolean {
  return lookups > MAX_LOOKUPS;
}

/** Whether an address is in one of the networks. */
export function isInside(address: string, networks: readonly string[]): boolean {
  const one = ipaddr.parse(address);
  return networks.some((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return one.kind() === network.kind() && one.match(network, bits);
  });
}
