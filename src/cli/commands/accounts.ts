import { Mailkeep } from "../../client/index.ts";
import { command } from "../command.ts";
import { LOCAL_URL, unknownProfile } from "../profile/account.ts";
import {
  changeProfiles,
  checkProfileName,
  readProfiles,
  storeProfile,
  type Profiles,
} from "../profile/profiles.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, usageError, type ExitCode } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { approved, startClaim } from "../claim.ts";

const KEEP_MAIL = {
  "keep-mail": { type: "switch", about: OPERATIONS.claimStart.body["keep_mail"]?.about ?? "" },
} as const;
const NAME = { name: "name", about: OPERATIONS.claimStart.body["name"]?.about ?? "" };

/** The name under which a new mailbox is stored. Throws if it is taken: the key of the mailbox there would be lost. */
function freeProfile(context: Context, mailbox: string | null): string {
  const profiles = readProfiles(context.env);
  const name = context.chosenProfile ?? firstFree(profiles, mailbox);
  const taken = profiles.byName.get(checkProfileName(name));
  if (taken === undefined) return name;
  const whose = taken.mailbox ?? "the operator";
  throw new CliError(
    EXIT.usage,
    `profile "${name}" holds the key of ${whose}`,
    `choose another with --profile, or: mailkeep profiles remove ${name}`,
  );
}

/** The first mailbox is "default"; others are called by their address. */
function firstFree({ byName }: Profiles, mailbox: string | null): string {
  return byName.has("default") && mailbox !== null ? mailbox : "default";
}

/** Makes a temporary mailbox and stores its key. */
async function signUpAtOnce(context: Context): Promise<void> {
  const { output, account, env, signal } = context;
  // A name that is taken must be known before the mailbox is made.
  if (context.chosenProfile !== undefined) freeProfile(context, null);
  const made = await output.progress.during("Making a mailbox", () =>
    Mailkeep.bootstrap({ url: account.url, signal }),
  );
  const { bootstrapped, key } = made;
  if (bootstrapped === null || key === null) throw new Error("A bootstrap answered without a mailbox");
  const { mailbox, scope, expires_at } = bootstrapped;
  const profile = freeProfile(context, mailbox);
  await storeProfile(env, profile, { url: account.url, key, mailbox });
  await output.fields(
    { status: "complete", mailbox, scope, expires_at, profile, url: account.url },
    { Mailbox: mailbox, Until: expires_at, Profile: profile },
  );
  if (!context.warnIfHidden(profile) && !output.isJson)
    output.note("Next: mailkeep code --wait 60, or mailkeep inbox");
}

/** Asks for a permanent mailbox, shows where to approve it, and waits. */
async function signUpByClaim(context: Context, name: string, keepMail: boolean): Promise<ExitCode> {
  if (context.chosenProfile !== undefined) freeProfile(context, null);
  const claim = await startClaim(context, name, keepMail);
  return approved(context, claim, () => freeProfile(context, claim.mailbox));
}

export const accountCommands = [
  command({
    name: "signup",
    summary: "Get a mailbox: a temporary one at once, or a permanent one that a person approves",
    args: [{ ...NAME, isOptional: true }],
    flags: {
      ...KEEP_MAIL,
      temporary: { type: "switch", about: "Do not ask: a temporary mailbox." },
    },
    about: [
      "Without a name the mailbox is there at once; it can receive, and ends after 72 hours. With a name it is permanent and",
      "can send: the command shows a link and a code, and waits until somebody opens the link and approves it.",
      `The key is stored in a profile and never shown. The deployment is --url, MAILKEEP_URL, or ${LOCAL_URL}.`,
    ],
    examples: ["mailkeep signup --url https://mail.example", "mailkeep signup billing --keep-mail"],
    run: async (context, { words: [name = ""], flags }) => {
      if (name !== "") return signUpByClaim(context, name, flags["keep-mail"] === true);
      if (!context.isInteractive || flags.temporary === true) return signUpAtOnce(context);
      const { askForMailbox } = await import("../ask.ts");
      const wanted = await askForMailbox();
      return wanted === ""
        ? signUpAtOnce(context)
        : signUpByClaim(context, wanted, flags["keep-mail"] === true);
    },
  }),
  command({
    name: "claim start",
    summary: OPERATIONS.claimStart.summary,
    args: [NAME],
    flags: KEEP_MAIL,
    about: [
      "Does not wait: `mailkeep claim wait` does. The session that redeems the key is stored, and not shown.",
    ],
    examples: ["mailkeep claim start billing"],
    run: async (context, { words: [name = ""], flags }) => {
      await startClaim(context, name, flags["keep-mail"] === true);
    },
  }),
  command({
    name: "claim wait",
    summary: "Wait until a claim is approved, and store its key",
    args: [{ name: "mailbox", about: "Which claim, if there are several.", isOptional: true }],
    flags: {},
    examples: ["mailkeep claim wait", "mailkeep claim wait billing@mail.example"],
    run: async (context, { words: [mailbox = ""] }) => {
      const { claims } = readProfiles(context.env);
      const waiting = [...claims.values()].filter((one) => mailbox === "" || one.mailbox === mailbox);
      const [claim, ...others] = waiting;
      if (claim === undefined)
        throw new CliError(EXIT.notFound, "no claim is waiting", "mailkeep claim start <name>");
      if (others.length > 0) {
        const names = waiting.map((one) => one.mailbox).join(", ");
        throw usageError(`several claims are waiting: name one of ${names}`, "claim wait");
      }
      return approved(context, claim, () => freeProfile(context, claim.mailbox));
    },
  }),
  command({
    name: "whoami",
    summary: "Show the mailbox, the deployment, and what the key may do",
    args: [],
    flags: {},
    examples: ["mailkeep whoami", "mailkeep whoami --json --profile billing"],
    run: async ({ mail, output, account, signal }) => {
      const me = await mail.me({ signal });
      const { mailbox, scope, expires_at, capabilities, send, version } = me;
      const { url, source, profile } = account;
      await output.fields(
        { ...me, url, profile, source },
        {
          Mailbox: mailbox ?? "none: the operator's key",
          Scope: scope,
          Until: expires_at,
          Sends: send,
          May: capabilities.join(", "),
          Deployment: `${url} (version ${version})`,
          "Key from": source,
        },
      );
    },
  }),
  command({
    name: "profiles",
    summary: "List the stored mailboxes",
    args: [],
    flags: {},
    examples: ["mailkeep profiles"],
    run: async ({ env, output }) => {
      const { current, byName } = readProfiles(env);
      const rows = [...byName].map(([name, { url, mailbox }]) => ({
        name,
        mailbox,
        url,
        current: name === current,
      }));
      const columns = [
        { title: "", of: (row: (typeof rows)[number]) => (row.current ? "*" : "") },
        { title: "NAME", of: (row: (typeof rows)[number]) => row.name },
        { title: "MAILBOX", of: (row: (typeof rows)[number]) => row.mailbox ?? "(operator)", flexible: true },
        { title: "DEPLOYMENT", of: (row: (typeof rows)[number]) => row.url },
      ];
      await output.rows(rows, columns, "No mailbox is stored: mailkeep signup");
    },
  }),
  command({
    name: "profiles use",
    summary: "Make a stored mailbox the current one",
    args: [{ name: "name", about: "Its profile." }],
    flags: {},
    examples: ["mailkeep profiles use billing"],
    run: async ({ env, output }, { words: [name = ""] }) => {
      await changeProfiles(env, (profiles) => {
        if (!profiles.byName.has(name)) throw unknownProfile(name, profiles);
        profiles.current = name;
      });
      await output.value({ current: name }, () => [`Now using ${name}.`]);
    },
  }),
  command({
    name: "profiles add",
    summary: "Store a key that you have, from stdin or MAILKEEP_KEY, after asking the service whose it is",
    args: [{ name: "name", about: "Its profile." }],
    flags: {},
    examples: ["mailkeep profiles add billing --url https://mail.example --key-stdin < key.txt"],
    run: async (context, { words: [name = ""] }) => {
      const { account, mail, env, output, signal } = context;
      if (account.key === null || account.profile !== null) {
        throw usageError("give the key with --key-stdin or MAILKEEP_KEY", "profiles add");
      }
      checkProfileName(name);
      const { mailbox, scope } = await mail.me({ signal });
      await storeProfile(env, name, { url: account.url, key: account.key, mailbox });
      await output.fields(
        { profile: name, mailbox, scope, url: account.url },
        { Profile: name, Mailbox: mailbox ?? "none: the operator's key", Deployment: account.url },
      );
    },
  }),
  command({
    name: "profiles remove",
    summary: "Forget a stored mailbox and its key",
    args: [{ name: "name", about: "Its profile." }],
    flags: {},
    about: ["The mailbox itself stays. Without its key nobody reaches it but the operator."],
    examples: ["mailkeep profiles remove billing"],
    run: async ({ env, output }, { words: [name = ""] }) => {
      await changeProfiles(env, (profiles) => {
        if (!profiles.byName.delete(name)) throw unknownProfile(name, profiles);
        if (profiles.current === name) profiles.current = profiles.byName.keys().next().value ?? null;
      });
      await output.value({ removed: name }, () => [`Forgot ${name}.`]);
    },
  }),
];
