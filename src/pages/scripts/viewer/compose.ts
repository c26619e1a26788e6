import type { Email } from "../../../contract/message.ts";
import type { MailkeepError } from "../../../client/error.ts";
import { newKey } from "../../../client/methods.ts";
import { isFault, isRefusal, isUnreachable } from "../lib/client.ts";
import { find, make } from "../lib/dom.ts";
import { line, size } from "../lib/words.ts";
import type { Context, MeShape } from "./context.ts";
import { isWorthKeeping, newDraft, sendDraft, type Draft, type DraftFile, type Manner } from "./draft.ts";
import { failureNotice, failureText } from "./failures.ts";
import { hashOf } from "./place.ts";

/** The service refuses larger files, so they are not uploaded. */
const MAX_FILE_BYTES = 100_000_000;

const TITLES: Readonly<Record<Manner, string>> = {
  compose: "New mail",
  reply: "Reply",
  "reply-all": "Reply to all",
  forward: "Forward",
};

/** The drafts of this tab, by the URL fragment of their form. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();

  at(place: string): Draft {
    const draft = this.#drafts.get(place) ?? newDraft();
    // Forgets forms that were opened and not changed.
    for (const [other, one] of this.#drafts) if (!isWorthKeeping(one)) this.#drafts.delete(other);
    this.#drafts.set(place, draft);
    return draft;
  }

  sent(draft: Draft): void {
    for (const [place, one] of this.#drafts) if (one === draft) this.#drafts.delete(place);
  }

  /** Whether closing the tab would lose a draft. */
  get any(): boolean {
    return [...this.#drafts.values()].some(isWorthKeeping);
  }
}

interface Writing {
  context: Context;
  drafts: Drafts;
  manner: Manner;
  /** Id of the mail that is answered or forwarded; "" for a new one. */
  originalId: string;
  signal: AbortSignal;
}

/** Builds the form to write a mail; for a key that cannot send, the reason. */
export async function composeView(writing: Writing): Promise<HTMLElement> {
  const { context, manner, originalId, signal } = writing;
  const original = manner === "compose" ? null : await context.client.emails.get(originalId, { signal });
  const refusal = cannotSend(await context.me);
  const title = make("h2", { tabindex: "-1" }, TITLES[manner]);
  if (refusal !== null) return make("div", { class: "compose" }, title, refusal);
  return make(
    "div",
    { class: "compose" },
    title,
    ...originalParts(manner, original),
    new Form(writing).element,
  );
}

/** Explains why a key cannot send; null if it can. */
function cannotSend({ send, scope }: MeShape): HTMLElement | null {
  if (send) return null;
  const notice = make("div", { class: "notice info" });
  if (scope !== "provisional") {
    notice.append(make("p", {}, "This deployment does not send mail."));
    return notice;
  }
  notice.append(
    make(
      "p",
      {},
      "A temporary mailbox receives mail and cannot send any. To send, let your agent claim a permanent one.",
    ),
    make("p", {}, make("a", { class: "button", href: "/claim" }, "Claim a mailbox")),
  );
  return notice;
}

function originalParts(manner: Manner, original: Email | null): HTMLElement[] {
  if (original === null) return [];
  const facts = make("dl", { class: "facts" });
  const add = (name: string, value: string): void =>
    facts.append(make("dt", {}, name), make("dd", { class: "break", dir: "auto" }, value));
  add(manner === "forward" ? "Forwarding" : "In reply to", line(original.subject) || "(no subject)");
  if (manner !== "forward") add("To", recipientsOf(manner, original));
  else if (original.attachments.length > 0)
    add("Attachments", original.attachments.map(({ filename }) => line(filename)).join(", "));
  return [facts];
}

function recipientsOf(manner: Manner, { direction, headers, from_address, to_address }: Email): string {
  const author = headers["reply-to"] ?? from_address;
  const who = line(direction === "outbound" ? to_address : author);
  return manner === "reply-all" ? `${who}, and all others who got it` : who;
}

const FIELDS = {
  to: { label: "To", hint: "Separate several addresses with commas." },
  cc: { label: "Cc", hint: "" },
  bcc: { label: "Bcc", hint: "" },
  from: { label: "From", hint: "Empty: this mailbox. A +tag of it or an address of its domain also works." },
  subject: { label: "Subject", hint: "" },
} as const;
type FieldName = keyof typeof FIELDS;

class Form {
  readonly element = make("form", { method: "post", novalidate: true, autocomplete: "off" });
  readonly #writing: Writing;
  readonly #draft: Draft;
  readonly #send = make("button", { class: "primary" }, "Send");
  readonly #files = make("ul", { class: "rows", hidden: true });
  readonly #outcome = make("div");

  constructor(writing: Writing) {
    this.#writing = writing;
    this.#draft = writing.drafts.at(hashOf(writing.manner, writing.originalId));
    const { manner } = writing;
    const names: FieldName[] = manner === "compose" || manner === "forward" ? ["to"] : [];
    const copies = make("details", { class: "copies" }, make("summary", {}, "Cc, Bcc, From"));
    for (const name of ["cc", "bcc", "from"] as const) {
      copies.append(this.#field(name));
      if (this.#draft.fields.has(name)) copies.open = true;
    }
    if (manner === "compose") names.push("subject");
    this.element.append(
      ...names.map((name) => this.#field(name)),
      copies,
      this.#text(),
      this.#attach(),
      this.#files,
      this.#outcome,
      make("div", { class: "actions" }, this.#send, this.#discard()),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#showFiles();
  }

  #field(name: FieldName): HTMLElement {
    const { label, hint } = FIELDS[name];
    const field = make(
      "div",
      { class: "field", "data-field": name },
      make("label", { for: `draft-${name}` }, label),
    );
    const input = make("input", { id: `draft-${name}`, type: "text", autocomplete: "off" });
    if (hint !== "") {
      input.setAttribute("aria-describedby", `draft-${name}-hint`);
      field.append(input, make("span", { class: "hint", id: `draft-${name}-hint` }, hint));
    } else field.append(input);
    this.#keep(name, input);
    return field;
  }

  #text(): HTMLElement {
    const text = make("textarea", { id: "draft-text", rows: "12" });
    this.#keep("text", text);
    const quoted = this.#writing.manner === "compose" ? [] : [" (the original mail is added below)"];
    const label = make("label", { for: "draft-text" }, "Text", ...quoted);
    return make("div", { class: "field", "data-field": "text" }, label, text);
  }

  #keep(name: string, input: HTMLInputElement | HTMLTextAreaElement): void {
    input.value = this.#draft.fields.get(name) ?? "";
    input.addEventListener("input", () => this.#draft.fields.set(name, input.value));
  }

  #attach(): HTMLElement {
    const input = make("input", { id: "draft-files", type: "file", multiple: true });
    input.addEventListener("change", () => {
      for (const file of input.files ?? []) this.#add(file);
      input.value = "";
    });
    return make("div", { class: "field" }, make("label", { for: "draft-files" }, "Files"), input);
  }

  #discard(): HTMLElement {
    const button = make("button", { type: "button" }, "Discard");
    button.addEventListener("click", () => {
      for (const { stop } of this.#draft.files) stop.abort();
      this.#writing.drafts.sent(this.#draft);
      this.#writing.context.leave();
    });
    return button;
  }

  #add(file: File): void {
    const entry: DraftFile = {
      name: file.name,
      bytes: file.size,
      upload: null,
      failure: null,
      stop: new AbortController(),
    };
    this.#draft.files.push(entry);
    if (file.size > MAX_FILE_BYTES) entry.failure = "too large: at most 100 MB";
    else void this.#upload(file, entry);
    this.#showFiles();
  }

  async #upload(file: File, entry: DraftFile): Promise<void> {
    try {
      const { attachments } = this.#writing.context.client;
      // Not the view's signal: the upload continues while the reader looks at other mails.
      const { signal } = entry.stop;
      entry.upload = await attachments.upload(file, { filename: file.name }, { signal });
    } catch (error) {
      entry.failure = failureText(error);
    }
    this.#showFiles();
  }

  #showFiles(): void {
    const { files } = this.#draft;
    this.#files.hidden = files.length === 0;
    this.#files.replaceChildren(...files.map((entry) => this.#fileLine(entry)));
    const isUploading = files.some(({ upload, failure }) => upload === null && failure === null);
    this.#send.disabled = isUploading;
    this.#send.textContent = isUploading ? "Uploading…" : "Send";
  }

  #fileLine(entry: DraftFile): HTMLElement {
    const remove = make(
      "button",
      { type: "button", class: "copy", "aria-label": `Remove ${entry.name}` },
      "Remove",
    );
    remove.addEventListener("click", () => {
      entry.stop.abort();
      this.#draft.files = this.#draft.files.filter((one) => one !== entry);
      this.#showFiles();
    });
    const state = entry.failure ?? (entry.upload === null ? "uploading…" : size(entry.bytes));
    const about = make("span", { class: entry.failure === null ? "muted small" : "error" }, state);
    return make(
      "li",
      { class: "file" },
      make("div", { class: "about" }, make("span", { class: "break" }, line(entry.name)), about),
      remove,
    );
  }

  async #submit(): Promise<void> {
    if (this.#send.disabled) return;
    const { context, drafts, manner, originalId } = this.#writing;
    this.#send.disabled = true;
    this.#send.textContent = "Sending…";
    this.#outcome.replaceChildren();
    for (const field of this.element.querySelectorAll(".wrong")) field.classList.remove("wrong");
    try {
      // No signal: leaving the form does not cancel a send.
      const sent = await sendDraft(context.client, this.#draft, manner, originalId);
      drafts.sent(this.#draft);
      context.announce("The mail was accepted for sending.");
      location.hash = hashOf("mail", sent.id);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#send.textContent = "Send";
      this.#showFiles();
    }
  }

  #failed(error: unknown): void {
    const notice = failureNotice(error);
    if (notice === null) return;
    const explained = this.#explain(error);
    if (explained !== "") notice.append(make("p", {}, explained));
    this.#outcome.replaceChildren(notice);
  }

  /** Explains a failure, marks wrong fields, and gives the draft a new idempotency key where the old one is used up. */
  #explain(error: unknown): string {
    if (isUnreachable(error) || (isRefusal(error) && isFault(error))) {
      return "It is not known whether the mail was sent. You can send this draft again unchanged: it is sent at most once.";
    }
    if (!isRefusal(error) || error.status === 429 || error.status === 409) return "";
    this.#draft.key = newKey();
    if (error.status === 422) {
      return "An earlier version of this draft was sent; see Sent. Sending now sends this version too.";
    }
    for (const path of pathsOf(error)) {
      const field = this.element.querySelector(`[data-field="${CSS.escape(path)}"]`);
      field?.classList.add("wrong");
    }
    const wrong = this.element.querySelector(".wrong");
    if (wrong !== null) find("input, textarea", HTMLElement, wrong).focus();
    return "";
  }
}

/** Returns the names of the fields that a refusal is about. */
function pathsOf({ body }: MailkeepError): string[] {
  const details: unknown[] = Array.isArray(body.details) ? body.details : [];
  return details.flatMap((detail) => {
    const path = typeof detail === "object" && detail !== null && "path" in detail ? detail.path : null;
    return typeof path === "string" ? [path.split(/[.[]/)[0] ?? ""] : [];
  });
}
