import path from "node:path";
import { CliError, EXIT, usageError } from "../exit.ts";
import { homeOf, readJsonFile, type Env } from "./files.ts";
import { membersOf, textOf } from "./json.ts";
import { readProfiles, type Profile, type Profiles } from "./profiles.ts";

/** Where `npm start` and `mailkeep serve` listen. */
export const LOCAL_URL = "http://127.0.0.1:8787";

/** The deployment, key and mailbox of a command. */
export interface Account {
  url: string;
  /** Null if there is none: only what needs no key can be done. */
  key: string | null;
  mailbox: string | null;
  /** Where the key was read, for people. */
  source: string;
  /** The name of its profile; null if it comes from elsewhere. */
  profile: string | null;
}

/** The flags that choose the account. */
export interface AccountChoice {
  /** `--profile`. */
  profile: string | undefined;
  /** `--url`. */
  url: string | undefined;
  /** `--mailbox`. */
  mailbox: string | undefined;
  /** The key that `--key-stdin` read. */
  key: string | null;
}

/** A URL of a deployment, without the slash at its end. Throws for a text that is none. */
export function checkUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw usageError(`${source} is no URL: "${text}"; it looks like https://mail.example`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError(`${source} must not hold a user name or a password`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/**
 * The account of a command. The key is taken from the first of: `--key-stdin`, the profile of `--profile`, `MAILKEEP_KEY`, the
 * profile of `MAILKEEP_PROFILE`, the current profile, and the variables and the file of `mails`, another command line of this
 * API family. A stored key goes to its own deployment only: `--url` and `MAILKEEP_URL` never send it elsewhere.
 */
export function accountOf(choice: AccountChoice, env: Env): Account {
  const givenUrl = urlGiven(choice, env);
  const account = accountByKey(choice, env, givenUrl) ?? storedAccount(choice, env, givenUrl);
  const mailbox = choice.mailbox ?? account.mailbox;
  return { ...account, mailbox };
}

function urlGiven(choice: AccountChoice, env: Env): string | null {
  if (choice.url !== undefined) return checkUrl(choice.url, "--url");
  return env.MAILKEEP_URL ? checkUrl(env.MAILKEEP_URL, "MAILKEEP_URL") : null;
}

/** The account of a key that was given for this command; null without one. */
function accountByKey(choice: AccountChoice, env: Env, url: string | null): Account | null {
  if (choice.key !== null) {
    const place = url ?? (choice.profile === undefined ? null : profileOf(choice, env)?.[1].url) ?? LOCAL_URL;
    return { url: place, key: choice.key, mailbox: null, source: "--key-stdin", profile: null };
  }
  const key = env.MAILKEEP_KEY || null;
  // A profile that is named means its own key. A key of the environment goes to no deployment of a stored profile.
  if (key === null || choice.profile !== undefined) return null;
  return { url: url ?? LOCAL_URL, key, mailbox: null, source: "MAILKEEP_KEY", profile: null };
}

function storedAccount(choice: AccountChoice, env: Env, url: string | null): Account {
  const [name, profile] = profileOf(choice, env) ?? [null, null];
  if (profile !== null && (url === null || url === profile.url)) {
    return { ...profile, source: `profile ${name}`, profile: name };
  }
  if (profile !== null && choice.profile !== undefined) {
    throw usageError(`the key of profile "${name}" is for ${profile.url}, not for ${url}`, "profiles");
  }
  const mails = mailsAccount(env);
  if (mails !== null && (url === null || url === mails.url)) return mails;
  return { url: url ?? LOCAL_URL, key: null, mailbox: null, source: "no profile", profile: null };
}

/** The profile that is meant, with its name; null if none is stored. */
function profileOf(choice: AccountChoice, env: Env): readonly [string, Profile] | null {
  const profiles = readProfiles(env);
  const named = choice.profile ?? (env.MAILKEEP_PROFILE || undefined);
  const name = named ?? profiles.current;
  const profile = name === null ? undefined : profiles.byName.get(name);
  if (profile !== undefined && name !== null) return [name, profile];
  if (named !== undefined) throw unknownProfile(named, profiles);
  return null;
}

/** The error for a profile that is not stored. */
export function unknownProfile(name: string, { byName }: Profiles): CliError {
  const names = [...byName.keys()].join(", ");
  const next = names === "" ? "mailkeep signup" : `mailkeep profiles: there are ${names}`;
  return new CliError(EXIT.usage, `there is no profile "${name}"`, next);
}

/** The account of `mails`, another command line of this API family, so that its users need not type anything; null without one. */
function mailsAccount(env: Env): Account | null {
  const file = path.join(homeOf(env), ".mails", "config.json");
  const members = membersOf(quietly(() => readJsonFile(file)));
  const key = env.MAILS_API_KEY || env.MAILS_AUTH_TOKEN || env.MAILS_WORKER_TOKEN;
  const ownUrl = textOf(members, "worker_url");
  const url = env.MAILS_API_URL || ownUrl;
  // The key of the file goes to the deployment of the file only.
  const stored = url === ownUrl ? textOf(members, "worker_token") || textOf(members, "api_key") : null;
  const usable = key || stored;
  if (!url || !usable) return null;
  const mailbox = env.MAILS_MAILBOX || textOf(members, "mailbox");
  const source = key ? "variables of `mails`" : file;
  // A key of a mailbox says which one it is; the token of a whole deployment does not.
  const named = usable.startsWith("mk_") ? null : mailbox;
  return { url: checkUrl(url, "MAILS_API_URL"), key: usable, mailbox: named, source, profile: null };
}

/** A file of another program is used where it can be read, and is nothing to complain about where not. */
function quietly(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
