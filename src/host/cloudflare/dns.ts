import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";

/** A record of a zone. */
export interface DnsRecord {
  id: string;
  type: string;
  name: string;
  content: string;
  priority: number | null;
  /** A note of the person or program that made it; null if there is none. */
  comment: string | null;
  /** When its content was set, in ms since 1970; null if Cloudflare does not say. */
  changedMs: number | null;
}

/** A record to make. */
export interface NewRecord {
  type: string;
  name: string;
  content: string;
  priority?: number;
}

const RECORD = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  content: z.string().nullish(),
  priority: z.number().nullish(),
  comment: z.string().nullish(),
  modified_on: z.iso.datetime({ offset: true }).nullish(),
});
const NO_ANSWER = z.unknown();

/** The comment of every record that a deployment adds, so that people know where it comes from. */
export const RECORD_COMMENT = "made by mailkeep up";
/** TTL "automatic". */
const AUTOMATIC_TTL = 1;

/** The mail hosts of Email Routing. */
const ROUTING_HOST = /(^|\.)mx\.cloudflare\.net$/i;

/** The SPF record that Email Routing adds. */
const ROUTING_SPF = "v=spf1 include:_spf.mx.cloudflare.net ~all";
const ROUTING_INCLUDE = "include:_spf.mx.cloudflare.net";

/** Whether a record is the SPF record of Email Routing as Cloudflare adds it, or one that somebody merged with others. */
export function routingSpf({ type, content }: DnsRecord): "own" | "merged" | null {
  if (type !== "TXT" || !content.includes(ROUTING_INCLUDE)) return null;
  return sameContent(content, ROUTING_SPF) ? "own" : "merged";
}

/** The records of a zone, as far as the query asks for them. */
export async function listRecords(
  api: CloudflareApi,
  zoneId: string,
  query: { type?: string; name?: string } = {},
): Promise<DnsRecord[]> {
  const records = await api.list({
    what: "list the DNS records",
    method: "GET",
    path: path`/zones/${zoneId}/dns_records`,
    query: { ...(query.type && { type: query.type }), ...(query.name && { name: query.name }) },
    permission: "DNS: Edit",
    entry: RECORD,
  });
  return records.map(({ id, type, name, content, priority, comment, modified_on }) => ({
    id,
    type,
    name: name.toLowerCase(),
    content: content ?? "",
    priority: priority ?? null,
    comment: comment ?? null,
    changedMs: modified_on === undefined || modified_on === null ? null : Date.parse(modified_on),
  }));
}

/** Makes a record, with a comment that says who made it. Resolves to its id. */
export async function createRecord(api: CloudflareApi, zoneId: string, record: NewRecord): Promise<string> {
  const { id } = await api.call({
    what: `add the ${record.type} record ${record.name}`,
    method: "POST",
    path: path`/zones/${zoneId}/dns_records`,
    body: { ...record, ttl: AUTOMATIC_TTL, comment: RECORD_COMMENT },
    permission: "DNS: Edit",
    answer: RECORD,
  });
  return id;
}

/** Changes the content of a record. */
export async function updateRecord(
  api: CloudflareApi,
  zoneId: string,
  { id, content }: { id: string; content: string },
): Promise<void> {
  await api.call({
    what: "change a DNS record",
    method: "PATCH",
    path: path`/zones/${zoneId}/dns_records/${id}`,
    body: { content },
    permission: "DNS: Edit",
    answer: NO_ANSWER,
  });
}

/** Deletes a record. */
export async function deleteRecord(api: CloudflareApi, zoneId: string, id: string): Promise<void> {
  await api.find({
    what: "delete a DNS record",
    method: "DELETE",
    path: path`/zones/${zoneId}/dns_records/${id}`,
    permission: "DNS: Edit",
    answer: NO_ANSWER,
  });
}

/** The MX records of a name that lead to other hosts than those of Email Routing. */
export function foreignMx(records: readonly DnsRecord[], name: string): DnsRecord[] {
  return records.filter(
    (record) => record.type === "MX" && record.name === name && !ROUTING_HOST.test(bare(record.content)),
  );
}

/** Whether two contents of a TXT record are the same text. Quotes, and the strings that a long text is split into, do not count. */
export function sameContent(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

function bare(content: string): string {
  return content
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .replaceAll(/"\s+"/g, "")
    .replace(/\.$/, "");
}
