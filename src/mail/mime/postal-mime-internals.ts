import PostalMime, { type Attachment } from "postal-mime";

// The only file that knows members which postal-mime marks as internal. Its version is pinned exactly, and
// postal-mime-internals.test.ts fails on any other until these members are compared with the new source.

/** The version whose members are described here. */
export const KNOWN_VERSION = "4.0.0";

/** A part of a message in the parser's tree, as far as it is used here. */
export interface PartNode {
  parentNode?: PartNode;
  childNodes: PartNode[];
  state: "header" | "body" | "finished";
  /** The decoded body once the part is finished. */
  content: Uint8Array | ArrayBuffer | null;
  /** Set by the line that ends the header; gets the lines of the body. */
  contentDecoder: object | null;
  contentTransferEncoding: { encoding: string };
  contentType: { multipart: string | false; parsed: { value: string; params: Record<string, string> } };
  contentDisposition: { parsed: { value: string; params: Record<string, string> } };
  feed(line: Uint8Array): void;
  getTextContent(): string;
}

export type TextType = "plain" | "html";
export type TextEntry = { value: string };
export type TextEntries = Partial<Record<TextType, TextEntry[]>>;

/** The members of a parser that are read, called or overridden here. */
export interface Internals {
  textMap: Map<PartNode, TextEntries>;
  root: PartNode;
  currentNode: PartNode;
  /** The delimiters of the multiparts that are open, without their dashes. */
  boundaries: { value: Uint8Array }[];
  forceRfc822Attachments: boolean;
  attachments: Attachment[];
  processLine(line: Uint8Array, isFinal: false): Promise<void>;
  finalize(): Promise<void>;
  collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void>;
  addTextEntry(selector: PartNode, textType: TextType, item: TextEntry): void;
  collectAttachment(node: PartNode, content: ArrayBuffer, related: boolean, isTooDeep: boolean): void;
  isInlineTextNode(node: PartNode): boolean;
}

/** postal-mime with its internal members in the open. */
export const PostalMimeInternals = PostalMime as unknown as new (
  options: ConstructorParameters<typeof PostalMime>[0],
) => Internals;
