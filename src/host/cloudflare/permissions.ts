/** A permission of a Cloudflare API token, as the dashboard writes it. */
export type Permission = keyof typeof PERMISSIONS;

/** Other names of a permission, and its purpose. */
interface PermissionFacts {
  /** The names of the permission groups that contain it, as the API lists them. */
  groups: readonly string[];
  /** Its name in a link to the form that makes a token; null where the form knows none. */
  key: { key: string; type: "read" | "edit" } | null;
  /** The purpose for which it is needed. */
  use: string;
}

/** Every permission that a deployment needs. The API says "Write" where the dashboard says "Edit". */
export const PERMISSIONS = {
  "Account Settings: Read": {
    groups: ["Account Settings Read", "Account Settings Write"],
    key: { key: "account_settings", type: "read" },
    use: "find the account",
  },
  "Workers Scripts: Edit": {
    groups: ["Workers Scripts Write"],
    key: { key: "workers_scripts", type: "edit" },
    use: "upload the worker and set its secrets",
  },
  "Workers R2 Storage: Edit": {
    groups: ["Workers R2 Storage Write"],
    key: { key: "workers_r2", type: "edit" },
    use: "make the bucket for large messages",
  },
  "Queues: Edit": {
    groups: ["Queues Write"],
    key: { key: "queues", type: "edit" },
    use: "hear what became of sent mail",
  },
  "Zone: Read": {
    groups: ["Zone Read", "Zone Write"],
    key: { key: "zone", type: "read" },
    use: "find the zone of the domain",
  },
  "Zone Settings: Edit": {
    groups: ["Zone Settings Write"],
    key: { key: "zone_settings", type: "edit" },
    use: "turn Email Routing on",
  },
  "Email Routing Rules: Edit": {
    groups: ["Email Routing Rules Write"],
    key: { key: "email_routing_rule", type: "edit" },
    use: "route the mail of the domain to the worker",
  },
  "Email Sending: Edit": {
    groups: ["Email Sending Write"],
    key: null,
    use: "send mail from the domain",
  },
  "DNS: Edit": {
    groups: ["DNS Write"],
    key: { key: "dns", type: "edit" },
    use: "read the MX records, and add those of sending",
  },
} as const satisfies Readonly<Record<string, PermissionFacts>>;

/** All permissions, in the order in which the dashboard asks for them. */
export const ALL_PERMISSIONS: readonly Permission[] = keysOf(PERMISSIONS);

/** The page that makes a token, with the permissions chosen as far as the page knows them. */
export function tokenFormUrl(permissions: readonly Permission[]): string {
  const keys = permissions.flatMap((name) => PERMISSIONS[name].key ?? []);
  const query = new URLSearchParams({
    permissionGroupKeys: JSON.stringify(keys),
    accountId: "*",
    zoneId: "all",
    name: "mailkeep",
  });
  return `https://dash.cloudflare.com/profile/api-tokens?${query.toString()}`;
}

/** The permissions of `needed` that none of the permission groups of a token contains. */
export function missingPermissions(
  needed: readonly Permission[],
  groups: ReadonlySet<string>,
): readonly Permission[] {
  return needed.filter((name) => !PERMISSIONS[name].groups.some((group) => groups.has(group)));
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  // Object.keys loses the type of the names.
  return Object.keys(record) as Key[];
}
