import * as z from "zod";
import type { CloudflareApi } from "./api.ts";
import { lacksPermission } from "./failure.ts";

/** A domain that Cloudflare serves. */
export interface Zone {
  id: string;
  /** The apex, such as `example.com`. */
  name: string;
  /** `active`, `pending` (while the registrar names other servers), `initializing` or `moved`. */
  status: string;
  isPaused: boolean;
  account: { id: string; name: string };
  /** The name servers that the registrar must name. */
  nameServers: readonly string[];
  /** The name servers that the registrar named when the zone was added. */
  originalNameServers: readonly string[];
}

const ZONE = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  paused: z.boolean().optional(),
  account: z.object({ id: z.string(), name: z.string().nullish() }),
  name_servers: z.array(z.string()).nullish(),
  original_name_servers: z.array(z.string()).nullish(),
});

/** A zone has at least two labels. */
const MIN_LABELS = 2;

/**
 * The zone that holds a domain: its own, or that of the nearest parent. Null where the token sees none. With several accounts
 * that have the zone, that of `accountId`. Rejects with a failure of kind `permission` for a token that sees no zone at all.
 */
export async function zoneOf(
  api: CloudflareApi,
  domain: string,
  accountId: string | null,
): Promise<Zone | null> {
  const labels = domain.split(".");
  for (let at = 0; at <= labels.length - MIN_LABELS; at += 1) {
    const zones = await listZones(api, { name: labels.slice(at).join(".") });
    const own = zones.find(({ account }) => accountId === null || account.id === accountId) ?? zones[0];
    if (own !== undefined) return own;
  }
  if ((await listZones(api, {})).length === 0) throw lacksPermission(LIST_ZONES);
  return null;
}

const LIST_ZONES = { what: "look up the zone", permission: "Zone: Read" } as const;

/** The zones that the token may see and that fit the query. */
async function listZones(api: CloudflareApi, query: { name?: string }): Promise<Zone[]> {
  const zones = await api.list({ ...LIST_ZONES, method: "GET", path: "/zones", query, entry: ZONE });
  return zones.map((zone) => ({
    id: zone.id,
    name: zone.name,
    status: zone.status ?? "unknown",
    isPaused: zone.paused ?? false,
    account: { id: zone.account.id, name: zone.account.name ?? "" },
    nameServers: zone.name_servers ?? [],
    originalNameServers: zone.original_name_servers ?? [],
  }));
}
