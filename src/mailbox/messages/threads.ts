import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Query } from "../../lib/sql.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import { threadFor } from "../../mail/threading.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import { MESSAGES, THREAD_ALIASES } from "./schema.ts";

/** Messages that one receipt moves to another thread at most: it may refer to a hundred threads. */
const MAX_MOVED = 1_000;

/** A Message-ID that a mailbox knows, from a message that bears it or refers to it. */
export type KnownId = { message_id: string; digest: string; seq: Seq | null; thread: Seq };

/** The same look-up in two versions: with and without threads that were merged (`alias`). */
interface KnownIdStatements {
  /** Looks up the ids of a JSON array. */
  ofAll: Query<KnownId, [ids: string]>;
  /** Looks up the two names of a message without references, the most frequent case. */
  ofNames: Query<KnownId, [id: string, copy: string]>;
}

function knownIdStatements(thread: string, join: string): KnownIdStatements {
  const columns = `k.message_id, k.digest, k.seq, ${thread} AS thread`;
  return {
    ofAll: {
      text: `SELECT ${columns} FROM json_each(?) w JOIN known_id k ON k.message_id = w.value ${join}`,
    },
    ofNames: { text: `SELECT ${columns} FROM known_id k ${join} WHERE k.message_id IN (?, ?)` },
  };
}

const PLAIN = knownIdStatements("k.thread", "");
const ALIASED = knownIdStatements(
  "COALESCE(a.became, k.thread)",
  "LEFT JOIN thread_alias a ON a.thread = k.thread",
);

const FIND_ALIAS: Query<{ became: Seq }, [Seq]> = {
  text: "SELECT became FROM thread_alias WHERE thread = ?",
};
const ADD_ALIAS: Query<never, [Seq, Seq]> = {
  text: "INSERT OR REPLACE INTO thread_alias (thread, became) VALUES (?, ?)",
};
const MOVE_ALIASES: Query<never, [Seq, Seq]> = {
  text: "UPDATE thread_alias SET became = ? WHERE became = ?",
};

/** The Message-IDs that a mailbox knows, and their threads. */
export class KnownIds {
  readonly #tables: Tables;
  readonly #aliases: Tables;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(MESSAGES);
    this.#aliases = context.tables(THREAD_ALIASES);
  }

  /** The known ones among the ids that a message bears and refers to: one look-up both for its duplicates and for its thread. */
  of({ messageKey, ancestorKeys, digest }: PreparedMail): KnownId[] {
    const { ofAll, ofNames } = this.#aliases.isMade ? ALIASED : PLAIN;
    if (messageKey === null) {
      return ancestorKeys.length === 0 ? [] : this.#tables.all(ofAll, JSON.stringify(ancestorKeys));
    }
    const names = [messageKey, rows.copyName(messageKey, digest)] as const;
    return ancestorKeys.length === 0
      ? this.#tables.all(ofNames, ...names)
      : this.#tables.all(ofAll, JSON.stringify([...ancestorKeys, ...names]));
  }

  /**
   * The thread of a message: the one that its known ids belong to, or `fresh` if there is none. If they belong to several
   * threads, these are merged.
   */
  join(known: readonly KnownId[], mail: PreparedMail, { seq, fresh }: { seq: Seq; fresh: Seq }): Seq {
    const { messageKey, ancestorKeys, digest } = mail;
    // If several messages have the same Message-ID, the first one owns it: a copy does not join that thread through its own
    // id.
    const bearer = known.find((row) => row.message_id === messageKey && row.seq !== null) ?? null;
    const threadOf = new Map(known.map((row) => [row.message_id, String(row.thread)]));
    const joined = threadFor(ancestorKeys, bearer === null ? messageKey : null, threadOf, String(fresh));
    const thread = this.#merge([joined.threadId, ...joined.merge].map(Number));
    for (const id of joined.learn)
      if (id !== messageKey) this.#tables.run(rows.LEARN_ID, id, "", thread, null);
    if (messageKey === null) return thread;
    if (known.length === 0) this.#tables.run(rows.LEARN_NEW_ID, messageKey, digest, thread, seq);
    else this.learnOwn(messageKey, { digest, thread, seq }, bearer);
    return thread;
  }

  /**
   * Stores which message bears an id. Another message with the same id is stored under another name (`copyName`), so that a
   * thousand copies do not make each look-up read a thousand rows.
   *
   * @param bearer the message that already bears the id; null if none does.
   */
  learnOwn(
    messageKey: string,
    { digest, thread, seq }: { digest: string; thread: Seq; seq: Seq },
    bearer: { digest: string } | null,
  ): void {
    const isBearer = bearer === null || bearer.digest === digest;
    const name = isBearer ? messageKey : rows.copyName(messageKey, digest);
    this.#tables.run(rows.LEARN_ID, name, digest, thread, seq);
  }

  /** The number that a thread has now, after it may have been merged into another one. */
  threadNow(thread: Seq): Seq {
    return this.#aliases.first(FIND_ALIAS, thread)?.became ?? thread;
  }

  /**
   * Merges threads and answers the number of the result. The largest one keeps its number, so that few rows change. The
   * other numbers remain as aliases, for ids that were stored with them and for clients that remember them. Smaller threads are
   * moved first, and those that would exceed MAX_MOVED messages stay apart: a stranger's references to large threads would block
   * the mailbox while all are moved.
   */
  #merge(threads: readonly Seq[]): Seq {
    const [only, ...others] = threads;
    if (only !== undefined && others.length === 0) return only;
    const sizes = threads.map((thread) => ({
      thread,
      count: this.#tables.first(rows.COUNT_THREAD, thread, MAX_MOVED + 1)?.count ?? 0,
    }));
    const [survivor, ...ended] = sizes.toSorted(
      (one, two) => two.count - one.count || one.thread - two.thread,
    );
    if (survivor === undefined) throw new Error("Threads cannot be merged without any");
    let moved = 0;
    for (const { thread, count } of ended.toReversed()) {
      if (moved + count > MAX_MOVED) continue;
      moved += count;
      this.#tables.run(rows.MOVE_THREAD, survivor.thread, thread);
      this.#aliases.run(MOVE_ALIASES, survivor.thread, thread);
      this.#aliases.run(ADD_ALIAS, thread, survivor.thread);
    }
    return survivor.thread;
  }
}
