import { ownJson } from "../../lib/json-text.ts";
import { invalid, notFound, type Answer } from "../../contract/problem.ts";
import { idOf, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import type { Embeddings } from "../embeddings/embeddings.ts";
import type { EmailAnswer, Reading } from "../reading/reading.ts";
import type { Outbox } from "../sending/outbox.ts";
import { answeredStatus } from "../sending/sent-answer.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { emailSeq, listingOf, messageIdOf, viewOf } from "./present.ts";
import * as rows from "./rows.ts";
import { MESSAGES } from "./schema.ts";
import type { SearchIndex } from "./search-index.ts";

/** Labels of one email at most. */
const MAX_LABELS = 100;

/** Capabilities that store parts of a message or show it. */
interface Others {
  reading: Reading;
  blobs: Blobs;
  outbox: Outbox;
  uploads: Uploads;
  embeddings: Embeddings;
  searchIndex: SearchIndex;
}

/** Changes the labels of stored emails, and deletes emails. */
export class Messages {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: Others;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#others = others;
  }

  /** Adds labels to an email, then removes others. Changes nothing if there would be more than MAX_LABELS. */
  async relabel(
    access: Access,
    id: string,
    change: { add: string[]; remove: string[] },
  ): Promise<Answer<EmailAnswer>> {
    const labelled = this.#context.answer(access, (account) => {
      const seq = emailSeq(viewOf(account), id);
      return seq.ok ? this.#context.commit(() => this.#relabel(seq.value, change)) : seq;
    });
    return labelled.ok ? this.#others.reading.readEmail(access, id) : labelled;
  }

  /** Deletes an email. The alarm erases its blobs. */
  async deleteEmail(access: Access, id: string): Promise<Answer<{ deleted: true }>> {
    const { answer, commit, now, arm, reportSoon } = this.#context;
    const nowMs = now();
    const deleted = answer(access, (account) => {
      const seq = emailSeq(viewOf(account), id);
      if (!seq.ok) return seq;
      return commit(() => {
        // The directory stores the time of the newest unsent message.
        if (this.#others.outbox.unsentOne(seq.value) !== null) reportSoon();
        this.#others.embeddings.erase(seq.value);
        return this.#erase(account, seq.value, nowMs);
      });
    });
    if (deleted.ok) await arm();
    return deleted;
  }

  #relabel(seq: Seq, change: { add: readonly string[]; remove: readonly string[] }): Answer<null> {
    const row = this.#tables.first(rows.FIND_MESSAGE, seq);
    if (row === null) return refused(notFound("Email"));
    const before = ownJson<string[]>(row.labels);
    const after = [...new Set([...before, ...change.add])].filter((label) => !change.remove.includes(label));
    if (after.length > MAX_LABELS) {
      return refused(invalid("add_labels", `an email carries at most ${MAX_LABELS} labels`));
    }
    for (const label of after) if (!before.includes(label)) this.#tables.run(rows.ADD_LABEL, label, seq);
    for (const label of before) if (!after.includes(label)) this.#tables.run(rows.REMOVE_LABEL, label, seq);
    this.#tables.run(rows.WRITE_LABELS, JSON.stringify(after), seq);
    return done(null);
  }

  /** Erases the rows of one message; inside one transaction. Its blobs are due at once. */
  #erase(account: Account, seq: Seq, nowMs: number): Answer<{ deleted: true }> {
    const { blobs, outbox, uploads, searchIndex } = this.#others;
    const row = this.#tables.first(rows.FIND_EMAIL, seq);
    if (row === null) return refused(notFound("Email"));
    const isHidden = this.#tables.first(rows.IS_HIDDEN, seq)?.hidden === 1;
    for (const label of ownJson<string[]>(row.labels)) this.#tables.run(rows.REMOVE_LABEL, label, seq);
    for (const key of [row.raw_key, row.parts_key, row.body_key]) if (key !== null) blobs.erase(key, nowMs);
    if (row.status !== "received") {
      outbox.storeAnswer(seq, {
        thread_id: idOf(row.thread, account.idTail),
        message_id: messageIdOf(row),
        status: answeredStatus(row.status, outbox.toldSent(seq) === true),
      });
      outbox.erase(seq);
      uploads.release(seq, nowMs);
    }
    searchIndex.remove(seq);
    this.#tables.run(rows.DELETE_CONTENT, seq);
    this.#tables.run(rows.DELETE_MESSAGE, seq);
    account.countDeletion(isHidden ? null : listingOf(row).direction, row.size_bytes);
    return done({ deleted: true });
  }
}
