// The commands of `mailkeep-server` besides `serve`, which is a process of its own.
import { withEnvFile } from "../host/env-file.ts";
import { Refusal } from "../host/refusal.ts";
import type { CommandContext, ServerCommand } from "./command.ts";

/** The commands by name. Each is loaded when it is used. */
const COMMANDS: Readonly<Record<string, () => Promise<ServerCommand>>> = {
  // Without --install, serving is a process of its own.
  serve: async () => (await import("./commands/install.ts")).install,
  backup: async () => (await import("./commands/backup.ts")).backup,
  restore: async () => (await import("./commands/restore.ts")).restore,
  verify: async () => (await import("./commands/verify.ts")).verify,
  up: async () => (await import("./commands/up.ts")).up,
  down: async () => (await import("./commands/down.ts")).down,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  import: async () => (await import("./commands/import.ts")).importCommand,
};

const ENV_FILE_HELP = `
Also: --env-file FILE   Reads the settings from this file, as systemd does; they win over the environment
`;

/** Wrong use: an unknown option or a missing word. */
const USAGE = 2;

/** Runs a command, and resolves to its exit code. */
export async function runCommand(
  [name = "", ...words]: readonly string[],
  context: Omit<CommandContext, "envFile">,
): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    context.stderr.write(`${name}: no such command; try mailkeep-server help\n`);
    return USAGE;
  }
  const command = await load();
  if (words.includes("--help") || words.includes("-h")) {
    const option = command.help.includes("--env-file") ? "" : ENV_FILE_HELP;
    context.stdout.write(`mailkeep-server ${name}: ${command.summary}\n\n${command.help}${option}`);
    return 0;
  }
  try {
    // The doctor reports on the file itself.
    if (name === "doctor") return await command.run(words, { ...context, envFile: null });
    const { words: rest, ...settings } = withEnvFile(words, context.env);
    return await command.run(rest, { ...context, ...settings });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    context.stderr.write(`${error.message}\n`);
    return USAGE;
  }
}

/** Runs the command that this process was started for, with its terminal and signals, and sets the exit code. */
export async function runProcess(words: readonly string[], worker: CommandContext["worker"]): Promise<void> {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  const { env, stdin, stdout, stderr } = process;
  process.exitCode = await runCommand(words, {
    env,
    stdin,
    stdout,
    stderr,
    signal: controller.signal,
    worker,
  });
}
