import { locatorOf } from "../../contract/key.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { nextSeq, SEQ_PER_MS, uuidV7, type Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import { parseMail } from "../../mail/mime/parse.ts";
import { prepareRead, type Envelope, type Prepared } from "../../mail/prepare.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import { readWhole, type ReadMail } from "../../mail/read-mail.ts";
import { arrivingFrom, isWhole } from "../../service/arriving.ts";
import { MAX_ROW_BYTES } from "../../service/blob-choice.ts";
import { dropped, readWhilePassing } from "../../service/passing-mail.ts";
import { known } from "../../service/sender-check.ts";
import { storeBody } from "../../service/store-mail.ts";
import type { Account } from "../account/account.ts";
import type { Room } from "../account/room.ts";
import { ORPHAN_AFTER_MS, type Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import type { Filing } from "../messages/filing.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { KnownIds } from "../messages/threads.ts";
import * as rows from "./rows.ts";
import { labelsOfImport, receivedMs, type Found } from "./rules.ts";
import { IMPORTS } from "./schema.ts";

/** Hex digits kept of the digest of a message: 128 bits. */
const DIGEST_HEX = 32;

/** Thrown if the mailbox is full: the rest of the archive is not stored. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** A message of an archive that was parsed. */
interface Read {
  raw: Uint8Array;
  prepared: Prepared;
  place: Place;
}

/** The place of a message in the mailbox: time, thread and digest. */
interface Place {
  /** SHA-256 of its bytes, shortened. */
  digest: string;
  /** ms since 1970. */
  receivedMs: number;
  isSent: boolean;
  isHidden: boolean;
  /** The name of its thread in the archive; null if that names none. */
  thread: string | null;
}

/** A message of an archive that can be stored. */
export interface Ready {
  mail: PreparedMail;
  place: Place;
}

interface Others {
  room: Room;
  blobs: Blobs;
  ids: KnownIds;
  filing: Filing;
}

/** Parses and stores messages of archives. */
export class ImportedMessages {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #messages: Tables;
  readonly #others: Others;

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(IMPORTS);
    this.#messages = context.tables(MESSAGES);
    this.#others = others;
  }

  /** Parses a message. Delivery reports are stored like other mail: they do not change the state of sent messages. */
  async read(found: Found, labels: string): Promise<Read> {
    const { raw, note } = found;
    const mail = await readMail(raw);
    const { parsed } = mail;
    const isSent = note.direction === "outbound";
    const own = this.#context.account()?.row.address ?? "";
    const to = note.envelope_to ?? (isSent ? (parsed.to[0]?.address ?? "") : own);
    const envelope: Envelope = {
      from: note.envelope_from ?? parsed.from.address,
      to: canonicalAddress(to) === null ? own : to,
      via: "import",
      isImportedSent: isSent,
      clientAddress: null,
      helo: null,
    };
    const prepared = prepareRead(mail, envelope, null);
    return {
      raw,
      prepared: { ...prepared, report: null, labels: labelsOfImport(found, prepared.labels, labels) },
      place: {
        digest: sha256Hex(raw).slice(0, DIGEST_HEX),
        receivedMs: receivedMs(found, parsed, this.#context.now()),
        isSent,
        isHidden: note.hidden === true,
        thread: note.thread ?? null,
      },
    };
  }

  /** Writes the parts of a message that are too large for a row. Throws if the blob store fails. */
  async withBlobs({ raw, prepared, place }: Read): Promise<Ready> {
    const { largeBody, ...rest } = prepared;
    const isLarge = raw.byteLength > MAX_ROW_BYTES;
    // No blob is written for a duplicate.
    if ((!isLarge && largeBody === null) || this.#isStored(place)) {
      const inRow = { raw: raw.slice().buffer, rawKey: null, bodyKey: null, bodyLayout: null };
      return { mail: { ...rest, ...inRow, unusedKeys: [] }, place };
    }
    const { blobs } = this.#others;
    const large = blobs.forWriting();
    const owner = locatorOf(this.#context.account()?.row.address ?? "");
    const newKey = (store: typeof large) => store.newKey(owner, uuidV7(this.#context.now()));
    const [rawKey, bodyKey] = [newKey(large), newKey(blobs.store)];
    const dueAt = this.#context.now() + ORPHAN_AFTER_MS;
    const keys = isLarge ? [rawKey, bodyKey] : [bodyKey];
    this.#context.write(() => keys.forEach((key) => blobs.reserve(key, dueAt)));
    const withBody = await storeBody(prepared, { rows: blobs.store, bodyKey });
    if (!isLarge) return { mail: { ...withBody, raw: raw.slice().buffer, rawKey: null }, place };
    await large.put(rawKey, [raw]);
    return { mail: { ...withBody, raw: null, rawKey }, place };
  }

  /**
   * Stores messages and the place that their import reached, in one transaction. A message that the mailbox has already is
   * counted as a duplicate. Throws NoRoom, and then stores nothing.
   */
  store(id: string, ready: readonly Ready[], { failed, next }: { failed: number; next: number }): void {
    const { live, now, commit } = this.#context;
    const nowMs = now();
    const account = live(nowMs);
    if (account === null) return;
    const bytes = ready.reduce((sum, { mail }) => sum + mail.sizeBytes, 0);
    if (ready.length > 0 && bytes > this.#others.room.left(account)) {
      const { error } = this.#others.room.full(account);
      throw new NoRoom(`${error}: delete mail or have its quota raised, then repeat the import`);
    }
    commit(() => {
      this.#messages.make();
      let imported = 0;
      for (const one of ready) if (this.#storeOne(account, one, nowMs)) imported += 1;
      this.#tables.run(rows.ADVANCE, next, imported, ready.length - imported, failed, id);
    });
  }

  #storeOne(account: Account, { mail, place }: Ready, nowMs: number): boolean {
    const { ids, filing, blobs } = this.#others;
    if (this.#isStored(place) || this.#isKnown(mail, place)) {
      for (const key of [mail.rawKey, mail.bodyKey]) if (key !== null) blobs.erase(key, nowMs);
      for (const key of mail.unusedKeys) blobs.cancel(key);
      return false;
    }
    const seq = this.#freeSeq(account, place.receivedMs, nowMs);
    const named = place.thread === null ? null : this.#tables.first(rows.FIND_THREAD, place.thread);
    const filed = filing.fileImported(account, mail, {
      seq,
      direction: place.isSent ? "outbound" : "inbound",
      thread: named === null ? null : ids.threadNow(named.thread),
      isHidden: place.isHidden,
      nowMs,
    });
    if (place.thread !== null && named === null)
      this.#tables.run(rows.LEARN_THREAD, place.thread, filed.thread);
    this.#tables.run(rows.REMEMBER, place.digest, seq);
    return true;
  }

  /** Whether an import stored these bytes, and they are still there. */
  #isStored({ digest }: Place): boolean {
    return this.#messages.isMade && this.#tables.first(rows.FIND_IMPORTED, digest) !== null;
  }

  /** Whether the mailbox has these bytes already, although no import stored them. */
  #isKnown(mail: PreparedMail, { receivedMs: ms, isSent }: Place): boolean {
    const bearers = this.#others.ids.of({ ...mail, ancestorKeys: [] }).flatMap(({ seq }) => seq ?? []);
    const from = ms * SEQ_PER_MS;
    const twins = this.#messages.all(rows.FIND_TWINS, from, from + SEQ_PER_MS, mail.listing);
    const candidates = new Set([...bearers, ...twins.map(({ seq }) => seq)]);
    return [...candidates].some((seq) => this.#hasBytes(seq, mail, isSent));
  }

  #hasBytes(seq: Seq, { raw, sizeBytes }: PreparedMail, isSent: boolean): boolean {
    const stored = this.#messages.first(rows.READ_STORED, seq);
    if (stored === null) return false;
    // A message that the mailbox sent is composed when it is read. The copy that came back through a list, or one that a
    // stranger made with its Message-ID, is another message.
    if (stored.raw === null && stored.raw_key === null) return isSent && stored.direction === "outbound";
    if (stored.size_bytes !== sizeBytes) return false;
    // Two large messages of the same size with the same Message-ID or time count as the same message.
    return raw === null || stored.raw === null || Buffer.from(raw).equals(Buffer.from(stored.raw));
  }

  /** A number for a message of this time that no other message has; a full millisecond uses numbers of the next. */
  #freeSeq({ row: { last_seq } }: Account, receivedAt: number, nowMs: number): Seq {
    for (let ms = receivedAt; ms <= nowMs; ms += 1) {
      const [from, to] = [ms * SEQ_PER_MS, (ms + 1) * SEQ_PER_MS];
      const newest = this.#messages.first(rows.NEWEST_WITHIN, from, to)?.seq ?? null;
      const free = newest === null ? from : newest + 1;
      // A free number up to the last one that was given out belonged to a message that was erased.
      const seq = last_seq >= from && last_seq < to ? Math.max(free, last_seq + 1) : free;
      if (seq < to) return seq;
    }
    return nextSeq(last_seq, nowMs);
  }
}

async function readMail(raw: Uint8Array): Promise<ReadMail> {
  const message = arrivingFrom(raw);
  if (isWhole(message)) return readWhole(raw, await parseMail(raw));
  return (await readWhilePassing(message, known(null), dropped)).read;
}
