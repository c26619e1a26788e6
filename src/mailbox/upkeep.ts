import type { Answer } from "../contract/problem.ts";
import { done } from "../lib/outcome.ts";
import type { RowCost } from "../lib/sql.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Access } from "./access.ts";
import {
  findKept,
  healthOf,
  keptPage,
  type KeptPage,
  type Overview,
  type UnsentMessage,
} from "./overview.ts";
import { BEYOND_ALL, seqOf } from "./reading.ts";
import { rewrite, stalePage, type StalePage } from "./reindex.ts";
import { MailboxSending } from "./sending.ts";
import * as statements from "./statements.ts";
import { statsOf } from "./stats.ts";

const DAY_MS = 86_400_000;
/** How long a mailbox lives on after whoever takes its mail over has asked for it. */
const HOLD_MS = DAY_MS;
/** From its beginning: some weeks in which somebody can make room. */
const MAX_HELD_MS = 30 * DAY_MS;

/** What the operator sees of a mailbox, and what is done to its rows by whoever runs the deployment. */
export abstract class MailboxUpkeep extends MailboxSending {
  /** Everything that the operator sees of it. */
  overview(access: Access): Answer<Overview> {
    const info = this.info(access);
    if (!info.ok) return info;
    return this.answer(access, (account) => {
      const { kind, paused_at, pause_reason } = account.row;
      return done({
        info: info.value,
        kind,
        stats: statsOf(account.row, this.counted(account), Date.now()),
        quotaBytes: this.quotaOf(account),
        pause: paused_at === null ? null : { at: new Date(paused_at).toISOString(), reason: pause_reason },
        keys: account.keyRecords().length,
        webhooks: healthOf(this.jobs.webhooks),
        hasKept: this.outbox.kept(BEYOND_ALL, 1).length > 0,
      });
    });
  }

  /** Messages that would have left the deployment and were kept instead. */
  kept(access: Access, page: { cursor: string | null; limit: number }): Answer<KeptPage> {
    return this.answer(access, (account) => keptPage(this.outbox, this.view(account), page));
  }

  keptOne(access: Access, id: string): Answer<UnsentMessage> {
    return this.answer(access, (account) => findKept(this.outbox, this.view(account), id));
  }

  /** The stored messages, page by page, for whoever reads them again after a change of the parser. */
  stale(access: Access, page: { cursor: string | null; limit: number }): Answer<StalePage> {
    return this.answer(access, (account) => stalePage(this.db, this.view(account), page));
  }

  /**
   * Keeps a temporary mailbox alive for a while, as long as another one waits to take its mail over: what that one has no room
   * for yet is nowhere else. It ends all the same some days after it would have.
   */
  async hold(access: Access): Promise<Answer<null>> {
    const now = Date.now();
    const held = this.answer(access, (account, { keyId }) => {
      const until = Math.min(now + HOLD_MS, account.row.created_at + MAX_HELD_MS);
      if (keyId !== null) this.commit(() => account.extend(until, keyId));
      return done(null);
    });
    if (held.ok) await this.arm();
    return held;
  }

  /** Writes once more what follows from the bytes of a message. */
  async rewrite(access: Access, id: string, mail: PreparedMail): Promise<Answer<null>> {
    const rewritten = this.answer(access, (account) => {
      const seq = seqOf(this.view(account), id);
      return seq.ok ? this.commit(() => rewrite(this.db, seq.value, mail, Date.now())) : seq;
    });
    if (rewritten.ok && (mail.partsKey !== null || mail.bodyKey !== null)) await this.arm();
    return rewritten;
  }

  /** All messages were read again: what their vectors are made of may be other texts now. */
  embedAgain(access: Access): Answer<null> {
    return this.answer(access, () => {
      this.commit(() => this.jobs.embeddings.startOver());
      this.jobs.embeddings.stored(Date.now());
      return done(null);
    });
  }

  /** ChunkRows: where a deployment has no bucket, blobs lie here. Only the router calls these. */
  putChunk(key: string, position: number, bytes: ArrayBuffer): void {
    if (this.account !== null) this.db.run(statements.PUT_CHUNK, key, position, bytes);
  }

  getChunk(key: string, position: number): ArrayBuffer | null {
    return this.account === null ? null : (this.db.first(statements.GET_CHUNK, key, position)?.bytes ?? null);
  }

  deleteChunks(keys: readonly string[]): void {
    if (this.account !== null) for (const key of keys) this.db.run(statements.DELETE_CHUNKS, key);
  }

  /** Rows read and written since the last call: for the benchmark and for tests of cost; no route leads here. */
  takeRowCost(): RowCost {
    return this.db.takeCost();
  }
}
