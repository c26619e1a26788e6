import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { Refusal } from "./refusal.ts";
import { writeWhole } from "./whole-file.ts";

/** The three secrets of a deployment. */
export interface Secrets {
  authToken: string;
  webhookSecret: string;
  /** Keys that must be answered again for the same request are derived from it. */
  keySecret: string;
}

/** The secrets as the file holds them. */
export type StoredSecrets = z.infer<typeof STORED>;

/** Null: not given, so the one of the data folder is used. */
export type GivenSecrets = { [Name in keyof Secrets]: string | null };

const STORED = z.object({
  auth_token: z.string().min(32),
  webhook_secret: z.string(),
  /** Files of earlier versions do not have it. */
  key_secret: z.string().min(32).optional(),
});

const FILE = "secrets.json";

/** The path of the secrets of a data folder. */
export const secretsPath = (dataDir: string): string => path.join(dataDir, FILE);

/**
 * The secrets to use: those of the environment, else those of `<dataDir>/secrets.json`. The file is made on first start and
 * only its owner can read it; a secret that an earlier version did not know is added to it. Secrets of the environment are
 * never written to disk.
 */
export async function loadSecrets(dataDir: string, given: GivenSecrets): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = secretsPath(dataDir);
  const kept = await readSecrets(file);
  const own = { ...makeSecrets(), ...kept };
  if (!kept?.key_secret) await writeWhole(file, `${JSON.stringify(own, null, 2)}\n`);
  return {
    authToken: given.authToken ?? own.auth_token,
    webhookSecret: given.webhookSecret ?? own.webhook_secret,
    keySecret: given.keySecret ?? own.key_secret,
  };
}

/** 256 random bits each; the webhook secret in the form of Standard Webhooks. */
function makeSecrets(): Required<StoredSecrets> {
  return {
    auth_token: randomBytes(32).toString("base64url"),
    webhook_secret: `whsec_${randomBytes(32).toString("base64")}`,
    key_secret: randomBytes(32).toString("base64url"),
  };
}

async function readSecrets(file: string): Promise<StoredSecrets | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Refusal(`${file} cannot be read: make it readable for the user of this server`);
  }
  // A copied or restored file may have another mode.
  await chmod(file, 0o600);
  const secrets = parseSecrets(text);
  // New secrets would silently lock out everybody who has the old key.
  if (!secrets) throw new Refusal(`${file} is damaged: restore it, or remove it to get a new operator key`);
  return secrets;
}

/** The secrets that the text of the file holds; null if it is damaged. */
export function parseSecrets(text: string): StoredSecrets | null {
  try {
    const kept = STORED.safeParse(JSON.parse(text));
    return kept.success ? kept.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}
