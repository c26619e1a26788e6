import { parseArgs, type ParseArgsConfig } from "node:util";
import { nearName } from "../lib/near-name.ts";
import { COMMON_FLAGS, type Command, type Flag, type Flags, type Input } from "./command.ts";
import { CliError, EXIT, usageError } from "./exit.ts";

/** A typed command, taken apart. */
export interface Parsed {
  command: Command;
  input: Input;
  common: {
    json: boolean;
    profile: string | undefined;
    mailbox: string | undefined;
    url: string | undefined;
    keyStdin: boolean;
    help: boolean;
  };
}

/** Flags that would put a secret where every user of the machine can read it. */
const SECRET_FLAGS = ["key", "api-key", "token", "secret", "password"];

/**
 * The command that the first words name, and the words after it; null if they name none. The longest name wins:
 * `attachments get` before `attachments`.
 */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: readonly string[] } | null {
  const [found] = commands
    .filter(({ name }) => name.split(" ").every((word, at) => word === words[at]))
    .toSorted((a, b) => b.name.split(" ").length - a.name.split(" ").length);
  return found === undefined ? null : { command: found, rest: words.slice(found.name.split(" ").length) };
}

/** The error for words that name no command, with the nearest that there is. */
export function unknownCommand(commands: readonly Command[], words: readonly string[]): CliError {
  const [first = "", second] = words;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const names = group.map(({ name }) => name.slice(first.length + 1)).join(", ");
    const wrong = second === undefined ? "is not complete" : `has no command "${second}"`;
    return usageError(`"mailkeep ${first}" ${wrong}: there are ${names}`, first);
  }
  const near = nearName(first, [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))]);
  return near === null
    ? usageError(`there is no command "${first}"`)
    : new CliError(EXIT.usage, `there is no command "${first}"`, `mailkeep ${near}`);
}

/** Takes the words after a command apart. Throws a usage error that names what is wrong. */
export function parseInput(command: Command, words: readonly string[]): Parsed {
  const flags: Flags = { ...COMMON_FLAGS, ...command.flags };
  const { values, positionals } = parsed(command, words, flags);
  const read = Object.entries(values).map(([name, value]) => [
    name,
    valueOf(command, name, flags[name], value),
  ]);
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(read);
  const help = given["help"] === true;
  return {
    command,
    input: { words: help ? [] : wordsOf(command, positionals), flags: given as Input["flags"] },
    common: {
      json: given["json"] === true,
      profile: textOrNone(given["profile"]),
      mailbox: textOrNone(given["mailbox"]),
      url: textOrNone(given["url"]),
      keyStdin: given["key-stdin"] === true,
      help,
    },
  };
}

const textOrNone = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function parsed(command: Command, words: readonly string[], flags: Flags) {
  try {
    const options = { args: [...words], options: optionsOf(flags), allowPositionals: true, strict: true };
    const { values, positionals } = parseArgs(options);
    const read = Object.entries(values).map(([name, value]) => {
      const positive = name.replace(NEGATIVE, "");
      return isNegative(name, flags) ? [positive, false] : [name, value];
    });
    return { values: Object.fromEntries(read) as typeof values, positionals };
  } catch (error) {
    throw flagError(command, words, flags, error);
  }
}

const NEGATIVE = /^no-/;

/** Whether a name, such as `no-follow`, turns a switch off. */
const isNegative = (name: string, flags: Flags): boolean =>
  NEGATIVE.test(name) && !Object.hasOwn(flags, name) && flags[name.replace(NEGATIVE, "")]?.type === "switch";

function optionsOf(flags: Flags): NonNullable<ParseArgsConfig["options"]> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, { type, short }]) => {
      const option = {
        type: type === "switch" ? ("boolean" as const) : ("string" as const),
        multiple: type === "list" || type === "json",
      };
      return [
        [name, { ...option, ...(short === undefined ? {} : { short }) }],
        // `allowNegative` came with Node 20.17 and 22.4.
        ...(type === "switch" ? [[`no-${name}`, option]] : []),
      ];
    }),
  );
}

function flagError(command: Command, words: readonly string[], flags: Flags, error: unknown): unknown {
  if (!(error instanceof TypeError) || !("code" in error)) return error;
  if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    return usageError(error.message.split(". ")[0] ?? error.message, command.name);
  }
  const isUnknown = (word: string): boolean => /^--?[^-]/.test(word) && !Object.hasOwn(flags, bareName(word));
  const written = words.find(isUnknown) ?? "";
  const name = bareName(written);
  if (SECRET_FLAGS.includes(name)) {
    return new CliError(
      EXIT.usage,
      `--${name} would show a secret to every user of this machine`,
      "use --key-stdin, MAILKEEP_KEY or a profile",
    );
  }
  const near = nearName(name, Object.keys(flags));
  const hint = near === null ? "" : `; did you mean --${near}?`;
  return usageError(`"${command.name}" has no flag ${written.split("=")[0]}${hint}`, command.name);
}

const bareName = (word: string): string => word.replace(/^-+(?:no-)?/, "").split("=")[0] ?? "";

type Raw = string | boolean | (string | boolean)[] | undefined;

function valueOf(command: Command, name: string, flag: Flag | undefined, value: Raw): unknown {
  if (flag === undefined || typeof value !== "string") return value;
  if (flag.type === "integer" || flag.type === "number") return numberOf(command, name, flag.type, value);
  if (flag.choices !== undefined && !flag.choices.includes(value)) {
    throw usageError(`--${name} must be one of ${flag.choices.join(", ")}`, command.name);
  }
  return value;
}

function numberOf(command: Command, name: string, type: "integer" | "number", text: string): number {
  const value = /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || (type === "integer" && !Number.isSafeInteger(value))) {
    const kind = type === "integer" ? "a whole number" : "a number";
    throw usageError(`--${name} must be ${kind}, not "${text}"`, command.name);
  }
  return value;
}

function wordsOf({ name, args }: Command, words: readonly string[]): string[] {
  const missing = args.find(({ isOptional }, at) => isOptional !== true && words[at] === undefined);
  if (missing !== undefined)
    throw usageError(`"mailkeep ${name}" needs <${missing.name}>: ${missing.about}`, name);
  if (args.at(-1)?.isRepeated === true) return [...words];
  if (words.length > args.length) {
    throw usageError(`"mailkeep ${name}" takes no "${words[args.length]}"`, name);
  }
  return args.map((_, at) => words[at] ?? "");
}
