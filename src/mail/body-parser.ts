import PostalMime, { type Attachment } from "postal-mime";
import { htmlToText } from "./html-text.ts";
import { BodyRange } from "./transfer-decoding.ts";

/** Multiparts inside multiparts. Honest mail stays below 10; the parser recurses once for each. */
export const MAX_NESTING_DEPTH = 100;
/** Bytes of part headers in all, postal-mime's own default: 1,000 parts with 2 KB each. */
const MAX_PART_HEADER_BYTES = 2 * 1024 * 1024;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Characters of HTML turned into text, over all parts; 25 MiB of tags would take 3 s. */
const MAX_HTML_CHARS = 4 * 1024 * 1024;

/** The bodies and files of a message. */
export interface ParsedBody {
  text: string;
  html: string;
  attachments: Attachment[];
  /** Whether HTML beyond the limit is missing in `text`. */
  isTextCut: boolean;
}

/** What is used here of a node of the parser's tree. */
interface PartNode {
  parentNode?: PartNode;
  childNodes: PartNode[];
  content: Uint8Array | null;
  contentDecoder: object | null;
  contentTransferEncoding: { encoding: string };
  contentType: { multipart: string | false; parsed: { value: string; params: Record<string, string> } };
  contentDisposition: { parsed: { value: string; params: Record<string, string> } };
}

type TextType = "plain" | "html";
type TextEntries = Partial<Record<TextType, { value: string }[]>>;

/** Members postal-mime marks as internal; the version is pinned, and the tests of this file's promises guard them. */
interface Internals {
  textMap: Map<PartNode, TextEntries>;
  textTypes: Set<TextType>;
  textContent: Partial<Record<TextType, string>>;
  currentNode: PartNode;
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void>;
  isInlineTextNode(node: PartNode): boolean;
  buildMessage(): { attachments: Attachment[] };
  attachments: Attachment[];
  parse(raw: Uint8Array | ArrayBuffer): Promise<{ attachments: Attachment[] }>;
}
const Base = PostalMime as unknown as new (options: ConstructorParameters<typeof PostalMime>[0]) => Internals;

/**
 * postal-mime with rules of our own: bodies are ranges of the message and not chunks; no top-level header is interpreted (header-values does, under limits),
 * undeclared charsets are told by their bytes, a named text that opens no multipart is a file (RFC 8621 §4.1.4),
 * and HTML becomes text by htmlToText, so that hidden nodes cannot slip in where plain and HTML parts mix.
 */
class BodyParser extends Base {
  #htmlCharsLeft = MAX_HTML_CHARS;
  isTextCut = false;

  /** The line that ends a part's header installs its decoder; it is exchanged before the first line of the body. */
  override processLine(line: Uint8Array, isFinal: boolean): Promise<void> {
    const processed = super.processLine(line, isFinal);
    const node = this.currentNode;
    if (node.contentDecoder !== null && !(node.contentDecoder instanceof BodyRange)) {
      node.contentDecoder = new BodyRange(node.contentTransferEncoding.encoding);
    }
    return processed;
  }

  /** A multipart whose delimiter never comes has no parts to show, and its lines are all there is to read. */
  override collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void> {
    const { contentType } = node;
    if (contentType.multipart !== false && node.childNodes.length === 0) {
      contentType.multipart = false;
      contentType.parsed = { value: "text/plain", params: {} };
    }
    return super.collectNode(node, alternative, related);
  }

  override isInlineTextNode(node: PartNode): boolean {
    if (!super.isInlineTextNode(node) || isNamedFile(node)) return false;
    const { params } = node.contentType.parsed;
    if (node.content !== null && isUndeclared(params.charset)) params.charset = charsetOf(node.content);
    return true;
  }

  override buildMessage(): { attachments: Attachment[] } {
    return { attachments: this.attachments };
  }

  /** Called by parse(); replaces the renderer that strips tags without regard to hidden nodes. */
  renderTextContent(): void {
    const entries = [...this.textMap.values()];
    // An empty plain part beside the real HTML is a sender's habit, not a text.
    const plain = entries.map(
      ({ plain: texts, html }) => notBlank(joined(texts)) ?? this.#textOfHtml(joined(html) ?? ""),
    );
    // Where the HTML part is the body, a plain part beside it (a list's footer) is in the text alone.
    const html = entries.map(({ html: texts }) => joined(texts)).filter((text) => text !== undefined);
    this.textContent = { plain: plain.filter((text) => text !== "").join("\n"), html: html.join("\n") };
  }

  #textOfHtml(html: string): string {
    if (html.length > this.#htmlCharsLeft) this.isTextCut = true;
    const read = html.slice(0, this.#htmlCharsLeft);
    this.#htmlCharsLeft -= read.length;
    return htmlToText(read);
  }
}

/** Parses the MIME structure below the header. Throws where postal-mime does: nesting or part headers over the limits. */
export async function parseBody(raw: Uint8Array): Promise<ParsedBody> {
  const parser = new BodyParser({
    // A forwarded or bounced message is a file, never mixed into the text of the one that carries it.
    forceRfc822Attachments: true,
    maxNestingDepth: MAX_NESTING_DEPTH,
    maxHeadersSize: MAX_PART_HEADER_BYTES,
  });
  const { attachments } = await parser.parse(wholeBuffer(raw));
  const { textContent, isTextCut } = parser;
  return { text: textContent.plain ?? "", html: textContent.html ?? "", attachments, isTextCut };
}

/** The parser copies a view and reads a buffer in place. */
function wholeBuffer(raw: Uint8Array): Uint8Array | ArrayBuffer {
  const isWhole = raw.byteOffset === 0 && raw.byteLength === raw.buffer.byteLength;
  return isWhole && raw.buffer instanceof ArrayBuffer ? raw.buffer : raw;
}

function joined(entries: readonly { value: string }[] | undefined): string | undefined {
  return entries?.map(({ value }) => value).join("\n");
}

function notBlank(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}

function isNamedFile(node: PartNode): boolean {
  const isNamed = Boolean(
    node.contentDisposition.parsed.params.filename ?? node.contentType.parsed.params.name,
  );
  return isNamed && node.parentNode !== undefined && node.parentNode.childNodes[0] !== node;
}

/** us-ascii is the default (RFC 2045 §5.2), and what scripts declare that write UTF-8. */
function isUndeclared(charset: string | undefined): boolean {
  return (
    charset === undefined ||
    /^(?:|us-ascii|ascii|unknown.*|x-unknown|8bit|7bit|binary)$/i.test(charset.trim())
  );
}

function charsetOf(content: Uint8Array): "utf-8" | "windows-1252" {
  return isUtf8(content) ? "utf-8" : "windows-1252";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    UTF8.decode(bytes);
    return true;
  } catch {
    // The decoder throws at the first invalid sequence.
    return false;
  }
}
