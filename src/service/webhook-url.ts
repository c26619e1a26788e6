import { invalid } from "../contract/problem.ts";
import { resolverFetch, type Config, type OperatorBindings } from "../config/env.ts";
import { dohResolver } from "../lib/doh.ts";
import { checkPublicUrl, resolution, type Resolution } from "../lib/public-url.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/** The call that sets a URL for webhooks. */
interface UrlCall {
  mailbox: MailboxStub;
  access: Access;
  config: Config;
  env: Env;
  /** The URL by which the caller reached this deployment. */
  calledAt: URL;
}

const RULES: Record<Exclude<Resolution, "public">, string> = {
  not_public: "must name a public host: its name leads to an address that is not public",
  unresolved: "must name a host that can be found: its name has no address",
};

/**
 * The caller's access, with what is wrong with `webhook_url` as its fault: the mailbox then tells it only to a caller who may set
 * the URL. Names are looked up for such a caller only, too.
 */
export async function accessForUrl(text: string, call: UrlCall): Promise<Access> {
  const { access, config, env, mailbox, calledAt } = call;
  const withFault = (rule: string, fix?: string): Access => ({
    ...access,
    fault: { ...invalid("webhook_url", rule), ...(fix === undefined ? {} : { fix }) },
  });
  const setting = mayAllow(text, config, env as OperatorBindings) ? ALLOW_FIX : undefined;
  const checked = checkPublicUrl(text, { allowPrivate: config.allowPrivateWebhooks });
  if (!checked.ok) return withFault(checked.error, setting);
  const url = checked.value;
  if (isOwnHost(url, config, calledAt)) return withFault("must not lead back to this service");
  if (config.allowPrivateWebhooks || config.dohUrl === null) return access;
  const admitted = await mailbox.admit(access);
  if (!admitted.ok) return access;
  const leads = await resolution(
    url.hostname,
    dohResolver(config.dohUrl, resolverFetch(env as OperatorBindings)),
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

/** Whether a URL leads to this deployment itself: its events would come back to it in circles. */
function isOwnHost(url: URL, config: Config, calledAt: URL): boolean {
  const own = [calledAt, ...(config.publicUrl === null ? [] : [new URL(config.publicUrl)])];
  // In local work one host has many services; elsewhere another port of ours is no target either.
  return own.some((one) =>
    config.allowPrivateWebhooks ? one.host === url.host : one.hostname === url.hostname,
  );
}
