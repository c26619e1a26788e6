import { resolverFetch, type OperatorBindings } from "../config/env.ts";
import { CachedDns } from "../lib/dns/cached-dns.ts";
import { askDoh } from "../lib/dns/doh-dns.ts";

/** Answers kept in an isolate, of whose 128 MB a large message takes most. */
const MAX_ENTRIES = 4_000;
const MAX_CHARS = 1_500_000;

let cached: { url: string; dns: CachedDns } | null = null;

/** The resolver for the checks of mail in the worker, at `dohUrl`. All mail of an isolate shares its cache. */
export function mailDns(dohUrl: string, env: OperatorBindings): CachedDns {
  if (cached?.url !== dohUrl) {
    const limits = { maxEntries: MAX_ENTRIES, maxChars: MAX_CHARS, isShared: false };
    cached = { url: dohUrl, dns: new CachedDns(askDoh(dohUrl, resolverFetch(env)), limits) };
  }
  return cached.dns;
}
