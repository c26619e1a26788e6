import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { claimPorts } from "../../src/host/ports.ts";

/** A user without rights, which the server becomes where the bench is run by root: Dovecot delivers no mail to root. */
const NOBODY = 65_534;
const LMTP_PROGRAM = "/usr/lib/dovecot/lmtp";

/** Why Dovecot's LMTP cannot be run here; null if it can. */
export function dovecotMissing(): string | null {
  return existsSync(LMTP_PROGRAM) ? null : "Dovecot's LMTP is not installed (Debian: dovecot-lmtpd)";
}

/** Dovecot's LMTP on loopback, as Debian configures it, with a Maildir for every address. It syncs each mail before it answers. */
export class DovecotLmtp {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(folder: string): Promise<DovecotLmtp> {
    const isRoot = process.getuid?.() === 0;
    const [uid, gid] = isRoot ? [NOBODY, NOBODY] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    for (const name of [folder, path.join(folder, "run"), path.join(folder, "mail")]) {
      mkdirSync(name, { recursive: true });
      if (isRoot) chownSync(name, uid, gid);
    }
    // The bench's folder of temporary files is its own user's: others may pass through it.
    chmodSync(path.dirname(folder), 0o711);
    const nameOf = (flag: string): string =>
      execFileSync("id", [flag, String(uid)], { encoding: "utf8" }).trim();
    const [port = 0] = await claimPorts([{ protocol: "SMTP", host: "127.0.0.1", port: 0, variable: "none" }]);
    const config = path.join(folder, "dovecot.conf");
    writeFileSync(config, configOf({ folder, port, uid, gid, user: nameOf("-nu"), group: nameOf("-gn") }));
    const child = spawn("dovecot", ["-F", "-c", config], {
      stdio: "ignore",
      ...(isRoot ? { uid, gid } : {}),
    });
    const server = new DovecotLmtp(port, child);
    await server.#listening(folder);
    return server;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => void this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }

  async #listening(folder: string): Promise<void> {
    for (let tries = 0; tries < 200 && this.#child.exitCode === null; tries += 1) {
      if (await accepts(this.port)) return;
      await pause(50);
    }
    throw new Error(`Dovecot did not start: ${path.join(folder, "log")} says why`);
  }
}

interface Place {
  folder: string;
  port: number;
  uid: number;
  gid: number;
  user: string;
  group: string;
}

function configOf({ folder, port, uid, gid, user, group }: Place): string {
  return `protocols = lmtp
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
ssl = no
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%n
auth_username_format = %n
service anvil {
  chroot =
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${port}
  }
}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%n allow_all_users=yes
}
`;
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
