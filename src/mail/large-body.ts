/** A range of bytes: the offset of the first, and the offset behind the last. */
export interface ByteSpan {
  from: number;
  to: number;
}

/** Where in a stored body its texts lie, each a JSON string. */
export interface BodyLayout {
  /** Members of an Email from the first byte on, separated by commas. */
  members: number;
  text: ByteSpan;
  html: ByteSpan;
  /** Of `text_new`; the text's own span where all of the text is new. */
  fresh: ByteSpan;
}

/** UTF-16 units written as JSON at a time: of control characters six bytes come of each. */
const SLICE_UNITS = 65_536;
const ENCODER = new TextEncoder();

/**
 * The texts of a message that are too large for a row, as JSON in UTF-8, in pieces: neither the writer nor the
 * reader holds a second copy of the whole.
 */
export class LargeBody {
  readonly #texts: { text: string; html: string; fresh: string; others: string };
  #layout: BodyLayout | null = null;

  /** `others` is a JSON object: what else of an Email follows from the message's header. */
  constructor(texts: { text: string; html: string; fresh: string; others: string }) {
    this.#texts = texts;
  }

  /** Known when all pieces are written. */
  get layout(): BodyLayout {
    if (this.#layout === null) throw new Error("A body is not written yet");
    return this.#layout;
  }

  /** The bytes of the JSON, piece by piece. */
  *pieces(): Generator<Uint8Array, void> {
    const { text, html, fresh, others } = this.#texts;
    let end = 0;
    const counted = (piece: Uint8Array): Uint8Array => {
      end += piece.byteLength;
      return piece;
    };
    const spanOf = function* (value: string): Generator<Uint8Array, ByteSpan> {
      const from = end;
      for (const piece of jsonPieces(value)) yield counted(piece);
      return { from, to: end };
    };
    const plain = (json: string): Uint8Array => counted(ENCODER.encode(json));
    yield plain('"body_text":');
    const textSpan = yield* spanOf(text);
    yield plain(`,${others.slice(1, -1)},"body_html":`);
    const htmlSpan = yield* spanOf(html);
    const members = end;
    const freshSpan = fresh === text ? textSpan : yield* spanOf(fresh);
    this.#layout = { members, text: textSpan, html: htmlSpan, fresh: freshSpan };
  }
}

/** A string as JSON, piece by piece; it is well-formed Unicode. */
function* jsonPieces(value: string): Generator<Uint8Array> {
  yield ENCODER.encode('"');
  for (let at = 0; at < value.length;) {
    let end = Math.min(value.length, at + SLICE_UNITS);
    // Both halves of a surrogate pair go into one piece.
    if (end < value.length && (value.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1;
    yield ENCODER.encode(JSON.stringify(value.slice(at, end)).slice(1, -1));
    at = end;
  }
  yield ENCODER.encode('"');
}
