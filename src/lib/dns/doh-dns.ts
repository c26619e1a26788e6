import { askJson, joinedStrings, type DnsRecord } from "../doh.ts";
import { TimeLimit } from "../time-limit.ts";
import type { Ask } from "./cached-dns.ts";
import { negativeTtl, RECORD_CODES, SOA } from "./codes.ts";
import type { RecordType } from "./dns.ts";

/** A resolver that asks authoritative servers around the world takes a second or two. */
const TIMEOUT_MS = 4_000;

/** Asks `url` in `application/dns-json`; for {@link CachedDns}. */
export function askDoh(url: string, send: typeof fetch): Ask {
  return async (name, type) => {
    const limit = new TimeLimit({ ms: TIMEOUT_MS });
    try {
      const { exists, answer, authority } = await limit.race(
        askJson(url, send, { name, type, signal: limit.signal }),
      );
      const own = answer.filter((record) => record.type === RECORD_CODES[type]);
      const records = own.map(({ data }) => recordText(data, type));
      return {
        answer: { records, exists },
        ttlSeconds: own.length > 0 ? shortest(answer) : soaTtl(authority),
      };
    } finally {
      limit.clear();
    }
  };
}

/** An alias may be changed before what it leads to, so the shortest time counts. */
function shortest(records: readonly DnsRecord[]): number {
  return Math.min(...records.map(({ TTL }) => TTL));
}

function soaTtl(authority: readonly DnsRecord[]): number {
  const soa = authority.find(({ type }) => type === SOA);
  return soa === undefined ? 0 : negativeTtl(soa.TTL, Number(soa.data.split(" ").at(-1)));
}

function recordText(data: string, type: RecordType): string {
  if (type === "TXT") return bytewise(joinedStrings(data));
  return type === "A" || type === "AAAA" ? data : data.toLowerCase().replace(/\.$/, "");
}

/** Some resolvers write bytes above ASCII as characters of UTF-8. */
function bytewise(text: string): string {
  return /[^\0-\xff]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}
