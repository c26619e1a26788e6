import { VERSION } from "../contract/product.ts";
import { COMMON_FLAGS, type Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { accountOf, type Account, type AccountChoice } from "./profile/account.ts";
import type { Env } from "./profile/files.ts";
import { Context, type Stdin } from "./context.ts";
import { EXIT, usageError, type ExitCode } from "./exit.ts";
import { failureOf } from "./failure.ts";
import { explain, explainGroup, overview } from "./help.ts";
import { findCommand, parseInput, unknownCommand, type Parsed } from "./parse.ts";
import { Output, type TextStream } from "./terminal/output.ts";
import { painterOf } from "./terminal/style.ts";

/** The process that a command runs in. */
export interface Process {
  /** The words after `mailkeep`. */
  words: readonly string[];
  env: Env;
  stdin: Stdin;
  stdout: TextStream;
  stderr: TextStream;
  signal: AbortSignal;
}

/** More of a line is no key. */
const MAX_KEY_BYTES = 4_096;

/** Runs one command to its end and resolves to its exit code. Bugs throw. */
export async function run(process: Process): Promise<ExitCode> {
  const { words, env, stdout, stderr } = process;
  const output = new Output({ stdout, stderr, env, json: words.includes("--json") });
  let choice: AccountChoice = { profile: undefined, url: undefined, mailbox: undefined, key: null };
  try {
    const [first = "help"] = words;
    if (first === "--version" || first === "-v") return await print(output, [`mailkeep ${VERSION}`]);
    if (first === "help" || first === "--help" || first === "-h")
      return await help(process, output, words.slice(1));
    const parsed = understood(words);
    if (parsed.common.help) return await help(process, output, parsed.command.name.split(" "));
    choice = await choiceOf(parsed, process);
    const { signal, stdin } = process;
    const context = new Context({ env, output, signal, stdin, choice });
    return (await parsed.command.run(context, parsed.input)) ?? EXIT.ok;
  } catch (error) {
    // Whatever a call threw because it was ended is no failure to explain.
    if (process.signal.aborted) return EXIT.transient;
    const failure = failureOf(error, accountIn(choice, env));
    if (failure === null) throw error;
    output.error(failure.message, failure.next);
    return failure.exit;
  }
}

function understood(words: readonly string[]): Parsed {
  // Flags of every command may also stand before it.
  const start = commandStart(words);
  const found = findCommand(COMMANDS, words.slice(start));
  if (found === null) throw unknownCommand(COMMANDS, words.slice(start));
  const { command, rest } = found;
  if (command.passesOn?.(rest) === true) {
    const common = { json: false, profile: undefined, mailbox: undefined, url: undefined };
    return {
      command,
      input: { words: rest, flags: {} },
      common: { ...common, keyStdin: false, help: false },
    };
  }
  return parseInput(command, [...words.slice(0, start), ...rest]);
}

/** Where the name of the command begins, after flags of every command. */
function commandStart(words: readonly string[]): number {
  let at = 0;
  while (words[at]?.startsWith("--") === true) {
    const name = words[at]?.slice(2) ?? "";
    const takesValue = Object.entries(COMMON_FLAGS).some(
      ([flag, { type }]) => flag === name && type !== "switch",
    );
    at += takesValue ? 2 : 1;
  }
  return at;
}

async function help(process: Process, output: Output, words: readonly string[]): Promise<ExitCode> {
  const paint = painterOf(process.stdout.isTTY === true, process.env);
  const asked = words.filter((word) => !word.startsWith("-"));
  if (asked.length === 0) return print(output, overview(COMMANDS, paint));
  const found = findCommand(COMMANDS, asked);
  if (found !== null) return print(output, explain(found.command, paint));
  const [group = ""] = asked;
  const members: Command[] = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  if (members.length === 0) throw unknownCommand(COMMANDS, asked);
  return print(output, explainGroup(group, members, paint));
}

async function print(output: Output, lines: readonly string[]): Promise<ExitCode> {
  await output.lines(lines);
  return EXIT.ok;
}

async function choiceOf({ common }: Parsed, { stdin }: Process): Promise<AccountChoice> {
  const { profile, mailbox, url, keyStdin } = common;
  return { profile, mailbox, url, key: keyStdin ? await keyFrom(stdin) : null };
}

/** The first line of stdin. */
async function keyFrom(stdin: Stdin): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += Buffer.from(chunk).toString("latin1");
    if (text.includes("\n") || text.length > MAX_KEY_BYTES) break;
  }
  const key = (text.split("\n")[0] ?? "").trim();
  // Printable ASCII: anything else cannot stand in a header.
  if (/^[\x21-\x7e]{8,256}$/.test(key)) return key;
  throw usageError("--key-stdin found no key in the first line of stdin");
}

/** The account of a failed command, for its error; null if the settings are what failed. */
function accountIn(choice: AccountChoice, env: Env): Account | null {
  try {
    return accountOf(choice, env);
  } catch {
    return null;
  }
}
