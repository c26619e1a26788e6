import { uuidV7, type Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { ScannedMail } from "../../mail/mime/scanned-mail.ts";
import { MailScanner } from "../../mail/mime/scanner.ts";
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
 * somebody first asks for the email, and stores them. One message at a time, because its texts are held in memory.
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
    const parsed = await this.#scanned(seq);
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

  #tellTruncated(seq: Seq, parsed: Pick<ScannedMail, "isTextCut">): void {
    const row = this.#tables.first(rows.FIND_EMAIL, seq);
    if (row === null || !parsed.isTextCut) return;
    const { text_truncated: _, ...listing } = listingOf(row);
    const told: Listing = { text_truncated: true, ...listing };
    this.#tables.run(rows.WRITE_LISTING, latinJson(told), seq);
  }

  async #scanned(seq: Seq): Promise<ScannedMail> {
    const row = this.#tables.first(rows.READ_RAW, seq);
    const scanner = new MailScanner();
    if (row?.raw != null) await scanner.write(new Uint8Array(row.raw));
    else if (row?.raw_key == null) throw new Error("The raw bytes of a message are missing");
    else
      for await (const piece of this.#blobs.read({ key: row.raw_key, sizeBytes: row.size_bytes }))
        await scanner.write(piece);
    return scanner.end();
  }
}
