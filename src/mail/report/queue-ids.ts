import type { ReportPart } from "./report-part.ts";

/** Bytes read of one part: a delivery status, or the header of the returned message, is shorter. */
const MAX_NAMING_BYTES = 65_536;
/** A message passes through some hosts, each of which names it once. */
const MAX_IDS = 50;
/** `X-Postfix-Queue-ID: 4F2A…` of a status, and `with ESMTP id 4F2A…` of a Received field. */
const NAMED = /(?:\bqueue-id\s*:\s*|\bid\s+<?)([\w-]{6,64})(?![\w-])/gi;

/** The names that hosts gave to a message, as a report on it repeats them; without repeats. */
export function queueIdsIn({ attachments }: { attachments: readonly ReportPart[] }): string[] {
  const ids = new QueueIds();
  for (const attachment of attachments) ids.read(attachment);
  return ids.found;
}

/** Bytes that are read of a part of this type. */
export function namingBytes(contentType: string): number {
  return /^(?:message|text)\//.test(contentType) ? MAX_NAMING_BYTES : 0;
}

/** Gathers the names from the parts of one report, one after another. */
export class QueueIds {
  readonly #ids = new Set<string>();

  /** The names so far. */
  get found(): string[] {
    return [...this.#ids];
  }

  /** Reads the next part; of a part of 25 MB no more is decoded than its beginning. */
  read(part: Pick<ReportPart, "contentType" | "start">): void {
    const bytes = namingBytes(part.contentType);
    if (bytes === 0 || this.#ids.size === MAX_IDS) return;
    const text = Buffer.from(part.start(bytes).bytes).toString("latin1");
    for (const [, id = ""] of text.matchAll(NAMED)) {
      if (this.#ids.size === MAX_IDS) return;
      this.#ids.add(id);
    }
  }
}
