import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { COMMANDS, firstMinute, mcpHosts, type Example } from "../../../src/contract/first-minute.ts";
import { bareEnvironment, Server } from "../../served/server.ts";
import { sendMail } from "../../served/smtp.ts";
import { ROOT } from "../pages.ts";
import { buildCli, HAS_CLI, Shell } from "./shell.ts";

const run = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("No curl here: the commands of the guide are NOT run. Install it.");
if (!HAS_CLI) console.warn("No command line here: its commands in the guide are NOT run.");

let server: Server;
let folder: string;
let cli: string | null = null;

beforeAll(async () => {
  server = await Server.start({ env: { CLAIM_APPROVAL: "open" } });
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-guide-"));
  if (HAS_CLI) cli = await buildCli(folder);
}, 180_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A shell in which `npx --no-install mailkeep` and `mailkeep` are the command line of this repository. */
async function openShell(): Promise<Shell> {
  const shell = await Shell.open();
  onTestFinished(() => shell.close());
  if (cli !== null) {
    const program = `"${process.execPath}" "${cli}" "$@"`;
    await shell.provide("npx", `shift 2; exec ${program}`);
    await shell.provide("mailkeep", `exec ${program}`);
  }
  return shell;
}

const CODE = "482913";
const sendCode = (mailbox: string) =>
  sendMail(server.smtpPort, {
    from: "Example Shop <login@shop.example>",
    to: mailbox,
    subject: "Your verification code",
    text: `Your verification code is ${CODE}.`,
  });

const MadeMailbox = z.object({ mailbox: z.string(), api_key: z.string() });
const ReadClaim = z.object({ device_code: z.string(), mailbox: z.string() });

/** The first line of JSON that a command printed. */
const firstJson = (output: string): unknown =>
  JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "null");

/** A command of the command line, which other commands of the guide do not need. */
const ofCli = (commands: string): boolean => commands.startsWith("npx --no-install mailkeep");

/** Everything in a guide that can be pasted: blocks, and commands within a sentence. */
function commandsOf(guide: string): string[] {
  const found = guide.matchAll(/```sh\n(.*?)```|`((?:curl|npx|claude|export) [^`]+)`/gs);
  return [...found].map(([, block, inline]) => block ?? inline ?? "");
}

/** Approves a claim as the person does who opens its page, and returns the address. */
async function approve(printed: string): Promise<string> {
  const { device_code, mailbox } = ReadClaim.parse(firstJson(printed));
  const headers = { Origin: server.url };
  const decided = await server.service.ask("/v1/claim/confirm", {
    json: { device_code },
    headers,
    method: "POST",
  });
  expect(decided.status).toBe(200);
  return mailbox;
}

/** Follows a guide from its first command to its last, as an agent does. Returns what each printed. */
async function followed(guide: string, name: string): Promise<{ commands: string; printed: string }[]> {
  const shell = await openShell();
  const done: { commands: string; printed: string }[] = [];
  let mailbox = "";
  for (const written of commandsOf(guide)) {
    if (ofCli(written) && cli === null) continue;
    if (written.includes("code")) await sendCode(mailbox);
    const newest = written.includes("<id>") ? await newestId(shell) : "";
    const commands = written.replaceAll("<id>", newest).replaceAll('"my-agent"', JSON.stringify(name));
    const printed = await shell.paste(commands);
    done.push({ commands: written, printed });
    if (written.includes(COMMANDS.bootstrap)) mailbox = MadeMailbox.parse(firstJson(printed)).mailbox;
    if (!written.includes(COMMANDS.claim)) continue;
    mailbox = await approve(printed);
    const polled = MadeMailbox.parse(firstJson(await shell.paste(`sleep 2\n${COMMANDS.poll}`)));
    await shell.paste(`export MAILKEEP_KEY=${polled.api_key}`);
  }
  return done;
}

async function newestId(shell: Shell): Promise<string> {
  const inbox = z.object({ emails: z.array(z.object({ id: z.string() })) });
  return inbox.parse(firstJson(await shell.paste(COMMANDS.inbox))).emails[0]?.id ?? "";
}

describe.skipIf(!hasCurl)("the guide of a deployment", () => {
  it.each(["/llms.txt", "/skill.md"])(
    "works, command by command, from the first to the last: %s",
    async (place) => {
      const { bytes } = await server.service.call(place);
      const guide = bytes.toString("utf8");
      expect(guide).toContain(server.url);
      const done = await followed(guide, `agent${place.replaceAll(/\W/g, "-")}`);
      const written = commandsOf(guide).filter((commands) => !ofCli(commands) || cli !== null);
      expect(done.map(({ commands }) => commands)).toEqual(written);
      expect(written.length).toBeGreaterThanOrEqual(5);
      const printedBy = (command: string) => done.find(({ commands }) => commands.includes(command))?.printed;
      expect(printedBy(COMMANDS.claim)).toContain('"status":"pending"');
      expect(printedBy(COMMANDS.code)).toContain(`"code":"${CODE}"`);
      expect(printedBy(COMMANDS.email)).toContain('"nonce":');
      expect(printedBy(COMMANDS.send)).toContain('"status":"queued"');
    },
  );
});

describe("the first minute, as the start page shows it", () => {
  const example = (id: string): Example => {
    const found = firstMinute(server.url).find((one) => one.id === id);
    if (found === undefined) throw new Error(`There is no example ${id}`);
    return found;
  };

  it.skipIf(!hasCurl)("leads to a code with curl", async () => {
    const shell = await openShell();
    const [set = "", make = "", hold = "", wait = ""] = example("curl").text.split("\n");
    const { mailbox } = MadeMailbox.parse(firstJson(await shell.paste(`${set}\n${make}`)));
    await sendCode(mailbox);
    expect(await shell.paste(`${hold}\n${wait}`)).toContain(`"code":"${CODE}"`);
  });

  it("leads to a code with TypeScript, which passes the compiler in strict mode", async () => {
    const file = path.join(folder, "first.ts");
    await writeFile(file, example("typescript").text);
    const client = path.join(ROOT, "src/client/index.ts");
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2023",
      module: "preserve",
      lib: ["es2024", "dom", "dom.iterable", "esnext"],
      types: ["node"],
      typeRoots: [path.join(ROOT, "node_modules/@types")],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      paths: { mailkeep: [client] },
    };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const compiler = path.join(ROOT, "node_modules/.bin/tsc");
    const faults = await run(compiler, ["--project", folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; message: string }) => error.stdout || error.message,
    );
    expect(faults).toBe("");

    const outfile = path.join(folder, "first.mjs");
    await build({
      entryPoints: [file],
      bundle: true,
      outfile,
      platform: "node",
      format: "esm",
      alias: { mailkeep: client },
      logLevel: "error",
    });
    const child = spawn(process.execPath, [outfile], { env: bareEnvironment({}) });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await expect.poll(() => /Sign up with (\S+@\S+)/.exec(printed)?.[1] ?? "").not.toBe("");
    await sendCode(/Sign up with (\S+@\S+)/.exec(printed)?.[1] ?? "");
    expect(await ended).toBe(0);
    expect(printed.trimEnd().split("\n").at(-1)).toBe(CODE);
  });

  it.skipIf(!HAS_CLI)("leads to a code with the command line", async () => {
    const shell = await openShell();
    const [set = "", signUp = "", wait = ""] = example("cli").text.split("\n");
    const { mailbox } = z
      .object({ mailbox: z.string() })
      .parse(firstJson(await shell.paste(`${set}\n${signUp}`)));
    await sendCode(mailbox);
    expect((await shell.paste(`${wait}\necho "$CODE"`)).trim()).toBe(CODE);
  });
});

const Remote = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) });

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "mailkeep-test", version: "1.0.0" },
  },
};

describe("the configuration for hosts of MCP, as the start page shows it", () => {
  /** The key of a new mailbox, and each host's block with it. */
  async function hosts(): Promise<{ key: string; of: (id: string) => Example }> {
    const { api_key: key } = await server.service.createMailbox();
    const of = (id: string) =>
      mcpHosts(server.url, key).find((host) => host.id === id) ?? mcpHosts(server.url)[0];
    return { key, of: (id) => z.custom<Example>((value) => value !== undefined).parse(of(id)) };
  }

  /** Whether this repository serves MCP. */
  const servesMcp = async () => (await server.service.call("/mcp", { method: "POST" })).status !== 404;

  /** Begins a session as a host of MCP does, and returns the name of the server. */
  async function initialized({ url, headers }: z.output<typeof Remote>): Promise<unknown> {
    const accept = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...accept },
      body: JSON.stringify(INITIALIZE),
    });
    return [response.status, await response.text()];
  }

  it("lets Claude Code, Cursor and VS Code reach the endpoint with the key", async (context) => {
    const { key, of } = await hosts();
    const shell = await openShell();
    await shell.provide("claude", 'for word in "$@"; do echo "$word"; done');
    const words = (await shell.paste(`MAILKEEP_KEY=${key}\n${of("claude-code").text}`)).trim().split("\n");
    expect(words.slice(0, 5)).toEqual(["mcp", "add", "--transport", "http", "mailkeep"]);
    expect(words.slice(6)).toEqual(["--header", `Authorization: Bearer ${key}`]);
    const claudeCode = { url: words[5] ?? "", headers: { Authorization: `Bearer ${key}` } };

    const cursor = z
      .object({ mcpServers: z.object({ mailkeep: Remote }) })
      .parse(JSON.parse(of("cursor").text));
    const vsCode = z
      .object({
        inputs: z.array(z.object({ id: z.string(), password: z.literal(true) })),
        servers: z.object({ mailkeep: Remote.extend({ type: z.literal("http") }) }),
      })
      .parse(JSON.parse(of("vs-code").text));
    const asked = `\${input:${vsCode.inputs[0]?.id ?? ""}}`;
    const { url, headers } = vsCode.servers.mailkeep;
    const filled = { url, headers: { Authorization: headers["Authorization"]?.replace(asked, key) ?? "" } };
    expect([cursor.mcpServers.mailkeep, filled]).toEqual([claudeCode, claudeCode]);
    expect(claudeCode.url).toBe(`${server.url}/mcp`);
    // The endpoint is another part of the service; where it is not there, its address is all that can be checked.
    if (!(await servesMcp())) return context.skip("this repository does not serve /mcp yet");
    expect(await initialized(claudeCode)).toEqual([200, expect.stringContaining("serverInfo")]);
  });

  it.skipIf(!HAS_CLI)("lets Claude Desktop run the command line as a local server", async () => {
    const { of } = await hosts();
    const Local = z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    });
    const read = z
      .object({ mcpServers: z.object({ mailkeep: Local }) })
      .parse(JSON.parse(of("claude-desktop").text));
    const { command, args, env } = read.mcpServers.mailkeep;
    const shell = await openShell();
    const child = spawn(path.join(shell.folder, command), args, {
      env: bareEnvironment({ ...env, HOME: shell.folder }),
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")));
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await expect.poll(() => printed).toContain("serverInfo");
  });
});
