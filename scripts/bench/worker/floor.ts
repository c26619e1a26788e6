import { DurableObject } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { composeMail } from "../mail.ts";

/** Rows that (b) selects from; a page of them is answered. */
const SEEDED_ROWS = 1_000;
const PAGE_ROWS = 20;
const SNIPPET_CHARS = 120;
/** Messages among which (f) searches, and the size of each. */
const FOUND_ROWS = 20_000;
const FOUND_BYTES = 2_048;
/** A row of the platform holds at most 2 MB. */
const ROW_BYTES = 1_000_000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS narrow (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, subject TEXT NOT NULL,
  snippet TEXT NOT NULL, received_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS large (seq INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (subject, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`;
const FOUND = `
CREATE TABLE found (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE found_words USING fts5 (subject, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`;

/** The minimum that an actor can do for each kind of request. The difference is the cost of the service. */
export class Floor extends DurableObject<object> {
  readonly #sql: SqlStorage;
  #seq: number;
  #large = 0;

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

  /** (e) A large message parsed, its bytes as rows of a megabyte, its text into the index. */
  async storeLarge(raw: ArrayBuffer): Promise<string> {
    const mail = await PostalMime.parse(raw);
    const seq = (this.#large += 1);
    this.ctx.storage.transactionSync(() => {
      for (let at = 0; at < raw.byteLength; at += ROW_BYTES)
        this.#sql.exec("INSERT INTO large VALUES (?, ?, ?)", seq, at, raw.slice(at, at + ROW_BYTES));
      const [subject, text] = [mail.subject ?? "", mail.text ?? ""];
      this.#sql.exec("INSERT INTO search (rowid, subject, body) VALUES (?, ?, ?)", -seq, subject, text);
    });
    return `{"seq":${seq}}`;
  }

  /** Stores the messages of (f) and (g): each of the words in turn is in one of `every`. */
  fill(words: readonly string[], every: number): string {
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec(FOUND);
      for (let seq = 1; seq <= FOUND_ROWS; seq += 1) {
        const needle = words[seq % every];
        const mail = composeMail({ to: "floor@x", serial: `fill${seq}`, sizeBytes: FOUND_BYTES, needle });
        const subject = /^Subject: (.*)$/m.exec(mail)?.[1] ?? "";
        const body = mail.slice(mail.indexOf("\r\n\r\n") + 4);
        this.#sql.exec("INSERT INTO found VALUES (?, ?, ?, ?)", seq, "bench@sender.example", subject, body);
        this.#sql.exec("INSERT INTO found_words (rowid, subject, body) VALUES (?, ?, ?)", seq, subject, body);
      }
    });
    return `{"stored":${FOUND_ROWS}}`;
  }

  /** (f) The twenty best matches of a word, by BM25, with the beginning of each text. */
  search(word: string): string {
    const rows = this.#sql
      .exec(
        `SELECT m.seq, m.sender, m.subject, substr(m.body, 1, ${SNIPPET_CHARS}) AS snippet, f.score FROM
          (SELECT rowid, bm25(found_words) AS score FROM found_words WHERE found_words MATCH ?
            ORDER BY rank LIMIT ${PAGE_ROWS}) f
          JOIN found m ON m.seq = f.rowid ORDER BY f.score`,
        word,
      )
      .toArray();
    return JSON.stringify({ rows });
  }

  /** (g) One message as JSON. */
  one(seq: number): string {
    return JSON.stringify(
      this.#sql.exec("SELECT seq, sender, subject, body FROM found WHERE seq = ?", seq).one(),
    );
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
