// Runs a script of this project on the project's own Node, and installs the dependencies first if they are missing:
// `node scripts/run.mjs scripts/serve.ts [args]`. Plain JavaScript for any Node from 20 on, with nothing installed.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./child.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const MODULES = path.join(ROOT, "node_modules");
const BIN = path.join(MODULES, ".bin");

/** True if every package of package-lock.json that this machine needs is installed in that version. */
function isInstalled() {
  // The install step of the `node` package puts its program here; an interrupted installation lacks it.
  if (!existsSync(path.join(BIN, "node"))) return false;
  const wanted = packagesOf(path.join(ROOT, "package-lock.json"));
  // npm writes this file last, as the list of what it installed.
  const present = packagesOf(path.join(MODULES, ".package-lock.json"));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    // The empty name is this project; optional packages are of other platforms.
    if (place === "" || entry.optional || entry.devOptional || entry.peer) return true;
    return present[place]?.version === entry.version && present[place]?.integrity === entry.integrity;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? null;
  } catch {
    // Missing or cut off: not installed.
    return null;
  }
}

async function install() {
  console.error("Installing dependencies (once)…");
  // Not `npm ci`: it requires a lockfile entry for the binaries of every platform, and a registry may not have offered
  // all of them when the lockfile was made. This command follows the lockfile as well, and does not change it.
  const args = ["install", "--no-save", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  // Options of an npm that runs the script `prepare` here.
  args.push("--no-global", "--no-dry-run");
  // Under `npm start`, the same npm is used again.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const stdio = ["ignore", "ignore", "inherit"];
  const env = { ...process.env, MAILKEEP_INSTALLS: "1" };
  const code = await runChild(command, [...first, ...args], { cwd: ROOT, env, stdio });
  if (code !== 0) {
    console.error(`npm install failed with exit code ${code}`);
    process.exit(1);
  }
}

const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error("usage: node scripts/run.mjs <script> [arguments]");
  process.exit(2);
}
// npm runs the script `prepare` at the end of the installation below, whose caller builds what it needs.
if (process.env.MAILKEEP_INSTALLS) process.exit(0);
if (!isInstalled()) await install();

// The terminal sends Ctrl-C to a whole process group. In a group of its own, workerd survives it until the deliveries under
// way are done. The IPC channel tells the server when this process is gone, so that the server ends too.
const isServer = path.basename(script) === "serve.ts";
process.exitCode = await runChild(path.join(BIN, "node"), [script, ...args], {
  cwd: ROOT,
  env: { ...process.env, PATH: `${BIN}${path.delimiter}${process.env.PATH ?? ""}` },
  stdio: isServer ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
  detached: isServer,
});
