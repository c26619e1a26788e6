import { COMMON_FLAGS, type Command, type Flag, type Flags } from "./command.ts";
import type { Painter } from "./terminal/style.ts";
import { padTo } from "./terminal/width.ts";

/** Columns of a help text. */
const COLUMNS = 100;
const INDENT = "  ";

const EXIT_CODES =
  "Exit codes: 0 ok · 1 transient fault · 2 usage · 3 nothing came in time · 4 refused (401, 403) · 5 not found";

/** The help of all commands. */
export function overview(commands: readonly Command[], paint: Painter): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `${paint("bold", "mailkeep")}: real mailboxes for software agents, from the command line`,
    "",
    `${INDENT}mailkeep <command> [flags]`,
    "",
    ...commands.map(({ name, summary }) => `${INDENT}${paint("cyan", padTo(name, width))}  ${summary}`),
    "",
    paint("bold", "Flags of every command"),
    ...flagLines(COMMON_FLAGS, paint),
    "",
    "`mailkeep help <command>` explains a command, with an example.",
    "Environment: MAILKEEP_URL, MAILKEEP_KEY, MAILKEEP_PROFILE, NO_COLOR.",
    EXIT_CODES,
  ];
}

/** The help of one command. */
export function explain(command: Command, paint: Painter): string[] {
  const { name, summary, args, flags, examples, about = [] } = command;
  const words = args.map((arg) => (arg.isOptional === true ? ` [${arg.name}]` : ` <${arg.name}>`)).join("");
  const width = Math.max(0, ...args.map((arg) => arg.name.length));
  return [
    `${summary}.`,
    "",
    `${INDENT}mailkeep ${name}${words}${Object.keys(flags).length > 0 ? " [flags]" : ""}`,
    ...(args.length === 0
      ? []
      : ["", ...args.map((arg) => `${INDENT}${padTo(arg.name, width)}  ${arg.about}`)]),
    ...(about.length === 0 ? [] : ["", ...about]),
    ...(Object.keys(flags).length === 0 ? [] : ["", paint("bold", "Flags"), ...flagLines(flags, paint)]),
    "",
    paint("bold", examples.length === 1 ? "Example" : "Examples"),
    ...examples.map((example) => `${INDENT}${example}`),
  ];
}

/** The commands of a group such as `webhooks`, as an overview of them. */
export function explainGroup(group: string, commands: readonly Command[], paint: Painter): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `mailkeep ${group} <command>`,
    "",
    ...commands.map(({ name, summary }) => `${INDENT}${paint("cyan", padTo(name, width))}  ${summary}`),
    "",
    paint("bold", "Examples"),
    ...commands.flatMap(({ examples }) => examples.slice(0, 1)).map((example) => `${INDENT}${example}`),
  ];
}

function flagLines(flags: Flags, paint: Painter): string[] {
  const named = Object.entries(flags).map(([name, flag]) => ({ written: writtenOf(name, flag), flag }));
  const width = Math.max(...named.map(({ written }) => written.length));
  return named.flatMap(({ written, flag }) => {
    const [first = "", ...more] = wrapped(aboutOf(flag), COLUMNS - width - 2 * INDENT.length);
    const indent = " ".repeat(width + 2 * INDENT.length);
    return [
      `${INDENT}${paint("cyan", padTo(written, width))}${INDENT}${first}`.trimEnd(),
      ...more.map((line) => indent + line),
    ];
  });
}

/** A flag as it is typed: `--types <text>`, `-o, --output <file>`. */
function writtenOf(name: string, { type, value, short, choices }: Flag): string {
  const letter = short === undefined ? "" : `-${short}, `;
  if (type === "switch") return `${letter}--${name}`;
  return `${letter}--${name} <${value ?? (choices === undefined ? USUAL_VALUES[type] : choices.join("|"))}>`;
}

const USUAL_VALUES = { text: "text", integer: "n", number: "n", list: "text", json: "text" } as const;

function aboutOf({ type, about }: Flag): string {
  const repeats = type === "list" ? "May be repeated." : "";
  return [about.replaceAll("`", ""), repeats].filter((part) => part !== "").join(" ");
}

/** The text in lines of at most `columns`, broken at blanks. */
function wrapped(text: string, columns: number): string[] {
  return text.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
    return lines;
  }, []);
}
