import { apiSettings, DEFAULT_BASE_URL, type CloudflareApi } from "../../host/cloudflare/api.ts";
import { sendRaw } from "../../host/cloudflare/email-sending.ts";
import { Stop, withNewToken } from "../../host/cloudflare/failure.ts";
import { neededPermissions, survey } from "../../host/cloudflare/survey.ts";
import { KeptJournal, type Journal } from "../../host/cloudflare/journal.ts";
import { carryOut, planOf, stepsOf, type PlannedStep } from "../../host/cloudflare/plan.ts";
import type { StepContext } from "../../host/cloudflare/step.ts";
import type { Existing, Wanted } from "../../host/cloudflare/wanted.ts";
import { workersSubdomain } from "../../host/cloudflare/workers.ts";
import {
  hashOf,
  readDeployBase,
  varsOf,
  wranglerConfig,
  type Deployment,
} from "../../host/cloudflare/wrangler.ts";
import {
  keyFile,
  keyOrNew,
  newSecret,
  openJournal,
  readKey,
  type DeploymentName,
} from "../cloudflare/files.ts";
import { locked } from "../cloudflare/lock.ts";
import { upOptions, type UpOptions } from "../cloudflare/options.ts";
import { roundTrip } from "../cloudflare/round-trip.ts";
import {
  apiFor,
  confirmed,
  doing,
  explaining,
  sayer,
  uploadStaged,
  type Outside,
} from "../cloudflare/session.ts";
import { addressOf, firstLines, outlineLines, planLines } from "../cloudflare/show.ts";
import { tryOut } from "../cloudflare/try-out.ts";
import type { CommandContext, ServerCommand } from "../command.ts";

const HELP = `  mailkeep-server up --domain example.com

Deploys to your Cloudflare account: worker, storage, secrets, mail in and out. It shows a plan first and asks.
A second run changes only what differs. docs/deploy.md also describes every step by hand.

  --domain NAME        The domain of the mailboxes: a zone of the account, or a name below one (MAIL_DOMAIN)
  --name NAME          The name of the worker (mailkeep)
  --account ID|NAME    The account, if the token has access to several (CLOUDFLARE_ACCOUNT_ID)
  --sending WAY        How mail leaves: cloudflare (default), relay (SMTP_URL) or none
  --without-events     Do not hear what became of sent mail (no queues)
  --without-r2         Keep large messages in the mailboxes; --with-r2: in a bucket (default for a new deployment)
  --workers-dev NAME   Register this name under workers.dev, where the account has none
  --take-catch-all     Take the catch-all rule of the zone from what has it now
  --mta-sts MODE       Tell senders to deliver over TLS only: testing (they report what fails) or enforce.
                       To end that: none, and when they have forgotten it, off
  --var NAME=VALUE     Set a variable of the worker (docs/configuration.md); may be repeated
  --without-outside    Send no mail through the internet in the trial at the end
  --dry-run            Only show the plan; the default without a terminal. Without a token, an outline
  --yes                Do not ask
  --try                A preview without an account, for some time: API, MCP and pages, but no mail from outside

The token of CLOUDFLARE_API_TOKEN needs the permissions that the plan names.
`;

/** `mailkeep-server up`: deploys to Cloudflare. */
export const up: ServerCommand = {
  summary: "Deploy to Cloudflare",
  help: HELP,
  run: (words, context) => runUp(words, context, {}),
};

/** Runs the command; tests replace parts of `outside`. */
export function runUp(words: readonly string[], context: CommandContext, outside: Outside): Promise<number> {
  const options = upOptions(words, context.env, context.envFile);
  return explaining(context, options.wanted.again, () =>
    options.isTry
      ? tryOut(options, context, outside)
      : options.isDryRun && !context.env.CLOUDFLARE_API_TOKEN?.trim()
        ? outline(options, context, outside)
        : deploy(options, context, outside),
  );
}

/** Shows a new deployment without a token: no call is made, so nothing is known of the account. */
async function outline({ wanted }: UpOptions, context: CommandContext, outside: Outside): Promise<number> {
  const account = { id: "", name: "" };
  const servers = { nameServers: [], originalNameServers: [] };
  const existing: Existing = {
    account,
    zone: { id: "", name: wanted.domain, status: "active", isPaused: false, account, ...servers },
    worker: null,
    usesR2: wanted.r2 ?? true,
    subdomain: null,
    mailHosts: [],
    warnings: [],
  };
  const { domain, worker } = wanted;
  const none = { version: 1 as const, account: "", zone: "", worker, domain, made: [], deployed: null };
  const steps = stepsOf({
    api: apiFor(context, { baseUrl: DEFAULT_BASE_URL, token: "" }, outside),
    wanted,
    existing,
    journal: new KeptJournal(none, () => {}),
    deployment: await deploymentOf(wanted, existing, { context, outside }),
    operatorKey: () => "",
    makeSecret: () => "",
  });
  const say = sayer(context.stdout);
  for (const line of outlineLines(wanted, steps)) say(line);
  say("This is an outline of a new deployment: without CLOUDFLARE_API_TOKEN, your account was not read.");
  say(`For the plan: ${withNewToken(neededPermissions(wanted), wanted.again)}`);
  return 0;
}

const BEGINS = { make: "Making", change: "Changing", remove: "Removing", leave: "Leaving" } as const;

/** Everything that is known before the plan is made. */
interface Prepared {
  api: CloudflareApi;
  name: DeploymentName;
  openJournal: () => Journal;
  existing: Existing;
  steps: StepContext;
}

async function deploy(options: UpOptions, context: CommandContext, outside: Outside): Promise<number> {
  const { wanted } = options;
  const say = sayer(context.stdout);
  const prepared = await prepare(wanted, context, outside);
  const plan = await planOf(stepsOf(prepared.steps), wanted.again);
  for (const line of planLines(wanted, prepared.existing, plan)) say(line);
  if (!(await isToBeDone(options, context, { plan, outside }))) return 0;
  await locked({ env: context.env, name: prepared.name, again: wanted.again }, () => {
    // Another run may have ended since the plan was made.
    const fresh = { ...prepared.steps, journal: prepared.openJournal() };
    return carryOut(stepsOf(fresh), {
      context: fresh,
      report: (step, { kind, words }, state) =>
        say(state === "begins" ? `${BEGINS[kind]} ${step.title}: ${words}` : "  done"),
    });
  });
  return check(options, context, { prepared, outside });
}

async function prepare(wanted: Wanted, context: CommandContext, outside: Outside): Promise<Prepared> {
  const settings = apiSettings(context.env);
  const api = apiFor(context, settings, outside);
  const existing = await survey(api, wanted, settings.token);
  const name = { accountId: existing.account.id, worker: wanted.worker };
  const fresh = { zone: existing.zone.id, domain: wanted.domain };
  const journal = openJournal(context.env, name, fresh);
  checkJournalDomain(journal.contents, wanted);
  const deployment = await deploymentOf(wanted, existing, { context, outside });
  const steps: StepContext = {
    api,
    wanted,
    existing,
    journal,
    deployment,
    operatorKey: () => keyOrNew(context.env, name),
    makeSecret: newSecret,
  };
  return { api, name, openJournal: () => openJournal(context.env, name, fresh), existing, steps };
}

function checkJournalDomain({ domain, worker }: { domain: string; worker: string }, wanted: Wanted): void {
  if (domain === wanted.domain) return;
  throw new Stop(
    `The deployment ${worker} of this machine is for ${domain}`,
    `${wanted.again} --name ${worker}-${wanted.domain.split(".")[0] ?? "mail"}`,
  );
}

async function deploymentOf(
  wanted: Wanted,
  existing: Existing,
  { context, outside }: { context: CommandContext; outside: Outside },
): Promise<Deployment> {
  const { root } = await context.worker();
  const base = readDeployBase(root);
  const config = wranglerConfig(base, wanted, existing);
  const { upload } = outside;
  return {
    hash: hashOf(root, config),
    vars: varsOf(base, wanted, existing),
    upload: async () => {
      if (upload !== undefined) return upload(config);
      await uploadStaged(context, config, { words: [], env: { CLOUDFLARE_ACCOUNT_ID: existing.account.id } });
    },
  };
}

/** Whether the steps are carried out: not in a dry run, and without a terminal only with `--yes`. */
async function isToBeDone(
  { isDryRun, isYes, wanted }: UpOptions,
  context: CommandContext,
  { plan, outside }: { plan: readonly PlannedStep[]; outside: Outside },
): Promise<boolean> {
  const say = sayer(context.stdout);
  const changes = plan.filter(({ decision }) => decision.kind !== "leave").length;
  if (changes === 0) say("Everything is as it should be.");
  if (isDryRun) {
    const todo = changes === 0 ? "" : ` To do it: ${doing(wanted.again)}`;
    say(`Nothing was changed: this was a dry run.${todo}`);
    return false;
  }
  if (changes === 0 || isYes) return true;
  if (await confirmed(context, `Do these ${changes} things?`, outside)) return true;
  say(`Nothing was changed. To do it: ${doing(wanted.again)}`);
  return false;
}

/** Makes the trial, and prints what to do next. */
async function check(
  { wanted, triesOutside }: UpOptions,
  context: CommandContext,
  { prepared: { api, existing }, outside }: { prepared: Prepared; outside: Outside },
): Promise<number> {
  const say = sayer(context.stdout);
  const { id: accountId } = existing.account;
  const url = addressOf(wanted, (await workersSubdomain(api, accountId)) ?? "");
  const name = { accountId, worker: wanted.worker };
  const operatorKey = readKey(context.env, name);
  const isOutside = triesOutside && wanted.sending === "cloudflare";
  say("Trying it out:");
  const trip = await roundTrip({
    url,
    operatorKey,
    say,
    signal: context.signal,
    fetch: outside.fetch,
    pause: (ms) => api.pause(ms),
    again: wanted.again,
    sendFromOutside: isOutside
      ? (to, mime) =>
          sendRaw(api, accountId, { from: `check@${wanted.domain}`, recipients: [to], mime_message: mime })
      : null,
  });
  if (trip.outside === false) {
    say(`WARNING: the DNS records may still spread. Try again in ten minutes: ${wanted.again}`);
  }
  for (const line of firstLines(url, operatorKey === null ? null : keyFile(context.env, name))) say(line);
  return 0;
}
