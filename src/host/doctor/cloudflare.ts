import * as z from "zod";
import { PRODUCT, VERSION } from "../../contract/product.ts";
import { verifyToken } from "../cloudflare/accounts.ts";
import { boundedText, type CloudflareApi } from "../cloudflare/api.ts";
import { listRecords } from "../cloudflare/dns.ts";
import { readCatchAll, routingRecords, routingSettings } from "../cloudflare/email-routing.ts";
import { listSendingDomains } from "../cloudflare/email-sending.ts";
import { CloudflareFailure, stopOf } from "../cloudflare/failure.ts";
import { listQueues, listSubscriptions } from "../cloudflare/queues.ts";
import { bucketState } from "../cloudflare/r2.ts";
import { namesOf } from "../cloudflare/wanted.ts";
import { secretNames, workersSubdomain, workerState, type WorkerState } from "../cloudflare/workers.ts";
import { zoneOf, type Zone } from "../cloudflare/zones.ts";
import { runTasks, type RunOptions, type Task } from "./doctor.ts";
import { fine, quoted, wrong, type Finding } from "./finding.ts";
import { listed, recordLine } from "./records.ts";
import { shellWord } from "./shell-word.ts";

/** A deployment on Cloudflare. */
export interface Deployment {
  /** In lower case. */
  domain: string;
  worker: string;
  /** The id of the account; null: that of the zone. */
  accountId: string | null;
  token: string;
  /** Takes the place of the global `fetch` towards the deployment itself. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Everything that the checks of a deployment use. */
interface Subject extends Pick<Deployment, "domain" | "fetch"> {
  api: CloudflareApi;
  zone: Zone;
  accountId: string;
  /** The name of the worker. */
  name: string;
  worker: WorkerState;
  /** The command that makes what is missing. */
  up: string;
}

const SECRETS = ["AUTH_TOKEN", "KEY_SECRET", "WEBHOOK_SECRET"];

/** Examines a deployment on Cloudflare. Nothing is changed. */
export async function examineCloudflare(
  api: CloudflareApi,
  deployment: Deployment,
  options: RunOptions,
): Promise<Finding[]> {
  const { domain, worker: name, token } = deployment;
  const up = `npx mailkeep-server up --domain ${shellWord(domain)} --name ${shellWord(name)} --yes`;
  const found: Finding[] = [];
  const begin = async (): Promise<Finding[]> => {
    const { status } = await verifyToken(api, { token, accountId: deployment.accountId });
    if (status !== "active") {
      return [
        wrong(
          "token.refused",
          `The token is ${quoted(status)}`,
          `CLOUDFLARE_API_TOKEN=<an API token> ${options.command}`,
        ),
      ];
    }
    found.push(fine("token", "Cloudflare takes the token"));
    const zone = await zoneOf(api, domain, deployment.accountId);
    const finding = judgeZone(domain, zone, options.command);
    if (zone === null || finding.level !== "ok") return [finding];
    found.push(finding);
    const accountId = deployment.accountId ?? zone.account.id;
    const worker = await workerState(api, accountId, name);
    if (worker === null) return [wrong("worker.missing", `The account has no worker ${name}`, up)];
    const { fetch: send } = deployment;
    const tasks = tasksOf({ api, domain, zone, accountId, name, worker, up, ...(send && { fetch: send }) });
    return runTasks(
      tasks.map((task) => guarded(task, options.command)),
      options,
    );
  };
  const rest = await runTasks([guarded({ topic: "worker", run: begin }, options.command)], options);
  return [...found, ...rest];
}

/** Makes a failure of the token a finding. Other failures are those of any check. */
function guarded({ topic, run }: Task, again: string): Task {
  return {
    topic,
    run: async (signal) => {
      try {
        return await run(signal);
      } catch (error) {
        if (!(error instanceof CloudflareFailure)) throw error;
        const id = { token: "token.refused", permission: "token.permission" } as const;
        if (error.kind !== "token" && error.kind !== "permission") throw error;
        const { message, next } = stopOf(error, again);
        return [wrong(id[error.kind], message, next)];
      }
    },
  };
}

function judgeZone(domain: string, zone: Zone | null, again: string): Finding {
  if (zone === null) {
    const page = "open 'https://dash.cloudflare.com/?to=/:account/add-site'";
    return wrong("zone.missing", `No zone of the account holds ${domain}`, `${page}, then: ${again}`);
  }
  if (zone.status === "active" && !zone.isPaused) return fine("zone", `The zone ${zone.name} is active`);
  const servers = zone.nameServers.map((server) => recordLine(zone.name, "NS", `${server}.`));
  const words = zone.isPaused ? "paused" : quoted(zone.status);
  return wrong("zone.inactive", `The zone ${zone.name} is ${words}`, servers.join("; "));
}

function tasksOf(subject: Subject): Task[] {
  return [
    { topic: "routing", run: () => routing(subject) },
    { topic: "worker", run: () => settings(subject) },
    { topic: "worker", run: (signal) => version(subject, signal) },
    { topic: "bucket", run: () => bucket(subject) },
    { topic: "sending", run: () => sending(subject) },
    { topic: "queue", run: () => queues(subject) },
  ];
}

async function routing({ api, zone, domain, name, up }: Subject): Promise<Finding[]> {
  const state = await routingSettings(api, zone.id);
  if (state?.isEnabled !== true) return [wrong("routing.off", `Email Routing is off for ${zone.name}`, up)];
  const wanted = (await routingRecords(api, zone.id)).filter(({ type }) => type === "MX").map(hostOf);
  const records = (await listRecords(api, zone.id, { name: domain, type: "MX" })).map(hostOf);
  if (!records.some((host) => wanted.includes(host))) {
    const now = records.length === 0 ? "no MX record" : `the MX records ${listed(records)}`;
    return [wrong("routing.records", `${domain} has ${now}, and none of Email Routing's`, up)];
  }
  const rule = await readCatchAll(api, zone.id);
  const leadsHere = rule?.actions.some(
    ({ type, value }) => type === "worker" && value?.includes(name) === true,
  );
  if (rule?.isEnabled !== true || leadsHere !== true) {
    const now = rule?.isEnabled === true ? "leads elsewhere" : "is off";
    return [
      wrong("routing.catch-all", `The catch-all rule of ${zone.name} ${now}`, `${up} --take-catch-all`),
    ];
  }
  return [fine("routing", `Email Routing hands mail for ${domain} to the worker ${name}`)];
}

const hostOf = ({ content }: { content: string }): string => content.toLowerCase().replace(/\.$/, "");

async function settings({ api, accountId, name, domain, worker, up }: Subject): Promise<Finding[]> {
  const found: Finding[] = [];
  const other = `npx mailkeep-server up --domain ${shellWord(domain)} --name ${shellWord(`${name}-mail`)}`;
  const present = worker.vars.get("MAIL_DOMAIN") ?? "";
  if (present !== domain) {
    found.push(wrong("worker.domain", `MAIL_DOMAIN of the worker ${name} is ${quoted(present)}`, other));
  }
  const names = await secretNames(api, accountId, name);
  const missing = SECRETS.filter((secret) => !names.includes(secret));
  if (missing.length > 0) {
    found.push(wrong("worker.secrets", `The worker ${name} has no ${missing.join(", ")}`, up));
  }
  return found.length > 0 ? found : [fine("worker", `The worker ${name} has its domain and its secrets`)];
}

/** Whether the worker answers as this program's version. Nothing is found where it has no address. */
async function version(subject: Subject, signal: AbortSignal): Promise<Finding[]> {
  const { name, up, fetch: send = fetch } = subject;
  const origin = await originOf(subject);
  if (origin === null) return [];
  const response = await send(new URL("/health", origin).href, { redirect: "manual", signal });
  const health = HEALTH.safeParse(JSON.parse(await boundedText(response)));
  if (response.status !== 200 || !health.success)
    throw new Error(`${origin}/health answers ${response.status}`);
  const deployed = health.data.version;
  if (deployed === VERSION)
    return [fine("worker", `The worker ${name} is version ${VERSION}, as this program`)];
  const fix = isNewer(deployed, VERSION) ? `npm install mailkeep-server@${shellWord(deployed)}` : up;
  return [
    wrong(
      "worker.version",
      `The worker ${name} is version ${quoted(deployed)}, this program ${VERSION}`,
      fix,
    ),
  ];
}

const HEALTH = z.object({
  worker: z.literal(PRODUCT),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
});

/** Where the deployment is reached: at PUBLIC_URL, or under workers.dev. */
async function originOf({ api, accountId, name, worker }: Subject): Promise<string | null> {
  const own = URL.parse(worker.vars.get("PUBLIC_URL") ?? "");
  if (own?.protocol === "https:") return own.origin;
  const subdomain = await workersSubdomain(api, accountId);
  return subdomain === null ? null : `https://${name}.${subdomain}.workers.dev`;
}

/** Whether one version of three numbers comes after another. */
function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) > 0;
}

async function bucket({ api, accountId, worker, up }: Subject): Promise<Finding[]> {
  const bound = worker.bindings.find(({ type }) => type === "r2_bucket")?.bucket ?? null;
  if (bound === null) return [];
  const state = await bucketState(api, accountId, bound);
  if (state === "there") return [fine("bucket", `The R2 bucket ${bound} is there`)];
  const why = state === "off" ? "R2 is off for the account" : "is not there";
  return [wrong("bucket.missing", `The R2 bucket ${bound}: ${why}`, up)];
}

const sendsHere = ({ worker }: Subject): boolean => worker.bindings.some(({ type }) => type === "send_email");

async function sending(subject: Subject): Promise<Finding[]> {
  const { api, zone, domain, up } = subject;
  if (!sendsHere(subject)) return [];
  const own = (await listSendingDomains(api, zone.id)).find(({ name }) => name === domain);
  return own?.isEnabled === true
    ? [fine("sending", `${domain} may send through Cloudflare`)]
    : [wrong("sending.off", `${domain} may not send through Cloudflare`, up)];
}

/** A deployment may do without the events; then it has neither queue nor subscription. */
async function queues(subject: Subject): Promise<Finding[]> {
  const { api, accountId, domain, name, up } = subject;
  if (!sendsHere(subject)) return [];
  const names = namesOf({ worker: name });
  const queue = (await listQueues(api, accountId)).find((one) => one.name === names.events);
  if (queue === undefined) return [];
  if (!queue.consumers.some(({ script }) => script === name)) {
    return [wrong("queue.reader", `The worker ${name} does not read the queue ${names.events}`, up)];
  }
  const comes = (await listSubscriptions(api, accountId)).some(
    (one) => one.queueId === queue.id && one.isEnabled && one.domain === domain,
  );
  return comes
    ? [fine("queue", `Events of sent mail come to the queue ${names.events}, which the worker reads`)]
    : [wrong("queue.events", `No events of ${domain} come to the queue ${names.events}`, up)];
}
