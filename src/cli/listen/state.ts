import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { SECRET_PREFIX } from "../../webhooks/sign.ts";
import { configFolder, readJsonFile, writePrivateFile, type Env } from "../profile/files.ts";
import { membersOf, textOf } from "../profile/json.ts";
import { CliError, EXIT } from "../exit.ts";

/** A mailbox and the URL that its events go to. Two of the same would deliver everything twice, so that they share one state and one lock. */
export interface Route {
  url: string;
  /** Of the mailbox's own key; the key's digest stands for it where the mailbox is not known. */
  mailbox: string;
  forward: string;
  types: readonly string[];
}

/** How far a route came; written before and after every attempt, so that a killed process goes on where it was. */
export interface Progress {
  /** Every event up to this `seq` is settled: delivered, given up, or none of the wanted. */
  after: number;
  /** Settled events above `after`. */
  settled: readonly number[];
  /** How many attempts failed, of events that are tried again. */
  failed: ReadonlyMap<number, number>;
  /** Events whose attempt was begun and is not known to have ended. */
  underway: readonly number[];
}

/** The contents of a state file. */
export interface ListenState {
  /** Signs what is forwarded. */
  secret: string;
  progress: Progress;
}

const SECRET_BYTES = 24;

/** A secret as Standard Webhooks has it. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** A name for a route, the same in every run. */
export function routeDigest(env: Env, { url, mailbox, forward, types }: Route): string {
  const parts = [configFolder(env), url, mailbox, forward, types.toSorted().join(",")];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** The file of a route's state, beside the profiles. */
export function stateFile(env: Env, route: Route): string {
  return path.join(configFolder(env), "listen", `${routeDigest(env, route)}.json`);
}

/** The state of a route; null if it never ran. Throws for a damaged file: to begin anew would lose events in silence. */
export function readState(file: string): ListenState | null {
  const json = jsonOf(file);
  if (json === undefined) return null;
  const members = membersOf(json);
  const secret = textOf(members, "secret");
  const { after, settled, failed, underway } = members;
  if (secret === null) throw damaged(file);
  if (!isSeq(after) || !isSeqs(settled) || !isSeqs(underway)) throw damaged(file);
  const counts = Object.entries(membersOf(failed)).map(
    ([seq, count]) => [Number(seq), Number(count)] as const,
  );
  if (!counts.flat().every(isSeq)) throw damaged(file);
  return { secret, progress: { after, settled, underway, failed: new Map(counts) } };
}

function jsonOf(file: string): unknown {
  try {
    return readJsonFile(file);
  } catch {
    throw damaged(file);
  }
}

function damaged(file: string): CliError {
  return new CliError(
    EXIT.usage,
    `the state file ${file} is damaged: the last forwarded event is unknown`,
    `rm '${file}', then: mailkeep listen --forward <url> --since <time>`,
  );
}

const isSeq = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isSeqs = (value: unknown): value is number[] => Array.isArray(value) && value.every(isSeq);

/** Writes the state of a route, whole or not at all. */
export function writeState(file: string, route: Route, { secret, progress }: ListenState): void {
  const { url, mailbox, forward } = route;
  const failed = Object.fromEntries(progress.failed);
  writePrivateFile(file, `${JSON.stringify({ url, mailbox, forward, secret, ...progress, failed })}\n`);
}
