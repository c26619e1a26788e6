import type { Upload } from "../../../contract/upload.ts";
import type { z } from "zod";

/** How a mail is written: from nothing, or upon another. */
export type Manner = "compose" | "reply" | "reply-all" | "forward";

/** A file of a draft. */
export interface DraftFile {
  name: string;
  bytes: number;
  /** Null while it is on its way, and where it failed. */
  upload: z.infer<typeof Upload> | null;
  failure: string | null;
  /** Ends the upload. */
  stop: AbortController;
}

/** What was written and not sent. It lives in memory: as long as the tab, and no longer. */
export interface Draft {
  fields: Map<string, string>;
  files: DraftFile[];
  /**
   * The Idempotency-Key: the same until the service said what became of the draft. A second try after no answer is then
   * answered like the first, and sends nothing twice.
   */
  key: string;
}

export function newDraft(): Draft {
  return { fields: new Map(), files: [], key: newKey() };
}

const KEY_BYTES = 16;

/** Of 128 random bits. (`randomUUID` is missing on a page that came without TLS from another machine.) */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether leaving would lose something. */
export function isWorthKeeping({ fields, files }: Draft): boolean {
  return files.length > 0 || [...fields.values()].some((value) => value.trim() !== "");
}

/** The path and the JSON of a draft (wire contract, part 4); `upon` is the mail that it answers or passes on. */
export function requestOf(draft: Draft, manner: Manner, upon: string): { path: string; json: object } {
  const field = (name: string): string => draft.fields.get(name) ?? "";
  const common = {
    text: field("text"),
    ...(field("from") === "" ? {} : { from: field("from") }),
    ...(field("cc") === "" ? {} : { cc: addresses(field("cc")) }),
    ...(field("bcc") === "" ? {} : { bcc: addresses(field("bcc")) }),
    attachments: draft.files.flatMap(({ upload }) => (upload === null ? [] : [{ attachment_id: upload.id }])),
  };
  const path = `/v1/emails/${encodeURIComponent(upon)}`;
  switch (manner) {
    case "compose":
      return { path: "/v1/send", json: { ...common, to: addresses(field("to")), subject: field("subject") } };
    case "forward":
      return { path: `${path}/forward`, json: { ...common, to: addresses(field("to")) } };
    case "reply":
      return { path: `${path}/reply`, json: common };
    case "reply-all":
      return { path: `${path}/reply`, json: { ...common, reply_all: true } };
  }
}

/** Addresses as people write them, one after the other: parted by commas or lines, but not within quotes or brackets. */
function addresses(text: string): string[] {
  const entries = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,;\n])+/g) ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
