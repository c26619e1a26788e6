import type { Socket } from "node:net";
import type { Dns } from "./dns.ts";

/** Everything outside of this process that the checks use; tests replace it. */
export interface World {
  dns: Dns;
  /** The addresses of a host as the server would find them; empty where it has none. */
  addresses(host: string): Promise<string[]>;
  /** Opens a TCP connection to an IP address; rejects with the error of the system, or when `signal` is aborted. */
  dial(at: { address: string; port: number }, signal: AbortSignal): Promise<Socket>;
  /** Certificates in PEM that are trusted besides those that come with Node. */
  authorities: readonly string[];
  /** Ms since 1970. */
  now(): number;
  /** Permission bits and owner of a file; rejects with the error of the system. */
  stat(file: string): Promise<{ mode: number; uid: number }>;
  /** The room of the disk that holds a folder. */
  room(folder: string): Promise<Room>;
  /** The addresses of this machine's network interfaces. */
  interfaces(): string[];
}

/** Total and free bytes and inodes of a file system. `files` is 0 if it has no limit of inodes. */
export interface Room {
  bytes: number;
  freeBytes: number;
  files: number;
  freeFiles: number;
}
