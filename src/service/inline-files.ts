import { createHash } from "node:crypto";
import type { Answer } from "../contract/problem.ts";
import { StoredContent } from "../contract/sending.ts";
import { MAX_ROW_BYTES } from "./blob-choice.ts";
import { freshStub } from "./mailbox-stub.ts";
import { GrowingBytes } from "../lib/growing-bytes.ts";
import { done } from "../lib/outcome.ts";
import { ANY_BYTES } from "../mail/mime/media-type.ts";
import type { MailboxAccess } from "./message-source.ts";
import { discardUploads, writeUpload } from "./store-upload.ts";

/** Stores the bytes of a file, of which there are `mostBytes` at most, while they arrive. */
export type KeepContent = (
  pieces: AsyncGenerator<Uint8Array, void, void>,
  mostBytes: number,
) => Promise<Answer<StoredContent>>;

/** The files in the body of one request. They are stored while the body is read. */
export class InlineFiles {
  readonly #to: MailboxAccess;
  readonly #isRepeat: boolean;
  readonly #made: string[] = [];

  /** @param isRepeat a message was sent under the request's key: its files are digested, and stored nowhere */
  constructor(to: MailboxAccess, isRepeat: boolean) {
    this.#to = to;
    this.#isRepeat = isRepeat;
  }

  readonly keep: KeepContent = (pieces, mostBytes) =>
    this.#isRepeat ? digested(pieces) : this.#stored(pieces, mostBytes);

  /** Erases the files that no message uses. */
  discard(): Promise<void> {
    return discardUploads(this.#made, this.#to);
  }

  /** A file that turns out small is stored as such. */
  async #stored(
    pieces: AsyncGenerator<Uint8Array, void, void>,
    mostBytes: number,
  ): Promise<Answer<StoredContent>> {
    const start = new GrowingBytes();
    let next = await pieces.next();
    for (; next.done !== true && start.length <= MAX_ROW_BYTES; next = await pieces.next()) {
      start.add(next.value);
    }
    const sizeBytes = next.done === true ? start.length : null;
    const source = concatenated(start.from(0), next.value ?? null, pieces);
    // Its name may follow later in the body; the upload gets it when it is completed.
    const unnamed = { filename: "", contentType: ANY_BYTES };
    const to = { ...this.#to, mailbox: freshStub(this.#to.env, this.#to.mailbox) };
    const written = await writeUpload({ ...unnamed, sizeBytes, mostBytes }, source, to);
    if (!written.ok) return written;
    const { id, key, sha256 } = written.value;
    this.#made.push(id);
    return done(new StoredContent({ sha256, sizeBytes: written.value.sizeBytes, upload: { id, key } }));
  }
}

async function* concatenated(
  start: Uint8Array,
  next: Uint8Array | null,
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  yield start;
  if (next !== null) yield next;
  yield* rest;
}

async function digested(pieces: AsyncIterable<Uint8Array>): Promise<Answer<StoredContent>> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    sizeBytes += piece.byteLength;
  }
  return done(new StoredContent({ sha256: hash.digest("hex"), sizeBytes, upload: null }));
}
