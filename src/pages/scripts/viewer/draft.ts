import type { Upload } from "../../../contract/upload.ts";
import type { z } from "zod";

/** How a mail is written: new, or in reply to or forwarding another. */
export type Manner = "compose" | "reply" | "reply-all" | "forward";

/** A file of a draft. */
export interface DraftFile {
  name: string;
  bytes: number;
  /** Null during the upload, and after it failed. */
  upload: z.infer<typeof Upload> | null;
  failure: string | null;
  /** Cancels the upload. */
  stop: AbortController;
}

/** A mail that is not sent yet. It is kept in memory and lost with the tab. */
export interface Draft {
  fields: Map<string, string>;
  files: DraftFile[];
  /**
   * The Idempotency-Key. It stays the same until the service has answered, so a second try after a lost answer sends nothing
   * twice.
   */
  key: string;
}

export function newDraft(): Draft {
  return { fields: new Map(), files: [], key: newKey() };
}

const KEY_BYTES = 16;

/** Returns 128 random bits. (Browsers have no `randomUUID` on a page loaded without TLS from another machine.) */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns whether the draft has contents that leaving would lose. */
export function isWorthKeeping({ fields, files }: Draft): boolean {
  return files.length > 0 || [...fields.values()].some((value) => value.trim() !== "");
}

/** Returns the path and the JSON body that send a draft; `originalId` is the mail that it answers or forwards. */
export function requestOf(draft: Draft, manner: Manner, originalId: string): { path: string; json: object } {
  const field = (name: string): string => draft.fields.get(name) ?? "";
  const common = {
    text: field("text"),
    ...(field("from") === "" ? {} : { from: field("from") }),
    ...(field("cc") === "" ? {} : { cc: addresses(field("cc")) }),
    ...(field("bcc") === "" ? {} : { bcc: addresses(field("bcc")) }),
    attachments: draft.files.flatMap(({ upload }) => (upload === null ? [] : [{ attachment_id: upload.id }])),
  };
  const path = `/v1/emails/${encodeURIComponent(originalId)}`;
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

/** Splits addresses at commas and line breaks, except within quotes and brackets. */
function addresses(text: string): string[] {
  const entries = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,;\n])+/g) ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
