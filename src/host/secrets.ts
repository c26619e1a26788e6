import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { syncPath } from "./blob-disk.ts";
import { Refusal } from "./refusal.ts";

/** The three secrets of a deployment. */
export interface Secrets {
  authToken: string;
  webhookSecret: string;
  /** What keys that must be said twice are derived from. */
  keySecret: string;
}

/** As the file holds them. */
type KeptSecrets = z.infer<typeof KEPT>;

/** Null: not given, so the one of the data folder counts. */
export type GivenSecrets = { [Name in keyof Secrets]: string | null };

const KEPT = z.object({
  auth_token: z.string().min(32),
  webhook_secret: z.string(),
  /** A file of an earlier version has none. */
  key_secret: z.string().min(32).optional(),
});

const FILE = "secrets.json";

/** Where the secrets of a data folder lie. */
export const secretsPath = (dataDir: string): string => path.join(dataDir, FILE);

/**
 * The secrets to use: those given by the environment, else those of `<dataDir>/secrets.json`, which is made on first
 * start, readable by its owner only; a secret that an earlier version did not know is added to it. What the environment gives is never written to disk.
 */
export async function loadSecrets(dataDir: string, given: GivenSecrets): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = secretsPath(dataDir);
  const kept = await readSecrets(file);
  const own = { ...makeSecrets(), ...kept };
  if (!kept?.key_secret) await writeSecrets(file, own);
  return {
    authToken: given.authToken ?? own.auth_token,
    webhookSecret: given.webhookSecret ?? own.webhook_secret,
    keySecret: given.keySecret ?? own.key_secret,
  };
}

/** 256 random bits each; the webhook secret in the form of Standard Webhooks. */
function makeSecrets(): Required<KeptSecrets> {
  return {
    auth_token: randomBytes(32).toString("base64url"),
    webhook_secret: `whsec_${randomBytes(32).toString("base64")}`,
    key_secret: randomBytes(32).toString("base64url"),
  };
}

async function readSecrets(file: string): Promise<KeptSecrets | null> {
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

function parseSecrets(text: string): KeptSecrets | null {
  try {
    const kept = KEPT.safeParse(JSON.parse(text));
    return kept.success ? kept.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}

/** Whole or not at all: written beside its place, synced, then renamed. */
async function writeSecrets(file: string, secrets: Required<KeptSecrets>): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const text = JSON.stringify(secrets, null, 2);
  try {
    const handle = await open(draft, "wx", 0o600);
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await syncPath(path.dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
}
