import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { hearsEvents, namesOf, type Existing, type Wanted } from "./wanted.ts";

/** The file into which a build writes the part of `wrangler.jsonc` that every deployment has. */
export const DEPLOY_FILE = "deploy.json";

/** The part of the configuration that every deployment has, and the wrangler that uploads it. */
const BASE = z.object({
  /** The version of wrangler that this release is tried with. */
  wrangler: z.string().regex(/^\d+\.\d+\.\d+$/),
  config: z.looseObject({ vars: z.record(z.string(), z.string()) }),
});
export type DeployBase = z.infer<typeof BASE>;

/** Uploads a staged worker. Throws a refusal, or a failure, if wrangler does not. */
export type Upload = (folder: string) => Promise<void>;

/** One upload of the worker. */
export interface Deployment {
  /** A hash of everything that is uploaded. */
  hash: string;
  /** The variables that the worker will have. */
  vars: Readonly<Record<string, string>>;
  upload: () => Promise<void>;
}

/** The limits of retries and the pauses between them are the queue's: thirteen hours in all. */
const MAX_RETRIES = 5;
/** The mail hosts of Email Routing, as a policy names them: Cloudflare may add others of the same form. */
const ROUTING_HOSTS = "*.mx.cloudflare.net";
/** The script of a staged worker. */
const MAIN = "index.js";

/** Reads what a build wrote. Throws the error of the file system if it is not there. */
export function readDeployBase(builtFolder: string): DeployBase {
  return BASE.parse(JSON.parse(readFileSync(path.join(builtFolder, DEPLOY_FILE), "utf8")));
}

/** The variables of the worker: those that were set by hand, overridden by those of this command. */
export function varsOf(
  base: DeployBase,
  wanted: Wanted,
  existing: Pick<Existing, "worker" | "mailHosts">,
): Record<string, string> {
  const outbound = { cloudflare: "cloudflare", relay: "smtp", none: "none" }[wanted.sending];
  const routing: Record<string, string> =
    existing.mailHosts.length === 0
      ? {}
      : { MAIL_HOST: existing.mailHosts.join(","), SPF_MECHANISMS: "include:_spf.mx.cloudflare.net" };
  const { mtaSts } = wanted;
  return {
    ...base.config.vars,
    ...routing,
    ...(mtaSts !== null && mtaSts !== "off" && { MTA_STS_MX: ROUTING_HOSTS }),
    ...Object.fromEntries(existing.worker?.vars ?? []),
    ...wanted.vars,
    MAIL_DOMAIN: wanted.domain,
    OUTBOUND: outbound,
    ...(mtaSts !== null && { MTA_STS: mtaSts }),
  };
}

/** The configuration for wrangler, with paths relative to the folder of {@link stage}. */
export function wranglerConfig(
  base: DeployBase,
  wanted: Wanted,
  existing: Pick<Existing, "account" | "usesR2" | "worker" | "mailHosts">,
): Record<string, unknown> {
  const names = namesOf(wanted);
  const { vars: _, ...common } = base.config;
  return {
    ...common,
    name: wanted.worker,
    main: MAIN,
    account_id: existing.account.id,
    // The script is minified and bundled already.
    no_bundle: true,
    minify: false,
    workers_dev: true,
    preview_urls: false,
    vars: varsOf(base, wanted, existing),
    ...(existing.usesR2 && { r2_buckets: [{ binding: "BLOBS", bucket_name: names.bucket }] }),
    ...(wanted.sending === "cloudflare" && { send_email: [{ name: "EMAIL" }] }),
    ...(hearsEvents(wanted) && {
      queues: {
        consumers: [{ queue: names.events, max_retries: MAX_RETRIES, dead_letter_queue: names.unused }],
      },
    }),
  };
}

/** The configuration of a preview without an account: no R2, no mail from outside. */
export function tryConfig(base: DeployBase, worker: string): Record<string, unknown> {
  const { vars, ...common } = base.config;
  return {
    ...common,
    name: worker,
    main: MAIN,
    no_bundle: true,
    minify: false,
    workers_dev: true,
    preview_urls: false,
    vars: { ...vars, OUTBOUND: "local" },
  };
}

/** Writes a folder from which wrangler uploads: the configuration, the script, and the files of the pages. */
export function stage(folder: string, builtFolder: string, config: Readonly<Record<string, unknown>>): void {
  mkdirSync(path.join(folder, "public/assets"), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, "wrangler.json"), JSON.stringify(config, null, 2));
  for (const file of [MAIN, `${MAIN}.map`, ...assetFiles(builtFolder)]) {
    if (existsSync(path.join(builtFolder, file))) {
      cpSync(path.join(builtFolder, file), path.join(folder, file), { recursive: true });
    }
  }
}

/** A hash of what would be uploaded: two runs with the same hash upload the same. */
export function hashOf(builtFolder: string, config: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(JSON.stringify(config))
    .update(readFileSync(path.join(builtFolder, MAIN)))
    .update(assetFiles(builtFolder).join("\n"))
    .digest("hex");
}

/** The files of the pages of this build; `public` may hold those of earlier builds, too. */
function assetFiles(builtFolder: string): string[] {
  const list = path.join(builtFolder, "assets.json");
  if (!existsSync(list)) return ["public"];
  const names = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(list, "utf8")));
  return ["public/_headers", ...Object.values(names).map((name) => `public/assets/${name}`)];
}
