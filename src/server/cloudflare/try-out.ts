import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Stop } from "../../host/cloudflare/failure.ts";
import { readDeployBase, tryConfig } from "../../host/cloudflare/wrangler.ts";
import type { CommandContext } from "../command.ts";
import { keyFile, keyOrNew, newSecret } from "./files.ts";
import type { UpOptions } from "./options.ts";
import { roundTrip } from "./round-trip.ts";
import { confirmed, doing, sayer, uploadStaged, type Outside } from "./session.ts";
import { firstLines } from "./show.ts";

/** Says which parts a preview lacks. */
const LACKS = [
  "A preview runs on a temporary account of Cloudflare, without a login, for as long as Cloudflare keeps it.",
  "It has the API, MCP and the pages on a public address. It has no mail from outside (only POST /v1/inbound), sends",
  "nothing, and keeps large messages in the mailboxes instead of in R2. wrangler prints how to claim the account.",
  "Going on means that you accept Cloudflare's terms (https://www.cloudflare.com/terms/) and its privacy policy",
  "(https://www.cloudflare.com/privacypolicy/).",
];
const WORKERS_DEV = /https:\/\/[a-z0-9-]+\.[a-z0-9-]+\.workers\.dev/;

/** Uploads a preview to a temporary account. */
export async function tryOut(
  { wanted, isYes, isDryRun }: UpOptions,
  context: CommandContext,
  outside: Outside,
): Promise<number> {
  const say = sayer(context.stdout);
  for (const line of LACKS) say(line);
  if (isDryRun || !(isYes || (await confirmed(context, "Make a preview?", outside)))) {
    say(`Nothing was made. To make it: ${doing(wanted.again)}`);
    return 0;
  }
  // Mail comes in only with the operator's key, so the key is written to a file.
  const name = { accountId: "preview", worker: wanted.worker };
  const operatorKey = keyOrNew(context.env, name);
  const secrets = { AUTH_TOKEN: operatorKey, KEY_SECRET: newSecret(), WEBHOOK_SECRET: newSecret() };
  const { root } = await context.worker();
  const config = tryConfig(readDeployBase(root), wanted.worker);
  const output = await (outside.preview?.(config, secrets) ?? uploadPreview(context, config, secrets));
  const [url] = WORKERS_DEV.exec(output) ?? [];
  if (url === undefined) {
    throw new Stop("wrangler made a preview, but did not print its address", "npx wrangler whoami");
  }
  say("Trying it out:");
  await roundTrip({
    url,
    operatorKey,
    sendFromOutside: null,
    say,
    signal: context.signal,
    fetch: outside.fetch,
    pause: outside.pause ?? ((ms) => new Promise((resolve) => void setTimeout(resolve, ms))),
    again: wanted.again,
  });
  for (const line of firstLines(url, keyFile(context.env, name))) say(line);
  return 0;
}

async function uploadPreview(
  context: CommandContext,
  config: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-try-"));
  try {
    const file = path.join(folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    return await uploadStaged(context, config, {
      words: previewWords(file),
      // With a token, wrangler would use the account of the token.
      env: { CLOUDFLARE_API_TOKEN: undefined, CLOUDFLARE_ACCOUNT_ID: undefined },
      onOutput: (text) => void context.stderr.write(text),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The arguments of `wrangler deploy` for a preview. */
export function previewWords(secretsFile: string): string[] {
  return ["--temporary", "--secrets-file", secretsFile];
}
