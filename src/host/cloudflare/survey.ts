import { isAccountToken, listAccounts, permissionGroups, verifyToken, type Account } from "./accounts.ts";
import type { CloudflareApi } from "./api.ts";
import { foreignMx, listRecords, type DnsRecord } from "./dns.ts";
import { readCatchAll, routingRecords } from "./email-routing.ts";
import { oneLine, Stop, TokenStop, withNewToken } from "./failure.ts";
import { ALL_PERMISSIONS, missingPermissions, type Permission } from "./permissions.ts";
import { hearsEvents, type Existing, type Wanted } from "./wanted.ts";
import { workersSubdomain, workerState, type WorkerState } from "./workers.ts";
import { zoneOf, type Zone } from "./zones.ts";

/** The part that the SPF record of Email Routing consists of. */
const ROUTING_SPF = "include:_spf.mx.cloudflare.net";
/** Bindings that `up` writes, by type. Others were added by hand. */
const OWN_BINDINGS: ReadonlySet<string> = new Set([
  "plain_text",
  "secret_text",
  "durable_object_namespace",
  "r2_bucket",
  "assets",
  "send_email",
]);
/** An account's id, as the API writes it. */
const ACCOUNT_ID = /^[0-9a-f]{32}$/;

/** The permissions that a deployment needs. */
export function neededPermissions(wanted: Pick<Wanted, "sending" | "events" | "r2">): readonly Permission[] {
  const unneeded = new Set<Permission>();
  if (wanted.r2 === false) unneeded.add("Workers R2 Storage: Edit");
  if (wanted.sending !== "cloudflare") unneeded.add("Email Sending: Edit");
  if (!hearsEvents(wanted)) unneeded.add("Queues: Edit");
  return ALL_PERMISSIONS.filter((name) => !unneeded.has(name));
}

/**
 * Looks up and checks all preconditions of a deployment: token, account, zone, DNS, worker. It changes nothing. Throws a
 * {@link Stop} for the first one that is not met, and a CloudflareFailure if Cloudflare does not answer.
 */
export async function survey(api: CloudflareApi, wanted: Wanted, token: string): Promise<Existing> {
  const given = wanted.account !== null && ACCOUNT_ID.test(wanted.account) ? wanted.account : null;
  await checkToken(api, wanted, { token, accountId: given });
  const accounts = await listAccounts(api);
  const asked = wanted.account === null ? null : accountNamed(accounts, wanted, wanted.account);
  const zone = checkZone(await zoneOf(api, wanted.domain, asked?.id ?? null), wanted);
  const account = accountOf(accounts, zone, { asked, wanted });
  const warnings = await checkDns(api, zone, wanted);
  const worker = await workerState(api, account.id, wanted.worker);
  if (worker !== null) checkWorker(worker, wanted);
  const mailHosts = (await routingRecords(api, zone.id))
    .filter(({ type }) => type === "MX")
    .map(({ content }) => content.replace(/\.$/, "").toLowerCase());
  return {
    account,
    zone,
    worker,
    usesR2: r2Of(worker, wanted),
    subdomain: await workersSubdomain(api, account.id),
    mailHosts,
    warnings: [...warnings, ...(await catchAllWarnings(api, zone, wanted))],
  };
}

async function checkToken(
  api: CloudflareApi,
  wanted: Wanted,
  { token, accountId }: { token: string; accountId: string | null },
): Promise<void> {
  if (isAccountToken(token) && accountId === null) {
    throw new Stop(
      "The token belongs to an account, so it can be verified only together with the account's id",
      `${wanted.again} --account <the 32 digits after dash.cloudflare.com/>`,
    );
  }
  const { id, status } = await verifyToken(api, { token, accountId });
  const makeToken = withNewToken(neededPermissions(wanted), wanted.again);
  if (status !== "active") throw new TokenStop(`The token is ${oneLine(status)}`, makeToken);
  const groups = await permissionGroups(api, { token, tokenId: id, accountId });
  // If the token may not read its own permissions, a missing one shows at the call that needs it.
  if (groups === null) return;
  const missing = missingPermissions(neededPermissions(wanted), groups);
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(", ");
    throw new TokenStop(
      `The token lacks ${missing.length === 1 ? "a permission" : "permissions"}: ${names}`,
      makeToken,
    );
  }
}

function accountNamed(accounts: readonly Account[], { again }: Wanted, asked: string): Account {
  const found = accounts.find(({ id, name }) => id === asked || name === asked);
  if (found !== undefined) return found;
  throw new Stop(
    `The token sees no account "${oneLine(asked)}"; it sees ${namesOfAccounts(accounts)}`,
    `${again} --account <one of these>`,
  );
}

function accountOf(
  accounts: readonly Account[],
  zone: Zone,
  { asked, wanted }: { asked: Account | null; wanted: Wanted },
): Account {
  const own = { id: zone.account.id, name: zone.account.name };
  if (asked === null) return accounts.find(({ id }) => id === own.id) ?? own;
  if (asked.id === own.id) return asked;
  throw new Stop(
    `${zone.name} belongs to the account "${oneLine(own.name)}" (${own.id}), not to "${oneLine(asked.name)}": a worker receives only mail of zones of its own account`,
    `${wanted.again} --account ${own.id}`,
  );
}

function namesOfAccounts(accounts: readonly Account[]): string {
  const names = accounts.map(({ id, name }) => `"${oneLine(name, 60)}" (${id})`);
  return names.length === 0 ? "none" : names.slice(0, 10).join(", ");
}

function checkZone(zone: Zone | null, { domain, again }: Wanted): Zone {
  if (zone === null) {
    throw new Stop(
      `No zone of your Cloudflare account holds ${domain}, or the token does not include it`,
      `add the domain at https://dash.cloudflare.com/?to=/:account/add-site and include it in the token, then: ${again}`,
    );
  }
  if (zone.status !== "active") {
    const servers = zone.nameServers.map((name) => oneLine(name, 80)).join(" and ");
    const wrong =
      zone.status === "moved"
        ? `The name servers of ${zone.name} are no longer Cloudflare's`
        : `${zone.name} is not active yet (${oneLine(zone.status)}): its registrar does not name Cloudflare's servers`;
    throw new Stop(
      wrong,
      `at the registrar, set the name servers to ${servers}; when it is active: ${again}`,
    );
  }
  if (zone.isPaused) {
    throw new Stop(
      `${zone.name} is paused in Cloudflare`,
      `resume it at https://dash.cloudflare.com/?to=/:account/${zone.name}, then: ${again}`,
    );
  }
  return zone;
}

/** Throws a {@link Stop} for DNS records that receiving mail would break; resolves to warnings for the operator. */
async function checkDns(api: CloudflareApi, zone: Zone, wanted: Wanted): Promise<string[]> {
  const { domain } = wanted;
  const records = await listRecords(api, zone.id, { name: domain });
  const alias = records.find(({ type }) => type === "CNAME");
  if (alias !== undefined && domain !== zone.name) {
    throw new Stop(
      `${domain} is a CNAME for ${oneLine(alias.content)}, so it can have no MX record`,
      `${wanted.again.replace(domain, `mail.${domain}`)}`,
    );
  }
  checkMx(foreignMx(records, domain), zone, wanted);
  checkSpf(records, zone, wanted);
  if (domain === zone.name) return [];
  const apex = await listRecords(api, zone.id, { name: zone.name, type: "MX" });
  const foreign = foreignMx(apex, zone.name);
  if (foreign.length > 0) {
    return [`${zone.name} keeps its mail at ${hostsOf(foreign)}: only the records of ${domain} are added.`];
  }
  return apex.length === 0
    ? []
    : [
        `${zone.name} receives mail through Email Routing. The catch-all rule is of the whole zone: from now on the worker gets all mail that no other rule matches, and refuses what is not for ${domain} (550 5.1.1).`,
      ];
}

function checkMx(foreign: readonly DnsRecord[], zone: Zone, { domain, again }: Wanted): void {
  if (foreign.length === 0) return;
  throw new Stop(
    `${domain} receives its mail at ${hostsOf(foreign)}: Email Routing would take that mail away`,
    again.replace(domain, `${domain === zone.name ? "agents" : "mail"}.${domain}`),
  );
}

function checkSpf(records: readonly DnsRecord[], zone: Zone, { domain }: Wanted): void {
  const spf = records.filter(({ type, content }) => type === "TXT" && /^"?v=spf1(?:\s|"|$)/i.test(content));
  const other = spf.find(({ content }) => !content.includes(ROUTING_SPF));
  if (other === undefined) return;
  const bare = other.content.replaceAll('"', "").trim();
  const merged = bare.replace(/^v=spf1/i, `v=spf1 ${ROUTING_SPF}`);
  const body = JSON.stringify({ content: `"${merged}"` }).replaceAll("'", String.raw`'\''`);
  throw new Stop(
    `${domain} has an SPF record already (${oneLine(bare)}): a second one, which Email Routing adds, makes both invalid`,
    `curl -X PATCH https://api.cloudflare.com/client/v4/zones/${zone.id}/dns_records/${other.id} -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" -H "Content-Type: application/json" -d '${body}'`,
  );
}

function hostsOf(records: readonly DnsRecord[]): string {
  return [...new Set(records.map(({ content }) => oneLine(content, 80)))].slice(0, 5).join(", ");
}

/** Throws if the name belongs to another program, or to a deployment for another domain. */
function checkWorker(worker: WorkerState, { worker: name, domain, again }: Wanted): void {
  const isMailkeep = worker.bindings.some(
    (binding) => binding.name === "MAILBOX" && binding.className === "Mailbox",
  );
  const renamed = `${again} --name ${name}-mail`;
  if (!isMailkeep) throw new Stop(`The account has another worker with the name ${name}`, renamed);
  const served = worker.vars.get("MAIL_DOMAIN");
  if (served !== undefined && served !== domain) {
    throw new Stop(`The worker ${name} serves the domain ${oneLine(served, 80)} already`, renamed);
  }
  const foreign = worker.bindings.find(({ type }) => !OWN_BINDINGS.has(type));
  if (foreign === undefined) return;
  throw new Stop(
    `The worker ${name} has the binding ${oneLine(foreign.name, 60)} (${oneLine(foreign.type, 60)}), which this command would remove`,
    "npm run deploy, in the repository, with that binding in wrangler.jsonc",
  );
}

/** Whether the deployment stores large messages in R2. Throws a {@link Stop} if it would lose the bucket that it has. */
function r2Of(worker: WorkerState | null, { r2, again }: Wanted): boolean {
  if (worker === null) return r2 ?? true;
  const hasBucket = worker.bindings.some(({ type }) => type === "r2_bucket");
  if (hasBucket && r2 === false) {
    throw new Stop(
      "The deployment has large messages in R2: without its bucket they could not be read",
      again.replace(" --without-r2", ""),
    );
  }
  return r2 ?? hasBucket;
}

async function catchAllWarnings(api: CloudflareApi, zone: Zone, wanted: Wanted): Promise<string[]> {
  if (!wanted.takesCatchAll) return [];
  const rule = await readCatchAll(api, zone.id);
  const [action] = rule?.actions ?? [];
  if (rule === null || !rule.isEnabled || action === undefined) return [];
  if (action.type === "worker" && action.value?.includes(wanted.worker)) return [];
  const target = oneLine(`${action.type} ${action.value?.join(", ") ?? ""}`.trim());
  return [`The catch-all rule of ${zone.name} is taken from: ${target}. \`down\` gives it back.`];
}
