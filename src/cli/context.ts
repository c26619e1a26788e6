import { Mailkeep } from "../client/index.ts";
import { accountOf, type Account, type AccountChoice } from "./profile/account.ts";
import type { Env } from "./profile/files.ts";
import { CliError, EXIT, usageError } from "./exit.ts";
import type { Output } from "./terminal/output.ts";

/** The bytes that are typed or piped into the command. */
export type Stdin = AsyncIterable<Uint8Array> & { isTTY?: boolean };

/** The most bytes that are read of a text on stdin: more than any message may have. */
const MAX_STDIN_BYTES = 25_000_000;

/** The things that a command works with: the account, the client of it, stdin and where to print. */
export class Context {
  readonly env: Env;
  readonly output: Output;
  /** Ends waiting when the person presses Ctrl-C, or a signal ends the process. */
  readonly signal: AbortSignal;
  readonly stdin: Stdin;
  readonly #choice: AccountChoice;
  readonly #stdinIsTaken: boolean;
  #account: Account | null = null;
  #client: Mailkeep | null = null;

  constructor(parts: { env: Env; output: Output; signal: AbortSignal; stdin: Stdin; choice: AccountChoice }) {
    this.env = parts.env;
    this.output = parts.output;
    this.signal = parts.signal;
    this.stdin = parts.stdin;
    this.#choice = parts.choice;
    this.#stdinIsTaken = parts.choice.key !== null;
  }

  /** The account of the command; its key may be missing. Throws a usage error for settings that contradict each other. */
  get account(): Account {
    this.#account ??= accountOf(this.#choice, this.env);
    return this.#account;
  }

  /** The name of `--profile`, under which a new mailbox is stored; undefined if none was given. */
  get chosenProfile(): string | undefined {
    return this.#choice.profile;
  }

  /** A client with the account's key. Throws "refused" if there is no key. */
  get mail(): Mailkeep {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** Whether a person can be asked: both ends are a terminal. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.output.isTerminal;
  }

  /** Warns on stderr if the commands that follow do not use a mailbox that was just stored. Returns whether it did. */
  warnIfHidden(profile: string): boolean {
    if (!this.env.MAILKEEP_KEY) return false;
    this.output.note(
      `warning: MAILKEEP_KEY is set, and commands use it instead of the new mailbox; unset it, or add --profile ${profile}`,
    );
    return true;
  }

  /** All of stdin. Throws if its first line was the key, or if it is larger than any message. */
  async readStdin(what: string): Promise<Uint8Array> {
    if (this.#stdinIsTaken)
      throw usageError(`stdin holds the key (--key-stdin), so that it cannot hold ${what}`);
    return readAll(this.stdin, MAX_STDIN_BYTES, what);
  }

  #connect(): Mailkeep {
    const { url, key, mailbox } = this.account;
    if (key === null) throw noKey(url);
    // A mailbox's own key needs no name of it.
    const named = this.#choice.mailbox ?? (key.startsWith("mk_") ? null : mailbox);
    return new Mailkeep({ url, key, mailbox: named });
  }
}

/** The error of a command that needs a key where there is none. */
function noKey(url: string): CliError {
  return new CliError(EXIT.refused, `there is no key for ${url}`, `mailkeep signup --url ${url}`);
}

/** Reads a stream to its end; throws if it has more than `maxBytes`. */
export async function readAll(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw usageError(`${what} on stdin is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
