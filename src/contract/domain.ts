import * as z from "zod";
import { Timestamp } from "./message.ts";

/** `pending`: its records were not seen yet. `failed`: they were, and are gone since a week. */
export const DomainStatus = z.enum(["pending", "verified", "failed"]);
export type DomainStatus = z.infer<typeof DomainStatus>;

/** A record that the owner of the domain sets. */
export const DnsRecord = z
  .object({
    type: z.enum(["MX", "TXT"]),
    /** The full name that has it. */
    host: z.string(),
    value: z.string(),
    purpose: z.string(),
    priority: z.int().optional(),
  })
  .meta({ id: "DnsRecord" });
export type DnsRecord = z.infer<typeof DnsRecord>;

export const RecordName = z.enum(["mx", "spf", "dkim", "dmarc"]);
export type RecordName = z.infer<typeof RecordName>;

/** `missing`: there is none. `wrong`: there is one that says something else. `unknown`: the resolver could not tell. */
export const RecordResult = z.enum(["found", "missing", "wrong", "unknown"]);
export type RecordResult = z.infer<typeof RecordResult>;

/** What became of looking one record up. */
export const CheckedRecord = z.object({
  record: RecordName,
  required: z.boolean(),
  type: z.enum(["MX", "TXT"]),
  host: z.string(),
  expected: z.string(),
  found: z.array(z.string()).meta({ description: "What there is of that type, shortened." }),
  result: RecordResult,
});
export type CheckedRecord = z.infer<typeof CheckedRecord>;

const seen = {
  mx_verified: z.boolean(),
  spf_verified: z.boolean(),
  dkim_verified: z.boolean(),
  dmarc_verified: z.boolean(),
  message: z.string().meta({ description: "How it stands and what to do, for people." }),
};

/** A domain as its mailbox sees it. */
export const Domain = z
  .object({
    id: z.string(),
    domain: z.string(),
    status: DomainStatus,
    dns_records: z.record(RecordName, DnsRecord),
    instructions: z.string(),
    ...seen,
    created_at: Timestamp,
    verified_at: Timestamp.nullable(),
    last_checked_at: Timestamp.nullable(),
    fails_at: Timestamp.nullable().meta({ description: "When it fails unless its records come back." }),
  })
  .meta({ id: "Domain" });
export type Domain = z.infer<typeof Domain>;

export const DomainList = z.object({ domains: z.array(Domain) });
export type DomainList = z.infer<typeof DomainList>;

/** What a look-up of all records came to. */
export const DomainCheck = z
  .object({
    id: z.string(),
    domain: z.string(),
    status: DomainStatus,
    ...seen,
    checked: z.array(CheckedRecord),
  })
  .meta({ id: "DomainCheck" });
export type DomainCheck = z.infer<typeof DomainCheck>;

export const DeletedDomain = z.object({ ok: z.literal(true), deleted: z.string() });
export type DeletedDomain = z.infer<typeof DeletedDomain>;
