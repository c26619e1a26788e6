import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "./refusal.ts";

/** The two secrets of a deployment. */
export interface Secrets {
  authToken: string;
  webhookSecret: string;
}

/** Null: not given, so the one of the data folder counts. */
export type GivenSecrets = { [Name in keyof Secrets]: string | null };

const FILE = "secrets.json";

/** Where the secrets of a data folder lie. */
export const secretsPath = (dataDir: string): string => path.join(dataDir, FILE);

/**
 * The secrets to use: those given by the environment, else those of `<dataDir>/secrets.json`, which is made on first
 * start, readable by its owner only. What the environment gives is never written to disk.
 */
export async function loadSecrets(dataDir: string, given: GivenSecrets): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const kept = await readSecrets(secretsPath(dataDir));
  const own = kept ?? makeSecrets();
  if (!kept) await writeSecrets(secretsPath(dataDir), own);
  return {
    authToken: given.authToken ?? own.authToken,
    webhookSecret: given.webhookSecret ?? own.webhookSecret,
  };
}

/** 256 random bits each; the webhook secret in the form of Standard Webhooks. */
function makeSecrets(): Secrets {
  return {
    authToken: randomBytes(32).toString("base64url"),
    webhookSecret: `whsec_${randomBytes(32).toString("base64")}`,
  };
}

async function readSecrets(file: string): Promise<Secrets | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Refusal(`${file} cannot be read`);
  }
  // A copy or a restored backup may have lost the mode.
  await chmod(file, 0o600);
  const secrets = parseSecrets(text);
  // Making new ones would silently lock out everybody who holds the old key.
  if (!secrets) throw new Refusal(`${file} is damaged: restore it, or remove it to get a new operator key`);
  return secrets;
}

function parseSecrets(text: string): Secrets | null {
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null) return null;
    if (!("auth_token" in kept) || typeof kept.auth_token !== "string" || kept.auth_token.length < 32)
      return null;
    if (!("webhook_secret" in kept) || typeof kept.webhook_secret !== "string") return null;
    return { authToken: kept.auth_token, webhookSecret: kept.webhook_secret };
  } catch {
    // Not JSON.
    return null;
  }
}

/** Whole or not at all: written beside its place, synced, then renamed. */
async function writeSecrets(file: string, secrets: Secrets): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const text = JSON.stringify(
    { auth_token: secrets.authToken, webhook_secret: secrets.webhookSecret },
    null,
    2,
  );
  try {
    const handle = await open(draft, "wx", 0o600);
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
