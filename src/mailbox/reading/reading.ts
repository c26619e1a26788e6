import { ownJson } from "../../lib/json-text.ts";
import type { Delivery, EmailPage, InboxPage, Thread, ThreadPage } from "../../contract/message.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import type { InboxFilters } from "../../contract/routes.ts";
import { idOf, readId, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { BodyLayout } from "../../mail/large-body.ts";
import { messageKey } from "../../mail/prepare.ts";
import { outgoingBodyJson } from "../../mail/compose/prepare-outgoing.ts";
import type { StoredAttachment } from "../../mail/prepared-mail.ts";
import { isUnsent, UNSENT_HINT } from "../../outbound/unsent.ts";
import { shownState } from "../../outbound/ledger.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import { pageOf, pageStart, writeCursor } from "../page.ts";
import { gathered, inTurns, type Scans, type Turns } from "../turns.ts";
import { countFitting } from "../fitting.ts";
import { OlderBodies } from "../messages/older-bodies.ts";
import {
  emailSeq,
  emailText,
  jsonText,
  storedAttachments,
  summaryText,
  threadOf,
  viewOf,
  type JsonText,
  type View,
} from "../messages/present.ts";
import * as rows from "../messages/rows.ts";
import type { ContentRow, MessageRow } from "../messages/rows.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { KnownIds } from "../messages/threads.ts";
import { composedStream, departingBytes, type OpenFile } from "../sending/departing-stream.ts";
import type { SendingGate } from "../sending/gate.ts";
import type { Departing, Outbox } from "../sending/outbox.ts";
import type { RecipientRow } from "../sending/rows.ts";
import type { StoredUpload, Uploads } from "../uploads/uploads.ts";
import { ANY, messageScan } from "./message-scan.ts";
import { PageCache } from "./page-cache.ts";
import * as listings from "./rows.ts";
import type { ListingParams } from "./rows.ts";
import { BEYOND_ALL, isNewestPage, listingParams, listingStart } from "./rules.ts";

/** Bytes of emails on one thread page at most: while they are answered, several copies are in memory. */
const MAX_THREAD_PAGE_BYTES = 4_000_000;

/** One email as JSON text. */
export interface EmailAnswer {
  id: string;
  text: string;
  /** If the bodies are too large for the text: the blob in the mailbox's rows that holds them, and their layout. */
  large: { key: string; layout: BodyLayout } | null;
  /** An earlier release stored the message without its large bodies, which `OlderBodies` must first read from the raw message. */
  isWithoutBody: boolean;
}

/**
 * Where the bytes of a raw message are: in the row, in the blob store, or as a stream if the message is composed from its
 * parts.
 */
export interface RawSource {
  bytes: ArrayBuffer | null;
  key: string | null;
  stream?: ReadableStream<Uint8Array>;
  sizeBytes: number;
}

/** Where the bytes of an attachment are: in a range of a blob, or in a part of a raw message. */
export interface AttachmentSource {
  /** Id of the upload that holds the attachment; null for a part of a received message. */
  upload: string | null;
  /** Id of the message whose part the attachment is; null for an upload. */
  email: string | null;
  stored: StoredAttachment;
  part: number;
  partsKey: string | null;
  /**
   * The message to take the attachment from: where its blob is for a file with a place; its bytes, if the caller asked for them,
   * for one that is cut from a small message. Null for a range of a blob of parts.
   */
  raw: RawSource | null;
}

/** The newest emails of a thread, oldest first, and the cursor of older ones. Emails with bodies in blobs are listed by id. */
export interface ThreadAnswer {
  threadId: string;
  emails: EmailAnswer[];
  nextCursor: string | null;
  readonly shape?: Thread;
}

/** Capabilities that store parts of a message. */
interface Others {
  ids: KnownIds;
  blobs: Blobs;
  outbox: Outbox;
  uploads: Uploads;
  sendingGate: SendingGate;
  scans: Scans;
  /** Opens an upload for reading from its first byte. */
  openFile: OpenFile;
}

/** Shows emails and threads. */
export class Reading {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: Others;
  readonly #olderBodies: OlderBodies;
  /** Recently requested pages. */
  readonly pages = new PageCache();

  constructor(context: MailboxContext, others: Others) {
    this.#context = context;
    this.#tables = context.tables(MESSAGES);
    this.#others = others;
    this.#olderBodies = new OlderBodies(context, others.blobs);
  }

  /**
   * A page of emails, newest first. The cursor is the last seq on the page, so new mail does not shift later pages.
   * `forgetWait(waitId)` ends the call.
   */
  inbox(access: Access, filters: InboxFilters, waitId = ""): Promise<Answer<JsonText<InboxPage>>> {
    const name = isNewestPage(filters) ? `newest ${filters.limit}` : null;
    return this.#scanning(access, waitId, (account) => this.#inbox(account, filters, name));
  }

  /** Does work of which a call that its first turn answers waits for no other. */
  #scanning<T>(
    access: Access,
    waitId: string,
    begin: (account: Account) => Turns<Answer<T>>,
  ): Promise<Answer<T>> {
    const { scans } = this.#others;
    return scans.call(waitId, (scan) =>
      inTurns(this.#context, access, begin, { scan, others: (work) => scans.run(scan, work) }),
    );
  }

  /** `name`: the name of the page in the cache; null if it is not cached. */
  *#inbox(account: Account, filters: InboxFilters, name: string | null): Turns<Answer<JsonText<InboxPage>>> {
    // The log may grow while older mail is looked at.
    const lastEvent = account.row.last_event;
    const page = yield* this.pages.read(name, () => this.#inboxPage(viewOf(account), filters));
    // The log also grows by events that change no page.
    return page.ok ? done(`${page.value.slice(0, -1)},"last_seq":${lastEvent}}`) : page;
  }

  /** One email. */
  readEmail(access: Access, id: string): Promise<Answer<EmailAnswer>> {
    const read = () =>
      this.#context.answer(access, (account, { scope }) =>
        this.#findEmail(viewOf(account), id, scope !== "provisional"),
      );
    return this.#withBodies(read, (email) => [email]);
  }

  /** An email that the caller replies to or forwards. */
  emailToAnswer(access: Access, id: string): Promise<Answer<EmailAnswer>> {
    const read = () => this.#context.answer(access, (account) => this.#findEmail(viewOf(account), id, true));
    return this.#withBodies(read, (email) => [email]);
  }

  /** As `emailToAnswer`, for the email with this Message-ID; null if the mailbox has none. */
  emailWithMessageId(access: Access, messageId: string): Promise<Answer<EmailAnswer | null>> {
    const read = () =>
      this.#context.answer(access, (account) => done(this.#findByMessageId(viewOf(account), messageId)));
    return this.#withBodies(read, (email) => (email === null ? [] : [email]));
  }

  /** The bytes of a message; an outgoing message is composed from its parts. */
  async raw(access: Access, id: string): Promise<Answer<RawSource>> {
    return this.#context.answer(access, (account) => {
      const seq = emailSeq(viewOf(account), id);
      if (!seq.ok) return seq;
      const source = this.#findRaw(seq.value);
      if (!source.ok || source.value.bytes !== null || source.value.key !== null) return source;
      return done(this.#composed(seq.value) ?? source.value);
    });
  }

  /** An attachment of a message, or an upload that has not expired, by its id. `withRaw` adds the message to extract it from. */
  attachment(access: Access, id: string, withRaw = true): Answer<AttachmentSource> {
    return this.#context.answer(access, (account) => this.#findAttachment(viewOf(account), id, withRaw));
  }

  /**
   * Threads, the one with the newest message first. The cursor holds the newest seq of the first page, so new mail hides no
   * thread.
   */
  threads(
    access: Access,
    filters: { limit: number; cursor: string | null },
  ): Promise<Answer<JsonText<ThreadPage>>> {
    return this.#scanning(access, "", (account) => this.#threadPage(viewOf(account), filters));
  }

  /** The newest emails of a thread. */
  thread(
    access: Access,
    filters: { id: string; limit: number; cursor: string | null },
  ): Promise<Answer<ThreadAnswer>> {
    const read = () =>
      this.#context.answer(access, (account, { scope }) =>
        this.#findThread(viewOf(account), { ...filters, downloadable: scope !== "provisional" }),
      );
    return this.#withBodies(read, ({ emails }) => emails);
  }

  /** Reads emails. If an earlier release stored some without their bodies, adds those first and reads again. */
  async #withBodies<T>(
    read: () => Answer<T>,
    emailsOf: (value: T) => readonly EmailAnswer[],
  ): Promise<Answer<T>> {
    const found = read();
    const account = this.#context.account();
    if (!found.ok || account === null) return found;
    const without = emailsOf(found.value).filter(({ isWithoutBody }) => isWithoutBody);
    if (without.length === 0) return found;
    try {
      for (const { id } of without) {
        const seq = emailSeq(viewOf(account), id);
        if (seq.ok) await this.#olderBodies.store(seq.value);
      }
    } catch (error) {
      console.error("The texts of a stored message could not be read from its raw bytes:", error);
      return refused({
        code: "unavailable",
        error: "The stored message cannot be read now; try again",
        retryAfterSeconds: 5,
      });
    }
    return read();
  }

  *#inboxPage(view: View, filters: InboxFilters): Turns<Answer<JsonText<EmailPage>>> {
    const below = listingStart(filters, [BEYOND_ALL]);
    if (!below.ok) return below;
    const params = listingParams(filters, view.mailbox, below.value[0] ?? BEYOND_ALL);
    const found = yield* this.#listRows(params, filters);
    const { shown, next } = pageOf(found, filters.limit, ({ seq }) => writeCursor(seq));
    const unsent = this.#others.outbox.unsentAmong(shown);
    const emails = shown.map((row) => summaryText(row, view, unsent.has(row.seq))).join(",");
    const hint = unsent.size === 0 ? "" : `"hint":${JSON.stringify(UNSENT_HINT)},`;
    return done(`{"emails":[${emails}],${hint}"next_cursor":${JSON.stringify(next)}}`);
  }

  /** The rows of a page and one more, which shows that there is a next page. */
  *#listRows(params: ListingParams, { limit, offset, label }: InboxFilters): Turns<MessageRow[]> {
    const [, max] = params;
    const wishes = { params, wanted: ANY, label, without: null, isHiddenShown: label !== null };
    return yield* gathered(messageScan(this.#tables, wishes), { max, limit: limit + 1, offset });
  }

  #findEmail(view: View, id: string, downloadable: boolean): Answer<EmailAnswer> {
    const named = readId(id, view.tail);
    const row = named?.part === null ? this.#tables.first(rows.FIND_EMAIL, named.seq) : null;
    return row === null ? refused(notFound("Email")) : done(this.#emailAnswer(row, view, downloadable));
  }

  #findByMessageId(view: View, messageId: string): EmailAnswer | null {
    const bearer = this.#tables.first(rows.FIND_BEARER, messageKey(messageId));
    const row = bearer === null ? null : this.#tables.first(rows.FIND_EMAIL, bearer.seq);
    return row === null ? null : this.#emailAnswer(row, view, true);
  }

  #emailAnswer(row: MessageRow & ContentRow, view: View, downloadable: boolean): EmailAnswer {
    const id = idOf(row.seq, view.tail);
    if (row.status === "received") {
      const text = emailText(row, view, { downloadable, delivery: [] });
      const { body, body_key: key, body_layout: layout } = row;
      const large = key === null || layout === null ? null : { key, layout: ownJson<BodyLayout>(layout) };
      return { id, text, large, isWithoutBody: body === null && large === null };
    }
    // The body of an outgoing message is not stored twice.
    const { outbox } = this.#others;
    const departing = outbox.find(row.seq);
    const body = departing === null ? null : outgoingBodyJson(departing.message);
    const { isHalted } = this.#others.sendingGate;
    const delivery = outbox.recipients(row.seq).map((one) => deliveryOf(one, departing, isHalted));
    const text = emailText({ ...row, body }, view, { downloadable, delivery });
    return { id, text, large: null, isWithoutBody: false };
  }

  #findRaw(seq: Seq): Answer<RawSource> {
    const row = this.#tables.first(rows.READ_RAW, seq);
    if (row === null) return refused(notFound("Email"));
    return done({ bytes: row.raw, key: row.raw_key, sizeBytes: row.size_bytes });
  }

  /** The bytes of an outgoing message and their number; null for a received one. */
  #composed(seq: Seq): RawSource | null {
    const departing = this.#others.outbox.find(seq);
    if (departing === null) return null;
    // Only the runtime's own streams can be returned by RPC.
    const { readable, writable } = new IdentityTransformStream();
    // If the reader cancels, both ends of the stream end.
    composedStream(departing, this.#others.openFile)
      .pipeTo(writable)
      .catch(() => {});
    return { bytes: null, key: null, stream: readable, sizeBytes: departingBytes(departing) };
  }

  #findAttachment(view: View, id: string, withRaw: boolean): Answer<AttachmentSource> {
    const missing = refused(notFound("Attachment"));
    const named = readId(id, view.tail);
    if (named === null) return uploadSource(this.#others.uploads.find(id));
    if (named.part === null) return missing;
    const row = this.#tables.first(rows.FIND_EMAIL, named.seq);
    const stored = row === null ? undefined : storedAttachments(row)[named.part];
    if (row === null || stored === undefined) return missing;
    if (row.status !== "received") return uploadSource(this.#uploadOfOwn(row.seq, named.part));
    return done({
      upload: null,
      email: idOf(named.seq, view.tail),
      stored,
      part: named.part,
      partsKey: row.parts_key,
      raw: this.#rawFor(row, stored, withRaw),
    });
  }

  #rawFor(
    { seq, raw_key: key, size_bytes: sizeBytes }: MessageRow & ContentRow,
    { place, offset }: StoredAttachment,
    withRaw: boolean,
  ): RawSource | null {
    if (place !== undefined) return { bytes: null, key, sizeBytes };
    const raw = withRaw && offset === null ? this.#findRaw(seq) : null;
    return raw?.ok ? raw.value : null;
  }

  /** The upload that holds an attachment of an outgoing message. */
  #uploadOfOwn(seq: Seq, part: number): StoredUpload | null {
    return this.#others.uploads.find(this.#others.outbox.find(seq)?.uploads[part] ?? "");
  }

  *#threadPage(
    view: View,
    filters: { limit: number; cursor: string | null },
  ): Turns<Answer<JsonText<ThreadPage>>> {
    const bounds = pageStart(filters.cursor, [view.lastSeq, BEYOND_ALL]);
    if (!bounds.ok) return bounds;
    const [snapshot = view.lastSeq, below = BEYOND_ALL] = bounds.value;
    const scan = {
      read: (max: Seq, limit: number) => this.#tables.all(listings.LIST_THREADS, snapshot, max, limit),
      count: () => 0,
      end: (max: Seq) => this.#tables.first(listings.TURNS.all.none.end, 0, max, null)?.seq ?? null,
    };
    const max = Math.min(snapshot, below - 1);
    const found = yield* gathered(scan, { max, limit: filters.limit + 1 });
    const { shown, next } = pageOf(found, filters.limit, ({ seq }) => writeCursor(snapshot, seq));
    return done(jsonText({ threads: shown.map((row) => threadOf(row, view)), next_cursor: next }));
  }

  #findThread(
    view: View,
    filters: { id: string; limit: number; cursor: string | null; downloadable: boolean },
  ): Answer<ThreadAnswer> {
    const below = pageStart(filters.cursor, [BEYOND_ALL]);
    if (!below.ok) return below;
    const named = readId(filters.id, view.tail);
    if (named === null || named.part !== null) return refused(notFound("Thread"));
    const thread = this.#others.ids.threadNow(named.seq);
    const start = below.value[0] ?? BEYOND_ALL;
    const sizes = this.#tables.all(listings.THREAD_PAGE_SIZES, thread, start, filters.limit + 1);
    if (sizes.length === 0) return refused(notFound("Thread"));
    // Bodies are read only for the emails that fit: a hundred large ones exceed the memory of an isolate.
    const bytes = sizes.slice(0, filters.limit).map((row) => row.bytes);
    const fitting = Math.max(1, countFitting(bytes, MAX_THREAD_PAGE_BYTES));
    const { shown, next } = pageOf(sizes, fitting, ({ seq }) => writeCursor(seq));
    const emails = shown.flatMap(({ seq }) => this.#tables.first(rows.FIND_EMAIL, seq) ?? []);
    return done({
      threadId: idOf(thread, view.tail),
      emails: emails.toReversed().map((row) => this.#emailAnswer(row, view, filters.downloadable)),
      nextCursor: next,
    });
  }
}

/** `isHalted`: the operator has halted all sending. */
function deliveryOf(
  { address, inside, state, at, diagnostic }: RecipientRow,
  departing: Departing | null,
  isHalted: boolean,
): Delivery {
  const dueAt = departing?.tries[inside === 1 ? "inside" : "outside"].dueAt ?? null;
  const waits = state === "queued" && isHalted;
  return {
    recipient: address,
    status: shownState(state),
    at: new Date(at).toISOString(),
    diagnostic,
    ...(isUnsent(state, diagnostic) ? { kept_here: true as const } : {}),
    ...(waits ? { halted: true as const } : {}),
    next_attempt_at: state === "queued" && !waits && dueAt !== null ? new Date(dueAt).toISOString() : null,
  };
}

function uploadSource(upload: StoredUpload | null): Answer<AttachmentSource> {
  if (upload === null) return refused(notFound("Attachment"));
  const { id, filename, contentType, sizeBytes, key } = upload;
  const whole = { disposition: null, contentId: null, offset: 0 };
  const stored = { filename, contentType, sizeBytes, ...whole };
  return done({ upload: id, email: null, stored, part: 0, partsKey: key, raw: null });
}
