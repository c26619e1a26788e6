import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { entrypoint, healthCheck, imageVariables } from "../host/container/containerfile.ts";
import { PAIR } from "../host/front/rig.ts";
import { CHROMIUM } from "../pages/browser.ts";
import { npmEnvironment } from "../served/server.ts";
import { deliver } from "../served/smtp.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BIN = path.join(ROOT, "node_modules/.bin");
const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };
/** The most bytes of the files that `npm install mailkeep` leaves. */
const MAX_CLIENT_BYTES = 272 * 1024;

/** A program that ended. */
interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** A program that uses the module. */
const IMPORT = `import { Mailkeep } from "mailkeep"; console.log(new Mailkeep({ url: "https://mail.example" }).url);`;

let folder: string;
/** Tarballs by the names of their packages. */
let tarballs: Record<"mailkeep" | "mailkeep-server", string>;

/** Runs a program to its end, with the folders of `PATH` that a stranger has: not the repository's programs. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { cwd, env: strangersEnvironment(env), maxBuffer: 16 * 1024 * 1024 };
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, options)) };
  } catch (error) {
    const { code = 1, stdout = "", stderr = String(error) } = error as Partial<Ended>;
    return { code, stdout, stderr };
  }
}

function strangersEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((one) => !one.startsWith(ROOT));
  // The Node that runs the tests comes first, because a stranger's may be too old for the server.
  const PATH = [path.dirname(process.execPath), ...folders].join(path.delimiter);
  return npmEnvironment({ PATH, ...env });
}

/** An empty project, or the one of that name, into which packages were installed. */
async function project(name: string, packages: readonly string[]): Promise<string> {
  const home = path.join(folder, name);
  mkdirSync(home, { recursive: true });
  if (!readdirSync(home).includes("package.json"))
    writeFileSync(path.join(home, "package.json"), `{ "private": true, "type": "module" }`);
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  const { code, stderr } = await run("npm", args, home, { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" });
  expect([code, stderr.replaceAll(/^npm warn.*$/gm, "").trim()]).toEqual([0, ""]);
  return home;
}

/** Every file of an installed package, by its path in it. */
function filesOf(home: string, name: string): Map<string, Buffer> {
  const root = path.join(home, "node_modules", name);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(path.join(root, file)).isFile(),
  );
  return new Map(files.toSorted().map((file) => [file, readFileSync(path.join(root, file))]));
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "mailkeep-packages-"));
  tarballs = await packed("first");
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function packed(name: string): Promise<typeof tarballs> {
  const target = path.join(folder, name);
  const { code, stderr } = await run("npm", ["run", "--silent", "pack", "--", target], ROOT);
  if (code !== 0) throw new Error(`npm run pack failed: ${stderr}`);
  const at = (of: string) => path.join(target, `${of}-${version}.tgz`);
  return { mailkeep: at("mailkeep"), "mailkeep-server": at("mailkeep-server") };
}

describe("npm run pack", () => {
  it("writes the same bytes again for the same sources", async () => {
    const again = await packed("second");
    for (const name of ["mailkeep", "mailkeep-server"] as const) {
      const isSame = readFileSync(tarballs[name]).equals(readFileSync(again[name]));
      expect([name, isSame]).toEqual([name, true]);
    }
  });

  it.each(["mailkeep", "mailkeep-server"] as const)(
    "writes %s without a fault that publint or attw knows",
    async (name) => {
      const linted = await run(path.join(BIN, "publint"), [tarballs[name], "--strict"], folder);
      expect([linted.code, linted.stdout]).toEqual([0, expect.stringContaining("All good!")]);
      const checked = await run(path.join(BIN, "attw"), [tarballs[name], "--profile", "esm-only"], folder);
      expect(checked.code === 0 ? "" : checked.stdout).toBe("");
    },
  );
});

describe("mailkeep, installed alone", () => {
  let home: string;

  beforeAll(async () => {
    home = await project("client", [tarballs.mailkeep]);
  }, 120_000);

  it("is one package without a dependency, of at most 272 KiB", () => {
    const installed = readdirSync(path.join(home, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["mailkeep"]);
    const files = filesOf(home, "mailkeep");
    const manifest = JSON.parse(files.get("package.json")?.toString() ?? "");
    expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_CLIENT_BYTES);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "SKILL.md", "package.json"]),
    );
  });

  it("names no folder of the machine that packed it", () => {
    for (const [file, bytes] of filesOf(home, "mailkeep"))
      expect([file, bytes.includes(ROOT)]).toEqual([file, false]);
  });

  it("has declarations that stand for themselves", () => {
    for (const [file, bytes] of filesOf(home, "mailkeep")) {
      if (!file.endsWith(".d.ts")) continue;
      const imported = [...bytes.toString().matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, from]) => from);
      expect([file, imported.filter((from) => !/^\.\.?\/.*\.js$/.test(from ?? ""))]).toEqual([file, []]);
    }
  });

  it("is imported by the Node of the tests", async () => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", IMPORT], home);
    expect(stdout).toBe("https://mail.example\n");
  });

  it("has a command that says its version and how it is used", async () => {
    const command = path.join(home, "node_modules/.bin/mailkeep");
    expect(await run(command, ["--version"], home)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(version),
    });
    expect(await run(command, ["help"], home)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("inbox"),
    });
  });
});

/** The oldest Node that `mailkeep` runs on, and the first of each line since. */
const NODES = ["20.12.0", "22.0.0", "24.0.0"] as const;

/** A delivery or a mail comes in seconds, and later beside other tests. */
const PATIENCE = { timeout: 30_000 };

/** The program of a version of Node, from the registry. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return path.join(
    await project(`node-${version}`, [`${name}@${version}`]),
    "node_modules",
    name,
    "bin/node",
  );
}

const hasRegistry = spawnSync("npm", ["view", "node", "version"]).status === 0;
if (!hasRegistry) console.warn("No npm registry here: mailkeep is NOT run on older versions of Node.");

describe.skipIf(!hasRegistry)("mailkeep on each Node that it is for", () => {
  let home: string;
  let program: string;
  let server: ChildProcess;
  let url: string;
  let smtpPort: number;
  let operator: string;
  let forwardedTo: string;
  let forwarded = 0;

  beforeAll(async () => {
    home = await project("client", [tarballs.mailkeep]);
    program = path.join(home, "node_modules/mailkeep/bin/mailkeep.cjs");
    const serverHome = await project("server", [tarballs["mailkeep-server"]]);
    const data = path.join(folder, "data-of-versions");
    const settings = { PORT: "0", SMTP_PORT: "0", DATA_DIR: data, ALLOW_PRIVATE_WEBHOOKS: "true" };
    server = spawn(path.join(serverHome, "node_modules/.bin/mailkeep-server"), ["serve", "--ready-json"], {
      cwd: folder,
      env: strangersEnvironment(settings),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((resolve) => {
      server.stdout?.on("data", (chunk: Buffer) => resolve(chunk.toString()));
    });
    ({
      http: url,
      smtp: { port: smtpPort },
    } = JSON.parse(line) as { http: string; smtp: { port: number } });
    operator = (JSON.parse(readFileSync(path.join(data, "secrets.json"), "utf8")) as { auth_token: string })
      .auth_token;
    const hook = createServer((request, response) => {
      forwarded += 1;
      request.resume().on("end", () => response.end());
    }).listen(0, "127.0.0.1");
    await once(hook, "listening");
    forwardedTo = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
    return async () => {
      hook.close();
      server.kill("SIGTERM");
      await once(server, "close");
    };
  }, 180_000);

  // Seventy programs, one after the other.
  const timeout = 600_000;
  it.each(NODES)("is imported by Node %s, and every command runs there", { timeout }, async (version) => {
    const node = await nodeOf(version);
    const imported = await run(node, ["--input-type=module", "--eval", IMPORT], home);
    expect(imported).toMatchObject({ stdout: "https://mail.example\n" });

    const at = mkdtempSync(path.join(folder, "commands-"));
    const ran = new Set<string>();
    /** Runs a command, given as its name and further words; resolves to the first line of JSON that it prints. */
    const mailkeep = async (
      command: string,
      words: readonly string[] = [],
      { stdin = "", exit = 0 } = {},
    ): Promise<Record<string, string>> => {
      ran.add(command);
      const env = strangersEnvironment({ HOME: at, MAILKEEP_URL: url });
      const child = spawn(node, [program, ...command.split(" "), ...words], { cwd: at, env });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      child.stdin.end(stdin);
      const [code] = (await once(child, "close")) as [number | null];
      expect({ command, code, stderr }).toMatchObject({ code: exit });
      expect(stderr).not.toMatch(/\b(?:Type|Reference|Syntax)Error\b/);
      return stdout.startsWith("{") ? JSON.parse(stdout.split("\n")[0] ?? "") : {};
    };
    const mail = (to: string, subject: string) =>
      deliver(smtpPort, {
        from: "shop@example.com",
        to: [to],
        bytes: Buffer.from(
          `From: shop@example.com\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nYour verification code is 482913.\r\n\r\nhttps://shop.example/a\r\n`,
        ),
      });
    const post = async (route: string, body: Record<string, unknown>, headers: Record<string, string>) => {
      const answer = await fetch(url + route, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      expect([route, answer.ok]).toEqual([route, true]);
      return (await answer.json()) as Record<string, string>;
    };

    await mailkeep("signup", ["--temporary"]);
    const name = `v${version.replaceAll(".", "-")}`;
    const { device_code } = await mailkeep("claim start", [`${name}-claimed`]);
    await post("/v1/claim/confirm", { device_code }, { Origin: url });
    await mailkeep("claim wait");
    const { mailbox = "", api_key: key } = await post(
      "/v1/mailboxes",
      { name },
      { Authorization: `Bearer ${operator}` },
    );
    await mailkeep("profiles add", ["box", "--key-stdin"], { stdin: `${key}\n` });
    await mailkeep("profiles use", ["box"]);
    await mailkeep("profiles");
    await mailkeep("whoami");
    const expectation = await mailkeep("expect", ["shop.example", "--no-strict"]);
    await mailkeep("expect wait", [String(expectation["id"]), "--wait", "1"], { exit: 3 });
    await mailkeep("expect cancel", [String(expectation["id"])]);
    await mail(mailbox, "Your code");
    expect(await mailkeep("code", ["--wait", "20", "--json"])).toMatchObject({ code: "482913" });
    const { id = "" } = await mailkeep("wait", ["--since", "1h"]);
    await mailkeep("inbox");
    await mailkeep("search", ["code"]);
    for (const command of ["read", "view", "raw", "extract"]) await mailkeep(command, [id]);
    await mailkeep("link", [id, "1"]);
    await mailkeep("thread");
    await mailkeep("label", [id, "--add-labels", "done"]);
    const secret = await mailkeep("totp add", ["shop"], { stdin: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP\n" });
    await mailkeep("totp");
    await mailkeep("totp code", [String(secret["id"])]);
    await mailkeep("totp delete", [String(secret["id"])]);

    const file = path.join(at, "note.txt");
    writeFileSync(file, "A note.");
    const to = ["--to", mailbox, "--text", "Hello", "--wait", "10"];
    await mailkeep("send", [...to, "--subject", "Hello", "--attach", file]);
    await mailkeep("reply", [id, "--text", "Thanks"]);
    await mailkeep("forward", [id, ...to]);
    await mailkeep("attachments put", [file]);
    const withFile = await mailkeep("wait", ["--since", "1h", "--subject", "Hello"]);
    const { attachments } = (await mailkeep("read", [String(withFile["id"])])) as unknown as {
      attachments: { id: string }[];
    };
    await mailkeep("attachments get", [attachments[0]?.id ?? "", "-o", path.join(at, "got.txt")]);
    expect(readFileSync(path.join(at, "got.txt"), "utf8").trim()).toBe("A note.");

    await mailkeep("events", ["--after", "0", "--no-follow"]);
    const before = forwarded;
    await mailkeep("listen", ["--forward", forwardedTo, "--replay", "1"]);
    expect(forwarded).toBe(before + 1);
    await mailkeep("webhooks set", [forwardedTo]);
    await mailkeep("webhooks test");
    await mailkeep("webhooks");
    await mailkeep("webhooks replay", ["1"]);
    // A test is not redelivered.
    let delivery: Record<string, string> = {};
    await expect
      .poll(async () => JSON.stringify((delivery = await mailkeep("webhooks deliveries"))), PATIENCE)
      .toMatch(/"seq":[1-9].*"delivered"/);
    await mailkeep("webhooks redeliver", [String(delivery["id"])]);
    await mailkeep("webhooks recovery", ["on"]);
    await mailkeep("webhooks remove");

    await mailkeep("rules mode", ["listed"]);
    await mailkeep("rules allow", ["ann@example.com"]);
    await mailkeep("rules block", ["shop@example.com"]);
    await mailkeep("rules");
    // The sender gets a refusal.
    await Promise.allSettled([mail(mailbox, "One"), mail(mailbox, "Two")]);
    const refused = await mailkeep("refused");
    await mailkeep("refused release", [String(refused["id"])]);
    await mailkeep("refused delete", [String((await mailkeep("refused"))["id"])]);
    await mailkeep("rules remove", ["shop@example.com"]);
    await mailkeep("rules mode", ["everyone"]);

    await mailkeep("stats");
    const created = await mailkeep("keys create");
    await mailkeep("keys");
    await mailkeep("keys revoke", [String(created["id"])]);
    const domain = await mailkeep("domains add", [`v${version}.example.org`]);
    await mailkeep("domains");
    await mailkeep("domains show", [String(domain["id"])]);
    await mailkeep("domains verify", [String(domain["id"])], { exit: 3 });
    await mailkeep("domains remove", [String(domain["id"])]);
    const archive = path.join(at, "mailbox.tar");
    await mailkeep("export", [archive]);
    await mailkeep("import", [archive]);
    await mailkeep("delete", [id]);
    for (const command of ["sending", "sending halt", "sending resume"])
      await mailkeep(command, ["--key-stdin"], { stdin: `${operator}\n` });
    await mailkeep("mcp");
    await mailkeep("open", ["--print"]);
    for (const shell of ["bash", "zsh", "fish"]) await mailkeep("completion", [shell]);
    await mailkeep("pause");
    await mailkeep("resume");
    await mailkeep("profiles remove", ["box"]);
    for (const command of ["serve", "up", "down", "doctor", "backup", "restore", "verify"])
      await mailkeep(command, [], { exit: 5 });
    expect(COMMANDS.filter((one) => !ran.has(one.name)).map((one) => one.name)).toEqual([]);
  });

  it("uses nothing that Node 20.12 does not have", async () => {
    const [oldest] = NODES;
    const namesOf = async (node: string): Promise<Set<string>> => {
      const { stdout } = await run(node, [path.join(import.meta.dirname, "runtime-names.mjs")], folder);
      return new Set(JSON.parse(stdout) as string[]);
    };
    const [old, current] = [await namesOf(await nodeOf(oldest)), await namesOf(process.execPath)];
    const newer = [...current].filter((name) => !old.has(name));
    expect(newer).toEqual(expect.arrayContaining(["Promise.withResolvers", "URL.parse"]));
    const code = ["bin/mailkeep.cjs", "lib/index.js"]
      .map((file) => readFileSync(path.join(home, "node_modules/mailkeep", file), "utf8"))
      .join("\n");
    const isUsed = (name: string) =>
      new RegExp(`(?<![\\w$.])${name.replaceAll(/[.$]/g, "\\$&")}(?![\\w$])`).test(code);
    expect(newer.filter(isUsed)).toEqual([]);
  });
});

describe("mailkeep-server, installed alone", () => {
  let home: string;
  let command: string;

  beforeAll(async () => {
    home = await project("server", [tarballs["mailkeep-server"]]);
    command = path.join(home, "node_modules/.bin/mailkeep-server");
  }, 120_000);

  it("needs the runtime and nothing that builds", () => {
    const files = filesOf(home, "mailkeep-server");
    const manifest = JSON.parse(files.get("package.json")?.toString() ?? "");
    expect(Object.keys(manifest.dependencies)).toEqual(["miniflare"]);
    const installed = new Set(readdirSync(path.join(home, "node_modules")));
    for (const name of ["wrangler", "esbuild", "vitest", "@playwright", "typescript", "zod"]) {
      expect([name, installed.has(name)]).toEqual([name, false]);
    }
    expect([...files.keys()]).toEqual(expect.arrayContaining(["LICENSE", "README.md", "THIRD-PARTY.md"]));
    const notices = files.get("THIRD-PARTY.md")?.toString() ?? "";
    for (const name of ["hono", "zod", "postal-mime", "smtp-server", "nodemailer", "dompurify"]) {
      expect(notices).toContain(`## ${name} `);
    }
  });

  it("serves mail over HTTP and SMTP, and ends at a signal", async () => {
    const server = spawn(command, ["serve", "--ready-json"], {
      cwd: home,
      env: strangersEnvironment({ PORT: "0", SMTP_PORT: "0", DATA_DIR: path.join(home, "data") }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((resolve) => {
      server.stdout.on("data", (chunk: Buffer) => resolve(chunk.toString()));
    });
    const ready = JSON.parse(line) as { http: string; smtp: { port: number } };
    const born = (await (await fetch(`${ready.http}/v1/bootstrap`, { method: "POST" })).json()) as {
      mailbox: string;
      api_key: string;
    };
    await deliver(ready.smtp.port, {
      from: "shop@example.com",
      to: [born.mailbox],
      bytes: Buffer.from("Subject: Your code\r\n\r\nYour code is 482913.\r\n"),
    });
    const headers = { Authorization: `Bearer ${born.api_key}` };
    const found = await (await fetch(`${ready.http}/v1/code?timeout=20`, { headers })).json();
    expect(found).toMatchObject({ code: "482913" });
    for (const page of ["/", "/docs", "/mailbox"]) {
      const html = await (await fetch(ready.http + page)).text();
      const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, at]) => at);
      expect(assets.length).toBeGreaterThan(0);
      for (const at of assets) expect([at, (await fetch(ready.http + at)).status]).toEqual([at, 200]);
    }
    server.kill("SIGINT");
    expect(await new Promise((resolve) => void server.once("close", resolve))).toBe(0);
  });

  /** A copy of the package where a service can run it: services see neither /home nor /tmp. */
  const isHidden = /^\/(?:home|root|tmp)\//.test(process.execPath) || !existsSync("/dev/shm");
  if (isHidden)
    console.warn("Skipped: this Node lies where a service does not see it, or there is no /dev/shm");

  it.skipIf(isHidden)("writes the units of systemd below a root, and says what comes next", async () => {
    const place = mkdtempSync("/dev/shm/mailkeep-");
    onTestFinished(() => rmSync(place, { recursive: true }));
    cpSync(path.join(home, "node_modules/mailkeep-server"), path.join(place, "mailkeep-server"), {
      recursive: true,
    });
    const program = path.join(place, "mailkeep-server/bin/mailkeep-server.js");
    const root = path.join(place, "root");
    const install = (...words: string[]) =>
      run(process.execPath, [program, "serve", "--install", ...words], home);
    const start = `ExecStart=${process.execPath} ${place}/mailkeep-server/lib/serve.js\n`;

    const printed = await install("--root", root, "--print");
    expect([printed.code, printed.stderr, existsSync(root)]).toEqual([0, "", false]);
    expect(printed.stdout).toContain(start);
    const first = await install("--root", root);
    expect(first).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("systemctl daemon-reload"),
    });
    const names = [...first.stdout.matchAll(/^written +(\S+)$/gm)].map(([, name = ""]) => name);
    expect(names).toHaveLength(8);
    for (const name of names) expect(printed.stdout).toContain(readFileSync(path.join(root, name), "utf8"));
    const second = await install("--root", root, "--http", "443");
    expect(second.stdout).toMatch(/^changed +\/etc\/systemd\/system\/mailkeep-http\.socket$/m);
    expect(second.stdout).toMatch(/^kept +\/etc\/mailkeep\/mailkeep\.env$/m);
    expect(second.stdout).toContain("Change in /etc/mailkeep/mailkeep.env: HOST=0.0.0.0, PORT=443\n");

    // Nobody makes folders there, root included.
    const refused = await install("--root", "/sys");
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("Run it as root: sudo mailkeep-server serve --install --root /sys\n");
    expect(await install("--smtp", "mail.example.org:25")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--smtp mail\.example\.org:25: must be a port/),
    });
  });

  it("refuses to install units for a package that services do not see", async () => {
    const { code, stderr } = await run(command, ["serve", "--install", "--print"], home);
    expect([code, stderr]).toEqual([2, expect.stringContaining("which services do not see: install Node")]);
  });

  it.each(["http", "https"])("runs as in the image, where the check of health asks by %s", async (scheme) => {
    const prefix = path.join(folder, "image");
    const args = ["install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", "--prefer-offline"];
    const installed = existsSync(prefix)
      ? null
      : await run("npm", [...args, tarballs["mailkeep-server"]], folder);
    expect(installed?.code ?? 0).toBe(0);
    const [node, ...words] = entrypoint().map((word) => word.replace(/^\/usr\/local\//, `${prefix}/`));
    expect(node).toBe("node");
    const pem = { cert: path.join(folder, "fullchain.pem"), key: path.join(folder, "privkey.pem") };
    writeFileSync(pem.cert, PAIR.cert);
    writeFileSync(pem.key, PAIR.key);
    const secured: Record<string, string> =
      scheme === "https" ? { TLS_CERT: pem.cert, TLS_KEY: pem.key } : {};
    const data = path.join(folder, `image-data-${scheme}`);
    // The ports of the image may be taken on this machine.
    const scratch = { DATA_DIR: data, HOME: folder, PORT: "0", SMTP_PORT: "0" };
    const env = { ...imageVariables(), ...scratch, ...secured };
    const server = spawn(process.execPath, words, {
      cwd: "/",
      env: strangersEnvironment(env),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((resolve) => {
      server.stdout.on("data", (chunk: Buffer) => resolve(chunk.toString()));
    });
    const { http } = JSON.parse(line) as { http: string };
    expect(http).toMatch(scheme === "https" ? /^https:/ : /^http:/);
    expect(await healthCheck({ ...env, PORT: new URL(http).port })).toBe(0);
    server.kill("SIGTERM");
    expect(await new Promise((resolve) => void server.once("close", resolve))).toBe(0);
    expect(await healthCheck({ ...env, PORT: new URL(http).port })).toBe(1);
  });

  it("says what it can do, and in one sentence what it cannot do yet", async () => {
    expect(await run(command, ["--version"], home)).toMatchObject({ code: 0, stdout: `${version}\n` });
    const help = await run(command, ["help"], home);
    const readme = filesOf(home, "mailkeep-server").get("README.md")?.toString();
    expect([help.code, help.stdout.includes("serve")]).toEqual([0, true]);
    for (const name of ["backup", "restore", "verify", "up", "down", "doctor", "import"]) {
      expect(help.stdout).toContain(`mailkeep-server ${name} `);
      expect(readme).toContain(`\`mailkeep-server ${name}\``);
      const { code, stdout } = await run(command, [name, "--help"], home);
      expect([code, stdout.split("\n")[0]]).toEqual([
        0,
        expect.stringContaining(`mailkeep-server ${name}: `),
      ]);
    }
    for (const args of [[], ["serv"], ["serve", "--port=1"]])
      expect((await run(command, args, home)).code).toBe(2);
  });

  it("tells a Node that is too old which one it needs, and how to get it", async () => {
    const old = await nodeOf(NODES[0]);
    const program = path.join(home, "node_modules/mailkeep-server/bin/mailkeep-server.js");
    expect(await run(old, [program, "serve"], home)).toMatchObject({
      code: 1,
      stderr:
        "mailkeep-server needs Node 22.13 or later; this is Node 20.12.0.\n" +
        "Install a newer one from https://nodejs.org, or only for this folder: npm install node@24, then start it with npx\n",
    });
  });
});

describe("a project that uses the packages", () => {
  it.each(["node16", "bundler"])(
    "compiles in strict mode under moduleResolution %s",
    async (moduleResolution) => {
      const home = typesHome();
      for (const file of ["usage.ts", "frameworks.ts"])
        cpSync(path.join(import.meta.dirname, file), path.join(home, file));
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable"],
        types: [],
        module: moduleResolution === "node16" ? "node16" : "esnext",
        moduleResolution,
      };
      const compile = async (file: string, skipLibCheck: boolean): Promise<Ended> => {
        writeFileSync(
          path.join(home, "tsconfig.json"),
          JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck }, files: [file] }),
        );
        return run(path.join(BIN, "tsc"), [], home);
      };
      // Our declarations are checked; those of the frameworks are not ours.
      expect(await compile("usage.ts", false)).toMatchObject({ code: 0, stdout: "" });
      expect(await compile("frameworks.ts", true)).toMatchObject({ code: 0, stdout: "" });
    },
  );

  it("hands over from one command to the other", async () => {
    const command = path.join(typesHome(), "node_modules/mailkeep/bin/mailkeep.cjs");
    const { code, stderr } = await run(process.execPath, [command, "up"], typesHome());
    expect([code, stderr]).toEqual([2, expect.stringContaining("--domain is missing")]);
  });

  it("signs up on a page in vitest, with the code that comes by mail", async () => {
    expect(await example("vitest")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Tests\s+3 passed/),
    });
  });

  it.skipIf(CHROMIUM === null)("signs up on a page in Playwright and Chromium", async () => {
    expect(await example("playwright")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 passed"),
    });
  });

  /** A project that has both packages, as they were installed alone above, and the frameworks of this repository. */
  function typesHome(): string {
    const home = path.join(folder, "types");
    const modules = path.join(home, "node_modules");
    if (existsSync(home)) return home;
    for (const [from, name] of [
      ["client", "mailkeep"],
      ["server", "mailkeep-server"],
    ] as const) {
      cpSync(path.join(folder, from, "node_modules", name), path.join(modules, name), { recursive: true });
    }
    mkdirSync(path.join(modules, "@playwright"));
    for (const name of ["vitest", "@playwright/test"]) {
      symlinkSync(path.join(ROOT, "node_modules", name), path.join(modules, name));
    }
    writeFileSync(path.join(home, "package.json"), `{ "private": true, "type": "module" }`);
    return home;
  }

  /** Installs a project of `test/examples` and the server's tarball as a stranger does, and runs its one command. */
  async function example(name: string): Promise<Ended> {
    const examples = path.join(ROOT, "test/examples");
    const home = path.join(folder, "examples", name);
    cpSync(path.join(examples, name), home, { recursive: true });
    cpSync(path.join(examples, "signup-app.mjs"), path.join(folder, "examples/signup-app.mjs"));
    await project(path.join("examples", name), ["--save-dev", tarballs["mailkeep-server"]]);
    return run("npm", ["test"], home, { CHROMIUM: CHROMIUM ?? "", NO_COLOR: "1" });
  }
});
