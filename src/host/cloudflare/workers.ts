import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";
import { CloudflareFailure } from "./failure.ts";

/** A worker as it is deployed. */
export interface WorkerState {
  bindings: readonly WorkerBinding[];
  /** The values of its plain variables. */
  vars: ReadonlyMap<string, string>;
  compatibilityDate: string | null;
}

export interface WorkerBinding {
  /** Such as `r2_bucket`, `durable_object_namespace`, `plain_text`, `secret_text`. */
  type: string;
  name: string;
  bucket: string | null;
  className: string | null;
}

/** When a worker was last changed, and a hash of its script. */
export interface WorkerVersion {
  etag: string;
  modifiedOn: string;
}

const SETTINGS = z.object({
  bindings: z
    .array(
      z.object({
        type: z.string(),
        name: z.string(),
        text: z.string().optional(),
        bucket_name: z.string().optional(),
        class_name: z.string().optional(),
      }),
    )
    .nullish(),
  compatibility_date: z.string().nullish(),
});
const SECRET = z.object({ name: z.string() });
const SCRIPT = z.object({ id: z.string(), etag: z.string().nullish(), modified_on: z.string().nullish() });
/** One DNS label. It is checked, because the operator's key is sent to the host name that it is part of. */
const SUBDOMAIN = z.object({
  subdomain: z
    .string()
    .regex(/^[a-z0-9-]{0,63}$/)
    .nullish(),
});

/** The error code for an account that has no name under workers.dev yet. */
const NO_SUBDOMAIN = 10007;

/** The worker of a name as it is deployed; null where there is none. */
export async function workerState(
  api: CloudflareApi,
  accountId: string,
  name: string,
): Promise<WorkerState | null> {
  const settings = await api.find({
    what: "read the worker's settings",
    method: "GET",
    path: path`/accounts/${accountId}/workers/scripts/${name}/settings`,
    permission: "Workers Scripts: Edit",
    answer: SETTINGS,
  });
  if (settings === null) return null;
  const bindings = settings.bindings ?? [];
  return {
    bindings: bindings.map((binding) => ({
      type: binding.type,
      name: binding.name,
      bucket: binding.bucket_name ?? null,
      className: binding.class_name ?? null,
    })),
    vars: new Map(
      bindings.filter(({ type }) => type === "plain_text").map(({ name: key, text }) => [key, text ?? ""]),
    ),
    compatibilityDate: settings.compatibility_date ?? null,
  };
}

/** The hash and the date of a worker's script; null where there is none. */
export async function workerVersion(
  api: CloudflareApi,
  accountId: string,
  name: string,
): Promise<WorkerVersion | null> {
  const scripts = await api.list({
    what: "list the workers",
    method: "GET",
    path: path`/accounts/${accountId}/workers/scripts`,
    permission: "Workers Scripts: Edit",
    entry: SCRIPT,
  });
  const script = scripts.find(({ id }) => id === name);
  return script === undefined ? null : { etag: script.etag ?? "", modifiedOn: script.modified_on ?? "" };
}

/** The names of a worker's secrets. Their values cannot be read. */
export async function secretNames(api: CloudflareApi, accountId: string, name: string): Promise<string[]> {
  const secrets = await api.list({
    what: "list the names of the worker's secrets",
    method: "GET",
    path: path`/accounts/${accountId}/workers/scripts/${name}/secrets`,
    permission: "Workers Scripts: Edit",
    entry: SECRET,
  });
  return secrets.map((secret) => secret.name);
}

/** Sets a secret of a worker. */
export async function putSecret(
  api: CloudflareApi,
  accountId: string,
  worker: string,
  secret: { name: string; text: string },
): Promise<void> {
  await api.call({
    what: `set the secret ${secret.name}`,
    method: "PUT",
    path: path`/accounts/${accountId}/workers/scripts/${worker}/secrets`,
    body: { ...secret, type: "secret_text" },
    permission: "Workers Scripts: Edit",
    answer: z.unknown(),
  });
}

/** Deletes a worker with everything that its Durable Objects hold. */
export async function deleteWorker(api: CloudflareApi, accountId: string, name: string): Promise<void> {
  await api.find({
    what: `delete the worker ${name}`,
    method: "DELETE",
    path: path`/accounts/${accountId}/workers/scripts/${name}`,
    query: { force: "true" },
    permission: "Workers Scripts: Edit",
    answer: z.unknown(),
  });
}

/** The account's name under workers.dev; null where it has none yet. */
export async function workersSubdomain(api: CloudflareApi, accountId: string): Promise<string | null> {
  try {
    const answer = await api.find({
      what: "read the account's name under workers.dev",
      method: "GET",
      path: path`/accounts/${accountId}/workers/subdomain`,
      permission: "Workers Scripts: Edit",
      answer: SUBDOMAIN,
    });
    return answer?.subdomain || null;
  } catch (error) {
    if (error instanceof CloudflareFailure && error.has(NO_SUBDOMAIN)) return null;
    throw error;
  }
}

/** Registers the account's name under workers.dev. */
export async function registerSubdomain(
  api: CloudflareApi,
  accountId: string,
  subdomain: string,
): Promise<void> {
  await api.call({
    what: `register the name ${subdomain} under workers.dev`,
    method: "PUT",
    path: path`/accounts/${accountId}/workers/subdomain`,
    body: { subdomain },
    permission: "Workers Scripts: Edit",
    answer: z.unknown(),
  });
}
