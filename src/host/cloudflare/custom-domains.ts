import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";

/** A host name below a zone that leads to a worker. Cloudflare makes its DNS record and its certificate. */
export interface CustomDomain {
  id: string;
  worker: string;
}

const DOMAIN = z.object({ id: z.string(), hostname: z.string(), service: z.string() });
const NO_ANSWER = z.unknown();

/** The custom domain with a host name; null where no worker has it. */
export async function findCustomDomain(
  api: CloudflareApi,
  accountId: string,
  hostname: string,
): Promise<CustomDomain | null> {
  const domains = await api.list({
    what: "list the custom domains of workers",
    method: "GET",
    path: path`/accounts/${accountId}/workers/domains`,
    query: { hostname },
    permission: "Workers Scripts: Edit",
    entry: DOMAIN,
  });
  const found = domains.find((one) => one.hostname === hostname);
  return found === undefined ? null : { id: found.id, worker: found.service };
}

/** Brings a host name to a worker. */
export async function attachDomain(
  api: CloudflareApi,
  accountId: string,
  { hostname, worker, zoneId }: { hostname: string; worker: string; zoneId: string },
): Promise<void> {
  await api.call({
    what: `bring ${hostname} to the worker`,
    method: "PUT",
    path: path`/accounts/${accountId}/workers/domains`,
    body: { hostname, service: worker, zone_id: zoneId, environment: "production" },
    permission: "Workers Scripts: Edit",
    answer: NO_ANSWER,
  });
}

/** Takes a host name from its worker, with its DNS record and its certificate. */
export async function detachDomain(api: CloudflareApi, accountId: string, id: string): Promise<void> {
  await api.find({
    what: "take a custom domain from the worker",
    method: "DELETE",
    path: path`/accounts/${accountId}/workers/domains/${id}`,
    permission: "Workers Scripts: Edit",
    answer: NO_ANSWER,
  });
}
