import { ownJson } from "../../lib/json-text.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { SearchText } from "../../mail/prepared-mail.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import { MESSAGES, SEARCH_INDEX } from "./schema.ts";

/** Longest words of one message that wait for the index, in characters of JSON: they are stored twice until then. */
const MAX_WAITING_CHARS = 8_192;

/**
 * The full-text index of a mailbox. It takes five tables, and most mailboxes hold few messages and are never searched: the words of
 * their messages wait in the rows of the messages. The first search makes the index, and so does the first message that is more than a small mailbox holds.
 */
export class SearchIndex {
  readonly #context: MailboxContext;
  readonly #messages: Tables;
  readonly #tables: Tables;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#messages = context.tables(MESSAGES);
    this.#tables = context.tables(SEARCH_INDEX);
  }

  /**
   * The words of a new message of a small mailbox as its row stores them until there is an index; null if they are to be indexed
   * at once, by `add` in the same transaction.
   */
  waiting(text: SearchText): string | null {
    return this.#tables.isMade ? null : waitingWords(text);
  }

  /** Indexes the words of a message that is stored without them, within the transaction that files it. Makes the index. */
  add(seq: Seq, text: SearchText): void {
    this.#complete();
    this.#insert(seq, text);
  }

  /** Replaces the words of a stored message, within a transaction of the caller. */
  replace(seq: Seq, text: SearchText): void {
    if (!this.#tables.isMade) {
      const words = waitingWords(text);
      this.#messages.run(rows.WRITE_WORDS, words, seq);
      if (words !== null) return;
      this.#complete();
    }
    this.#tables.run(rows.DELETE_SEARCH, seq);
    this.#insert(seq, text);
  }

  /** Removes the words of a message that is erased. */
  remove(seq: Seq): void {
    this.#tables.run(rows.DELETE_SEARCH, seq);
  }

  /**
   * Does `work`, which only reads, while there are rows with these texts, in ascending order. The transaction rolls them back
   * before it ends, and no other call runs meanwhile: nobody else ever reads them, not even after a kill. If they cannot be
   * written, `work` is done without them. The transaction still writes the pages that it changed, as they were before, so on a
   * full disk the whole call may fail after it.
   */
  withRows<T>(texts: readonly [Seq, string][], work: () => T): T {
    if (texts.length === 0) return work();
    const results: T[] = [];
    try {
      this.#context.db.transaction(() => {
        for (const [seq, text] of texts) this.#tables.run(rows.INSERT_SEARCH, seq, "", "", "", text, "", "");
        results.push(work());
        throw results;
      });
    } catch {
      // The rows are rolled back or were refused. An error of `work` comes again.
    }
    const [result = work()] = results;
    return result;
  }

  /** Indexes every message that waits for it. Searches find all messages after this call. */
  complete(): void {
    if (!this.#tables.isMade && this.#messages.isMade) this.#context.write(() => this.#complete());
  }

  #complete(): void {
    if (this.#tables.isMade) return;
    this.#tables.make();
    for (const { seq, words } of this.#messages.all(rows.LIST_WORDS)) {
      this.#insert(seq, ownJson<SearchText>(words));
      this.#messages.run(rows.WRITE_WORDS, null, seq);
    }
  }

  #insert(seq: Seq, { subject, names, addresses, body, code, attachments }: SearchText): void {
    this.#tables.run(rows.INSERT_SEARCH, seq, subject, names, addresses, body, code, attachments);
  }
}

function waitingWords(text: SearchText): string | null {
  const words = JSON.stringify(text);
  return words.length > MAX_WAITING_CHARS ? null : words;
}
