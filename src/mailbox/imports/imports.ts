import {
  GZIP_GRACE_BYTES,
  IMPORT_KEPT_MS,
  MAX_DAILY_IMPORTS,
  MAX_GZIP_RATIO,
  MAX_IMPORT_BYTES,
  MAX_OPEN_IMPORTS,
  type ImportProgress,
  type ImportStatus,
  type StartedImport,
} from "../../contract/moving.ts";
import { conflict, notFound, type Answer, type Problem } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Access } from "../account/access.ts";
import type { Room } from "../account/room.ts";
import { ORPHAN_AFTER_MS, type Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import type { ImportedMessages } from "./imported-messages.ts";
import * as rows from "./rows.ts";
import type { ImportRow } from "./rows.ts";
import { IMPORTS } from "./schema.ts";
import { walk } from "./walk.ts";

/** The lease of an attempt: without progress for this time, in ms, it counts as dead, and another attempt goes on. */
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 20_000;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;
/** After this many attempts that stored nothing an import has failed, also where each ended the process. */
const MAX_ATTEMPTS = 8;
const DAY_MS = 86_400_000;

/** An archive whose upload begins. */
export interface NewImport {
  id: string;
  /** The key of the blob that it is written to. */
  key: string;
  format: string;
  labels: readonly string[];
  /** As its Content-Length says; null without one. */
  sizeBytes: number | null;
}

/** Room for an archive. */
export interface ImportRoom {
  maxBytes: number;
  /** The problem that refuses a larger one. */
  beyond: Problem;
}

interface Others {
  room: Room;
  blobs: Blobs;
  messages: ImportedMessages;
  /** Embeds imported mail by and by. */
  embedAdded: () => void;
}

/**
 * Imports archives. An archive is written to a blob while it arrives; then a job reads it piece by piece and stores its messages
 * in small transactions, each with the place that it reached. A process that dies is followed by one that goes on there.
 */
export class Imports implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: Others;
  readonly #drain: Drain<ImportRow>;
  /** The import whose archive is read now. */
  #reading: { id: string; stop: AbortController } | null = null;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(IMPORTS);
    this.#others = others;
    this.#drain = new Drain<ImportRow>(
      context,
      {
        nextDue: (afterMs) => {
          const due = this.#tables.first(rows.NEXT)?.due_at ?? null;
          return due !== null && due > afterMs ? due : null;
        },
        claim: (nowMs) => this.#claim(nowMs),
        renew: ({ id }, nowMs) => this.#lease(id, nowMs),
        attempt: (row, signal) => this.#attempt(row, signal),
      },
      {
        name: "Imports",
        maxAtOnce: 1,
        heartbeatMs: HEARTBEAT_MS,
        pauseMs: (faults) => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** faults),
      },
    );
  }

  /**
   * Admits an archive before a byte of it is read. One that is not complete within an hour is erased. 409 while too many
   * imports are not over, 429 beyond those of a day, 507 if the mailbox has no room.
   */
  beginImport(access: Access, archive: NewImport): Answer<ImportRoom> {
    const { answer, now, write, clock } = this.#context;
    return answer(access, (account) => {
      const nowMs = now();
      const busy = this.#tooMany(nowMs);
      if (busy !== null) return refused(busy);
      // Each open import may still take what it was admitted with.
      const left = this.#others.room.left(account) - (this.#tables.first(rows.SUM_ROOM)?.bytes ?? 0);
      const room = this.#others.room.for(archive.sizeBytes ?? 1, nowMs);
      if (!room.ok) return room;
      if (left < (archive.sizeBytes ?? 1)) return refused(OTHERS_FIRST);
      const possible =
        archive.sizeBytes === null ? left : archive.sizeBytes * MAX_GZIP_RATIO + GZIP_GRACE_BYTES;
      const most = Math.min(MAX_IMPORT_BYTES, left, possible);
      write(() => {
        const { id, key, format, labels, sizeBytes } = archive;
        const expiresAt = nowMs + ORPHAN_AFTER_MS;
        const size = sizeBytes ?? 0;
        this.#tables.run(
          rows.INSERT,
          ...([id, key, format, JSON.stringify(labels), size, most] as const),
          ...([nowMs, expiresAt] as const),
        );
        clock.atLatest(expiresAt);
      });
      const beyond = most < MAX_IMPORT_BYTES ? this.#others.room.full(account) : TOO_LARGE;
      return done({ maxBytes: most, beyond });
    });
  }

  /** Starts an import whose archive was written. 503 if the upload took too long and the archive was erased. */
  async completeImport(
    access: Access,
    { id, sizeBytes }: { id: string; sizeBytes: number },
  ): Promise<Answer<StartedImport>> {
    const { answer, now, write, arm } = this.#context;
    const completed = answer(access, () => {
      if (this.#tables.first(rows.FIND, id)?.status !== "receiving") {
        return refused({ code: "unavailable", error: "The archive took too long; try again" } as const);
      }
      write(() => this.#tables.run(rows.COMPLETE, sizeBytes, sizeBytes, now(), id));
      return done({ id, status: "waiting" as const });
    });
    if (completed.ok) {
      this.pump(now());
      await arm();
    }
    return completed;
  }

  /** Forgets an archive that did not arrive whole, and erases what was written of it. */
  async abandonImport(id: string): Promise<void> {
    const { account, now, write, arm } = this.#context;
    if (account() === null) return;
    const row = this.#tables.first(rows.FIND, id);
    if (row?.status !== "receiving") return;
    write(() => this.#leave(row, now()));
    await arm();
  }

  /**
   * Cancels an import that is not over and erases its archive, or forgets one that is over. What it stored stays. 404 for
   * another id.
   */
  async cancelImport(access: Access, id: string): Promise<Answer<{ deleted: true }>> {
    const { answer, now, write, arm } = this.#context;
    const cancelled = answer(access, () => {
      const row = this.#tables.first(rows.FIND, id);
      if (row === null || row.status === "receiving" || row.status === "gone") {
        return refused(notFound("Import"));
      }
      write(() => this.#leave(row, now()));
      if (this.#reading?.id === id) this.#reading.stop.abort();
      return done({ deleted: true as const });
    });
    if (cancelled.ok) await arm();
    return cancelled;
  }

  /** The progress of an import. 404 for an unknown id. */
  importProgress(access: Access, id: string): Answer<ImportProgress> {
    return this.#context.answer(access, () => {
      const row = this.#tables.first(rows.FIND, id);
      if (row === null || row.status === "receiving" || row.status === "gone") {
        return refused(notFound("Import"));
      }
      return done(progressOf(row, row.status));
    });
  }

  /** A SELECT of the keys of all archives; null if there are no imports. */
  get blobKeys(): string | null {
    return this.#tables.isMade ? rows.BLOB_KEYS : null;
  }

  /** When the mailbox ends: plans the erasure of archives that are still being written. */
  eraseComing(): void {
    for (const { key, due_at } of this.#tables.all(rows.COMING)) this.#others.blobs.eraseLate(key, due_at);
  }

  dues(nowMs: number): (number | null)[] {
    return [this.#tables.first(rows.NEXT_EXPIRY)?.due_at ?? null, ...this.#drain.dues(nowMs)];
  }

  pump(nowMs: number): void {
    this.#expire(nowMs);
    this.#drain.pump(nowMs);
  }

  close(): void {
    this.#drain.close();
  }

  #tooMany(nowMs: number): Problem | null {
    const open = this.#tables.first(rows.COUNT_OPEN)?.count ?? 0;
    if (open >= MAX_OPEN_IMPORTS) {
      return conflict(
        `Too many imports at once (max ${MAX_OPEN_IMPORTS})`,
        "Wait until GET /v1/import/<id> answers done or failed for one of them, then repeat the call.",
      );
    }
    const today = this.#tables.first(rows.COUNT_SINCE, nowMs - DAY_MS)?.count ?? 0;
    if (today < MAX_DAILY_IMPORTS) return null;
    return {
      code: "rate_limited",
      error: `Too many imports within 24 hours (max ${MAX_DAILY_IMPORTS})`,
      fix: "Put more messages into one archive, or repeat the call tomorrow.",
      retryAfterSeconds: 3_600,
    };
  }

  #claim(nowMs: number): ImportRow[] {
    for (;;) {
      const row = this.#tables.first(rows.NEXT);
      if (row === null || row.due_at > nowMs) return [];
      if (row.attempts < MAX_ATTEMPTS) {
        this.#tables.run(rows.BEGIN, nowMs + LEASE_MS, row.id);
        this.#context.clock.atLatest(nowMs + LEASE_MS);
        return [row];
      }
      console.error("An import is given up: each attempt to read its archive ended the process");
      this.#finish(row, "failed", GIVEN_UP);
    }
  }

  #lease(id: string, nowMs: number): void {
    this.#tables.run(rows.LEASE, nowMs + LEASE_MS, id);
    this.#context.clock.atLatest(nowMs + LEASE_MS);
  }

  /** Reads the archive from where it is, and stores its messages. */
  async #attempt(row: ImportRow, closing: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([closing, stop.signal]);
    this.#reading = { id: row.id, stop };
    try {
      await this.#read(row, signal);
    } catch (error) {
      // The archive of a cancelled import is erased while it is read.
      if (stop.signal.aborted) return;
      const attempts = this.#tables.first(rows.FIND, row.id)?.attempts ?? 0;
      if (closing.aborted || attempts < MAX_ATTEMPTS) throw error;
      console.error("An import failed too often and is given up:", error);
      this.#finish(row, "failed", GIVEN_UP);
    } finally {
      this.#reading = null;
      if (!closing.aborted) this.#context.rearm();
    }
  }

  async #read(row: ImportRow, signal: AbortSignal): Promise<void> {
    const { messages, blobs, embedAdded } = this.#others;
    const read = (offset: number, length: number) => blobs.range(row.key, offset, length);
    const problem = await walk(row, { read, signal, messages });
    if (signal.aborted) return;
    this.#finish(row, problem === null ? "done" : "failed", problem);
    if ((this.#tables.first(rows.FIND, row.id)?.imported ?? 0) > 0) embedAdded();
  }

  #finish({ id, key }: ImportRow, status: ImportStatus, error: string | null): void {
    const nowMs = this.#context.now();
    this.#context.write(() => {
      this.#tables.run(rows.FINISH, status, error, nowMs + IMPORT_KEPT_MS, id);
      this.#others.blobs.erase(key, nowMs);
    });
  }

  #expire(nowMs: number): void {
    if (this.#context.account() === null) return;
    const due = this.#tables.first(rows.NEXT_EXPIRY)?.due_at ?? null;
    if (due === null || due > nowMs) return;
    this.#context.write(() => {
      for (const row of this.#tables.all(rows.EXPIRED, nowMs)) {
        if (row.status === "receiving") this.#leave(row, nowMs);
        else this.#tables.run(rows.REMOVE, row.id);
      }
      this.#tables.run(rows.FORGET_THREADS);
    });
  }

  /** Ends an import without a result. Its row stays for a day, because it counts among the imports of that day. */
  #leave({ id, key, status, created_at, due_at }: ImportRow, nowMs: number): void {
    this.#tables.run(rows.LEAVE, Math.max(nowMs, created_at + DAY_MS), id);
    if (status === "done" || status === "failed") return;
    this.#others.blobs.erase(key, nowMs);
    // A bucket may still complete a write that its writer has abandoned.
    if (status === "receiving") this.#others.blobs.eraseLate(key, due_at);
  }
}

const GIVEN_UP = "The import failed because of an internal error: the log of the server has the cause";
const OTHERS_FIRST = conflict(
  "Running imports may need all the remaining storage of the mailbox",
  "Call GET /v1/import/<id> for each running import until its status is `done` or `failed`, then repeat the call.",
);
const TOO_LARGE: Problem = {
  code: "too_large",
  error: `Archive too large (max ${MAX_IMPORT_BYTES} bytes, unpacked)`,
  fix: "Divide the archive, or use `mailkeep import FILE`, which does so.",
};

function progressOf(row: ImportRow, status: ImportStatus): ImportProgress {
  const { id, imported, duplicates, failed, cursor, size_bytes, error, created_at } = row;
  return {
    id,
    status,
    imported,
    duplicates,
    failed,
    total: status === "done" ? imported + duplicates + failed : null,
    bytes: Math.min(cursor, size_bytes),
    total_bytes: size_bytes,
    error,
    created_at: new Date(created_at).toISOString(),
  };
}
