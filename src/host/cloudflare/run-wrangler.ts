import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Refusal } from "../refusal.ts";
import { CloudflareFailure, oneLine, Stop, type FailureKind } from "./failure.ts";

/** How wrangler is run. */
export interface WranglerRun {
  /** The folder of the configuration `wrangler.json`. */
  folder: string;
  /** Further arguments, such as `--dry-run`. */
  words: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal | undefined;
  /** Gets the output as it comes; without it, the output is only kept. */
  onOutput?: (text: string) => void;
}

/** Variables that keep wrangler from asking questions and from sending metrics. */
const WRANGLER_VARIABLES = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_LOG_SANITIZE: "true",
  FORCE_COLOR: "0",
  CI: "true",
};

/** The program and the arguments that run wrangler. */
export type WranglerCommand = readonly [program: string, ...words: string[]];

/** An upload over a slow line takes minutes; one that hangs must end. */
const TIMEOUT_MS = 15 * 60_000;
/** Only the end of the output is kept: the error is there. */
const MAX_OUTPUT_CHARS = 200_000;

/** The wrangler of the repository if the worker was built there; else, by npx, the version that this release pins. */
export function wranglerCommand(builtFolder: string, version: string): WranglerCommand {
  const own = path.join(builtFolder, "../node_modules/wrangler/bin/wrangler.js");
  return existsSync(own) ? [process.execPath, own] : ["npx", "--yes", `wrangler@${version}`];
}

/** Runs `wrangler deploy`, and resolves to its output. Rejects with a {@link CloudflareFailure} that has Cloudflare's error codes, or with a {@link Stop}. */
export async function runWrangler(command: WranglerCommand, run: WranglerRun): Promise<string> {
  const { code, output } = await ended(command, run);
  if (code === 0) return output;
  throw failureIn(output, code);
}

function ended(
  [program, ...words]: WranglerCommand,
  { folder, words: more, env, signal, onOutput }: WranglerRun,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // A variable that is undefined here is left out of the environment of the child.
    const variables = { ...env, ...WRANGLER_VARIABLES };
    const child = spawn(
      program,
      [...words, "deploy", "--config", path.join(folder, "wrangler.json"), ...more],
      {
        cwd: folder,
        env: Object.assign(Object.create(null), variables),
        stdio: ["ignore", "pipe", "pipe"],
        timeout: TIMEOUT_MS,
        // npx is a batch file on Windows.
        shell: process.platform === "win32" && program === "npx",
        signal,
      },
    );
    let output = "";
    const take = (chunk: Buffer): void => {
      const text = chunk.toString("utf8");
      output = `${output}${text}`.slice(-MAX_OUTPUT_CHARS);
      onOutput?.(text);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", (error) => {
      if (signal?.aborted === true) return reject(signal.reason);
      reject(new Refusal(`${program} cannot be run (${oneLine(error.message)}): install Node with npm`));
    });
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Makes a failure of the error in wrangler's output. */
export function failureIn(coloured: string, code: number | null): Error {
  const output = stripVTControlCharacters(coloured);
  const codes = [...output.matchAll(/\[code: (\d{4,6})\]/g)].map(([, number]) => Number(number));
  const [, words] = /^(.*)\[code: \d+\]/m.exec(output) ?? /\[ERROR\](.*)/.exec(output) ?? [];
  const said = oneLine(words ?? output.slice(-300));
  if (/npm (?:ERR!|error)/i.test(output) && codes.length === 0) {
    return new Stop(`wrangler could not be fetched from npm: ${said}`, "npm ping");
  }
  return new CloudflareFailure({
    kind: kindOf(codes, output),
    what: "upload the worker",
    status: code,
    codes,
    said,
    permission: "Workers Scripts: Edit",
    retryAfterMs: null,
  });
}

function kindOf(codes: readonly number[], output: string): FailureKind {
  if (codes.some((code) => [10000, 9109].includes(code))) return "permission";
  // 10013: an unknown error inside Cloudflare, which may pass.
  if (
    codes.includes(10013) ||
    /fetch failed|ECONNRE|ETIMEDOUT|\b5\d\d\b.*(?:Error|Bad Gateway)/i.test(output)
  ) {
    return "transient";
  }
  return "refused";
}
