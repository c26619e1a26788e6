import type { Delivery, EmailPage, Thread, ThreadPage } from "../contract/message.ts";
import { invalid, notFound, type Answer } from "../contract/problem.ts";
import type { InboxFilters } from "../contract/routes.ts";
import { idOf, readId, SEQ_PER_MS, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import { foldForMatch } from "../mail/search/search-text.ts";
import type { BodyLayout } from "../mail/large-body.ts";
import { messageKey } from "../mail/prepare.ts";
import type { StoredAttachment } from "../mail/prepared-mail.ts";
import { outgoingBodyJson } from "../mail/compose/prepare-outgoing.ts";
import { isKept, KEPT_HINT } from "../outbound/kept.ts";
import { shownState } from "../outbound/ledger.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { Outbox, type Departing } from "./outbox.ts";
import {
  emailText,
  jsonText,
  storedAttachments,
  summaryText,
  threadOf,
  type JsonText,
  type View,
} from "./present.ts";
import type { ContentRow, MessageRow, RecipientRow } from "./schema.ts";
import * as statements from "./statements.ts";
import type { ListingParams } from "./statements.ts";
import { findUpload, type StoredUpload } from "./uploads.ts";

/** Above every seq there will be. */
export const BEYOND_ALL: Seq = Number.MAX_SAFE_INTEGER;
/** Bytes of emails that one thread page carries: they are in memory several times while they are answered. */
const MAX_THREAD_PAGE_BYTES = 4_000_000;

/** One email: its JSON text. */
export interface EmailAnswer {
  id: string;
  text: string;
  /** Where its bodies lie if they are not in the text, in rows of the mailbox. */
  large: { key: string; layout: BodyLayout } | null;
  /** It was stored by a version that kept no bodies so large: they must be read from the raw message (`OlderBodies`). */
  isWithoutBody: boolean;
}

/** Where the bytes of a raw message lie: here, in the blob store, or in no one place, for those composed anew. */
export interface RawSource {
  bytes: ArrayBuffer | null;
  key: string | null;
  stream?: ReadableStream<Uint8Array>;
  sizeBytes: number;
}

/** Where the bytes of an attachment lie: a range of a blob, or a part of a raw message. */
export interface AttachmentSource {
  /** Id of the upload that it is; null for a part of a message that arrived. */
  upload: string | null;
  /** Id of the message that it is a part of; null for an upload. */
  email: string | null;
  stored: StoredAttachment;
  part: number;
  partsKey: string | null;
  /** The message that it must be cut from, if that was asked for; null where it is a range of a blob. */
  raw: RawSource | null;
}

/** The bounds and filters of a listing as its statements take them. `below` is exclusive. */
export function listingParams(filters: InboxFilters, mailbox: string, below: Seq): ListingParams {
  const to = filters.to !== null && filters.to.toLowerCase() === mailbox ? null : filters.to;
  const until = filters.until === null ? BEYOND_ALL : (filters.until + 1) * SEQ_PER_MS - 1;
  return [
    filters.since === null ? 0 : filters.since * SEQ_PER_MS,
    Math.min(below - 1, until),
    filters.direction,
    folded(filters.from),
    to,
    folded(filters.subject),
    filters.has_attachment === null ? null : Number(filters.has_attachment),
  ];
}

function folded(text: string | null): string | null {
  return text === null ? null : foldForMatch(text);
}

/** A page of the inbox, newest first. The cursor is the last seq shown, so new mail does not move it. */
export function inboxPage(db: Database, view: View, filters: InboxFilters): Answer<JsonText<EmailPage>> {
  const below = pageStart(filters, [BEYOND_ALL]);
  if (!below.ok) return below;
  const params = listingParams(filters, view.mailbox, below.value[0] ?? BEYOND_ALL);
  const rows = listRows(db, params, filters);
  const shown = rows.slice(0, filters.limit);
  const last = shown.at(-1);
  const next = rows.length > filters.limit && last ? JSON.stringify(writeCursor(last.seq)) : "null";
  const kept = new Outbox(db).keptAmong(shown);
  const emails = shown.map((row) => summaryText(row, view, kept.has(row.seq))).join(",");
  const hint = kept.size === 0 ? "" : `"hint":${JSON.stringify(KEPT_HINT)},`;
  return done(`{"emails":[${emails}],${hint}"next_cursor":${next}}`);
}

/** Whether this asks for the newest emails, whatever they are. */
export function isNewestPage(filters: InboxFilters): boolean {
  const { cursor, offset, label, direction, from, to, subject, has_attachment, since, until } = filters;
  const narrowing = [cursor, label, direction, from, to, subject, has_attachment, since, until];
  return offset === 0 && narrowing.every((filter) => filter === null);
}

/** The rows of a page, and one more: it tells whether there is a next page. */
function listRows(db: Database, params: ListingParams, filters: InboxFilters): MessageRow[] {
  const wanted = filters.limit + 1;
  const { label, offset } = filters;
  if (label !== null) return db.all(statements.LIST_LABELLED, ...params, wanted, offset, label);
  const [minSeq, maxSeq, ...others] = params;
  return isUnfiltered(minSeq, others) && offset === 0
    ? db.all(statements.LIST_NEWEST, maxSeq + 1, wanted)
    : db.all(statements.LIST_MESSAGES, ...params, wanted, offset);
}

/** Whether nothing but an upper bound narrows a listing. */
export function isUnfiltered(minSeq: Seq, others: readonly unknown[]): boolean {
  return minSeq === 0 && others.every((filter) => filter === null);
}

/** One email, or why not. */
export function findEmail(db: Database, view: View, id: string, downloadable: boolean): Answer<EmailAnswer> {
  const named = readId(id, view.tail);
  const row = named?.part === null ? db.first(statements.FIND_EMAIL, named.seq) : null;
  if (row === null) return refused(notFound("Email"));
  return done(emailAnswer(db, row, view, downloadable));
}

/** The email that bears a Message-ID; null if none here does. */
export function findByMessageId(db: Database, view: View, messageId: string): EmailAnswer | null {
  const bearer = db.first(statements.FIND_BEARER, messageKey(messageId));
  const row = bearer === null ? null : db.first(statements.FIND_EMAIL, bearer.seq);
  return row === null ? null : emailAnswer(db, row, view, true);
}

function emailAnswer(
  db: Database,
  row: MessageRow & ContentRow,
  view: View,
  downloadable: boolean,
): EmailAnswer {
  const id = idOf(row.seq, view.tail);
  if (row.status === "received") {
    const text = emailText(row, view, { downloadable, delivery: [] });
    const { body, body_key: key, body_layout: layout } = row;
    const large = key === null || layout === null ? null : { key, layout: JSON.parse(layout) as BodyLayout };
    return { id, text, large, isWithoutBody: body === null && large === null };
  }
  // Of our own messages the body is not stored twice.
  const outbox = new Outbox(db);
  const departing = outbox.find(row.seq);
  const body = departing === null ? null : outgoingBodyJson(departing.message);
  const delivery = outbox.recipients(row.seq).map((one) => deliveryOf(one, departing));
  const text = emailText({ ...row, body }, view, { downloadable, delivery });
  return { id, text, large: null, isWithoutBody: false };
}

function deliveryOf(
  { address, inside, state, at, diagnostic }: RecipientRow,
  departing: Departing | null,
): Delivery {
  const dueAt = departing?.tries[inside === 1 ? "inside" : "outside"].dueAt ?? null;
  return {
    recipient: address,
    status: shownState(state),
    at: new Date(at).toISOString(),
    diagnostic,
    ...(isKept(state, diagnostic) ? { kept_here: true as const } : {}),
    next_attempt_at: state === "queued" && dueAt !== null ? new Date(dueAt).toISOString() : null,
  };
}

/** The raw message of an email, or where it lies. */
export function findRaw(db: Database, seq: Seq): Answer<RawSource> {
  const row = db.first(statements.READ_RAW, seq);
  if (row === null) return refused(notFound("Email"));
  return done({ bytes: row.raw, key: row.raw_key, sizeBytes: row.size_bytes });
}

/** An attachment of a message, with what it must be cut from if asked so, or an upload that still is there, by its id. */
export function findAttachment(
  db: Database,
  view: View,
  { id, withRaw, nowMs }: { id: string; withRaw: boolean; nowMs: number },
): Answer<AttachmentSource> {
  const missing = refused(notFound("Attachment"));
  const named = readId(id, view.tail);
  if (named === null) return uploadSource(findUpload(db, id, nowMs));
  if (named.part === null) return missing;
  const row = db.first(statements.FIND_EMAIL, named.seq);
  const stored = row === null ? undefined : storedAttachments(row)[named.part];
  if (row === null || stored === undefined) return missing;
  if (row.status !== "received") return uploadSource(uploadOfOwn(db, row.seq, named.part, nowMs));
  const raw = withRaw && stored.offset === null ? findRaw(db, named.seq) : null;
  return done({
    upload: null,
    email: idOf(named.seq, view.tail),
    stored,
    part: named.part,
    partsKey: row.parts_key,
    raw: raw?.ok ? raw.value : null,
  });
}

/** A file of a message of our own is the upload that it came as. */
function uploadOfOwn(db: Database, seq: Seq, part: number, nowMs: number): StoredUpload | null {
  return findUpload(db, new Outbox(db).find(seq)?.uploads[part] ?? "", nowMs);
}

function uploadSource(upload: StoredUpload | null): Answer<AttachmentSource> {
  if (upload === null) return refused(notFound("Attachment"));
  const { id, filename, contentType, sizeBytes, key } = upload;
  const whole = { disposition: null, contentId: null, offset: 0 };
  const stored = { filename, contentType, sizeBytes, ...whole };
  return done({ upload: id, email: null, stored, part: 0, partsKey: key, raw: null });
}

/** Threads, the one with the newest message first. The cursor holds the moment of the first page, so that no thread hides. */
export function threadPage(
  db: Database,
  view: View,
  filters: { limit: number; cursor: string | null },
): Answer<JsonText<ThreadPage>> {
  const bounds = filters.cursor === null ? done([BEYOND_ALL, BEYOND_ALL]) : readCursor(filters.cursor, 2);
  if (!bounds.ok) return bounds;
  const [snapshot = BEYOND_ALL, below = BEYOND_ALL] = bounds.value;
  const rows = db.all(statements.LIST_THREADS, snapshot, below, filters.limit + 1);
  const shown = rows.slice(0, filters.limit);
  const last = shown.at(-1);
  const seenFrom = snapshot === BEYOND_ALL ? (rows[0]?.seq ?? 0) : snapshot;
  return done(
    jsonText({
      threads: shown.map((row) => threadOf(row, view)),
      next_cursor: rows.length > filters.limit && last ? writeCursor(seenFrom, last.seq) : null,
    }),
  );
}

/** The newest emails of a thread, oldest first, and where older ones begin. Emails whose body lies elsewhere are named. */
export interface ThreadAnswer {
  threadId: string;
  emails: EmailAnswer[];
  nextCursor: string | null;
  readonly shape?: Thread;
}

export function findThread(
  db: Database,
  view: View,
  filters: { id: string; limit: number; cursor: string | null; downloadable: boolean },
): Answer<ThreadAnswer> {
  const below = filters.cursor === null ? done([BEYOND_ALL]) : readCursor(filters.cursor, 1);
  if (!below.ok) return below;
  const named = readId(filters.id, view.tail);
  if (named === null || named.part !== null) return refused(notFound("Thread"));
  const thread = db.first(statements.FIND_ALIAS, named.seq)?.became ?? named.seq;
  const sizes = db.all(statements.THREAD_PAGE_SIZES, thread, below.value[0] ?? BEYOND_ALL, filters.limit + 1);
  if (sizes.length === 0) return refused(notFound("Thread"));
  // Bodies are read only of what fits: a hundred large ones would not fit the isolate.
  const fitting = sizes.slice(0, filters.limit);
  const bytes = fitting.map((row) => row.bytes);
  const shown = fitting.slice(0, Math.max(1, countFitting(bytes, MAX_THREAD_PAGE_BYTES)));
  const last = shown.at(-1);
  const rows = shown.flatMap(({ seq }) => db.first(statements.FIND_EMAIL, seq) ?? []);
  return done({
    threadId: idOf(thread, view.tail),
    emails: rows.toReversed().map((row) => emailAnswer(db, row, view, filters.downloadable)),
    nextCursor: shown.length < sizes.length && last ? writeCursor(last.seq) : null,
  });
}

/** How many of `sizes`, from the first, fit into `limit` together. */
export function countFitting(sizes: readonly number[], limit: number): number {
  let total = 0;
  const over = sizes.findIndex((size) => (total += size) > limit);
  return over === -1 ? sizes.length : over;
}

/** The seq of an email id of this mailbox. */
export function seqOf(view: View, id: string): Answer<Seq> {
  const named = readId(id, view.tail);
  return named === null || named.part !== null ? refused(notFound("Email")) : done(named.seq);
}

/** Where a listing of `count` numbers begins: at its cursor, or at `start` and the offset. */
export function pageStart(
  filters: { cursor: string | null; offset: number },
  start: readonly number[],
): Answer<readonly number[]> {
  if (filters.cursor === null) return done(start);
  return filters.offset > 0
    ? refused(invalid("offset", "give either cursor or offset"))
    : readCursor(filters.cursor, start.length);
}
