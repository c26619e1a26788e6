import type { Attachment } from "postal-mime";
import { BodyTexts } from "./body-texts.ts";
import { Delimiters, isDashed } from "./delimiters.ts";
import { lineEnd } from "./header-block.ts";
import { HeaderLimits, PARSER_LIMITS } from "./header-limits.ts";
import { MAX_PARTS } from "./part-limits.ts";
import { isCalendar, isNamedFile, MAX_CALENDAR_BYTES, readAsText, setText, textOf } from "./part-text.ts";
import {
  PostalMimeInternals,
  type PartNode,
  type TextEntry,
  type TextType,
} from "./postal-mime-internals.ts";
import { BodyRange, EncodedBody } from "./transfer-decoding.ts";

const LF = 0x0a;
const CR = 0x0d;

/** One file of a message. */
export interface ParsedFile {
  attachment: Attachment;
  body: EncodedBody;
  /** The text of a file that is one, its charset decoded; null if it decodes to more than `maxBytes`. */
  readText: (maxBytes: number) => string | null;
}

/** The bodies and files of a message. */
export interface ParsedBody {
  text: string;
  html: string;
  files: ParsedFile[];
  /** Whether text or HTML beyond the limit is missing. */
  isTextCut: boolean;
  /** Whether header fields of parts beyond the limits are missing. */
  isHeaderCut: boolean;
  /** Whether lines beyond the limit were not read. */
  isLineCut: boolean;
  /** Whether parts beyond the limit were not read. */
  isPartCut: boolean;
}

/**
 * postal-mime with other rules: it reads lines in place, those of a body at once; bodies are ranges of the message,
 * decoded when and as far as they are wanted; no top-level header is interpreted (header-values does, under limits),
 * undeclared charsets are told by their bytes, a named text that opens no multipart is a file (RFC 8621 §4.1.4),
 * and HTML becomes text by htmlToText, so that hidden nodes cannot slip in where plain and HTML parts mix.
 */
class BodyParser extends PostalMimeInternals {
  readonly #delimiters = new Delimiters();
  readonly #texts = new BodyTexts();
  readonly files: ParsedFile[] = [];
  readonly #limits = new HeaderLimits();
  /** Whether parts beyond MAX_PARTS were not read. */
  isPartCut = false;
  #parts = 0;
  #isLastCut = false;

  /** Reads a message that lies in one piece or several; each begins with a line. */
  async read(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let at = 0; at < bytes.length;) {
        const end = this.#endOfStride(bytes, at);
        const line = piece.subarray(at, endOfContent(bytes, at, end));
        await this.#line(line, end - at);
        this.#exchangeDecoder();
        at = this.#limits.isLineCut || this.isPartCut ? bytes.length : end;
      }
    }
    await this.finalize();
    // A forwarded or bounced message is a file, never mixed into the text of the one that carries it.
    this.forceRfc822Attachments = true;
    await this.collectNode(this.root, false, false);
  }

  /** The end of the line that begins at `at`; in a body, of all lines up to the next that may be a delimiter. */
  #endOfStride(bytes: Buffer, at: number): number {
    if (this.currentNode.state === "header" || isDashed(bytes, at)) return lineEnd(bytes, at);
    const next = this.boundaries.length === 0 ? -1 : bytes.indexOf("\n--", at);
    return next === -1 ? bytes.length : next + 1;
  }

  async #line(line: Uint8Array, lineBytes: number): Promise<void> {
    const kind = this.#delimiters.kindOf(line, lineBytes, this.boundaries);
    if (kind === null) {
      if (this.#limits.fits(this.currentNode, line)) this.currentNode.feed(line);
      return;
    }
    if (kind === "part") this.#parts += 1;
    if (this.#parts > MAX_PARTS) this.isPartCut = true;
    else await this.processLine(line, false);
  }

  /** The parser installs a decoder when a part's header ends; this replaces it before the first line of the body. */
  #exchangeDecoder(): void {
    const node = this.currentNode;
    if (node.contentDecoder !== null && !(node.contentDecoder instanceof BodyRange)) {
      node.contentDecoder = new BodyRange();
    }
  }

  override collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void> {
    readAsText(node);
    return super.collectNode(node, alternative, related);
  }

  /** Decodes the node's body as far as it will be kept. */
  override isInlineTextNode(node: PartNode): boolean {
    if (!super.isInlineTextNode(node) || isNamedFile(node)) return false;
    const type = node.contentType.parsed.value === "text/html" ? "html" : "plain";
    this.#isLastCut = setText(node, bodyOf(node), this.#texts.bytesLeft(type));
    return true;
  }

  override addTextEntry(selector: PartNode, type: TextType, item: TextEntry): void {
    this.#texts.add(selector, type, { text: item.value, isStart: this.#isLastCut });
  }

  override collectAttachment(
    node: PartNode,
    _content: ArrayBuffer,
    related: boolean,
    isTooDeep: boolean,
  ): void {
    const body = bodyOf(node);
    const start = isCalendar(node) ? body.start(MAX_CALENDAR_BYTES) : null;
    node.content = start?.isWhole ? start.bytes : null;
    super.collectAttachment(node, new ArrayBuffer(0), related, isTooDeep);
    const attachment = this.attachments.at(-1);
    if (attachment === undefined) return;
    const { content } = attachment;
    if (node.content === null || typeof content === "string") {
      this.files.push({ attachment, body, readText: (maxBytes) => textOf(node, body, maxBytes) });
    } else {
      const converted = new EncodedBody(new Uint8Array(content), "");
      const readText = (maxBytes: number) =>
        converted.byteLength <= maxBytes ? new TextDecoder().decode(content) : null;
      this.files.push({ attachment, body: converted, readText });
    }
    node.content = null;
  }

  /** Returns the texts and files. Joins the texts by itself: the parser's renderer strips tags without regard to hidden nodes. */
  result(): ParsedBody {
    const { files, isPartCut } = this;
    const { isHeaderCut, isLineCut } = this.#limits;
    return {
      ...this.#texts.joined(),
      files,
      isTextCut: this.#texts.isCut,
      isHeaderCut,
      isLineCut,
      isPartCut,
    };
  }
}

/** Parses the MIME structure below the header. Throws where postal-mime does: nesting or part headers over the limits. */
export async function parseBody(pieces: readonly Uint8Array[]): Promise<ParsedBody> {
  const parser = new BodyParser(PARSER_LIMITS);
  await parser.read(pieces);
  return parser.result();
}

/** The end of lines `[start, end)` without the line end of the last one. */
function endOfContent(bytes: Buffer, start: number, end: number): number {
  const lastLine = Math.max(start, end < 2 ? 0 : bytes.lastIndexOf(LF, end - 2) + 1);
  let at = end;
  while (at > lastLine && (bytes[at - 1] === LF || bytes[at - 1] === CR)) at--;
  return at;
}

function bodyOf(node: PartNode): EncodedBody {
  const { content } = node;
  const encoded = content instanceof Uint8Array ? content : new Uint8Array(content ?? new ArrayBuffer(0));
  return new EncodedBody(encoded, node.contentTransferEncoding.encoding);
}
