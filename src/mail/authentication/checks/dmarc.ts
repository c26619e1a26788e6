import { isAskable, type Dns } from "../../../lib/dns/dns.ts";
import { organizationalDomain } from "../../address/public-suffix.ts";
import { dmarcRecordIn, type DmarcRecord } from "./dmarc-record.ts";
import type { DmarcPolicy } from "./findings.ts";

/** The record that governs a domain of From; `failed` if DNS does not say. */
export type Governing =
  | { kind: "record"; record: DmarcRecord; policy: DmarcPolicy }
  | { kind: "none" }
  | { kind: "failed" };

/** Looks up what the owner of a domain of From asks for (RFC 7489 §6.6.3). Never rejects. */
export async function governingRecord(domain: string, dns: Dns, signal: AbortSignal): Promise<Governing> {
  try {
    const own = await recordAt(domain, dns, signal);
    if (own.record !== null) return { kind: "record", record: own.record, policy: own.record.policy };
    const above = organizationalDomain(domain);
    // Several records or a broken one end the search.
    if (own.isAny || above === null || above === domain) return { kind: "none" };
    const { record } = await recordAt(above, dns, signal);
    if (record === null) return { kind: "none" };
    const forSubdomains = record.subdomainPolicy ?? record.policy;
    const policy =
      record.missingPolicy !== null && !(await exists(domain, dns, signal))
        ? record.missingPolicy
        : forSubdomains;
    return { kind: "record", record, policy };
  } catch {
    return { kind: "failed" };
  }
}

async function recordAt(domain: string, dns: Dns, signal: AbortSignal) {
  const name = `_dmarc.${domain}`;
  if (!isAskable(name)) return { record: null, isAny: false };
  return dmarcRecordIn((await dns.look(name, "TXT", signal)).records);
}

/** Whether a domain exists for `np` (RFC 9091 §2.7): it has an address or a mail host. */
async function exists(domain: string, dns: Dns, signal: AbortSignal): Promise<boolean> {
  for (const type of ["A", "MX", "AAAA"] as const) {
    const answer = await dns.look(domain, type, signal);
    if (answer.records.length > 0) return true;
    if (!answer.exists) return false;
  }
  return false;
}
