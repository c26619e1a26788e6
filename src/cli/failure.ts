import { GapError, MailkeepError } from "../client/index.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import type { Account } from "./profile/account.ts";

/** How a failed command ends: what is printed on stderr, and its exit code. */
export interface Failure {
  exit: ExitCode;
  message: string;
  next: string | null;
}

/** The exit code for a refusal of the service, by its HTTP status; 0 = no answer came. */
export function exitOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.refused;
  if (status === 404 || status === 410) return EXIT.notFound;
  const isPassing = status === 408 || status === 425 || status === 429;
  return status >= 400 && status < 500 && !isPassing ? EXIT.usage : EXIT.transient;
}

/**
 * The end of a command that threw `error`; null for a bug, whose stack is worth showing.
 * @param account of the command; null if it could not be read.
 */
export function failureOf(error: unknown, account: Account | null): Failure | null {
  if (error instanceof CliError) return { exit: error.exit, message: error.message, next: error.next };
  if (error instanceof GapError) {
    const next = error.oldestSeq === null ? null : `mailkeep events --after ${error.oldestSeq - 1}`;
    return { exit: EXIT.transient, message: error.message, next };
  }
  if (error instanceof MailkeepError) return refusal(error, account);
  if (isSystemError(error)) return { exit: EXIT.usage, message: error.message, next: null };
  return null;
}

function refusal(error: MailkeepError, account: Account | null): Failure {
  const { status, code, message, fix } = error;
  return {
    exit: exitOf(status),
    message: code === "unreachable" ? `${message} at ${account?.url}` : message,
    next: nextOf(error, account) ?? fix,
  };
}

/** A command that helps where the service names an endpoint; null to show what the service says. */
function nextOf({ status, code, body }: MailkeepError, account: Account | null): string | null {
  if (status === 401 && account?.source === "MAILKEEP_KEY")
    return "unset MAILKEEP_KEY to use a stored mailbox, or set it to a key of this deployment";
  if (status === 401) return "mailkeep signup, or mailkeep profiles add <name> --key-stdin";
  if (code === "unreachable")
    return "check --url or MAILKEEP_URL, or start a server of your own: mailkeep serve";
  if (code === "insufficient_scope" && typeof body["upgrade"] === "string") return "mailkeep signup <name>";
  if (code === "paused") return "mailkeep resume";
  return null;
}

/** An error of the file system or the network, such as ENOENT: its text names the file. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && "syscall" in error;
}
