import { uuidV7, type Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import { parseMail } from "../mail/mime/parse.ts";
import type { ParsedMail } from "../mail/mime/parsed-mail.ts";
import { storedBody } from "../mail/prepare.ts";
import type { Listing } from "../mail/prepared-mail.ts";
import { latinJson } from "../lib/json-text.ts";
import { ORPHAN_AFTER_MS } from "./erasure.ts";
import { claimBlob } from "./ingest.ts";
import { readOwnBlob, rowsOf } from "./own-blobs.ts";
import { listingOf } from "./present.ts";
import * as statements from "./statements.ts";

interface Tools {
  db: Database;
  bucket: () => R2Bucket | undefined;
  commit: (change: () => void) => void;
}

/**
 * Gives large mail from before its texts were stored what mail has since: they are read from the raw message once, when
 * somebody first asks for it, and stored. One message after the other: a raw message takes 25 MB of memory.
 */
export class OlderBodies {
  readonly #tools: Tools;
  #last: Promise<void> = Promise.resolve();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Throws where the raw message cannot be read now. */
  keep(seq: Seq): Promise<void> {
    const kept = this.#last.then(() => this.#keep(seq));
    this.#last = kept.catch(() => {});
    return kept;
  }

  async #keep(seq: Seq): Promise<void> {
    if (!this.#isWithout(seq)) return;
    const { db } = this.#tools;
    const raw = await this.#rawOf(seq);
    const parsed = await parseMail(raw);
    const { body, largeBody } = storedBody(parsed);
    const rows = rowsOf(db);
    const now = Date.now();
    const key = largeBody === null ? null : rows.newKey("", uuidV7(now));
    if (key !== null && largeBody !== null) {
      db.run(statements.PLAN_ERASURE, key, now + ORPHAN_AFTER_MS);
      await rows.write(key, largeBody.pieces());
    }
    this.#tools.commit(() => {
      // Deleted or read again meanwhile: what was written for it is erased as planned.
      if (!this.#isWithout(seq)) return;
      if (key !== null) claimBlob(db, key);
      db.run(statements.KEEP_BODY, body, key, largeBody && JSON.stringify(largeBody.layout), seq);
      this.#tellTruncated(seq, parsed);
    });
  }

  #isWithout(seq: Seq): boolean {
    const row = this.#tools.db.first(statements.FIND_EMAIL, seq);
    return row?.status === "received" && row.body === null && row.body_key === null;
  }

  #tellTruncated(seq: Seq, parsed: ParsedMail): void {
    const { db } = this.#tools;
    const row = db.first(statements.FIND_EMAIL, seq);
    if (row === null || !parsed.isTextCut) return;
    const { text_truncated: _, ...listing } = listingOf(row);
    const told: Listing = { text_truncated: true, ...listing };
    db.run(statements.WRITE_LISTING, latinJson(told), seq);
  }

  async #rawOf(seq: Seq): Promise<Uint8Array> {
    const { db, bucket } = this.#tools;
    const row = db.first(statements.READ_RAW, seq);
    if (row?.raw != null) return new Uint8Array(row.raw);
    if (row?.raw_key == null) throw new Error("A message has no bytes");
    const raw = new Uint8Array(row.size_bytes);
    let end = 0;
    for await (const piece of readOwnBlob(db, bucket(), { key: row.raw_key, sizeBytes: raw.byteLength })) {
      raw.set(piece, end);
      end += piece.byteLength;
    }
    return raw;
  }
}
