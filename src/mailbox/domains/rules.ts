import { ownJson } from "../../lib/json-text.ts";
import type { CheckedRecord, Domain, DomainCheck, DomainStatus, RecordName } from "../../contract/domain.ts";
import type { Config } from "../../config/env.ts";
import {
  instructionsFor,
  RECORD_NAMES,
  recordsOf,
  REQUIRED_RECORDS,
  type DomainSetup,
  type RecordResults,
} from "../../mail/address/domain-records.ts";
import type { DomainRow } from "./rows.ts";

/** How long the required records of a verified domain may be missing, in ms. */
export const GRACE_MS = 7 * 86_400_000;

/** The DNS records that a domain needs. */
export function setupOf(
  row: DomainRow,
  { customDomains: { mailHosts, spfMechanisms } }: Config,
): DomainSetup {
  const { name, selector, public_key } = row;
  return { domain: name, mailHosts, spfMechanisms, selector, publicKey: public_key };
}

/** The results of the last look-up; empty before the first. */
export function resultsOf(row: DomainRow): Partial<RecordResults> {
  return ownJson<Partial<RecordResults>>(row.results);
}

/** When a verified domain fails unless its records come back, in ms since 1970; null if none is missing. */
export function failsAt({ status, gone_at }: DomainRow): number | null {
  return status === "verified" && gone_at !== null ? gone_at + GRACE_MS : null;
}

/** A domain as the API shows it. */
export function domainRecord(row: DomainRow, config: Config): Domain {
  const setup = setupOf(row, config);
  return {
    id: row.id,
    domain: row.name,
    status: row.status,
    dns_records: recordsOf(setup),
    instructions: instructionsFor(setup, row.id),
    ...seenOf(row),
    created_at: iso(row.created_at),
    verified_at: isoOrNull(row.verified_at),
    last_checked_at: isoOrNull(row.checked_at),
    fails_at: isoOrNull(failsAt(row)),
  };
}

/** The answer to a look-up. */
export function domainCheck(row: DomainRow, checked: CheckedRecord[]): DomainCheck {
  return { id: row.id, domain: row.name, status: row.status, ...seenOf(row), checked };
}

function seenOf(row: DomainRow): Omit<DomainCheck, "id" | "domain" | "status" | "checked"> {
  const { mx, spf, dkim, dmarc } = resultsOf(row);
  return {
    mx_verified: mx === "found",
    spf_verified: spf === "found",
    dkim_verified: dkim === "found",
    dmarc_verified: dmarc === "found",
    message: messageOf(row),
  };
}

const STANDING: Record<DomainStatus, (row: DomainRow) => string> = {
  verified: ({ name }) => `Mail to any address of ${name} arrives here, and you may send from all of them.`,
  pending: ({ name, id }) =>
    `${name} is not verified yet: set its records and call POST /v1/domains/${id}/verify.`,
  failed: ({ name, id }) =>
    `${name} is lost: mail to it is refused and nothing is sent from it. ` +
    `Set its records again and call POST /v1/domains/${id}/verify.`,
};

function messageOf(row: DomainRow): string {
  const end = failsAt(row);
  const warning =
    row.gone_at === null || end === null
      ? []
      : [`Its records are gone since ${iso(row.gone_at)}: unless they come back it is lost at ${iso(end)}.`];
  return [STANDING[row.status](row), ...warning, ...findings(row)].join(" ");
}

/** The records that the last look-up did not find, in words. */
function findings(row: DomainRow): string[] {
  const results = resultsOf(row);
  const having = (wanted: (name: RecordName) => boolean) =>
    RECORD_NAMES.filter(wanted)
      .map((name) => name.toUpperCase())
      .join(", ");
  const required = (name: RecordName) => REQUIRED_RECORDS.includes(name);
  const absent = (name: RecordName) => results[name] === "missing" || results[name] === "wrong";
  const lists: [string, string][] = [
    ["Required and not found", having((name) => required(name) && absent(name))],
    ["Recommended and not found", having((name) => !required(name) && absent(name))],
    ["Could not be looked up, try again", having((name) => results[name] === "unknown")],
  ];
  return lists.flatMap(([what, names]) => (names === "" ? [] : [`${what}: ${names}.`]));
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
