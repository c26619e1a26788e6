import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";
import type { NewRecord } from "./dns.ts";
import { WANTED_RECORD, wholeRecords } from "./email-routing.ts";

/** A domain from which the account may send. */
export interface SendingDomain {
  id: string;
  name: string;
  isEnabled: boolean;
  /** Null if Cloudflare does not say. */
  dkimSelector: string | null;
  returnPathDomain: string | null;
}

const SENDING_DOMAIN = z.object({
  tag: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  dkim_selector: z.string().nullish(),
  return_path_domain: z.string().nullish(),
});
const SENT = z.object({
  delivered: z.array(z.string()).nullish(),
  queued: z.array(z.string()).nullish(),
  permanent_bounces: z.array(z.string()).nullish(),
});

/** The domains of a zone that may send. */
export async function listSendingDomains(api: CloudflareApi, zoneId: string): Promise<SendingDomain[]> {
  const domains = await api.list({
    what: "list the sending domains",
    method: "GET",
    path: path`/zones/${zoneId}/email/sending/subdomains`,
    permission: "Email Sending: Edit",
    entry: SENDING_DOMAIN,
  });
  return domains.map((domain) => ({
    id: domain.tag,
    name: domain.name.toLowerCase(),
    isEnabled: domain.enabled,
    dkimSelector: domain.dkim_selector ?? null,
    returnPathDomain: domain.return_path_domain ?? null,
  }));
}

/** Lets the account send from a domain of the zone, the apex or below it. */
export async function enableSending(api: CloudflareApi, zoneId: string, name: string): Promise<void> {
  await api.call({
    what: `turn Email Sending on for ${name}`,
    method: "POST",
    path: path`/zones/${zoneId}/email/sending/subdomains`,
    body: { name },
    permission: "Email Sending: Edit",
    answer: z.unknown(),
  });
}

/** Ends sending from a domain, and removes the records that Cloudflare added for it. */
export async function disableSending(api: CloudflareApi, zoneId: string, id: string): Promise<void> {
  await api.find({
    what: "turn Email Sending off",
    method: "DELETE",
    path: path`/zones/${zoneId}/email/sending/subdomains/${id}`,
    permission: "Email Sending: Edit",
    answer: z.unknown(),
  });
}

/** The records that sending from a domain needs: DKIM, SPF and MX of its return path, DMARC. */
export async function sendingRecords(api: CloudflareApi, zoneId: string, id: string): Promise<NewRecord[]> {
  const records = await api.list({
    what: "list the DNS records of Email Sending",
    method: "GET",
    path: path`/zones/${zoneId}/email/sending/subdomains/${id}/dns`,
    permission: "Email Sending: Edit",
    entry: WANTED_RECORD,
  });
  return wholeRecords(records);
}

/** Sends a message through Cloudflare; true if no recipient was refused at once. */
export async function sendRaw(
  api: CloudflareApi,
  accountId: string,
  message: { from: string; recipients: string[]; mime_message: string },
): Promise<boolean> {
  const sent = await api.call({
    what: "send a mail",
    method: "POST",
    path: path`/accounts/${accountId}/email/sending/send_raw`,
    body: message,
    permission: "Email Sending: Edit",
    answer: SENT,
  });
  return (sent.permanent_bounces ?? []).length === 0;
}
