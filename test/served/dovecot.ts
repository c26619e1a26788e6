import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A user without rights, which the server becomes where the test is root. */
const NOBODY = 65_534;
const PASSWORD = "secret-for-tests";

/** Why Dovecot cannot be run here; null if it can. */
export function dovecotMissing(): string | null {
  try {
    execFileSync("dovecot", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    return "dovecot is not installed (Debian: dovecot-imapd)";
  }
}

/** An IMAP server on loopback whose one account is a Maildir. */
export class Dovecot {
  readonly port: number;
  readonly password = PASSWORD;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(folder: string, port: number, child: ChildProcess) {
    this.#folder = folder;
    this.port = port;
    this.#child = child;
  }

  /** Starts a server in `folder`, with `files` as its mail: the path of each in the Maildir, and its bytes. */
  static async start(folder: string, files: Readonly<Record<string, string>>): Promise<Dovecot> {
    const isRoot = process.getuid?.() === 0;
    const [uid, gid] = isRoot ? [NOBODY, NOBODY] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const own = (name: string) => {
      if (isRoot) chownSync(name, uid, gid);
    };
    const makeFolder = (name: string) => {
      const made = mkdirSync(name, { recursive: true });
      for (let at = name; made !== undefined && at.length >= made.length; at = path.dirname(at)) own(at);
    };
    makeFolder(path.join(folder, "run"));
    own(folder);
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, "mail", name);
      for (const part of ["cur", "new", "tmp"]) makeFolder(path.join(path.dirname(path.dirname(file)), part));
      writeFileSync(file, text);
      own(file);
    }
    const port = await freePort();
    const names = (flag: string, id: number) =>
      execFileSync("id", [flag, String(id)], { encoding: "utf8" }).trim();
    const user = names("-nu", uid);
    const group = isRoot ? "nogroup" : names("-ng", uid);
    const config = path.join(folder, "dovecot.conf");
    writeFileSync(config, configOf({ folder, port, user, group, uid, gid }));
    own(config);
    const child = spawn("dovecot", ["-F", "-c", config], {
      stdio: "ignore",
      ...(isRoot ? { uid, gid } : {}),
    });
    const server = new Dovecot(folder, port, child);
    await server.#listening();
    return server;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => void this.#child.once("close", resolve));
    if (this.#child.exitCode !== null || !this.#child.kill("SIGTERM")) return;
    await ended;
  }

  async #listening(): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if (await accepts(this.port)) return;
      if (this.#child.exitCode !== null) break;
      await pause(50);
    }
    const log = path.join(this.#folder, "log");
    throw new Error(
      `Dovecot did not start:\n${existsSync(log) ? readFileSync(log, "utf8") : "it wrote no log"}`,
    );
  }
}

interface Place {
  folder: string;
  port: number;
  user: string;
  group: string;
  uid: number;
  gid: number;
}

function configOf({ folder, port, user, group, uid, gid }: Place): string {
  return `protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
ssl = no
disable_plaintext_auth = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
mail_location = maildir:${folder}/mail
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => void server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
