import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mailkeep } from "../../../src/client/index.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { page, ROOT } from "../pages.ts";

const SDK = path.join(ROOT, "src/client/index.ts");
const TSC = path.join(ROOT, "node_modules/.bin/tsc");

let server: Server;
let folder: string;
let program: string;

beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-sdk-page-"));
  program = path.join(folder, "page.ts");
  const code = page("docs/sdk.md").blocks.filter(({ language }) => language === "ts");
  const text = code.map((block) => block.text).join("\n");
  await writeFile(
    program,
    text.replaceAll('"mailkeep"', JSON.stringify(SDK)).replaceAll("http://127.0.0.1:8787", server.url),
  );
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("the program of docs/sdk.md", () => {
  it("is type-checked", async () => {
    const config = path.join(folder, "tsconfig.json");
    const compilerOptions = { typeRoots: [path.join(ROOT, "node_modules/@types")], types: ["node"] };
    const extended = path.join(ROOT, "tsconfig.json");
    await writeFile(config, JSON.stringify({ extends: extended, compilerOptions, files: [program] }));
    const { stdout } = await promisify(execFile)(TSC, ["--project", config, "--pretty", "false"]).catch(
      (error: { stdout: string }) => error,
    );
    // The SDK's own files have other types around them.
    expect(stdout.split("\n").filter((line) => line.includes("page.ts"))).toEqual([]);
  });

  it("runs, and brings a code, an answer and a file", async () => {
    const built = path.join(folder, "page.mjs");
    await build({ entryPoints: [program], outfile: built, bundle: true, format: "esm", platform: "node" });
    const world = new World();
    const running = promisify(execFile)(process.execPath, [built], {
      env: bareEnvironment({ AUTH_TOKEN: server.token, WEBHOOK_SECRET: "a secret of sixteen bytes" }),
      timeout: 60_000,
    });
    const over = running.finally(() => world.end());
    await world.run();
    const { stdout } = await over;
    expect(stdout).toMatch(/^Sign up with agent-[0-9a-f]{16}@mailkeep\.test\n482913\n/);
    expect(stdout).toContain("login@shop.example Your code\n");
    expect(stdout).toContain("482913 Your verification code is 482913.");
    expect(stdout).toContain("\n1 message.received Your code\n");
    expect(stdout).toContain("\n17\n");
    expect(stdout).toContain("404 not_found Take an id from GET");
    expect(world.answered).toBeGreaterThan(0);
  });
});

/** The others, with whom the program of the page writes: a shop that sends codes, and people who answer. */
class World {
  readonly #operator = new Mailkeep({ url: server.url, key: server.token });
  readonly #done = new Set<string>();
  #isOver = false;
  answered = 0;

  async run(): Promise<void> {
    while (!this.#isOver) {
      for await (const { mailbox, kind } of this.#operator.mailboxes.list()) {
        if (kind === "temporary") await this.#sendCode(mailbox);
        else await this.#answer(mailbox);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  end(): void {
    this.#isOver = true;
  }

  async #sendCode(mailbox: string): Promise<void> {
    if (!this.#isNew(mailbox)) return;
    const subject = "Subject: Your code\r\n\r\nYour verification code is 482913.\r\n";
    await this.#deliver(mailbox, "login@shop.example", subject);
  }

  async #answer(mailbox: string): Promise<void> {
    for await (const { id } of this.#operator.inbox.list({ direction: "outbound" }, { mailbox })) {
      if (!this.#isNew(id)) continue;
      const { message_id } = await this.#operator.emails.get(id, { mailbox });
      await this.#deliver(mailbox, "ann@example.com", `In-Reply-To: ${message_id}\r\n\r\nYes.\r\n`);
      this.answered += 1;
    }
  }

  async #deliver(to: string, from: string, rest: string): Promise<void> {
    await this.#operator.inbound(`From: ${from}\r\nTo: ${to}\r\n${rest}`, { from, to: [to] });
  }

  #isNew(what: string): boolean {
    const isNew = !this.#done.has(what);
    this.#done.add(what);
    return isNew;
  }
}
