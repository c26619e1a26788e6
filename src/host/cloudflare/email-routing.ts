import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";
import type { NewRecord } from "./dns.ts";

/** Email Routing of a zone. */
export interface RoutingSettings {
  isEnabled: boolean;
  /** `ready`, `unconfigured`, `misconfigured`, `misconfigured/locked` or `unlocked`. */
  status: string;
}

/** The rule for mail that no other rule matches. */
export interface CatchAll {
  isEnabled: boolean;
  actions: readonly RoutingAction[];
  name: string;
}

export interface RoutingAction {
  type: string;
  /** Names of workers, or addresses to forward to. */
  value?: string[] | undefined;
}

/** A rule for literal addresses. */
export interface RoutingRule {
  id: string;
  isEnabled: boolean;
  /** The address that it matches; null for a rule of another kind. */
  address: string | null;
  actions: readonly RoutingAction[];
}

const SETTINGS = z.object({ enabled: z.boolean(), status: z.string().optional() });
const ACTION = z.object({ type: z.string(), value: z.array(z.string()).optional() });
const CATCH_ALL = z.object({
  enabled: z.boolean().optional(),
  actions: z.array(ACTION).nullish(),
  name: z.string().nullish(),
});
const RULE = z.object({
  id: z.string().optional(),
  tag: z.string().optional(),
  enabled: z.boolean().optional(),
  matchers: z.array(z.object({ type: z.string(), value: z.string().optional() })).nullish(),
  actions: z.array(ACTION).nullish(),
});
/** A record that Cloudflare asks for. */
export const WANTED_RECORD = z.object({
  type: z.string().optional(),
  name: z.string().optional(),
  content: z.string().optional(),
  priority: z.number().optional(),
});
/** The answer is a list of records, or an object with the records and their faults. */
const WANTED_RECORDS = z.union([
  z.array(WANTED_RECORD),
  z.object({ record: z.array(WANTED_RECORD).optional() }).transform(({ record }) => record ?? []),
]);

/** Email Routing of a zone; null where it was never configured. */
export async function routingSettings(api: CloudflareApi, zoneId: string): Promise<RoutingSettings | null> {
  const settings = await api.find({
    what: "read the settings of Email Routing",
    method: "GET",
    path: path`/zones/${zoneId}/email/routing`,
    permission: "Zone Settings: Edit",
    answer: SETTINGS,
  });
  return settings && { isEnabled: settings.enabled, status: settings.status ?? "unknown" };
}

/** Turns Email Routing on: Cloudflare adds and locks its MX and SPF records at the apex. */
export async function enableRouting(api: CloudflareApi, zoneId: string): Promise<void> {
  await api.call({
    what: "turn Email Routing on",
    method: "POST",
    path: path`/zones/${zoneId}/email/routing/dns`,
    body: {},
    permission: "Zone Settings: Edit",
    answer: z.unknown(),
  });
}

/** Adds the MX and SPF records of Email Routing for a name below the apex. */
export async function enableRoutingFor(api: CloudflareApi, zoneId: string, name: string): Promise<void> {
  await api.call({
    what: `turn Email Routing on for ${name}`,
    method: "POST",
    path: path`/zones/${zoneId}/email/routing/dns`,
    body: { name },
    permission: "Zone Settings: Edit",
    answer: z.unknown(),
  });
}

/** Turns Email Routing off, and removes its MX and SPF records. */
export async function disableRouting(api: CloudflareApi, zoneId: string): Promise<void> {
  await api.find({
    what: "turn Email Routing off",
    method: "DELETE",
    path: path`/zones/${zoneId}/email/routing/dns`,
    permission: "Zone Settings: Edit",
    answer: z.unknown(),
  });
}

/** Unlocks the MX and SPF records of a name, which Email Routing locks, so that they can be changed. */
export async function unlockRoutingRecords(api: CloudflareApi, zoneId: string, name: string): Promise<void> {
  await api.call({
    what: `unlock the DNS records of ${name}`,
    method: "PATCH",
    path: path`/zones/${zoneId}/email/routing/dns`,
    body: { name },
    permission: "Zone Settings: Edit",
    answer: z.unknown(),
  });
}

/** The records that Email Routing needs. */
export async function routingRecords(api: CloudflareApi, zoneId: string): Promise<NewRecord[]> {
  const records = await api.find({
    what: "list the DNS records of Email Routing",
    method: "GET",
    path: path`/zones/${zoneId}/email/routing/dns`,
    permission: "Zone Settings: Edit",
    answer: WANTED_RECORDS,
  });
  return wholeRecords(records ?? []);
}

/** The catch-all rule; null where Email Routing was never configured. */
export async function readCatchAll(api: CloudflareApi, zoneId: string): Promise<CatchAll | null> {
  const rule = await api.find({
    what: "read the catch-all rule",
    method: "GET",
    path: path`/zones/${zoneId}/email/routing/rules/catch_all`,
    permission: "Email Routing Rules: Edit",
    answer: CATCH_ALL,
  });
  return rule && { isEnabled: rule.enabled ?? false, actions: rule.actions ?? [], name: rule.name ?? "" };
}

/** Replaces the catch-all rule. */
export async function writeCatchAll(api: CloudflareApi, zoneId: string, rule: CatchAll): Promise<void> {
  await api.call({
    what: "set the catch-all rule",
    method: "PUT",
    path: path`/zones/${zoneId}/email/routing/rules/catch_all`,
    body: { enabled: rule.isEnabled, actions: rule.actions, matchers: [{ type: "all" }], name: rule.name },
    permission: "Email Routing Rules: Edit",
    answer: z.unknown(),
  });
}

/** The rules for literal addresses, the catch-all left out. */
export async function listRules(api: CloudflareApi, zoneId: string): Promise<RoutingRule[]> {
  const rules = await api.list({
    what: "list the routing rules",
    method: "GET",
    path: path`/zones/${zoneId}/email/routing/rules`,
    permission: "Email Routing Rules: Edit",
    entry: RULE,
  });
  return rules
    .filter(({ matchers }) => !(matchers ?? []).some(({ type }) => type === "all"))
    .map((rule) => ({
      id: rule.id ?? rule.tag ?? "",
      isEnabled: rule.enabled ?? false,
      address: rule.matchers?.find(({ type }) => type === "literal")?.value ?? null,
      actions: rule.actions ?? [],
    }));
}

/** The records whose type, name and content are given; others cannot be compared. */
export function wholeRecords(records: readonly z.infer<typeof WANTED_RECORD>[]): NewRecord[] {
  return records.flatMap(({ type, name, content, priority }) =>
    type === undefined || name === undefined || content === undefined
      ? []
      : [{ type, name: name.toLowerCase(), content, ...(priority === undefined ? {} : { priority }) }],
  );
}
