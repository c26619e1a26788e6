#!/usr/bin/env -S node --
// Without the dashes, Node looks for --env-file among these arguments too, and ends with exit code 9 if the file is missing.
// The command `mailkeep-server`. Plain JavaScript, so that a Node that is too old can say so.
import { fileURLToPath } from "node:url";
import { runChild } from "../../scripts/child.mjs";

/** Set when the package is built. */
const VERSION = process.env.MAILKEEP_SERVER_VERSION;
/** The first Node with SQLite. */
const NEEDED = [22, 13];
/** Commands that `lib/program.js` runs in this process. */
const PROGRAMS = ["backup", "restore", "verify", "up", "down", "doctor", "import"];

const USAGE = `mailkeep-server ${VERSION}: mailboxes for software agents, on this machine

  mailkeep-server serve      Serves HTTP and SMTP until Ctrl-C
      --env-file FILE        Reads the settings from this file; on every command
      --ready-json           Prints one line of JSON when it is ready, for programs
      --install              Makes it a service of systemd; --install --help says more
  mailkeep-server backup     Backs up all mailboxes while the server runs
  mailkeep-server restore    Restores a backup
  mailkeep-server verify     Checks a backup
  mailkeep-server up         Deploys to Cloudflare
  mailkeep-server down       Takes a deployment away from Cloudflare
  mailkeep-server doctor     Checks a deployment and prints how to fix what is wrong; --help names its options
  mailkeep-server import     Imports mail from files or an IMAP account
  mailkeep-server --version

Settings are variables: PORT (8787), SMTP_PORT (2525), DATA_DIR (data), MAIL_DOMAIN (mailkeep.test) and many more.
`;

function isTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
}

/** Says what was wrong and how it is used; the exit code of a wrong use. */
function refuse(line) {
  process.stderr.write(`${line}\n`);
  return 2;
}

async function run([command, ...args]) {
  if (isTooOld()) {
    process.stderr.write(
      `mailkeep-server needs Node ${NEEDED.join(".")} or later; this is Node ${process.versions.node}.\n` +
        "Install a newer one from https://nodejs.org, or only for this folder: npm install node@24, then start it with npx\n",
    );
    return 1;
  }
  if (PROGRAMS.includes(command) || (command === "serve" && args.includes("--install"))) {
    // It reads the command and its options from the command line, and sets the exit code.
    await import(new URL("../lib/program.js", import.meta.url).href);
    return process.exitCode;
  }
  if (["help", "--help", "-h"].includes(command) || args.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (["version", "--version", "-v"].includes(command)) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (command !== "serve") {
    return refuse(
      command === undefined ? USAGE.trimEnd() : `${command}: no such command; try mailkeep-server help`,
    );
  }
  const isKnown = (arg, at) =>
    arg === "--ready-json" || arg.startsWith("--env-file") || args[at - 1] === "--env-file";
  const unknown = args.find((arg, at) => !isKnown(arg, at));
  if (unknown !== undefined) return refuse(`${unknown}: no such option; try mailkeep-server help`);
  // In a group of its own, the runtime survives the terminal's Ctrl-C until the deliveries under way are done. The IPC channel
  // tells the server when this process is gone, so that the server ends too.
  return runChild(
    process.execPath,
    ["--", fileURLToPath(new URL("../lib/serve.js", import.meta.url)), ...args],
    {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      detached: true,
    },
  );
}

process.exitCode = await run(process.argv.slice(2));
