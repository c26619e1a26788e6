import path from "node:path";
import { Worker } from "node:worker_threads";

/** A job ends after a time or a number of operations, whichever comes first. */
export interface Bounds {
  connections: number;
  durationMs: number;
  maxCount: number;
  /** Pause before each operation of a connection; not part of the measured time. */
  pauseMs?: number;
}

/** One call of a tool. */
export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** Where messages go. */
export interface Mailing {
  /** Path with the recipient in it, for HTTP; the bare address for SMTP. */
  targets: { path: string; address: string }[];
  sizeBytes: number;
  /** Prefix of the serials of these messages, different in each run. */
  run: string;
}

export type Job =
  | ({ kind: "get"; port: number; targets: { path: string; key: string }[] } & Bounds)
  | ({ kind: "post"; port: number; key: string; mailing: Mailing } & Bounds)
  | ({ kind: "smtp"; port: number; mailing: Mailing } & Bounds)
  /** Calls tools of the Model Context Protocol. */
  | ({ kind: "mcp"; port: number; key: string; revision: string; calls: ToolCall[] } & Bounds)
  /** Sends out of the mailbox of `key`. */
  | ({ kind: "send"; port: number; key: string } & Bounds)
  | {
      kind: "code";
      port: number;
      operatorKey: string;
      address: string;
      key: string;
      count: number;
      run: string;
    };

/** The measurements of a job. For `code`: milliseconds from the inbound answer to the arrival of the code. */
export interface Outcome {
  latenciesMs: Float64Array;
  elapsedMs: number;
  /** Of one answer, on average. */
  answerBytes: number;
}

export type LoadReply = { ok: true; outcome: Outcome } | { ok: false; error: string };

/** The load client, in a thread of its own, so that other work of the bench does not delay it. */
export class LoadClient {
  readonly #thread = new Worker(path.join(import.meta.dirname, "load-thread.ts"));

  /** Runs one job; jobs do not overlap. An answer other than the expected one rejects. */
  async run(job: Job): Promise<Outcome> {
    const reply = await new Promise<LoadReply>((resolve, reject) => {
      const failed = (error: unknown): void =>
        reject(error instanceof Error ? error : new Error(String(error)));
      this.#thread.once("error", failed);
      this.#thread.once("message", (message: LoadReply) => {
        this.#thread.off("error", failed);
        resolve(message);
      });
      this.#thread.postMessage(job);
    });
    if (!reply.ok) throw new Error(reply.error);
    return reply.outcome;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
