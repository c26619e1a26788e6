import type { ProblemDetail } from "../../contract/problem.ts";
import { MAX_RULE_ENTRIES, type ReceiveMode, type RefusalReason } from "../../contract/rules.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import { canonicalDomain } from "../../mail/address/address.ts";
import { isPublicSuffix } from "../../mail/address/public-suffix.ts";
import { isWithin } from "../../mail/address/sender-domain.ts";
import { senderAddress, senderOf } from "../../mail/address/sender.ts";

/** The two lists of entries. */
export type RuleList = "allow" | "block";

/** One entry, in canonical form. */
export interface RuleEntry {
  /** An address, a domain, or `*.` and a domain. */
  match: string;
  list: RuleList;
  /** Whether an allowed sender need not be proven; false for a blocked one. */
  unverified: boolean;
}

/** The entries as a client states them. */
export interface StatedEntries {
  allow?: readonly { match: string; unverified?: boolean | undefined }[] | undefined;
  block?: readonly { match: string }[] | undefined;
}

/** Whether the domain of From is proven. */
export function isVerified({ authentication }: Pick<PreparedMail, "authentication">): boolean {
  return authentication?.verdict === "pass";
}

const NO_MATCH = "must be an address, a domain, or *. and a domain";

/** The canonical form of an entry; null for a text that is none. */
export function canonicalMatch(written: string): string | null {
  const text = written.trim();
  // RFC 5322 §3.2.3 allows a star in a local part, but whoever writes one here means a pattern, and entries are not patterns.
  if (text.includes("@")) return text.includes("*") ? null : senderAddress(text);
  if (!text.startsWith("*.")) return canonicalDomain(text);
  const domain = canonicalDomain(text.slice(2));
  return domain === null ? null : `*.${domain}`;
}

/** Reads the entries of a client: each once, or what is wrong with each that is wrong. */
export function readEntries(stated: StatedEntries): { entries: RuleEntry[]; faults: ProblemDetail[] } {
  const found = new Map<string, { entry: RuleEntry; path: string }>();
  const faults: ProblemDetail[] = [];
  for (const { path, written, list, unverified } of statedEntries(stated)) {
    const match = canonicalMatch(written);
    const same = found.get(`${list} ${match}`);
    if (match === null) faults.push({ path, message: NO_MATCH });
    else if (same === undefined) found.set(`${list} ${match}`, { entry: { match, list, unverified }, path });
    else if (same.entry.unverified !== unverified) {
      const message = `must not say another \`unverified\` than ${same.path}, which is the same`;
      faults.push({ path, message });
    }
  }
  if (found.size > MAX_RULE_ENTRIES) {
    const message = `must hold at most ${MAX_RULE_ENTRIES} entries in both lists together`;
    faults.push({ path: "receive", message });
  }
  return { entries: [...found.values()].map(({ entry }) => entry), faults };
}

function statedEntries({ allow = [], block = [] }: StatedEntries) {
  const all = [
    ...allow.map((entry, index) => ({ ...entry, list: "allow" as const, index })),
    ...block.map((entry, index) => ({ ...entry, unverified: false, list: "block" as const, index })),
  ];
  return all.map(({ match, list, unverified = false, index }) => ({
    path: `receive.${list}[${index}].match`,
    written: match,
    list,
    unverified,
  }));
}

/** An entry that could name a sender. */
interface PossibleMatch {
  match: string;
  /** A wildcard of a domain whose owner is not that of the sender's domain. */
  isForeign: boolean;
}

/** The entries that could name a sender, the most specific first: its address, its domain, then wildcards from the longest. */
export function matchesFor(written: string): PossibleMatch[] {
  const { address, domain } = senderOf(written);
  if (domain === null) return [];
  const labels = domain.split(".");
  const above = labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
  return [
    ...[...(address === null ? [] : [address]), domain].map((match) => ({ match, isForeign: false })),
    // Whoever names a public suffix, such as *.edu, means all its owners.
    ...above.map((name) => ({
      match: `*.${name}`,
      isForeign: !isPublicSuffix(name) && !isWithin(domain, name),
    })),
  ];
}

/** A mail as the rules know it. */
export interface JudgedMail {
  /** The sender's addresses as the mail writes them; more than one if its From names several. */
  senders: readonly string[];
  /** Whether the domain of From is proven. */
  isVerified: boolean;
}

/** Finds entries by their `match`. */
export type FindEntries = (matches: readonly string[]) => readonly RuleEntry[];

/** Why the rules refuse a mail; null if they let it in. A mail of several senders is let in only if each of them may write. */
export function refusalOf(mode: ReceiveMode, mail: JudgedMail, find: FindEntries): RefusalReason | null {
  const senders = mail.senders.length === 0 ? [""] : mail.senders;
  // With several senders it is not known which of them is proven.
  const isVerified = mail.isVerified && senders.length === 1;
  const reasons = senders.map((sender) => refusalOfSender(mode, isVerified, { sender, find }));
  const order: readonly RefusalReason[] = ["blocked", "not_verified", "not_listed"];
  return order.find((reason) => reasons.includes(reason)) ?? null;
}

function refusalOfSender(
  mode: ReceiveMode,
  isVerified: boolean,
  { sender, find }: { sender: string; find: FindEntries },
): RefusalReason | null {
  const matches = matchesFor(sender);
  const found = matches.length === 0 ? [] : find(matches.map(({ match }) => match));
  const entryOf = (match: string, list: RuleList) =>
    found.find((entry) => entry.match === match && entry.list === list);
  let isNamed = false;
  for (const { match, isForeign } of matches) {
    if (entryOf(match, "block") !== undefined) return "blocked";
    const allowed = isForeign ? undefined : entryOf(match, "allow");
    if (allowed === undefined) continue;
    if (isVerified || allowed.unverified) return null;
    // Anybody can write an allowed name, so without proof the entry is skipped; a less specific one may decide.
    isNamed = true;
  }
  if (mode === "everyone") return null;
  if (mode === "verified") return isVerified ? null : "not_verified";
  return isNamed ? "not_verified" : "not_listed";
}
