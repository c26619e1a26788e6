import { invalid } from "../contract/problem.ts";
import { operatorFetch, type Config, type OperatorBindings } from "../config/env.ts";
import { dohResolver } from "../lib/doh.ts";
import { checkPublicUrl, resolution, type Resolution } from "../lib/public-url.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { MailboxStub } from "./call.ts";
import { urlOf } from "./request-url.ts";

/** What a URL for webhooks is judged by. */
interface UrlCall {
  mailbox: MailboxStub;
  access: Access;
  request: Request;
  config: Config;
  env: Env;
}

const RULES: Record<Exclude<Resolution, "public">, string> = {
  not_public: "must name a public host: its name leads to an address that is not public",
  unresolved: "must name a host that can be found: its name has no address",
};

/**
 * The caller's wish with whatever is wrong with `webhook_url` as its fault: so it is told by the mailbox, and only to who
 * may set it. Names are looked up for nobody else either.
 */
export async function askedWithUrl(text: string, call: UrlCall): Promise<Access> {
  const { access, config, env, mailbox, request } = call;
  const withFault = (rule: string, fix?: string): Access => ({
    ...access,
    fault: { ...invalid("webhook_url", rule), ...(fix === undefined ? {} : { fix }) },
  });
  const setting = mayAllow(text, config, env as OperatorBindings) ? ALLOW_FIX : undefined;
  const checked = checkPublicUrl(text, { allowPrivate: config.allowPrivateWebhooks });
  if (!checked.ok) return withFault(checked.error, setting);
  const url = checked.value;
  if (isOwnHost(url, config, request)) return withFault("must not lead back to this service");
  if (config.allowPrivateWebhooks || config.dohUrl === null) return access;
  const admitted = await mailbox.admit(access);
  if (!admitted.ok) return access;
  const leads = await resolution(
    url.hostname,
    dohResolver(config.dohUrl, operatorFetch(env as OperatorBindings)),
  );
  if (leads === "public") return access;
  return withFault(RULES[leads], leads === "not_public" ? setting : undefined);
}

const ALLOW_FIX =
  "For webhooks to this machine and its network, to any port and over http, restart the service with ALLOW_PRIVATE_WEBHOOKS=true";

/** Whether a setting alone stands between a URL and its use: that is so on one machine, where such hosts can be reached. */
function mayAllow(text: string, config: Config, env: OperatorBindings): boolean {
  const runsOnOneMachine = env.OPERATOR_NETWORK !== undefined;
  return runsOnOneMachine && !config.allowPrivateWebhooks && checkPublicUrl(text, { allowPrivate: true }).ok;
}

/** Whether a URL leads to where this deployment is called, which would go round in circles (T21). */
function isOwnHost(url: URL, config: Config, request: Request): boolean {
  const own = [urlOf(request), ...(config.publicUrl === null ? [] : [new URL(config.publicUrl)])];
  // In local work one host has many services; elsewhere another port of ours is no target either.
  return own.some((one) =>
    config.allowPrivateWebhooks ? one.host === url.host : one.hostname === url.hostname,
  );
}
