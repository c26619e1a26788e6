import { listAccounts } from "../../host/cloudflare/accounts.ts";
import { apiSettings, type CloudflareApi } from "../../host/cloudflare/api.ts";
import { Stop } from "../../host/cloudflare/failure.ts";
import type { Journal } from "../../host/cloudflare/journal.ts";
import { entriesToRemove, removeMade, wordsOf } from "../../host/cloudflare/removal.ts";
import { readJournal, removeFiles, type DeploymentName } from "../cloudflare/files.ts";
import { locked } from "../cloudflare/lock.ts";
import { downOptions, type DownOptions } from "../cloudflare/options.ts";
import { apiFor, confirmed, doing, explaining, sayer, type Outside } from "../cloudflare/session.ts";
import type { CommandContext, ServerCommand } from "../command.ts";

const HELP = `  mailkeep-server down

Removes what "mailkeep-server up" on this machine made on Cloudflare, and nothing else. Mail is erased only with --yes-erase-mail.

  --name NAME              The name of the worker (mailkeep)
  --account ID|NAME        The account, if the token has access to several (CLOUDFLARE_ACCOUNT_ID)
  --dry-run                Only show what would be removed; the default without a terminal
  --yes                    Do not ask
  --yes-erase-mail NAME    Erase the worker with every mailbox, and its bucket. NAME is that of the worker
`;

/** `mailkeep-server down`: removes a deployment from Cloudflare. */
export const down: ServerCommand = {
  summary: "Take a deployment away from Cloudflare",
  help: HELP,
  run: (words, context) => runDown(words, context, {}),
};

/** Runs the command; tests replace parts of `outside`. */
export function runDown(
  words: readonly string[],
  context: CommandContext,
  outside: Outside,
): Promise<number> {
  const options = downOptions(words, context.env, context.envFile);
  return explaining(context, options.again, () => takeDown(options, context, outside));
}

async function takeDown(options: DownOptions, context: CommandContext, outside: Outside): Promise<number> {
  const say = sayer(context.stdout);
  const api = apiFor(context, apiSettings(context.env), outside);
  const { name, journal } = await deploymentOf(api, options, context);
  const { mail, others } = entriesToRemove(journal.contents.made);
  const isErased = isErasing(options);
  for (const made of [...others, ...(isErased ? mail : [])]) say(`take back  ${wordsOf(made)}`);
  if (!isErased) for (const made of mail) say(`leave      ${wordsOf(made)}`);
  if (!(await isToBeDone(options, context, outside))) return 0;
  const report = (words: string): void => say(words.startsWith(" ") ? words : `Taking back ${words}`);
  const left = await locked({ env: context.env, name, again: options.again }, async () => {
    const now = readJournal(context.env, name);
    if (JSON.stringify(now?.contents) !== JSON.stringify(journal.contents)) {
      throw new Stop("Another run changed the deployment since this list was made", options.again);
    }
    await removeMade({ api, journal, report }, [...others, ...(isErased ? mail : [])]);
    return entriesToRemove(journal.contents.made).mail;
  });
  if (left.length === 0) {
    removeFiles(context.env, name);
    say("Everything that up made is gone.");
  } else {
    const again = options.again.replace(/ (?:--yes|-y)(?= |$)/, "");
    say(`The mailboxes are still there. To erase them: ${again} --yes --yes-erase-mail ${name.worker}`);
  }
  return 0;
}

function isErasing({ eraseMail, worker, again }: DownOptions): boolean {
  if (eraseMail === null) return false;
  if (eraseMail === worker) return true;
  throw new Stop(
    `--yes-erase-mail ${eraseMail} is not the name of the worker, which is ${worker}`,
    again.replace(`--yes-erase-mail ${eraseMail}`, `--yes-erase-mail ${worker}`),
  );
}

async function isToBeDone(
  { isDryRun, isYes, again }: DownOptions,
  context: CommandContext,
  outside: Outside,
): Promise<boolean> {
  if (!isDryRun && (isYes || (await confirmed(context, "Take these back?", outside)))) return true;
  sayer(context.stdout)(`Nothing was changed. To do it: ${doing(again)}`);
  return false;
}

async function deploymentOf(
  api: CloudflareApi,
  { worker, account, again }: DownOptions,
  { env }: CommandContext,
): Promise<{ name: DeploymentName; journal: Journal }> {
  const accounts = await listAccounts(api);
  const asked = accounts.filter(({ id, name }) => account === null || id === account || name === account);
  const found = asked.flatMap(({ id }) => {
    const name = { accountId: id, worker };
    const journal = readJournal(env, name);
    return journal === null || journal.contents.made.length === 0 ? [] : [{ name, journal }];
  });
  const [only, other] = found;
  if (only === undefined) {
    throw new Stop(
      `This machine has no record of a deployment ${worker}, so nothing is known to be yours to take back`,
      "run it on the machine that ran mailkeep-server up, or remove the parts by hand (docs/deploy.md#take-it-away)",
    );
  }
  if (other === undefined) return only;
  throw new Stop(`Several accounts have a deployment ${worker}`, `${again} --account ${only.name.accountId}`);
}
