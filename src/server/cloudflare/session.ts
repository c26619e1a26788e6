import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CloudflareApi } from "../../host/cloudflare/api.ts";
import { CloudflareFailure, Stop, stopOf, TokenStop } from "../../host/cloudflare/failure.ts";
import { runWrangler, wranglerCommand } from "../../host/cloudflare/run-wrangler.ts";
import { readDeployBase, stage } from "../../host/cloudflare/wrangler.ts";
import { EXIT } from "../../cli/exit.ts";
import { safeText } from "../../cli/terminal/safe-text.ts";
import type { CommandContext } from "../command.ts";

/** Access to everything outside of this process; tests replace it. */
export interface Outside {
  /** Replaces `fetch` for Cloudflare's API and the deployment. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Replaces waiting. */
  pause?: (ms: number) => Promise<void>;
  /** Replaces wrangler. */
  upload?: (config: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Replaces wrangler for a preview, with its secrets; resolves to wrangler's output. */
  preview?: (
    config: Readonly<Record<string, unknown>>,
    secrets: Readonly<Record<string, string>>,
  ) => Promise<string>;
  /** Replaces the question to a person. */
  confirm?: (question: string) => Promise<boolean>;
}

/** Prints lines without control characters. */
export function sayer(stream: { write: (text: string) => unknown }): (line: string) => void {
  return (line) => void stream.write(`${safeText(line).replaceAll("\n", " ")}\n`);
}

/** A client of Cloudflare's API for a command. */
export function apiFor(
  { signal }: Pick<CommandContext, "signal">,
  settings: { baseUrl: string; token: string },
  { fetch, pause }: Outside,
): CloudflareApi {
  return new CloudflareApi({ ...settings, signal, fetch, pause });
}

/** Uploads a worker with the configuration, from a folder of its own that is removed. Resolves to wrangler's output. */
export async function uploadStaged(
  { env, signal, worker }: CommandContext,
  config: Readonly<Record<string, unknown>>,
  run: {
    words: readonly string[];
    env?: Readonly<Record<string, string | undefined>>;
    onOutput?: (text: string) => void;
  },
): Promise<string> {
  const { root } = await worker();
  const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-up-"));
  try {
    stage(folder, root, config);
    const command = wranglerCommand(root, readDeployBase(root).wrangler);
    return await runWrangler(command, { folder, signal, ...run, env: { ...env, ...run.env } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command. A failure becomes two lines, what is wrong and the command that fixes it, and an exit code. */
export async function explaining(
  { stderr, signal }: CommandContext,
  again: string,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) {
      sayer(stderr)(`Stopped. What was done stays; to go on: ${again}`);
      return EXIT.transient;
    }
    const failure = error instanceof CloudflareFailure ? error : causeOf(error);
    const stop = error instanceof CloudflareFailure ? stopOf(error, again) : error;
    if (!(stop instanceof Stop)) throw error;
    const say = sayer(stderr);
    say(`error: ${stop.message}`);
    say(`next: ${stop.next}`);
    return stop instanceof TokenStop ? EXIT.refused : exitOf(failure);
  }
}

function causeOf(error: unknown): CloudflareFailure | null {
  return error instanceof Stop && error.cause instanceof CloudflareFailure ? error.cause : null;
}

function exitOf(failure: CloudflareFailure | null): number {
  if (failure === null) return EXIT.usage;
  if (failure.isTransient) return EXIT.transient;
  return failure.kind === "token" || failure.kind === "permission" ? EXIT.refused : EXIT.usage;
}

/** The command that does without asking what was only shown. */
export function doing(again: string): string {
  return `${again.replace(/ --dry-run(?= |$)/, "")} --yes`;
}

/** Asks a person; false where there is no terminal. */
export async function confirmed(
  { stdin, stdout }: CommandContext,
  question: string,
  { confirm: own }: Outside,
): Promise<boolean> {
  if (own !== undefined) return own(question);
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false;
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: question, initialValue: false })) === true;
}
