import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleCli } from "../../scripts/bundle-cli.ts";
import { bareEnvironment } from "../served/server.ts";

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How a command is run. */
export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** All of stdin; empty unless given. */
  stdin?: string;
  cwd?: string;
}

/** The bundled command line, with a home folder of its own. */
export class Program {
  readonly file: string;
  readonly home: string;
  readonly #folder: string;
  readonly #env: Record<string, string>;

  private constructor(folder: string, env: Record<string, string>) {
    this.#folder = folder;
    this.file = path.join(folder, "mailkeep.cjs");
    this.home = path.join(folder, "home");
    this.#env = env;
  }

  /** Bundles the command line; `env` are variables of every command. */
  static async build(env: Record<string, string> = {}): Promise<Program> {
    const program = new Program(await mkdtemp(path.join(tmpdir(), "mailkeep-cli-")), env);
    await bundleCli(program.file);
    return program;
  }

  /** Starts a command; stdin stays open. */
  start(words: readonly string[], { env = {}, cwd }: RunOptions = {}): ChildProcess {
    return spawn(process.execPath, [this.file, ...words], {
      cwd: cwd ?? this.#folder,
      env: bareEnvironment({ HOME: this.home, ...this.#env, ...env }),
    });
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.start(words, options);
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.stdin ?? "");
    const printed = { stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (printed.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (printed.stderr += text));
    const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
    return { code, ...printed };
  }

  /** Runs a command that succeeds; resolves to its lines of JSON. */
  async json<T = Record<string, unknown>>(words: readonly string[], options: RunOptions = {}): Promise<T[]> {
    const { code, stdout, stderr } = await this.run(words, options);
    if (code !== 0) throw new Error(`mailkeep ${words.join(" ")} ended with ${code}: ${stderr}`);
    return linesOf<T>(stdout);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Lines of JSON. */
export function linesOf<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
