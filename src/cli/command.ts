import type { Context } from "./context.ts";
import type { ExitCode } from "./exit.ts";
import type { Field } from "./operations.ts";

/** A flag: the name is written in kebab case, and a switch also as `--no-<name>`. */
export interface Flag extends Field {
  /** Names its value in help texts; by default the type. */
  value?: string;
  /** One letter. */
  short?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** A word after the command. */
export interface Argument {
  name: string;
  about: string;
  isOptional?: boolean;
  /** More words of its kind may follow; only the last argument. */
  isRepeated?: boolean;
}

type ValueOf<One extends Flag> = One["type"] extends "switch"
  ? boolean
  : One["type"] extends "integer" | "number"
    ? number
    : One["type"] extends "list" | "json"
      ? string[]
      : string;

/** The values of flags by name; undefined where they were not given. */
export type Values<All extends Flags> = { [Name in keyof All]?: ValueOf<All[Name]> };

/** The words and flags that were typed after a command. */
export interface Input<All extends Flags = Flags> {
  /** The words, in the order of `args`; "" for an optional one that was not given. All words of one that is passed on. */
  words: readonly string[];
  flags: Values<All>;
}

/** A command as it is typed, explained and run. */
export interface Command<All extends Flags = Flags> {
  /** The words after `mailkeep`: `inbox`, `attachments get`. */
  name: string;
  /** One line, without a full stop. */
  summary: string;
  args: readonly Argument[];
  flags: All;
  /** Lines that can be typed, or pasted into a script. */
  examples: readonly string[];
  /** More about it, in lines. */
  about?: readonly string[];
  /** Whether the words after the command are passed on to another program as they are. */
  passesOn?: (words: readonly string[]) => boolean;
  run: (context: Context, input: Input<All>) => Promise<ExitCode | void>;
}

/** States a command, with the types of its flags. */
export function command<const All extends Flags>(spec: Command<All>): Command {
  // The parser gives `run` the values of the flags that stand beside it.
  return spec as unknown as Command;
}

/** Flags that every command takes. */
export const COMMON_FLAGS = {
  json: { type: "switch", about: "JSON lines on a terminal too. A pipe gets them always." },
  profile: { type: "text", about: "The stored mailbox to use, instead of the current one.", value: "name" },
  mailbox: {
    type: "text",
    about: "The mailbox to act on; only the operator's key may name any.",
    value: "address",
  },
  url: { type: "text", about: "The deployment, such as https://mail.example.", value: "url" },
  "key-stdin": { type: "switch", about: "Read the key from the first line of stdin." },
  help: { type: "switch", about: "Explain the command.", short: "h" },
} as const satisfies Flags;
