import { DurableObject } from "cloudflare:workers";
import PostalMime from "postal-mime";

/** Rows that (b) selects from; a page of them is answered. */
const SEEDED_ROWS = 1_000;
const PAGE_ROWS = 20;
const SNIPPET_CHARS = 120;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS narrow (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, subject TEXT NOT NULL,
  snippet TEXT NOT NULL, received_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, raw BLOB NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (subject, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`;

/** The minimum that an actor can do for each kind of request. The difference is the cost of the service. */
export class Floor extends DurableObject<object> {
  readonly #sql: SqlStorage;
  #seq: number;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(SCHEMA);
    this.#seed();
    this.#seq = Number(this.#sql.exec("SELECT count(*) AS n FROM message").one()["n"]);
  }

  /** (a) One RPC, a constant. */
  constant(): string {
    return '{"ok":true}';
  }

  /** (b) Twenty narrow rows as JSON. */
  page(): string {
    const rows = this.#sql
      .exec(
        `SELECT seq, sender, subject, snippet, received_at FROM narrow ORDER BY seq DESC LIMIT ${PAGE_ROWS}`,
      )
      .toArray();
    return JSON.stringify({ rows });
  }

  /** (c) The message parsed, its bytes as one row, its text into the index. */
  async store(raw: ArrayBuffer): Promise<string> {
    const mail = await PostalMime.parse(raw);
    const seq = (this.#seq += 1);
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("INSERT INTO message (seq, raw) VALUES (?, ?)", seq, raw);
      const text = mail.text ?? "";
      this.#sql.exec(
        "INSERT INTO search (rowid, subject, body) VALUES (?, ?, ?)",
        seq,
        mail.subject ?? "",
        text,
      );
    });
    return `{"seq":${seq}}`;
  }

  /** (d) A stream that sends one line and stays open. */
  override fetch(): Response {
    const begin = new TextEncoder().encode("retry: 1000\n\n");
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(begin) }));
  }

  #seed(): void {
    if (Number(this.#sql.exec("SELECT count(*) AS n FROM narrow").one()["n"]) > 0) return;
    for (let seq = 1; seq <= SEEDED_ROWS; seq += 1) {
      const snippet = `Message ${seq} of the floor. `.padEnd(SNIPPET_CHARS, "lorem ipsum ");
      this.#sql.exec(
        "INSERT INTO narrow (seq, sender, subject, snippet, received_at) VALUES (?, ?, ?, ?, ?)",
        seq,
        `sender${seq}@example.com`,
        `Subject number ${seq}`,
        snippet,
        1_700_000_000_000 + seq,
      );
    }
  }
}
