import type { Email } from "../../../contract/message.ts";
import type { MailkeepError } from "../../../client/error.ts";
import { newKey } from "../../../client/methods.ts";
import { isFault, isRefusal, isUnreachable } from "../lib/refusals.ts";
import { find, make } from "../lib/dom.ts";
import { line, size } from "../lib/words.ts";
import type { Context, MeShape } from "./context.ts";
import { sendDraft, type Draft, type DraftFile, type Drafts, type Manner, type Outcome } from "./draft.ts";
import { failureNotice, failureText } from "./failures.ts";
import { hashOf } from "./place.ts";
import { Recipients } from "./recipients.ts";

/** The service refuses larger files, so they are not uploaded. */
const MAX_FILE_BYTES = 100_000_000;

const TITLES: Readonly<Record<Manner, string>> = {
  compose: "New mail",
  reply: "Reply",
  "reply-all": "Reply to all",
  forward: "Forward",
};

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
  to: { label: "To", hint: "" },
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
  readonly #recipients: Recipients[] = [];

  constructor(writing: Writing) {
    this.#writing = writing;
    this.#draft = writing.drafts.at(hashOf(writing.manner, writing.originalId));
    this.#draft.filesChanged = () => this.#showFiles();
    this.#draft.answered = (outcome) => this.#end(outcome);
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
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void this.#submit();
    });
    this.#showFiles();
  }

  #field(name: FieldName): HTMLElement {
    const { label, hint } = FIELDS[name];
    const id = `draft-${name}`;
    const field = make("div", { class: "field", "data-field": name }, make("label", { for: id }, label));
    const input = make("input", { id, type: "text", autocomplete: "off" });
    input.setAttribute("aria-describedby", hint === "" ? `${id}-error` : `${id}-hint ${id}-error`);
    if (name === "to" || name === "cc" || name === "bcc") {
      const written = this.#draft.fields.get(name) ?? "";
      const recipients = new Recipients(input, written, (text) => this.#change(name, text));
      this.#recipients.push(recipients);
      field.append(recipients.element);
    } else {
      field.append(input);
      this.#keep(name, input);
    }
    if (hint !== "") field.append(make("span", { class: "hint", id: `${id}-hint` }, hint));
    field.append(make("span", { class: "error", id: `${id}-error` }));
    return field;
  }

  #text(): HTMLElement {
    const text = make("textarea", { id: "draft-text", rows: "12", "aria-describedby": "draft-text-error" });
    this.#keep("text", text);
    const quoted = this.#writing.manner === "compose" ? [] : [" (the original mail is added below)"];
    const label = make("label", { for: "draft-text" }, "Text", ...quoted);
    const error = make("span", { class: "error", id: "draft-text-error" });
    return make("div", { class: "field", "data-field": "text" }, label, text, error);
  }

  #keep(name: string, input: HTMLInputElement | HTMLTextAreaElement): void {
    input.value = this.#draft.fields.get(name) ?? "";
    input.addEventListener("input", () => this.#change(name, input.value));
  }

  #change(name: string, text: string): void {
    this.#draft.fields.set(name, text);
    this.#writing.drafts.changed();
  }

  #attach(): HTMLElement {
    const input = make("input", {
      id: "draft-files",
      type: "file",
      multiple: true,
      "aria-describedby": "draft-files-error",
    });
    input.addEventListener("change", () => {
      for (const file of input.files ?? []) this.#add(file);
      input.value = "";
    });
    const label = make("label", { for: "draft-files" }, "Files");
    const error = make("span", { class: "error", id: "draft-files-error" });
    return make("div", { class: "field", "data-field": "files" }, label, input, error);
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
    if (file.size > MAX_FILE_BYTES) entry.failure = "not attached: it is larger than 100 MB.";
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
      const text = failureText(error);
      entry.failure = text === null ? null : `not attached: ${text}`;
    }
    this.#draft.filesChanged();
  }

  #showFiles(): void {
    const { files } = this.#draft;
    this.#writing.drafts.changed();
    this.#files.hidden = files.length === 0;
    this.#files.replaceChildren(...files.map((entry) => this.#fileLine(entry)));
    this.#showSend();
  }

  /** While the draft is sent the form takes no input: nobody would send what is typed then. */
  #showSend(): void {
    const { files, isSending } = this.#draft;
    const isUploading = files.some(({ upload, failure }) => upload === null && failure === null);
    this.element.inert = isSending;
    this.#send.disabled = isUploading || isSending;
    this.#send.textContent = isSending ? "Sending…" : isUploading ? "Uploading…" : "Send";
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
    const draft = this.#draft;
    const { context, manner, originalId } = this.#writing;
    for (const recipients of this.#recipients) recipients.commit();
    this.#unmark();
    const wrong = this.#recipients.find(({ isRight }) => !isRight);
    if (wrong !== undefined) {
      this.#mark(wrong.name, "Not every entry is an address, such as ann@example.com.");
      return wrong.focus();
    }
    if (draft.files.some(({ failure }) => failure !== null)) {
      this.#mark(
        "files",
        "Not every file is attached. Choose those files again, or remove them from the list.",
      );
      return find("#draft-files", HTMLElement, this.element).focus();
    }
    draft.isSending = true;
    this.#outcome.replaceChildren();
    this.#showSend();
    let outcome: Outcome;
    try {
      // No signal: leaving the form does not cancel a send.
      outcome = await sendDraft(context.client, draft, manner, originalId);
    } catch (error) {
      outcome = { error };
    }
    draft.isSending = false;
    // The reader may have left this form and opened the draft again.
    draft.answered(outcome);
  }

  #end(outcome: Outcome): void {
    const { context, drafts, signal } = this.#writing;
    this.#showSend();
    if ("error" in outcome) {
      this.#failed(outcome.error);
      // The form had no focus while it took no input.
      if (document.activeElement === document.body) this.#send.focus();
      return;
    }
    drafts.sent(this.#draft);
    context.announce("The mail was accepted for sending.");
    // Unless the reader looks at something else, or signed out.
    if (!signal.aborted) location.hash = hashOf("mail", outcome.id);
  }

  #unmark(): void {
    for (const field of this.element.querySelectorAll(".field.wrong")) {
      field.classList.remove("wrong");
      find(".error", HTMLElement, field).textContent = "";
      find("input, textarea", HTMLElement, field).removeAttribute("aria-invalid");
    }
  }

  /** Marks a field as wrong, and says why below it. */
  #mark(name: string, text: string): void {
    const field = this.element.querySelector(`[data-field="${CSS.escape(name)}"]`);
    if (field === null || field.classList.contains("wrong")) return;
    field.classList.add("wrong");
    const fold = field.closest("details");
    if (fold !== null) fold.open = true;
    find(".error", HTMLElement, field).textContent = text;
    find("input, textarea", HTMLElement, field).setAttribute("aria-invalid", "true");
  }

  #failed(error: unknown): void {
    const notice = failureNotice(error);
    if (notice === null) return;
    const explained = this.#explain(error);
    if (explained !== "") notice.append(make("p", {}, explained));
    const { context, manner, originalId, signal } = this.#writing;
    if (!signal.aborted) return this.#outcome.replaceChildren(notice);
    // The reader has left the form.
    const draft = make("a", { href: hashOf(manner, originalId) }, "Open the draft");
    notice.prepend(make("p", {}, "A mail was not sent. ", draft));
    context.notify(notice);
  }

  /** Explains a failure, marks wrong fields, and gives the draft a new idempotency key where the old one is used up. */
  #explain(error: unknown): string {
    if (isUnreachable(error) || (isRefusal(error) && isFault(error))) {
      return "It is not known whether the mail was sent. You can send this draft again unchanged: it is sent at most once.";
    }
    if (!isRefusal(error) || error.status === 429 || error.status === 409) return "";
    this.#draft.key = newKey();
    this.#writing.drafts.changed();
    if (error.status === 422) {
      return "An earlier version of this draft was sent; see Sent. Sending now sends this version too.";
    }
    for (const { name, text } of faultsOf(error)) this.#mark(name, text);
    if (error.code === "wrong_sender") this.#mark("from", "It must be an address of this mailbox.");
    const wrong = this.element.querySelector(".field.wrong");
    if (wrong !== null) find("input, textarea", HTMLElement, wrong).focus();
    return "";
  }
}

/** Returns the fields that a refusal is about, each with its rule. */
function faultsOf({ body }: MailkeepError): { name: string; text: string }[] {
  const details: unknown[] = Array.isArray(body.details) ? body.details : [];
  return details.flatMap((detail) => {
    const { path = null, message = null }: { path?: unknown; message?: unknown } =
      typeof detail === "object" && detail !== null ? detail : {};
    if (typeof path !== "string") return [];
    const text = typeof message === "string" ? `It ${message.replace(/\.$/, "")}.` : "";
    return [{ name: path.split(/[.[]/)[0] ?? "", text }];
  });
}
