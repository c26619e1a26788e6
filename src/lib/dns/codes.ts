import type { RecordType } from "./dns.ts";

/** RFC 1035 §3.2.2, RFC 3596. */
export const RECORD_CODES: Readonly<Record<RecordType, number>> = {
  A: 1,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
};
export const CNAME = 5;
export const SOA = 6;

/** How long an empty answer may be kept, in seconds (RFC 2308 §5): the smaller of the TTL of the SOA and its last number. */
export function negativeTtl(ttl: number, minimum: number): number {
  return Number.isFinite(minimum) ? Math.min(ttl, minimum) : ttl;
}
