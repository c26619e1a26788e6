import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { EXIT } from "../../cli/exit.ts";
import { failureOf } from "../../cli/failure.ts";
import { filesSource } from "../../cli/moving/files.ts";
import { sendAll, shownOutcome } from "../../cli/moving/sender.ts";
import { accountOf, type Account } from "../../cli/profile/account.ts";
import { Output } from "../../cli/terminal/output.ts";
import { safeLine } from "../../cli/terminal/safe-text.ts";
import { Mailkeep } from "../../client/index.ts";
import { Refusal } from "../../host/refusal.ts";
import type { CommandContext, ServerCommand } from "../command.ts";
import { imapSource, readImapUrl } from "../moving/imap.ts";
import { ImapState } from "../moving/imap-state.ts";

const HELP = `Imports mail into a mailbox of a deployment, from files or from an IMAP account. A second run makes no second copies.

  mailkeep-server import FILE...              Files in mbox, .eml or tar, and Maildir folders
  mailkeep-server import --imap imaps://user@host[:port]

  --url URL          The deployment (MAILKEEP_URL)
  --mailbox ADDRESS  The mailbox; needs the operator's key
  --profile NAME     A profile of the command line; else MAILKEEP_KEY, or the current profile
  --label LABEL      A label for every imported email
  --folder NAME      Only this folder of the IMAP account; may be repeated
  --state FILE       The file for the progress of an IMAP import
  --password-stdin   Reads the IMAP password from stdin; else MAILKEEP_IMAP_PASSWORD

Exit code: 0 done, 1 failed and may work later, 2 wrong use, 4 the key was refused, 5 not found.
`;

const OPTIONS = {
  url: { type: "string" },
  mailbox: { type: "string" },
  profile: { type: "string" },
  label: { type: "string" },
  imap: { type: "string" },
  folder: { type: "string", multiple: true },
  state: { type: "string" },
  "password-stdin": { type: "boolean" },
} as const;

/** `mailkeep-server import`. */
export const importCommand: ServerCommand = {
  summary: "Import mail from files or from an IMAP account",
  help: HELP,
  async run(words, context) {
    const { values, positionals } = read(words);
    const account = accountOf(
      { profile: values.profile, url: values.url, mailbox: values.mailbox, key: null },
      context.env,
    );
    if (account.key === null) {
      throw new Refusal(
        "The key of the mailbox is missing: set MAILKEEP_KEY, or make a profile with mailkeep signup",
      );
    }
    const state = values.imap === undefined ? null : stateFor(values, account, context);
    const source =
      values.imap === undefined
        ? filesSource(positionals)
        : imapSource(
            { ...readImapUrl(values.imap), password: await passwordFrom(values, context) },
            state ?? ImapState.read(""),
            values.folder ?? [],
          );
    const { url, key, mailbox } = account;
    const show = progressOn(context.stderr);
    try {
      const outcome = await sendAll(source, {
        mail: new Mailkeep({ url, key, ...(mailbox === null ? {} : { mailbox }) }),
        labels: values.label === undefined ? {} : { label: values.label },
        signal: context.signal,
        progress: (sofar) => {
          state?.save();
          show(`${safeLine(source.place())}: ${shownOutcome(sofar)}`);
        },
      });
      show("");
      context.stdout.write(`${shownOutcome(outcome)}\n`);
      return 0;
    } catch (error) {
      show("");
      return failed(error, account, context);
    }
  },
};

/** Says why an import ended and what to do next, and returns the exit code. Throws a bug. */
function failed(error: unknown, account: Account, context: CommandContext): number {
  const output = new Output({ ...context, json: false });
  if (context.signal.aborted) {
    output.note("Stopped. Run the same command again to continue.");
    return EXIT.transient;
  }
  const failure = failureOf(error, account);
  if (failure === null) throw error;
  output.error(failure.message, failure.next);
  return failure.exit;
}

function read(words: readonly string[]) {
  try {
    const parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
    const { values, positionals } = parsed;
    if ((values.imap === undefined) === (positionals.length === 0)) {
      throw new Refusal("Name files, or an IMAP account with --imap; try mailkeep-server import --help");
    }
    return parsed;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      `${error instanceof Error ? error.message : String(error)}; try mailkeep-server import --help`,
    );
  }
}

function stateFor(
  { state, imap = "" }: { state?: string | undefined; imap?: string | undefined },
  { url, mailbox, key }: Account,
  { env }: CommandContext,
): ImapState {
  return ImapState.read(state ?? ImapState.fileFor(env, imap, url, mailbox ?? key ?? ""));
}

async function passwordFrom(
  options: { "password-stdin"?: boolean | undefined },
  { env, stdin }: CommandContext,
): Promise<string> {
  const password =
    options["password-stdin"] === true ? (await text(stdin)).trimEnd() : env.MAILKEEP_IMAP_PASSWORD;
  if (password) return password;
  throw new Refusal("The IMAP password is missing: set MAILKEEP_IMAP_PASSWORD, or use --password-stdin");
}

/** Shows a line in place of the one before, on a terminal; "" erases it. */
function progressOn(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => {
    if (stream.isTTY) stream.write(`\r\u001b[K${line}`);
  };
}
