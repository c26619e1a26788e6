import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { CliError, EXIT, usageError } from "../exit.ts";
import { codeOf, configFolder, readJsonFile, writePrivateFile, type Env } from "./files.ts";
import { membersOf, textOf } from "./json.ts";

/** A mailbox, the deployment that has it, and the key for it. */
export interface Profile {
  url: string;
  key: string;
  /** Null for the operator's key, which is of no mailbox. */
  mailbox: string | null;
}

/** A claim that waits for a person. `session` redeems the key, so that it is never shown. */
export interface PendingClaim {
  url: string;
  session: string;
  mailbox: string;
}

/** Everything that the configuration file holds. */
export interface Profiles {
  /** The profile that is used unless another is named. */
  current: string | null;
  byName: Map<string, Profile>;
  claims: Map<string, PendingClaim>;
}

/** Names that can be typed without quotes, email addresses among them. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;

/** How long a writer waits for another, in ms. */
const LOCK_WAIT_MS = 2_000;
const LOCK_POLL_MS = 10;
/** A lock that is older was left by a process that died, in ms. */
const LOCK_STALE_MS = 5_000;

/** The file of all profiles. */
export function profilesFile(env: Env): string {
  return path.join(configFolder(env), "config.json");
}

/** Throws unless a profile may be called so. */
export function checkProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw usageError(`"${name}" is no name of a profile: use letters, digits and . _ - + @`, "profiles");
}

/** The profiles of the configuration file; none if there is no file. Throws for a damaged one. */
export function readProfiles(env: Env): Profiles {
  const file = profilesFile(env);
  let json: unknown;
  try {
    json = readJsonFile(file);
  } catch (error) {
    const why = error instanceof SyntaxError ? "is no valid JSON" : `cannot be read (${codeOf(error)})`;
    throw new CliError(
      EXIT.usage,
      `${file} ${why}`,
      `correct it, or move it away: mv '${file}' '${file}.bad'`,
    );
  }
  const members = membersOf(json);
  return {
    current: textOf(members, "current"),
    byName: entriesOf(members["profiles"], readProfile),
    claims: entriesOf(members["claims"], readClaim),
  };
}

function entriesOf<T>(value: unknown, read: (value: unknown) => T | null): Map<string, T> {
  const entries = Object.entries(membersOf(value)).flatMap(([name, entry]) => {
    const known = NAME.test(name) ? read(entry) : null;
    return known === null ? [] : [[name, known] as const];
  });
  return new Map(entries);
}

function readProfile(value: unknown): Profile | null {
  const members = membersOf(value);
  const [url, key] = [textOf(members, "url"), textOf(members, "key")];
  return url === null || key === null ? null : { url, key, mailbox: textOf(members, "mailbox") };
}

function readClaim(value: unknown): PendingClaim | null {
  const members = membersOf(value);
  const [url, session, mailbox] = ["url", "session", "mailbox"].map((name) => textOf(members, name));
  if (!url || !session || !mailbox) return null;
  return { url, session, mailbox };
}

/**
 * Changes the profiles. Two commands at the same time change them one after the other, so that neither loses the key of
 * the other.
 */
export async function changeProfiles(env: Env, change: (profiles: Profiles) => void): Promise<Profiles> {
  const lock = `${profilesFile(env)}.lock`;
  mkdirSync(path.dirname(lock), { recursive: true, mode: 0o700 });
  await takeLock(lock);
  try {
    const profiles = readProfiles(env);
    change(profiles);
    const json = {
      current: profiles.current,
      profiles: Object.fromEntries(profiles.byName),
      ...(profiles.claims.size === 0 ? {} : { claims: Object.fromEntries(profiles.claims) }),
    };
    writePrivateFile(profilesFile(env), `${JSON.stringify(json, null, 2)}\n`);
    return profiles;
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > LOCK_STALE_MS) rmSync(lock, { force: true });
    else if (Date.now() > deadline) {
      throw new CliError(
        EXIT.transient,
        `${lock} is held by another command`,
        `rm '${lock}' if none is running`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

/** Stores a mailbox under a name and makes it the current one. */
export function storeProfile(env: Env, name: string, profile: Profile): Promise<Profiles> {
  return changeProfiles(env, (profiles) => {
    profiles.byName.set(checkProfileName(name), profile);
    profiles.current = name;
  });
}
