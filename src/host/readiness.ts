import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { UnreadyReason } from "../contract/readiness.ts";
import { writeSynced } from "./whole-file.ts";

/** How long the result of a probe of the disk is reused, in ms: anybody may ask, and each probe is a write. */
const PROBE_KEPT_MS = 5_000;
/** A disk that has not synced 4 KiB within this time, in ms, counts as not writable. */
export const PROBE_LIMIT_MS = 3_000;
const PROBE = Buffer.alloc(4_096, "mailkeep ");
const PROBE_FILE = "disk-probe";

/** The environment of a `HostReadiness`, which tests replace. */
export interface ReadinessTools {
  /** Writes to the disk of the data folder and syncs; rejects if the disk refuses. */
  probe: () => Promise<void>;
  /** Milliseconds since any fixed moment. */
  now: () => number;
  /** A probe that has not ended after this time, in ms, counts as failed. */
  limitMs: number;
}

/** Whether this process and its disk can take mail. `GET /readyz` asks it. */
export class HostReadiness {
  readonly #tools: ReadinessTools;
  #isDraining = false;
  #probed: { atMs: number; writable: Promise<boolean> } | null = null;
  /** A probe that has not ended. A disk that hangs gets no second one. */
  #underWay: Promise<boolean> | null = null;

  constructor(tools: ReadinessTools) {
    this.#tools = tools;
  }

  /** Call when the server begins to stop: from now on `GET /readyz` answers 503 with `draining`. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Call when the server serves again, after a stop of the runtime alone. */
  resume(): void {
    this.#isDraining = false;
  }

  /** The reasons why the server is not ready; empty if it is. Never rejects. */
  async reasons(): Promise<UnreadyReason[]> {
    const isWritable = await this.#isWritable();
    return [
      ...(this.#isDraining ? (["draining"] as const) : []),
      ...(isWritable ? [] : (["disk_not_writable"] as const)),
    ];
  }

  #isWritable(): Promise<boolean> {
    const atMs = this.#tools.now();
    if (this.#probed === null || atMs - this.#probed.atMs >= PROBE_KEPT_MS) {
      this.#underWay ??= this.#probe().finally(() => (this.#underWay = null));
      const late = setTimeout(this.#tools.limitMs, false, { ref: false });
      this.#probed = { atMs, writable: Promise.race([this.#underWay, late]) };
    }
    return this.#probed.writable;
  }

  #probe(): Promise<boolean> {
    return this.#tools.probe().then(
      () => true,
      () => false,
    );
  }
}

/** Writes, syncs and removes a small file in a folder. Rejects if the disk is full, read-only or broken. */
export async function probeDisk(folder: string): Promise<void> {
  const file = path.join(folder, PROBE_FILE);
  try {
    await writeSynced(file, PROBE, "w");
  } finally {
    await rm(file, { force: true });
  }
}
