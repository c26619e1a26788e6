import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { VERSION } from "../contract/product.ts";
import { membersOf } from "./profile/json.ts";
import type { Env } from "./profile/files.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";

const SERVER = "mailkeep-server";

/** The program of an installed `mailkeep-server`: of the project that the command is run in, beside this package, or on PATH. */
export function findServer(folder: string, env: Env): string | null {
  return inPackages(path.join(folder, "package.json")) ?? inPackages(import.meta.filename) ?? onPath(env);
}

/** The program of the package as Node resolves it from a file; null if it is not installed there. */
function inPackages(from: string): string | null {
  try {
    const manifest = createRequire(from).resolve(`${SERVER}/package.json`);
    const { bin } = membersOf(JSON.parse(readFileSync(manifest, "utf8")));
    const file = typeof bin === "string" ? bin : membersOf(bin)[SERVER];
    return typeof file === "string" ? path.join(path.dirname(manifest), file) : null;
  } catch {
    // Not installed there.
    return null;
  }
}

function onPath({ PATH = "" }: Env): string | null {
  const places = PATH.split(path.delimiter).filter((place) => path.isAbsolute(place));
  return places.map((place) => path.join(place, SERVER)).find((file) => existsSync(file)) ?? null;
}

/**
 * Runs a command of `mailkeep-server` with the same terminal, and resolves to its exit code. Throws "not found" where it is not
 * installed; the error says how to get it.
 */
export async function runServerCommand(
  words: readonly string[],
  env: Env,
  signal: AbortSignal,
): Promise<ExitCode> {
  const program = findServer(process.cwd(), env);
  if (program === null) {
    const shown = words.map((word) =>
      /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
    );
    throw new CliError(
      EXIT.notFound,
      `${words[0]} needs ${SERVER}, which is not installed`,
      `in Mailkeep's repository npm run pack; then here npm install <repository>/dist/packages/${SERVER}-${VERSION}.tgz, and mailkeep ${shown.join(" ")}`,
    );
  }
  const isScript = /\.[cm]?js$/.test(program);
  const [file, args] = isScript ? [process.execPath, ["--", program, ...words]] : [program, [...words]];
  const child = spawn(file, args, { stdio: "inherit", env: { ...env } as NodeJS.ProcessEnv });
  // A terminal sends Ctrl-C to both; other signals reach this process alone.
  signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve((code ?? EXIT.transient) as ExitCode));
  });
}
