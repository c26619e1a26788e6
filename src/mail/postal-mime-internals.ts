import PostalMime, { type Attachment } from "postal-mime";

/** The members of a node of the parser's tree that we use. */
export interface PartNode {
  parentNode?: PartNode;
  childNodes: PartNode[];
  state: "header" | "body" | "finished";
  content: Uint8Array | ArrayBuffer | null;
  contentDecoder: object | null;
  contentTransferEncoding: { encoding: string };
  contentType: { multipart: string | false; parsed: { value: string; params: Record<string, string> } };
  contentDisposition: { parsed: { value: string; params: Record<string, string> } };
  feed(line: Uint8Array): void;
  getTextContent(): string;
}

export type TextType = "plain" | "html";
export type TextEntry = { value: string };

/**
 * Private members of postal-mime that we use. The version is pinned; test/library-internals.test.ts fails with another one,
 * and when a member is missing.
 */
export interface Internals {
  textMap: Map<PartNode, Partial<Record<TextType, TextEntry[]>>>;
  root: PartNode;
  currentNode: PartNode;
  boundaries: { value: Uint8Array }[];
  forceRfc822Attachments: boolean;
  processLine(line: Uint8Array, isFinal: false): Promise<void>;
  finalize(): Promise<void>;
  collectNode(node: PartNode, alternative: PartNode | false, related: boolean): Promise<void>;
  addTextEntry(selector: PartNode, textType: TextType, item: TextEntry): void;
  collectAttachment(node: PartNode, content: ArrayBuffer, related: boolean, isTooDeep: boolean): void;
  isInlineTextNode(node: PartNode): boolean;
  attachments: Attachment[];
}

/** postal-mime's parser with its private members. */
export const PostalMimeInternals = PostalMime as unknown as new (
  options: ConstructorParameters<typeof PostalMime>[0],
) => Internals;
