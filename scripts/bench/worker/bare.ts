import { DurableObject } from "cloudflare:workers";
import PostalMime from "postal-mime";

const PAGE_ROWS = 20;

const ACCOUNT =
  "CREATE TABLE account (one INTEGER PRIMARY KEY, address TEXT NOT NULL, key_hash TEXT NOT NULL);";
const MAIL = `CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, subject TEXT NOT NULL, raw BLOB NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (subject, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');`;

/** The least that an actor can be and still be a mailbox: a row with its key, its mail with the raw bytes, and words to search. */
export class Bare extends DurableObject<object> {
  /** Makes the mailbox. */
  begin(address: string): string {
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec(ACCOUNT);
      this.ctx.storage.sql.exec("INSERT INTO account VALUES (1, ?, ?)", address, "0".repeat(64));
    });
    return "{}";
  }

  /** Stores a message: its bytes as one row, its text in the index. */
  async store(raw: ArrayBuffer): Promise<string> {
    const { text = "", subject = "", from } = await PostalMime.parse(raw);
    const { sql } = this.ctx.storage;
    return this.ctx.storage.transactionSync(() => {
      sql.exec(MAIL);
      const insert = "INSERT INTO message (sender, subject, raw) VALUES (?, ?, ?) RETURNING seq";
      const { seq } = sql.exec(insert, from?.address ?? "", subject, raw).one();
      sql.exec("INSERT INTO search (rowid, subject, body) VALUES (?, ?, ?)", seq, subject, text);
      return JSON.stringify({ seq });
    });
  }

  /** The newest messages as JSON. */
  inbox(): string {
    const rows = this.ctx.storage.sql
      .exec(`SELECT seq, sender, subject FROM message ORDER BY seq DESC LIMIT ${PAGE_ROWS}`)
      .toArray();
    return JSON.stringify({ rows });
  }
}
