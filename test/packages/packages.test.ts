import { execFile, spawn } from "node:child_process";
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
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { entrypoint, healthCheck, imageVariables } from "../host/container/containerfile.ts";
import { PAIR } from "../host/front/rig.ts";
import { CHROMIUM } from "../pages/browser.ts";
import { npmEnvironment } from "../served/server.ts";
import { deliver } from "../served/smtp.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BIN = path.join(ROOT, "node_modules/.bin");
const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };
/** The most bytes of the files that `npm install mailkeep` leaves. */
const MAX_CLIENT_BYTES = 266 * 1024;

/** A program that ended. */
interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

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

/** An empty project into which packages were installed. */
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

  it("is one package without a dependency, of at most 266 KiB", () => {
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

  const IMPORT = `import { Mailkeep } from "mailkeep"; console.log(new Mailkeep({ url: "https://mail.example" }).url);`;

  it("is imported by the Node of the tests", async () => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", IMPORT], home);
    expect(stdout).toBe("https://mail.example\n");
  });

  it("is imported by Node 20, and its command starts there", async () => {
    const old = path.join(await project("node-20", ["node@20.19.5"]), "node_modules/node/bin/node");
    const { stdout } = await run(old, ["--input-type=module", "--eval", IMPORT], home);
    expect(stdout).toBe("https://mail.example\n");
    const command = path.join(home, "node_modules/mailkeep/bin/mailkeep.cjs");
    expect(await run(old, [command, "--version"], home)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(version),
    });
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

  it("tells a Node that is too old which one it needs", async () => {
    const old = path.join(await project("node-20", ["node@20.19.5"]), "node_modules/node/bin/node");
    const program = path.join(home, "node_modules/mailkeep-server/bin/mailkeep-server.js");
    expect(await run(old, [program, "serve"], home)).toMatchObject({
      code: 1,
      stderr: "mailkeep-server needs Node 22.13 or later; this is Node 20.19.5\n",
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
