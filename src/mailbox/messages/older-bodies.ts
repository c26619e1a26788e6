import { uuidV7, type Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import { parseMail } from "../../mail/mime/parse.ts";
import type { ParsedMail } from "../../mail/mime/parsed-mail.ts";
import { storedBody } from "../../mail/prepare.ts";
import type { Listing } from "../../mail/prepared-mail.ts";
import { latinJson } from "../../lib/json-text.ts";
import { ORPHAN_AFTER_MS, type Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import { listingOf } from "./present.ts";
import * as rows from "./rows.ts";
import { MESSAGES } from "./schema.ts";

/**
 * Adds the texts of large messages that an earlier release stored without them: reads them from the raw message once, when
 * somebody first asks for the email, and stores them. One message at a time: a raw message takes up to 25 MB of memory.
 */
export class OlderBodies {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #blobs: Blobs;
  #last: Promise<void> = Promise.resolve();

  constructor(context: MailboxContext, blobs: Blobs) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#blobs = blobs;
  }

  /** Stores the bodies of a message. Throws if the raw message cannot be read now. */
  store(seq: Seq): Promise<void> {
    const kept = this.#last.then(() => this.#keep(seq));
    this.#last = kept.catch(() => {});
    return kept;
  }

  async #keep(seq: Seq): Promise<void> {
    if (!this.#isWithout(seq)) return;
    const parsed = await parseMail(await this.#rawOf(seq));
    const { body, largeBody } = storedBody(parsed);
    const nowMs = this.#context.now();
    const key = largeBody === null ? null : this.#blobs.store.newKey("", uuidV7(nowMs));
    if (key !== null && largeBody !== null) {
      this.#blobs.reserve(key, nowMs + ORPHAN_AFTER_MS);
      await this.#blobs.store.write(key, largeBody.pieces());
    }
    this.#context.commit(() => {
      // The message was deleted or parsed again meanwhile. The blob written for it is erased as planned.
      if (!this.#isWithout(seq)) return;
      if (key !== null) this.#blobs.claim(key);
      this.#tables.run(rows.STORE_BODY, body, key, largeBody && JSON.stringify(largeBody.layout), seq);
      this.#tellTruncated(seq, parsed);
    });
  }

  #isWithout(seq: Seq): boolean {
    const row = this.#tables.first(rows.FIND_EMAIL, seq);
    return row?.status === "received" && row.body === null && row.body_key === null;
  }

  #tellTruncated(seq: Seq, parsed: ParsedMail): void {
    const row = this.#tables.first(rows.FIND_EMAIL, seq);
    if (row === null || !parsed.isTextCut) return;
    const { text_truncated: _, ...listing } = listingOf(row);
    const told: Listing = { text_truncated: true, ...listing };
    this.#tables.run(rows.WRITE_LISTING, latinJson(told), seq);
  }

  async #rawOf(seq: Seq): Promise<Uint8Array> {
    const row = this.#tables.first(rows.READ_RAW, seq);
    if (row?.raw != null) return new Uint8Array(row.raw);
    if (row?.raw_key == null) throw new Error("The raw bytes of a message are missing");
    const raw = new Uint8Array(row.size_bytes);
    let end = 0;
    for await (const piece of this.#blobs.read({ key: row.raw_key, sizeBytes: raw.byteLength })) {
      raw.set(piece, end);
      end += piece.byteLength;
    }
    return raw;
  }
}
