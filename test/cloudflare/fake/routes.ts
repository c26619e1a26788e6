// The routes of the fake, a function for each resource. What Cloudflare refuses is refused here with its status and number.
import { createHash } from "node:crypto";
import * as z from "zod";
import { ApiError, bodyOf, ok, paged, requires, type Answer, type FakeCall } from "./answers.ts";
import {
  TAKEN_SUBDOMAINS,
  type FakeAccount,
  type FakeRecord,
  type FakeScript,
  type FakeToken,
  type FakeZone,
} from "./state.ts";

/** The request and the state that a route works on. */
export interface World {
  accounts: Map<string, FakeAccount>;
  zones: Map<string, FakeZone>;
  tokens: FakeToken[];
  newId: () => string;
}

export interface FakeRoute {
  method: string;
  /** Parts in braces are handed over. */
  path: string;
  handle: (world: World, call: FakeCall) => Answer | Promise<Answer>;
}

const MX_HOSTS = ["route1.mx.cloudflare.net", "route2.mx.cloudflare.net", "route3.mx.cloudflare.net"];
const ROUTING_SPF = "v=spf1 include:_spf.mx.cloudflare.net ~all";

function accountOf(world: World, call: FakeCall): FakeAccount {
  const account = world.accounts.get(call.parts[0] ?? "");
  if (account === undefined || !call.token.accounts.has(account.id)) {
    throw new ApiError(403, 9109, "Unauthorized to access requested resource");
  }
  return account;
}

function zoneOf(world: World, call: FakeCall): FakeZone {
  const zone = world.zones.get(call.parts[0] ?? "");
  if (zone === undefined || !call.token.accounts.has(zone.account)) {
    throw new ApiError(403, 9109, "Unauthorized to access requested resource");
  }
  return zone;
}

const ACCOUNTS: FakeRoute[] = [
  {
    method: "GET",
    path: "/user/tokens/verify",
    handle: (_, { token }) => ok({ id: token.id, status: token.status, expires_on: null }),
  },
  { method: "GET", path: "/user/tokens/{}", handle: (_, call) => ownToken(call, call.parts[0]) },
  {
    method: "GET",
    path: "/accounts/{}/tokens/verify",
    handle: (world, call) => {
      accountOf(world, call);
      return ok({ id: call.token.id, status: call.token.status, expires_on: null });
    },
  },
  { method: "GET", path: "/accounts/{}/tokens/{}", handle: (_, call) => ownToken(call, call.parts[1]) },
  {
    method: "GET",
    path: "/accounts",
    handle: ({ accounts }, call) => {
      const mayList = lists(call, "Account Settings Read", "Account Settings Write");
      const seen = [...accounts.values()].filter(({ id }) => mayList && call.token.accounts.has(id));
      return paged(
        seen.map(({ id, name }) => ({ id, name, type: "standard" })),
        call.query,
      );
    },
  },
  {
    method: "GET",
    path: "/zones",
    handle: ({ zones, accounts }, call) => {
      const mayList = lists(call, "Zone Read", "Zone Write");
      const name = call.query.get("name");
      const seen = [...zones.values()].filter(
        (zone) => mayList && call.token.accounts.has(zone.account) && (name === null || zone.name === name),
      );
      return paged(
        seen.map((zone) => ({
          id: zone.id,
          name: zone.name,
          status: zone.status,
          paused: zone.paused,
          type: "full",
          account: { id: zone.account, name: accounts.get(zone.account)?.name },
          name_servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
          original_name_servers: ["ns1.registrar.example"],
        })),
        call.query,
      );
    },
  },
];

/** Whether a list has entries: without the permission it is empty, or refused. */
function lists(call: FakeCall, ...groups: readonly string[]): boolean {
  if (call.token.isRefusedLists) requires(call, ...groups);
  return groups.some((group) => call.token.groups.has(group));
}

function ownToken({ token }: FakeCall, id: string | undefined): Answer {
  if (!token.readsItself || id !== token.id) {
    throw new ApiError(403, 9109, "Unauthorized to access requested resource");
  }
  const groups = [...token.groups].map((name) => ({ id: name, name }));
  return ok({ id, status: token.status, policies: [{ effect: "allow", permission_groups: groups }] });
}

const RECORD = z.strictObject({
  type: z.enum(["A", "AAAA", "CNAME", "MX", "TXT"]),
  name: z.string().min(1),
  content: z.string().min(1),
  ttl: z.number().int(),
  priority: z.number().int().optional(),
  comment: z.string().max(100).optional(),
});

const shownRecord = ({ isLocked, modifiedMs, ...record }: FakeRecord): unknown => ({
  ...record,
  modified_on: new Date(modifiedMs ?? 0).toISOString(),
  ttl: 1,
  proxied: false,
  meta: isLocked ? { email_routing: true, read_only: true } : {},
});

const DNS: FakeRoute[] = [
  {
    method: "GET",
    path: "/zones/{}/dns_records",
    handle: (world, call) => {
      const { records } = zoneOf(world, call);
      requires(call, "DNS Read", "DNS Write");
      const name = call.query.get("name");
      const type = call.query.get("type");
      const found = records.filter(
        (record) => (name === null || record.name === name) && (type === null || record.type === type),
      );
      return paged(found.map(shownRecord), call.query);
    },
  },
  {
    method: "POST",
    path: "/zones/{}/dns_records",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "DNS Write");
      const { ttl: _, priority, comment, ...body } = bodyOf(call, RECORD);
      const same = zone.records.filter(({ name }) => name === body.name);
      if (same.some(({ type, content }) => type === body.type && content === body.content)) {
        throw new ApiError(400, 81058, "An identical record already exists.");
      }
      if (same.some(({ type }) => type === "CNAME") || (body.type === "CNAME" && same.length > 0)) {
        throw new ApiError(400, 81053, "An A, AAAA, or CNAME record with that host already exists.");
      }
      const record: FakeRecord = {
        id: world.newId(),
        ...body,
        ...(priority !== undefined && { priority }),
        ...(comment !== undefined && { comment }),
        modifiedMs: Date.now(),
        isLocked: false,
      };
      zone.records.push(record);
      return ok(shownRecord(record));
    },
  },
  {
    method: "PATCH",
    path: "/zones/{}/dns_records/{}",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "DNS Write");
      const record = zone.records.find(({ id }) => id === call.parts[1]);
      if (record === undefined) throw new ApiError(404, 81044, "Record does not exist.");
      if (record.isLocked) throw new ApiError(400, 1046, "This record is managed by Email Routing.");
      record.content = bodyOf(call, z.strictObject({ content: z.string().min(1) })).content;
      record.modifiedMs = Date.now();
      return ok(shownRecord(record));
    },
  },
  {
    method: "DELETE",
    path: "/zones/{}/dns_records/{}",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "DNS Write");
      const record = zone.records.find(({ id }) => id === call.parts[1]);
      if (record === undefined) throw new ApiError(404, 81044, "Record does not exist.");
      if (record.isLocked) throw new ApiError(400, 1046, "This record is managed by Email Routing.");
      zone.records = zone.records.filter(({ id }) => id !== record.id);
      return ok({ id: record.id });
    },
  },
];

const ACTION = z.strictObject({
  type: z.enum(["drop", "forward", "worker"]),
  value: z.array(z.string()).optional(),
});
const CATCH_ALL = z.strictObject({
  enabled: z.boolean().optional(),
  actions: z.array(ACTION).min(1),
  matchers: z.tuple([z.strictObject({ type: z.literal("all") })]),
  name: z.string().optional(),
  source: z.enum(["api", "wrangler"]).optional(),
});

const settingsOf = ({ id, name, routing }: FakeZone): unknown => ({
  id,
  name,
  enabled: routing?.enabled ?? false,
  status: routing?.status ?? "unconfigured",
  skip_wizard: true,
  support_subaddress: false,
});

function addLocked(world: World, zone: FakeZone, record: Omit<FakeRecord, "id" | "isLocked">): void {
  const exists = zone.records.some(
    ({ type, name, content }) => type === record.type && name === record.name && content === record.content,
  );
  if (!exists) zone.records.push({ id: world.newId(), ...record, isLocked: true });
}

function enableRouting(world: World, zone: FakeZone, name: string): void {
  if (name !== zone.name && !name.endsWith(`.${zone.name}`)) {
    throw new ApiError(400, 1004, "name must be the zone or below it");
  }
  const mx = zone.records.filter((record) => record.type === "MX" && record.name === name);
  if (mx.some(({ content }) => !MX_HOSTS.includes(content))) {
    throw new ApiError(409, 2008, "Found existing MX records. Delete them before enabling Email Routing.");
  }
  MX_HOSTS.forEach((content, at) =>
    addLocked(world, zone, { type: "MX", name, content, priority: 10 * (at + 1) }),
  );
  addLocked(world, zone, { type: "TXT", name, content: ROUTING_SPF });
  const names = new Set([...(zone.routing?.names ?? []), name]);
  zone.routing = { enabled: true, status: "ready", names: [...names] };
}

const ROUTING: FakeRoute[] = [
  {
    method: "GET",
    path: "/zones/{}/email/routing",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Zone Settings Read", "Zone Settings Write");
      return ok(settingsOf(zone));
    },
  },
  {
    method: "GET",
    path: "/zones/{}/email/routing/dns",
    handle: (world, call) => {
      const { name } = zoneOf(world, call);
      requires(call, "Zone Settings Read", "Zone Settings Write");
      return ok([
        ...MX_HOSTS.map((content, at) => ({ type: "MX", name, content, priority: 10 * (at + 1), ttl: 1 })),
        { type: "TXT", name, content: ROUTING_SPF, ttl: 1 },
      ]);
    },
  },
  {
    method: "POST",
    path: "/zones/{}/email/routing/dns",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Zone Settings Write");
      const { name = zone.name } = bodyOf(call, z.strictObject({ name: z.string().optional() }));
      if (call.token.isLogin) {
        throw new ApiError(403, 10000, "POST method not allowed for the oauth_token authentication scheme");
      }
      enableRouting(world, zone, name);
      return ok(settingsOf(zone));
    },
  },
  {
    method: "DELETE",
    path: "/zones/{}/email/routing/dns",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Zone Settings Write");
      zone.records = zone.records.filter(({ isLocked }) => !isLocked);
      zone.routing = { enabled: false, status: "unconfigured", names: [] };
      return ok([]);
    },
  },
  {
    method: "PATCH",
    path: "/zones/{}/email/routing/dns",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Zone Settings Write");
      const { name = zone.name } = bodyOf(call, z.strictObject({ name: z.string().optional() }));
      for (const record of zone.records) if (record.name === name) record.isLocked = false;
      return ok(settingsOf(zone));
    },
  },
  {
    method: "GET",
    path: "/zones/{}/email/routing/rules",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Routing Rules Read", "Email Routing Rules Write");
      return paged([...zone.rules, zone.catchAll], call.query);
    },
  },
  {
    method: "GET",
    path: "/zones/{}/email/routing/rules/catch_all",
    handle: (world, call) => {
      const { catchAll } = zoneOf(world, call);
      requires(call, "Email Routing Rules Read", "Email Routing Rules Write");
      return ok(catchAll);
    },
  },
  {
    method: "PUT",
    path: "/zones/{}/email/routing/rules/catch_all",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Routing Rules Write");
      const { enabled = false, actions, name = "" } = bodyOf(call, CATCH_ALL);
      if (enabled && zone.routing?.enabled !== true) {
        throw new ApiError(409, 2020, "Email Routing is not enabled for this zone.");
      }
      checkWorkers(world, zone, actions);
      zone.catchAll = { ...zone.catchAll, enabled, actions, name };
      return ok(zone.catchAll);
    },
  },
];

/** A rule may only name a worker that is there. */
function checkWorkers({ accounts }: World, zone: FakeZone, actions: z.infer<typeof ACTION>[]): void {
  const scripts = accounts.get(zone.account)?.scripts;
  for (const { type, value } of actions) {
    if (type !== "worker") continue;
    if (value?.length !== 1) throw new ApiError(400, 2007, "Invalid input: a worker action has one value");
    if (scripts?.has(value[0] ?? "") !== true) throw new ApiError(404, 2016, "Worker not found.");
  }
}

/** The records that sending from a domain needs. */
function sendingRecords({ name }: { name: string }): Omit<FakeRecord, "id" | "isLocked">[] {
  const bounce = `cf-bounce.${name}`;
  return [
    { type: "MX", name: bounce, content: "route1.mx.cloudflare.net", priority: 10 },
    { type: "TXT", name: bounce, content: "v=spf1 include:_spf.mx.cloudflare.net ~all" },
    { type: "TXT", name: `cf-bounce._domainkey.${name}`, content: "v=DKIM1; h=sha256; k=rsa; p=QUJD" },
    { type: "TXT", name: `_dmarc.${name}`, content: "v=DMARC1; p=reject;" },
  ];
}

const SENDING: FakeRoute[] = [
  {
    method: "GET",
    path: "/zones/{}/email/sending/subdomains",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Sending Read", "Email Sending Write");
      return paged(zone.sending, call.query);
    },
  },
  {
    method: "POST",
    path: "/zones/{}/email/sending/subdomains",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Sending Write");
      const { name } = bodyOf(call, z.strictObject({ name: z.string().min(1) }));
      if (!zone.allowsSending) {
        throw new ApiError(403, 2051, "Email Sending is not available for this account.");
      }
      const found = zone.sending.find((one) => one.name === name);
      const sending = found ?? { tag: world.newId(), name, enabled: true };
      sending.enabled = true;
      if (found === undefined) zone.sending.push(sending);
      if (zone.addsSendingRecords) {
        for (const record of sendingRecords({ name })) {
          if (!zone.records.some((one) => one.name === record.name)) addLocked(world, zone, record);
        }
      }
      return ok(sending);
    },
  },
  {
    method: "GET",
    path: "/zones/{}/email/sending/subdomains/{}/dns",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Sending Read", "Email Sending Write");
      const found = zone.sending.find(({ tag }) => tag === call.parts[1]);
      if (found === undefined) throw new ApiError(404, 2052, "Sending subdomain not found.");
      return ok(sendingRecords(found).map((record) => ({ ...record, ttl: 1 })));
    },
  },
  {
    method: "DELETE",
    path: "/zones/{}/email/sending/subdomains/{}",
    handle: (world, call) => {
      const zone = zoneOf(world, call);
      requires(call, "Email Sending Write");
      const found = zone.sending.find(({ tag }) => tag === call.parts[1]);
      if (found === undefined) throw new ApiError(404, 2052, "Sending subdomain not found.");
      zone.sending = zone.sending.filter((one) => one !== found);
      const own = new Set(sendingRecords(found).map(({ name }) => name));
      zone.records = zone.records.filter(({ name, isLocked }) => !(isLocked && own.has(name)));
      return ok(null);
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/email/sending/send_raw",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Email Sending Write");
      const message = bodyOf(
        call,
        z.strictObject({
          from: z.string(),
          recipients: z.array(z.string()).min(1),
          mime_message: z.string(),
        }),
      );
      const domain = message.from.slice(message.from.indexOf("@") + 1);
      const zones = [...world.zones.values()].filter((zone) => zone.account === account.id);
      if (!zones.some((zone) => zone.sending.some(({ name, enabled }) => enabled && name === domain))) {
        throw new ApiError(400, 2060, "Sending is not enabled for the domain of the sender.");
      }
      account.sent.push(message);
      return ok({ delivered: [], queued: message.recipients, permanent_bounces: [] });
    },
  },
];

function needsR2({ hasR2, r2Code }: FakeAccount): void {
  if (!hasR2) throw new ApiError(403, r2Code, "Please enable R2 through the Cloudflare Dashboard.");
}

const R2: FakeRoute[] = [
  {
    method: "GET",
    path: "/accounts/{}/r2/buckets/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers R2 Storage Read", "Workers R2 Storage Write");
      needsR2(account);
      const [, name = ""] = call.parts;
      if (!account.buckets.has(name)) throw new ApiError(404, 10006, "The specified bucket does not exist.");
      return ok({ name, creation_date: "2026-01-01T00:00:00Z", location: "WEUR" });
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/r2/buckets",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers R2 Storage Write");
      needsR2(account);
      const { name } = bodyOf(
        call,
        z.strictObject({ name: z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/) }),
      );
      if (account.buckets.has(name)) {
        throw new ApiError(409, 10004, "The bucket you tried to create already exists, and you own it.");
      }
      account.buckets.set(name, new Set());
      return ok({ name });
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/r2/buckets/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers R2 Storage Write");
      const [, name = ""] = call.parts;
      const objects = account.buckets.get(name);
      if (objects === undefined) throw new ApiError(404, 10006, "The specified bucket does not exist.");
      if (objects.size > 0) throw new ApiError(409, 10008, "The bucket you tried to delete is not empty.");
      account.buckets.delete(name);
      return ok({});
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/r2/buckets/{}/objects",
    handle: (world, call) => {
      const objects = accountOf(world, call).buckets.get(call.parts[1] ?? "");
      requires(call, "Workers R2 Storage Read", "Workers R2 Storage Write");
      if (objects === undefined) throw new ApiError(404, 10006, "The specified bucket does not exist.");
      const limit = Number(call.query.get("per_page") ?? 20);
      return ok([...objects].slice(0, limit).map((key) => ({ key, size: 1 })));
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/r2/buckets/{}/objects/{}",
    handle: (world, call) => {
      const objects = accountOf(world, call).buckets.get(call.parts[1] ?? "");
      requires(call, "Workers R2 Storage Write");
      objects?.delete(call.parts[2] ?? "");
      return ok({});
    },
  },
];

const CONSUMER = z.looseObject({
  type: z.literal("worker"),
  script_name: z.string(),
  dead_letter_queue: z.string().optional(),
  settings: z.looseObject({}).optional(),
});

const QUEUES: FakeRoute[] = [
  {
    method: "GET",
    path: "/accounts/{}/queues",
    handle: (world, call) => {
      const { queues } = accountOf(world, call);
      requires(call, "Queues Read", "Queues Write");
      const names = call.query.getAll("name");
      const found = queues.filter(({ queue_name: name }) => names.length === 0 || names.includes(name));
      return paged(
        found.map((queue) => ({ ...queue, producers: [] })),
        call.query,
      );
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/queues",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Queues Write");
      const { queue_name: name } = bodyOf(call, z.strictObject({ queue_name: z.string().min(1).max(63) }));
      if (!account.hasQueues) {
        throw new ApiError(403, 100129, "Queues is unavailable on your current plan.");
      }
      if (account.queues.some((queue) => queue.queue_name === name)) {
        throw new ApiError(409, 11009, `Queue name '${name}' is already taken.`);
      }
      const queue = { queue_id: world.newId(), queue_name: name, consumers: [] };
      account.queues.push(queue);
      return ok(queue);
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/queues/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Queues Write");
      const queue = account.queues.find(({ queue_id: id }) => id === call.parts[1]);
      if (queue === undefined) throw new ApiError(404, 11000, "The specified queue does not exist.");
      if (queue.consumers.length > 0) throw new ApiError(409, 11005, "The queue still has a consumer.");
      if (account.subscriptions.some(({ destination }) => destination.queue_id === queue.queue_id)) {
        throw new ApiError(409, 11006, "The queue is the destination of a subscription.");
      }
      account.queues = account.queues.filter((one) => one !== queue);
      return ok(null);
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/queues/{}/consumers",
    handle: (world, call) => {
      const queue = accountOf(world, call).queues.find(({ queue_id: id }) => id === call.parts[1]);
      requires(call, "Queues Read", "Queues Write");
      return ok(queue?.consumers ?? []);
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/queues/{}/consumers",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Queues Write");
      const queue = account.queues.find(({ queue_id: id }) => id === call.parts[1]);
      if (queue === undefined) throw new ApiError(404, 11000, "The specified queue does not exist.");
      const { script_name: script, dead_letter_queue: dead, settings } = bodyOf(call, CONSUMER);
      if (queue.consumers.length > 0) throw new ApiError(409, 11004, "The queue already has a consumer.");
      queue.consumers.push({
        consumer_id: world.newId(),
        script,
        settings: settings ?? {},
        dead_letter_queue: dead ?? null,
      });
      return ok(queue.consumers[0]);
    },
  },
  {
    method: "PUT",
    path: "/accounts/{}/queues/{}/consumers/{}",
    handle: (world, call) => {
      const queue = accountOf(world, call).queues.find(({ queue_id: id }) => id === call.parts[1]);
      requires(call, "Queues Write");
      const consumer = queue?.consumers.find(({ consumer_id: id }) => id === call.parts[2]);
      if (consumer === undefined) throw new ApiError(404, 11000, "The specified consumer does not exist.");
      const { dead_letter_queue: dead, settings } = bodyOf(call, CONSUMER);
      Object.assign(consumer, { settings: settings ?? {}, dead_letter_queue: dead ?? null });
      return ok(consumer);
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/queues/{}/consumers/{}",
    handle: (world, call) => {
      const queue = accountOf(world, call).queues.find(({ queue_id: id }) => id === call.parts[1]);
      requires(call, "Queues Write");
      if (queue === undefined) throw new ApiError(404, 11000, "The specified queue does not exist.");
      queue.consumers = queue.consumers.filter(({ consumer_id: id }) => id !== call.parts[2]);
      return ok(null);
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/event_subscriptions/subscriptions",
    handle: (world, call) => {
      const { subscriptions } = accountOf(world, call);
      requires(call, "Queues Read", "Queues Write");
      return paged(subscriptions, call.query);
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/event_subscriptions/subscriptions",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Queues Write");
      const body = bodyOf(call, SUBSCRIPTION);
      const { queues, subscriptions } = account;
      if (!queues.some(({ queue_id: id }) => id === body.destination.queue_id)) {
        throw new ApiError(404, 11000, "The specified queue does not exist.");
      }
      const zone = world.zones.get(body.source.zone_id);
      if (!zone?.sending.some(({ name, enabled }) => enabled && name === body.source.domain)) {
        throw new ApiError(400, 10030, "The domain of the source is no sending domain.");
      }
      if (subscriptions.some(({ source }) => source.domain === body.source.domain)) {
        throw new ApiError(409, 10031, "There is a subscription for this source already.");
      }
      const subscription = { id: world.newId(), ...body };
      subscriptions.push(subscription);
      return ok(subscription);
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/event_subscriptions/subscriptions/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Queues Write");
      account.subscriptions = account.subscriptions.filter(({ id }) => id !== call.parts[1]);
      return ok(null);
    },
  },
];

const SUBSCRIPTION = z.strictObject({
  name: z.string().min(1),
  enabled: z.boolean(),
  source: z.strictObject({ type: z.literal("email.sending"), zone_id: z.string(), domain: z.string() }),
  destination: z.strictObject({ type: z.literal("queues.queue"), queue_id: z.string() }),
  events: z
    .array(
      z.enum([
        "message.delivered",
        "message.deferred",
        "message.bounced",
        "message.failed",
        "message.rejected",
        "message.complained",
      ]),
    )
    .min(1),
});

function scriptOf(account: FakeAccount, call: FakeCall): FakeScript {
  const script = account.scripts.get(call.parts[1] ?? "");
  if (script === undefined) throw new ApiError(404, 10007, "This Worker does not exist on your account.");
  return script;
}

const METADATA = z.looseObject({
  main_module: z.string(),
  bindings: z.array(z.looseObject({ type: z.string(), name: z.string() })).default([]),
  migrations: z.looseObject({ new_tag: z.string() }).optional(),
  compatibility_date: z.string(),
  keep_bindings: z.array(z.string()).optional(),
  assets: z.looseObject({ jwt: z.string() }).optional(),
});
type Metadata = z.infer<typeof METADATA>;

/** A script as the form of an upload has it. */
interface Uploaded {
  metadata: Metadata;
  bytes: number;
  hash: string;
}

/** Uploads a script, as the form of `PUT /workers/scripts/{}` and as a test does it without wrangler. */
export function upload(account: FakeAccount, name: string, { metadata, bytes, hash }: Uploaded): FakeScript {
  if (bytes > account.maxScriptBytes) {
    throw new ApiError(413, 10027, "Your Worker exceeded the size limit of 3 MiB.");
  }
  checkBuckets(account, metadata);
  const old = account.scripts.get(name);
  const script: FakeScript = {
    name,
    etag: createHash("md5").update(hash).digest("hex"),
    bindings: metadata.bindings,
    secrets: old?.secrets ?? new Map(),
    migrationTag: metadata.migrations?.new_tag ?? old?.migrationTag ?? null,
    isPublic: old?.isPublic ?? false,
    modules: [],
    uploads: (old?.uploads ?? 0) + 1,
  };
  account.scripts.set(name, script);
  return script;
}

function checkBuckets(account: FakeAccount, { bindings }: Metadata): void {
  for (const { type, bucket_name: bucket } of bindings) {
    if (type !== "r2_bucket") continue;
    needsR2(account);
    if (!account.buckets.has(String(bucket))) {
      throw new ApiError(404, 10085, `R2 bucket '${String(bucket)}' not found.`);
    }
  }
}

const WORKERS: FakeRoute[] = [
  {
    method: "GET",
    path: "/accounts/{}/workers/scripts",
    handle: (world, call) => {
      const { scripts } = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      return ok(
        [...scripts.values()].map(({ name, etag, migrationTag }) => ({
          id: name,
          etag,
          migration_tag: migrationTag ?? undefined,
          modified_on: "2026-01-01T00:00:00Z",
        })),
      );
    },
  },
  {
    method: "PUT",
    path: "/accounts/{}/workers/scripts/{}",
    handle: async (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const metadataPart = call.form?.get("metadata");
      if (metadataPart === null || metadataPart === undefined) {
        throw new ApiError(400, 10021, "The form has no metadata.");
      }
      const text = typeof metadataPart === "string" ? metadataPart : await metadataPart.text();
      const metadata = METADATA.parse(JSON.parse(text));
      const main = call.form?.get(metadata.main_module);
      if (!(main instanceof File)) throw new ApiError(400, 10021, "The form has no main module.");
      const body = await main.text();
      const script = upload(account, call.parts[1] ?? "", {
        metadata,
        bytes: body.length,
        hash: body,
      });
      const parts = [...new Set(call.form?.keys() ?? [])];
      script.modules = parts.filter((part) => part !== "metadata").toSorted();
      return ok({ id: script.name, etag: script.etag, deployment_id: world.newId(), startup_time_ms: 10 });
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/workers/scripts/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const { name } = scriptOf(account, call);
      const isUsed = [...world.zones.values()].some(({ catchAll }) =>
        catchAll.actions.some(({ type, value }) => type === "worker" && value?.includes(name)),
      );
      if (isUsed && call.query.get("force") !== "true") {
        throw new ApiError(409, 10064, "The script is used by a rule of Email Routing.");
      }
      account.scripts.delete(name);
      return ok(null);
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/scripts/{}/settings",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      const { bindings, secrets } = scriptOf(account, call);
      const secretBindings = [...secrets.keys()].map((name) => ({ type: "secret_text", name }));
      return ok({ bindings: [...bindings, ...secretBindings], compatibility_date: "2026-11-01", tags: [] });
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/scripts/{}/secrets",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      return ok([...scriptOf(account, call).secrets.keys()].map((name) => ({ name, type: "secret_text" })));
    },
  },
  {
    method: "PUT",
    path: "/accounts/{}/workers/scripts/{}/secrets",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const shape = z.strictObject({
        name: z.string(),
        text: z.string().min(1),
        type: z.literal("secret_text"),
      });
      const { name, text } = bodyOf(call, shape);
      scriptOf(account, call).secrets.set(name, text);
      return ok({ name, type: "secret_text" });
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/subdomain",
    handle: (world, call) => {
      const { subdomain } = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      if (subdomain === null) throw new ApiError(404, 10007, "workers.api.error.not_found");
      return ok({ subdomain });
    },
  },
  {
    method: "PUT",
    path: "/accounts/{}/workers/subdomain",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const { subdomain } = bodyOf(
        call,
        z.strictObject({ subdomain: z.string().regex(/^[a-z0-9-]{1,63}$/) }),
      );
      if (account.subdomain !== null && account.subdomain !== subdomain) {
        throw new ApiError(409, 10036, "The account has a subdomain already.");
      }
      if (TAKEN_SUBDOMAINS.has(subdomain)) throw new ApiError(409, 10031, "The subdomain is unavailable.");
      account.subdomain = subdomain;
      return ok({ subdomain });
    },
  },
];

const CUSTOM_DOMAIN = z.strictObject({
  hostname: z.string().min(1),
  service: z.string().min(1),
  zone_id: z.string(),
  environment: z.literal("production"),
});

const CUSTOM_DOMAINS: FakeRoute[] = [
  {
    method: "GET",
    path: "/accounts/{}/workers/domains",
    handle: (world, call) => {
      const { customDomains } = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      const hostname = call.query.get("hostname");
      return ok(customDomains.filter((one) => hostname === null || one.hostname === hostname));
    },
  },
  {
    method: "PUT",
    path: "/accounts/{}/workers/domains",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const body = bodyOf(call, CUSTOM_DOMAIN);
      const zone = world.zones.get(body.zone_id);
      if (zone?.account !== account.id || !body.hostname.endsWith(`.${zone.name}`)) {
        throw new ApiError(400, 10021, "The hostname is not in the zone.");
      }
      if (!account.scripts.has(body.service)) throw new ApiError(404, 10007, "This Worker does not exist.");
      const present = account.customDomains.find(({ hostname }) => hostname === body.hostname);
      if (present !== undefined) return ok(Object.assign(present, body));
      if (zone.records.some(({ name }) => name === body.hostname)) {
        throw new ApiError(
          409,
          100117,
          `Hostname '${body.hostname}' already has externally managed DNS records.`,
        );
      }
      const domain = { id: world.newId(), ...body };
      account.customDomains.push(domain);
      const record = { type: "AAAA", name: body.hostname, content: "100::", isLocked: true };
      zone.records.push({ id: world.newId(), ...record });
      return ok(domain);
    },
  },
  {
    method: "DELETE",
    path: "/accounts/{}/workers/domains/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const domain = account.customDomains.find(({ id }) => id === call.parts[1]);
      if (domain === undefined) throw new ApiError(404, 100114, "The domain does not exist.");
      account.customDomains = account.customDomains.filter((one) => one !== domain);
      const zone = world.zones.get(domain.zone_id);
      if (zone) zone.records = zone.records.filter(({ name }) => name !== domain.hostname);
      return { ...ok(null), isEmpty: true };
    },
  },
];

/** Further questions of wrangler when it uploads a worker. */
const WRANGLER: FakeRoute[] = [
  {
    method: "GET",
    path: "/accounts/{}/workers/workers/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      const { name, isPublic } = scriptOf(account, call);
      return ok({ id: name, name, subdomain: { enabled: isPublic, previews_enabled: false }, tags: [] });
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/scripts/{}/deployments",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      const { uploads } = scriptOf(account, call);
      const version = String(uploads).padStart(32, "0");
      return ok({
        deployments: [
          {
            id: version,
            source: "wrangler",
            strategy: "percentage",
            created_on: "2026-01-01T00:00:00Z",
            author_email: "me@example.com",
            annotations: {},
            versions: [{ version_id: version, percentage: 100 }],
          },
        ],
      });
    },
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/services/{}",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      const { name, migrationTag } = serviceOf(account, call);
      return ok({
        id: name,
        default_environment: {
          environment: "production",
          script: {
            id: name,
            tag: `tag-${name}`,
            last_deployed_from: "wrangler",
            migration_tag: migrationTag ?? undefined,
          },
        },
      });
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/workers/scripts/{}/assets-upload-session",
    handle: (world, call) => {
      accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const { manifest } = bodyOf(
        call,
        z.strictObject({ manifest: z.record(z.string(), z.looseObject({ hash: z.string() })) }),
      );
      const hashes = Object.values(manifest).map(({ hash }) => hash);
      return ok({ jwt: "assets-session", buckets: hashes.length === 0 ? [] : [hashes] });
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/workers/assets/upload",
    handle: () => ({ ...ok({ jwt: "assets-complete" }), status: 201 }),
  },
  {
    method: "GET",
    path: "/accounts/{}/workers/scripts/{}/subdomain",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Read", "Workers Scripts Write");
      return ok({ enabled: scriptOf(account, call).isPublic, previews_enabled: false });
    },
  },
  {
    method: "POST",
    path: "/accounts/{}/workers/scripts/{}/subdomain",
    handle: (world, call) => {
      const account = accountOf(world, call);
      requires(call, "Workers Scripts Write");
      const shape = z.strictObject({ enabled: z.boolean(), previews_enabled: z.boolean().optional() });
      const script = scriptOf(account, call);
      script.isPublic = bodyOf(call, shape).enabled;
      return ok({ enabled: script.isPublic, previews_enabled: false });
    },
  },
];

function serviceOf(account: FakeAccount, call: FakeCall): FakeScript {
  const script = account.scripts.get(call.parts[1] ?? "");
  if (script === undefined) throw new ApiError(404, 10090, "This service does not exist on your account.");
  return script;
}

export const ROUTES: readonly FakeRoute[] = [
  ...ACCOUNTS,
  ...DNS,
  ...ROUTING,
  ...SENDING,
  ...R2,
  ...QUEUES,
  ...WORKERS,
  ...CUSTOM_DOMAINS,
  ...WRANGLER,
];
