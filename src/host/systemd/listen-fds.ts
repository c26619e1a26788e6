import { readFileSync, readlinkSync } from "node:fs";
import type { Environment } from "../../config/check.ts";
import { Refusal } from "../refusal.ts";

/** The file descriptor of the first socket that systemd hands over (SD_LISTEN_FDS_START); further ones follow without a gap. */
const FIRST_FD = 3;
const NAMES = ["http", "smtp", "redirect"] as const;

type Name = (typeof NAMES)[number];

/** File descriptors of sockets that listen already; null: the server listens on a socket of its own. */
export type HandedOver = Record<Name, number | null>;

/**
 * The sockets that systemd opened for this process (sd_listen_fds(3)), by their `FileDescriptorName=`. Throws a {@link Refusal} if
 * a socket has a name that the server does not know, or two have the same.
 */
export function handedOverSockets(env: Environment, pid: number): HandedOver {
  const found: HandedOver = { http: null, smtp: null, redirect: null };
  const count = Number(env["LISTEN_FDS"] ?? 0);
  // A process that another one started inherits the variables, but not the sockets.
  if (env["LISTEN_PID"] !== String(pid) || !Number.isInteger(count)) return found;
  const given = env["LISTEN_FDNAMES"];
  const names = typeof given === "string" ? given.split(":") : [];
  for (let index = 0; index < count; index += 1) {
    const name = NAMES.find((one) => one === names[index]);
    if (name === undefined) {
      throw new Refusal(
        `A handed-over socket is named "${names[index] ?? ""}": its .socket unit needs FileDescriptorName=http, smtp or redirect`,
      );
    }
    if (found[name] !== null) {
      throw new Refusal(
        `Two handed-over sockets are named ${name}: give the .socket units one ListenStream= for ${name}`,
      );
    }
    found[name] = FIRST_FD + index;
  }
  return found;
}

/** Where a socket listens. */
export interface ListenAddress {
  /** An IP address. */
  host: string;
  port: number;
}

/**
 * Host and port of the handed-over sockets, as values for the variables of those settings. They override the environment,
 * because the sockets decide who can reach the server. Throws a {@link Refusal} if a socket does not listen on TCP.
 */
export function addressVariables(sockets: Pick<HandedOver, "http" | "smtp">): Record<string, string> {
  const http = sockets.http === null ? null : addressOf("http", sockets.http);
  const smtp = sockets.smtp === null ? null : addressOf("smtp", sockets.smtp);
  return {
    ...(http === null ? {} : { HOST: http.host, PORT: String(http.port) }),
    ...(smtp === null ? {} : { SMTP_HOST: smtp.host, SMTP_PORT: String(smtp.port) }),
  };
}

function addressOf(name: Name, fd: number): ListenAddress {
  const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/self/fd/${fd}`))?.[1];
  const tables = inode === undefined ? [] : ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
  for (const table of tables) {
    const address = listenAddress(readFileSync(table, "utf8"), inode ?? "");
    if (address !== null) return address;
  }
  throw new Refusal(
    `The handed-over socket ${name} (descriptor ${fd}) does not listen on TCP: its .socket unit needs ListenStream= with a port`,
  );
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // The descriptor is not open.
    return "";
  }
}

/** The state of a socket that listens, in the tables of proc_pid_net(5). */
const LISTENS = "0A";

/** Finds a socket by its inode in a text of `/proc/<pid>/net/tcp` or `tcp6`; null if it is not there, or does not listen. */
export function listenAddress(table: string, inode: string): ListenAddress | null {
  for (const line of table.split("\n").slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (columns[9] !== inode || columns[3] !== LISTENS) continue;
    const [address = "", port = ""] = (columns[1] ?? "").split(":");
    const bytes = address.match(/.{8}/g)?.flatMap(wordBytes) ?? [];
    return { host: bytes.length === 4 ? bytes.join(".") : ipv6(bytes), port: Number.parseInt(port, 16) };
  }
  return null;
}

/** The bytes of a 32-bit word, which the table shows in the order of the processor: all that run Node are little-endian. */
function wordBytes(word: string): number[] {
  return (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).toReversed();
}

function ipv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  // A URL writes the shortest form (RFC 5952).
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
