import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { VERSION } from "../../src/contract/product.ts";
import { Refusal } from "../../src/host/refusal.ts";
import { runDown } from "../../src/server/commands/down.ts";
import { runUp } from "../../src/server/commands/up.ts";
import type { Outside } from "../../src/server/cloudflare/session.ts";
import type { CommandContext } from "../../src/server/command.ts";
import { ApiError } from "./fake/answers.ts";
import { FakeCloudflare, TOKEN } from "./fake/fake-cloudflare.ts";
import { FakeDeployment } from "./fake/fake-deployment.ts";
import { failureIn } from "../../src/host/cloudflare/run-wrangler.ts";

/** The output of a command, and its exit code. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Where a run is killed: at a change of the account, before it happens or after. */
export interface KillPoint {
  change: number;
  phase: "before" | "after";
}

/** A person with a machine, who runs the commands against a fake of Cloudflare. */
export class Operator {
  readonly cloudflare: FakeCloudflare;
  readonly deployment: FakeDeployment;
  readonly env: Record<string, string | undefined>;
  /** Pauses that were asked for, in ms. */
  readonly pauses: number[] = [];
  readonly #home = mkdtempSync(path.join(tmpdir(), "mailkeep-operator-"));
  readonly #built: string;

  constructor(domain = "example.com", zone = domain) {
    this.cloudflare = new FakeCloudflare(zone);
    this.deployment = new FakeDeployment("mailkeep.example.workers.dev", domain, () =>
      this.cloudflare.account.scripts.get("mailkeep")?.secrets.get("AUTH_TOKEN"),
    );
    this.env = { HOME: this.#home, CLOUDFLARE_API_TOKEN: TOKEN };
    this.#built = path.join(this.#home, "built");
    mkdirSync(this.#built);
    this.setVersion("1");
  }

  /** Another version of the worker. */
  setVersion(version: string): void {
    const config = {
      compatibility_date: "2026-11-01",
      durable_objects: { bindings: [{ name: "MAILBOX", class_name: "Mailbox" }] },
      vars: { MAIL_DOMAIN: "mailkeep.test", TRUST_CLIENT_ADDRESS: "true" },
    };
    writeFileSync(path.join(this.#built, "index.js"), `export const version = "${version}";\n`);
    writeFileSync(path.join(this.#built, "deploy.json"), JSON.stringify({ wrangler: "4.0.0", config }));
  }

  /** The files of the operator's configuration folder. */
  get files(): string[] {
    return readdirSync(path.join(this.#home, ".config/mailkeep/cloudflare"));
  }

  file(name: string): string {
    return path.join(this.#home, ".config/mailkeep/cloudflare", name);
  }

  up(...words: readonly string[]): Promise<Ran> {
    return this.#run(words, runUp, this.#outside(null));
  }

  down(...words: readonly string[]): Promise<Ran> {
    return this.#run(words, runDown, this.#outside(null));
  }

  /** Runs a command that is killed at a point; false if it came to its end before. Nothing of it goes on after the kill. */
  async killed(command: "up" | "down", words: readonly string[], point: KillPoint): Promise<boolean> {
    const death = Promise.withResolvers<true>();
    const outside = this.#outside({ point, die: () => death.resolve(true) });
    const ran = this.#run(words, command === "up" ? runUp : runDown, outside).then(() => false);
    const isKilled = await Promise.race([death.promise, ran]);
    if (isKilled) this.#leaveLocks();
    return isKilled;
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** The locks that are there become those of a process that no longer runs. */
  #leaveLocks(): void {
    for (const name of this.files.filter((file) => file.endsWith(".lock"))) {
      writeFileSync(this.file(name), JSON.stringify({ pid: process.pid, started: "before this process" }));
    }
  }

  async #run(
    words: readonly string[],
    command: (words: readonly string[], context: CommandContext, outside: Outside) => Promise<number>,
    outside: Outside,
  ): Promise<Ran> {
    let out = "";
    let err = "";
    const streamTo = (take: (text: string) => void) =>
      Object.assign(new PassThrough(), { write: (text: string) => (take(text), true) });
    const context = {
      env: this.env,
      stdin: new PassThrough(),
      stdout: streamTo((text) => (out += text)),
      stderr: streamTo((text) => (err += text)),
      signal: new AbortController().signal,
      worker: () => Promise.resolve({ root: this.#built }),
    } as unknown as CommandContext;
    try {
      const code = await (async () => command(words, context, outside))();
      return { code, out, err };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: 2, out, err: `${error.message}\n` };
    }
  }

  #outside(kill: { point: KillPoint; die: () => void } | null): Outside {
    let changes = 0;
    let isDead = false;
    const never = new Promise<never>(() => {});
    /** Does a change, unless the process is killed before or after it. */
    const surviving = async <T>(work: () => T | Promise<T>): Promise<T> => {
      if (isDead) return never;
      changes += 1;
      const isLast = kill !== null && kill.point.change === changes;
      const die = (): Promise<never> => {
        isDead = true;
        kill?.die();
        return never;
      };
      if (isLast && kill.point.phase === "before") return die();
      const done = await work();
      return isLast ? die() : done;
    };
    return {
      pause: (ms) => {
        this.pauses.push(ms);
        return Promise.resolve();
      },
      fetch: (url, init) => {
        const request = new Request(url, init);
        if (new URL(url).host === this.deployment.host) return this.deployment.answer(request);
        if (new URL(url).host !== "api.cloudflare.com") throw new Error(`No such host: ${url}`);
        const ask = async (): Promise<Response> => {
          const response = await this.cloudflare.answer(request);
          this.#deliver();
          return response;
        };
        return request.method === "GET" ? ask() : surviving(ask);
      },
      preview: (config, secrets) => {
        this.cloudflare.deploy(config);
        const kept = this.cloudflare.account.scripts.get("mailkeep")?.secrets;
        for (const [name, value] of Object.entries(secrets)) kept?.set(name, value);
        return Promise.resolve(`Deployed mailkeep triggers\n  https://${this.deployment.host}\n`);
      },
      upload: (config) => surviving(() => this.#upload(config)),
    };
  }

  /** Uploads as wrangler does; what Cloudflare refuses becomes the output that wrangler prints. */
  #upload(config: Readonly<Record<string, unknown>>): void {
    const { account, token } = this.cloudflare;
    try {
      if (!token.groups.has("Workers Scripts Write")) throw new ApiError(403, 10000, "Authentication error");
      this.cloudflare.deploy(config);
      this.deployment.version = VERSION;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const request = `/accounts/${account.id}/workers/scripts/mailkeep`;
      throw failureIn(
        `✘ [ERROR] A request to the Cloudflare API (${request}) failed.\n\n  ${error.message} [code: ${error.code}]\n`,
        1,
      );
    }
  }

  /** Mail that was sent through Cloudflare reaches the deployment where Email Routing brings it there. */
  #deliver(): void {
    const { account, zone } = this.cloudflare;
    const isRouted = zone.routing?.enabled === true && zone.catchAll.enabled;
    for (const { recipients, mime_message: raw } of account.sent.splice(0)) {
      for (const to of recipients) if (isRouted) this.deployment.receive(to, raw);
    }
  }
}
