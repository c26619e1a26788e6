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
  /** Why the file is not attached; null during the upload and after it. */
  failure: string | null;
  /** Cancels the upload. */
  stop: AbortController;
}

/** The id of the sent mail, or why it was not sent. */
export type Outcome = { id: string } | { error: unknown };

/** A mail that is not sent yet. */
export interface Draft {
  fields: Map<string, string>;
  files: DraftFile[];
  /**
   * The Idempotency-Key. It stays the same until the service has answered, so a second try after a lost answer sends nothing
   * twice.
   */
  key: string;
  /** Whether the draft was sent and the answer is not there. */
  isSending: boolean;
  /** Called when an upload ends. The form that shows the draft sets it. */
  filesChanged: () => void;
  /** Called when the answer to the send is there. The form that shows the draft sets it. */
  answered: (outcome: Outcome) => void;
}

/** The name in session storage: drafts survive a reload, and end with the tab or with signing out. */
const NAME = "mailbox-drafts";
/** More characters are not stored: browsers give a page some 5 MB. The largest drafts are in memory only then. */
const MAX_STORED_CHARS = 500_000;
/** Drafts are stored this long after a change, in milliseconds, and when the page is left. */
const STORE_AFTER_MS = 300;

/** A draft as it is stored. Of a file its upload is stored, not its bytes: without an upload the reader must choose it again. */
interface StoredDraft {
  fields: [string, string][];
  files: Pick<DraftFile, "name" | "bytes" | "upload">[];
  key: string;
}

/** The state of a file whose upload had not ended when the page was left. */
const CUT_OFF = "not attached: its upload ended when the page was left. Choose the file again.";

/** The drafts of this tab, by the URL fragment of their form. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The drafts that this tab stored before it was loaded again. */
  static stored(): Drafts {
    const drafts = new Drafts();
    try {
      const stored = JSON.parse(sessionStorage.getItem(NAME) ?? "[]") as [string, StoredDraft][];
      for (const [place, { fields, files, key }] of stored) {
        drafts.#drafts.set(place, { ...newDraft(), fields: new Map(fields), files: files.map(opened), key });
      }
    } catch {
      // Stored by another release: they cannot be read.
      Drafts.forget();
    }
    window.addEventListener("pagehide", () => drafts.#timer !== undefined && drafts.#store());
    return drafts;
  }

  /** Erases what is stored. */
  static forget(): void {
    sessionStorage.removeItem(NAME);
  }

  at(place: string): Draft {
    const draft = this.#drafts.get(place) ?? newDraft();
    // Forgets forms that were opened and not changed.
    for (const [other, one] of this.#drafts) if (!isWorthKeeping(one)) this.#drafts.delete(other);
    this.#drafts.set(place, draft);
    return draft;
  }

  /** Forgets a draft that was sent or discarded. */
  sent(draft: Draft): void {
    for (const [place, one] of this.#drafts) if (one === draft) this.#drafts.delete(place);
    this.#store();
  }

  /** Forgets all drafts, cancels their uploads, and stores none of them any more. */
  end(): void {
    for (const { files } of this.#drafts.values()) for (const { stop } of files) stop.abort();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drafts.clear();
    Drafts.forget();
  }

  /** Stores the drafts soon, as one of them changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#store(), STORE_AFTER_MS);
  }

  /** Whether closing the tab would lose a draft. */
  get any(): boolean {
    return [...this.#drafts.values()].some(isWorthKeeping);
  }

  #store(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const stored = [...this.#drafts].filter(([, draft]) => isWorthKeeping(draft)).map(asStored);
    // Without the largest ones, if they take too much.
    const bySize = stored.toSorted((one, other) => charsOf(one) - charsOf(other));
    while (charsOf(bySize) > MAX_STORED_CHARS) bySize.pop();
    const text = JSON.stringify(stored.filter((one) => bySize.includes(one)));
    if (bySize.length === 0) return Drafts.forget();
    try {
      sessionStorage.setItem(NAME, text);
    } catch {
      // The browser has no room: the drafts are in memory.
    }
  }
}

const charsOf = (value: unknown): number => JSON.stringify(value).length;

function newDraft(): Draft {
  const nobody = { filesChanged: () => {}, answered: () => {} };
  return { fields: new Map(), files: [], key: newKey(), isSending: false, ...nobody };
}

function asStored([place, { fields, files, key }]: [string, Draft]): [string, StoredDraft] {
  const stored = files.map(({ name, bytes, upload }) => ({ name, bytes, upload }));
  return [place, { fields: [...fields], files: stored, key }];
}

/** A file of a stored draft. */
function opened({ name, bytes, upload }: StoredDraft["files"][number]): DraftFile {
  return { name, bytes, upload, failure: upload === null ? CUT_OFF : null, stop: new AbortController() };
}

/** Returns whether the draft has contents that leaving would lose. */
function isWorthKeeping({ fields, files }: Draft): boolean {
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
export function addresses(text: string): string[] {
  const entries = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,;\n])+/g) ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
