import { createHash } from "node:crypto";
import { writeNote } from "../lib/archive/entry-note.ts";
import { tarEnd, tarHeader, tarPadding } from "../lib/archive/tar-writer.ts";
import { breath, Pace } from "../lib/breath.ts";
import { idOf, idTail, type Seq } from "../lib/ids.ts";
import type { ExportedMessage, ExportLines, ExportRun } from "../mailbox/exporting/exporting.ts";
import type { Answer } from "../contract/problem.ts";
import { counted } from "./access.ts";
import { freshStub } from "./mailbox-stub.ts";
import { openRaw, type MailboxAccess } from "./message-source.ts";
import type { ExportPoint } from "./export-resume.ts";
import { detachedJws, type SigningKey } from "./signing-key.ts";
import { Spill } from "./spill.ts";

/** The most messages that one call to the mailbox returns. */
const PAGE_MESSAGES = 100;
/** Ids of erased messages that the manifest lists; mailbox.jsonl has all. */
const MAX_LISTED_ERASED = 1_000;
/** The size of the pieces that are passed on, in bytes. */
const PIECE_BYTES = 65_536;
const FOLDERS = ["", ".Sent/", ".Reports/"].flatMap((folder) =>
  ["cur/", "new/", "tmp/"].map((part) => folder + part),
);

/**
 * How often the place of an export among those that run is renewed, in ms, also while its reader does not read. An object that
 * is called less often may be put away, and forgets who has a place.
 */
const RENEW_MS = 5_000;

/** An export: its mailbox, where it begins, and the key that signs it. */
export interface Export extends MailboxAccess {
  address: string;
  /** The numbers of its messages, oldest first, in pages. */
  seqs: readonly Float64Array[];
  run: ExportRun;
  point: ExportPoint;
  /** The origin of the deployment as its operator set it; null if it is not set: a request may name any host. */
  origin: string | null;
  key: SigningKey;
}

/**
 * The bytes of an export: a tar archive with the messages as a Maildir, `mailbox.jsonl`, `sha256sums.txt`, `manifest.json` and its
 * signature, which ends it. A piece is made when the one before was read, so memory holds a few megabytes, and eight bytes for
 * each message. It yields to other requests every few milliseconds. Throws if a message cannot be read: an archive without its signature is incomplete.
 */
export async function* exportArchive(from: Export): AsyncGenerator<Uint8Array, void> {
  const archive = new ArchiveWriter(from);
  try {
    for await (const piece of joined(archive.pieces())) {
      await archive.keep();
      yield piece;
    }
  } finally {
    await archive.close();
  }
}

/** A file of the archive. */
interface Entry {
  name: string;
  sizeBytes: number;
  modifiedMs: number;
  comment?: string;
}

/** The bytes of a message. */
interface Opened {
  content: AsyncIterable<Uint8Array>;
  sizeBytes: number;
}

class ArchiveWriter {
  readonly #from: Export;
  /** When the export began, in ms since 1970: the same in every part of one that was cut off. */
  readonly #now: number;
  readonly #lines: Spill;
  readonly #sums: Spill;
  readonly #whole = createHash("sha256");
  #bytes = 0;
  #messages = 0;
  #sent = 0;
  #renewing: ReturnType<typeof setInterval> | undefined;
  /** Why it may not go on; null if it may. */
  #stopped: string | null = null;
  readonly #erased = { count: 0, ids: [] as string[] };

  constructor(from: Export) {
    this.#from = from;
    this.#now = from.point.startedMs;
    this.#lines = new Spill(from.mailbox);
    this.#sums = new Spill(from.mailbox);
  }

  async *pieces(): AsyncGenerator<Uint8Array, void> {
    const { seqs, key } = this.#from;
    await this.#about();
    for (const name of FOLDERS) yield this.#counted(tarHeader({ name, sizeBytes: 0, modifiedMs: this.#now }));
    for (const page of seqs) yield* this.#mail(page);
    yield* this.#file(this.#entry("mailbox.jsonl", this.#lines.sizeBytes), this.#lines.pieces());
    const sums = createHash("sha256");
    yield* this.#file(this.#entry("sha256sums.txt", this.#sums.sizeBytes), hashed(this.#sums.pieces(), sums));
    const manifest = `${JSON.stringify(this.#manifest(sums.digest("hex")), null, 2)}\n`;
    yield* this.#text("manifest.json", manifest);
    yield* this.#text("manifest.json.jws", `${await detachedJws(key, manifest)}\n`);
    yield tarEnd();
  }

  /** Keeps what waits in rows. Called from time to time, because a slow reader makes an export long. */
  async keep(): Promise<void> {
    this.#renewing ??= setInterval(() => void this.#renew(), RENEW_MS);
    if (this.#stopped !== null) throw new Error(`The export was stopped: ${this.#stopped}`);
    await this.#lines.keep();
    await this.#sums.keep();
  }

  async #renew(): Promise<void> {
    const { env, mailbox, access, run } = this.#from;
    // A call that fails is made again; the next page of the export fails with its cause.
    const kept = await freshStub(env, mailbox)
      .exportKeep(counted(access), run)
      .catch(() => null);
    if (kept?.ok === false) this.#stopped = kept.error.error;
  }

  async close(): Promise<void> {
    clearInterval(this.#renewing);
    await this.#lines.drop();
    await this.#sums.drop();
    // It ends by itself too, later.
    await this.#from.mailbox.exportEnd(this.#from.run).catch(() => {});
  }

  /** Collects the lines about the mailbox itself. */
  async #about(): Promise<void> {
    const { mailbox, access } = this.#from;
    for (let after: string | null = null; ;) {
      const page: Answer<ExportLines> = await mailbox.exportLines(counted(access), after);
      if (!page.ok) throw new Error(`The export was stopped: ${page.error.error}`);
      for (const line of page.value.lines) await this.#lines.add(`${line}\n`);
      after = page.value.next;
      if (after === null) return;
      await breath();
    }
  }

  async *#mail(seqs: Float64Array): AsyncGenerator<Uint8Array, void> {
    const { mailbox, access } = this.#from;
    for (let at = 0; at < seqs.length;) {
      const wanted = [...seqs.subarray(at, at + PAGE_MESSAGES)];
      const page = await mailbox.exportPage(counted(access), wanted);
      if (!page.ok) throw new Error(`The export was stopped: ${page.error.error}`);
      for (const [index, message] of page.value.entries()) {
        if (message === null) await this.#noteErased(wanted[index] ?? 0);
        else yield* this.#message(message);
      }
      at += page.value.length;
      // A page may hold erased messages only, which are no bytes.
      await breath();
    }
  }

  async *#message(message: ExportedMessage): AsyncGenerator<Uint8Array, void> {
    const { id, receivedMs, folder, flags, note, about } = message;
    const source = await this.#open(message);
    if (source === null) {
      await this.#noteErased(message.seq);
      return;
    }
    const { content, sizeBytes } = source;
    const path = folder === "" ? "cur" : `.${folder}/cur`;
    // A file name of a Maildir: seconds, a unique part, and the flags after ":".
    const name = `${path}/${Math.floor(receivedMs / 1_000)}.${id}.mailkeep:2,${flags}`;
    yield* this.#file({ name, sizeBytes, modifiedMs: receivedMs, comment: writeNote(note) }, content);
    await this.#lines.add(`{"type":"message","file":${JSON.stringify(name)},${about.slice(1)}\n`);
    this.#messages += 1;
    if (folder === "Sent") this.#sent += 1;
  }

  /** The bytes of a message; null if it was erased meanwhile. */
  async #open({ id, raw }: ExportedMessage): Promise<Opened | null> {
    if (raw !== null) return { content: once(new Uint8Array(raw)), sizeBytes: raw.byteLength };
    const { env, mailbox, access } = this.#from;
    const source = await mailbox.raw(counted(access), id);
    if (!source.ok) {
      if (source.error.code === "not_found") return null;
      throw new Error(`The export was stopped: ${source.error.error}`);
    }
    const opened = await openRaw(env, mailbox, source.value);
    if (!opened.ok) throw new Error(`A message could not be exported: ${opened.error.error}`);
    const { value } = opened;
    const content = value instanceof ArrayBuffer ? once(new Uint8Array(value)) : piecesOf(value);
    return { content, sizeBytes: source.value.sizeBytes };
  }

  async #noteErased(seq: Seq): Promise<void> {
    const id = idOf(seq, idTail(this.#from.mailbox.name ?? ""));
    this.#erased.count += 1;
    if (this.#erased.ids.length < MAX_LISTED_ERASED) this.#erased.ids.push(id);
    await this.#lines.add(`${JSON.stringify({ type: "erased", id })}\n`);
  }

  async *#file(entry: Entry, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    yield this.#counted(tarHeader(entry));
    const hash = createHash("sha256");
    let left = entry.sizeBytes;
    for await (const piece of content) {
      left -= piece.byteLength;
      if (left < 0) break;
      hash.update(piece);
      yield this.#counted(piece);
    }
    // The header states the length. A message of another length would shift everything after it.
    if (left !== 0) throw new Error(`An entry of an export has another length than it should: ${entry.name}`);
    yield this.#counted(tarPadding(entry.sizeBytes));
    if (entry.name !== "sha256sums.txt") await this.#sums.add(`${hash.digest("hex")}  ${entry.name}\n`);
  }

  async *#text(name: string, text: string): AsyncGenerator<Uint8Array, void> {
    const bytes = Buffer.from(text);
    const entry = this.#entry(name, bytes.length);
    yield tarHeader(entry);
    yield bytes;
    yield tarPadding(bytes.length);
  }

  #entry(name: string, sizeBytes: number): Entry {
    return { name, sizeBytes, modifiedMs: this.#now };
  }

  #counted(bytes: Uint8Array): Uint8Array {
    this.#whole.update(bytes);
    this.#bytes += bytes.byteLength;
    return bytes;
  }

  #manifest(sums: string) {
    const { address, point, origin, mailbox, key } = this.#from;
    const { after, lastSeq, logSeq } = point;
    return {
      format: "mailkeep-export",
      version: 1,
      mailbox: address,
      deployment: origin,
      created_at: new Date(this.#now).toISOString(),
      after,
      last_email_id: lastSeq === null ? after : idOf(lastSeq, idTail(mailbox.name ?? "")),
      log_seq: logSeq,
      messages: this.#messages,
      sent: this.#sent,
      erased: this.#erased.count,
      erased_ids: this.#erased.ids,
      sha256sums: sums,
      archive_bytes: this.#bytes,
      archive_sha256: this.#whole.digest("hex"),
      keys: origin === null ? null : `${origin}/.well-known/mailkeep-keys.json`,
      kid: key.public.kid,
    };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** The same bytes in fewer pieces: most entries are a few kilobytes. */
async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const pace = new Pace();
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    await pace.spend(piece.byteLength);
    gathered.push(piece.slice());
    bytes += piece.byteLength;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  yield Buffer.concat(gathered);
}
