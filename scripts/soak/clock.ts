import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import path from "node:path";

const SOURCE = path.join(import.meta.dirname, "clock.c");

/**
 * The time of day that the server sees: that of the machine, moved by an offset that may change while it runs. A library that
 * is loaded into host, runtime and commands does it, so that all see the same time. Time that only grows (CLOCK_MONOTONIC) is
 * left alone, as when the clock of a machine is set. Without a C compiler the clock cannot be moved.
 */
export class VirtualClock {
  readonly #file: string;
  /** The library; null: it could not be compiled. */
  readonly #library: string | null;
  #offsetMs = 0;

  /** @param folder where the library and the offset are written. */
  constructor(folder: string) {
    this.#library = compiled(path.join(folder, "clock.so"));
    this.#file = path.join(folder, "clock");
    this.#write();
  }

  get canMove(): boolean {
    return this.#library !== null;
  }

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Moves the clock by `ms`; back if it is negative. The server sees it at once. */
  move(ms: number): void {
    if (!this.canMove) return;
    this.#offsetMs += Math.round(ms);
    this.#write();
  }

  /** Variables for every process of the server. */
  environment(): Record<string, string> {
    return this.#library === null ? {} : { LD_PRELOAD: this.#library, SOAK_CLOCK: this.#file };
  }

  /** Overwrites the number in place, because the processes have mapped the file. */
  #write(): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(this.#offsetMs));
    const descriptor = openSync(this.#file, existsSync(this.#file) ? "r+" : "w");
    try {
      writeSync(descriptor, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Compiles the library; null where that cannot be done. */
function compiled(library: string): string | null {
  if (process.platform !== "linux") return null;
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, SOURCE], { stdio: "ignore" });
    return library;
  } catch {
    return null;
  }
}
