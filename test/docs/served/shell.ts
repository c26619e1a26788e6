import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bareEnvironment } from "../../served/server.ts";
import { ROOT } from "../pages.ts";

/** Notes every curl command that fails, a refusal of the API included. */
const PRELUDE = `curl() { command curl --fail-with-body "$@" || echo "curl $*" >>"$FAILURES"; }
`;
/** A command that takes longer counts as a hang, in ms. */
const TIMEOUT_MS = 90_000;

/** The most characters of a program's complaints that an error shows: a bundle that fails prints whole lines of itself. */
const MAX_SHOWN_CHARS = 2_000;

/** A POSIX shell into which a test pastes commands, as a person or an agent does: what one sets, the next one reads. */
export class Shell {
  readonly folder: string;
  readonly #child: ChildProcessWithoutNullStreams;
  #output = "";
  #errors = "";
  #pasted = 0;

  private constructor(folder: string) {
    this.folder = folder;
    const env = bareEnvironment({
      PATH: `${folder}:${process.env.PATH ?? ""}`,
      HOME: folder,
      FAILURES: path.join(folder, "failures"),
    });
    this.#child = spawn("sh", [], { cwd: folder, env });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.#output += chunk.toString("utf8")));
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString("utf8")));
    this.#child.stdin.write(PRELUDE);
  }

  static async open(): Promise<Shell> {
    return new Shell(await mkdtemp(path.join(tmpdir(), "mailkeep-shell-")));
  }

  /** Pastes commands; resolves to what they print. Rejects if one fails. */
  async paste(commands: string): Promise<string> {
    const end = `end of paste ${(this.#pasted += 1)}:`;
    const from = this.#output.length;
    this.#child.stdin.write(`${commands.trimEnd()}\necho "${end}$?."\n`);
    const printed = await this.#printed(end, from);
    const [output = "", rest = ""] = printed.split(end);
    const failed = await readFile(path.join(this.folder, "failures"), "utf8").catch(() => "");
    if (!rest.startsWith("0.") || failed !== "") {
      const said = this.#errors.slice(-MAX_SHOWN_CHARS);
      throw new Error(`A pasted command failed.\n${commands}\n${output}\n${said}\n${failed}`);
    }
    return output;
  }

  /** A program of this name for the shell, in place of any other. */
  async provide(name: string, script: string): Promise<void> {
    const file = path.join(this.folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #printed(end: string, from: number): Promise<string> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const printed = this.#output.slice(from);
      if (new RegExp(`${end}\\d+\\.`).test(printed)) return printed;
      if (Date.now() > deadline || this.#child.exitCode !== null) {
        throw new Error(`The shell does not answer.\n${printed}\n${this.#errors}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const CLI_BUNDLER = path.join(ROOT, "scripts/bundle-cli.ts");

/** Whether this repository has the command line `mailkeep`. */
export const HAS_CLI = existsSync(CLI_BUNDLER);

/** Builds the command line into a folder; returns the path of its program. */
export async function buildCli(folder: string): Promise<string> {
  const outfile = path.join(folder, "mailkeep.cjs");
  const { bundleCli } = (await import(/* @vite-ignore */ CLI_BUNDLER)) as {
    bundleCli: (outfile: string) => Promise<unknown>;
  };
  await bundleCli(outfile);
  return outfile;
}
