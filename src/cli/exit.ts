/** The exit codes of `mailkeep`. */
export const EXIT = {
  ok: 0,
  /** The network or the service failed: the same command may succeed later. */
  transient: 1,
  /** The command is wrong: an unknown flag, a missing value, or a value that the service refused. */
  usage: 2,
  /** Nothing came within the time that was given. */
  nothing: 3,
  /** 401 or 403: no key, a wrong key, or a key that may not do this. */
  refused: 4,
  /** The email, profile or file that was asked for does not exist. */
  notFound: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that is printed without a stack: what is wrong, and the next thing to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exit: ExitCode;
  /** The next step, most often a command; null where there is none. */
  readonly next: string | null;

  constructor(exit: ExitCode, message: string, next: string | null = null) {
    super(message);
    this.exit = exit;
    this.next = next;
  }
}

/** A command that was not written as it must be; `command` is the one whose help is named. */
export function usageError(message: string, command = ""): CliError {
  return new CliError(EXIT.usage, message, `mailkeep help${command === "" ? "" : ` ${command}`}`);
}
