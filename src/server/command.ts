import type { BuiltWorker } from "../host/built-worker.ts";

/** Everything that a command of `mailkeep-server` gets besides its arguments. */
export interface CommandContext {
  /** The variables of the process, with those of `--env-file`, which win. */
  env: Readonly<Record<string, string | undefined>>;
  /** The file of `--env-file`; null without one. */
  envFile: string | null;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C and by SIGTERM. */
  signal: AbortSignal;
  /** Brings the worker up to date where it is built from sources, and reads it. */
  worker: () => Promise<BuiltWorker>;
}

/** A command of `mailkeep-server`. */
export interface ServerCommand {
  /** One line, without a full stop. */
  summary: string;
  /** The text of `--help`, below the summary. */
  help: string;
  /** Resolves to the exit code. `words` are those after the name. A Refusal that is thrown is printed as its message, with exit code 2. */
  run(words: readonly string[], context: CommandContext): Promise<number>;
}
