import type { Mailkeep } from "../../../client/mailkeep.ts";
import { newKey } from "../../../client/methods.ts";
import type { Upload } from "../../../contract/upload.ts";

/** How a mail is written: new, or in reply to or forwarding another. */
export type Manner = "compose" | "reply" | "reply-all" | "forward";

/** A file of a draft. */
export interface DraftFile {
  name: string;
  bytes: number;
  /** Null during the upload, and after it failed. */
  upload: Upload | null;
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

/** Returns whether the draft has contents that leaving would lose. */
export function isWorthKeeping({ fields, files }: Draft): boolean {
  return files.length > 0 || [...fields.values()].some((value) => value.trim() !== "");
}

/** Sends a draft, once however often it is called until the draft's key changes; `originalId` is the mail that it answers or forwards. */
export function sendDraft(
  client: Mailkeep,
  draft: Draft,
  manner: Manner,
  originalId: string,
): Promise<{ id: string }> {
  const field = (name: string): string => draft.fields.get(name) ?? "";
  const common = {
    text: field("text"),
    ...(field("from") === "" ? {} : { from: field("from") }),
    ...(field("cc") === "" ? {} : { cc: addresses(field("cc")) }),
    ...(field("bcc") === "" ? {} : { bcc: addresses(field("bcc")) }),
    attachments: draft.files.flatMap(({ upload }) => (upload === null ? [] : [{ attachment_id: upload.id }])),
  };
  const once = { idempotencyKey: draft.key };
  const { emails } = client;
  switch (manner) {
    case "compose":
      return client.send({ ...common, to: addresses(field("to")), subject: field("subject") }, once);
    case "forward":
      return emails.forward(originalId, { ...common, to: addresses(field("to")) }, once);
    case "reply":
      return emails.reply(originalId, common, once);
    case "reply-all":
      return emails.reply(originalId, { ...common, reply_all: true }, once);
  }
}

/** Splits addresses at commas and line breaks, except within quotes and brackets. */
function addresses(text: string): string[] {
  const entries = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,;\n])+/g) ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
