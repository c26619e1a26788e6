import type { RefusalReason, RefusedMail, RefusedPage } from "../../../contract/rules.ts";
import { confirmed } from "../lib/dialog.ts";
import { make } from "../lib/dom.ts";
import { doing } from "../lib/form.ts";
import { Latest } from "../lib/latest.ts";
import { count, exactTime, line, size } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { hashOf } from "./place.ts";

/** Refused mails on a page; older ones replace them. */
const PAGE_MAILS = 20;

const REASONS: Readonly<Record<RefusalReason, string>> = {
  blocked: "The sender is blocked.",
  not_listed: "The sender is not on the list of allowed senders.",
  not_verified: "It could not be confirmed that the mail is from this sender.",
};

/** The mail that the rules refused. */
export function refusedView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const refused = new RefusedList(context, signal);
  void refused.show(null);
  const title = make("h2", { tabindex: "-1" }, "Refused mail");
  const rules = make("p", { class: "muted" }, make("a", { href: hashOf("rules") }, "The rules"));
  rules.append(" say who may write.");
  return Promise.resolve(make("div", { class: "settings" }, title, rules, refused.element));
}

/** The refused mails of the mailbox, page by page, with what can be done about each. */
class RefusedList {
  readonly element = make("div", { class: "refused" });
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #said = make("div");
  readonly #about = make("p", { class: "muted small" });
  readonly #rows = make("ul", { class: "rows" });
  readonly #newest = doing("Newest", () => this.show(null));
  readonly #older = doing("Older", () => this.show(this.#next));
  readonly #latest = new Latest();
  #cursor: string | null = null;
  #next: string | null = null;

  constructor(context: Context, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    const pages = make("div", { class: "actions" }, this.#newest, this.#older);
    this.element.append(this.#said, this.#about, this.#rows, pages);
  }

  /** Shows the page after `cursor`; null is the newest. Never rejects. */
  async show(cursor: string | null): Promise<void> {
    const isLatest = this.#latest.ask();
    try {
      const query = { limit: PAGE_MAILS, ...(cursor === null ? {} : { cursor }) };
      const page = await this.#context.client.refused.list(query, { signal: this.#signal });
      if (!isLatest()) return;
      this.#cursor = cursor;
      this.#next = page.next_cursor;
      this.#fill(page);
    } catch (error) {
      if (isLatest()) this.#fail(error);
    }
  }

  #fill({ refused, kept }: RefusedPage): void {
    const lost = kept.dropped === 0 ? "" : ` ${count(kept.dropped, "mail")} fell out earlier to make room.`;
    this.#about.textContent =
      refused.length === 0
        ? `No mail was refused in the last 7 days.${lost}`
        : `Refused mail is kept for 7 days, and nobody but you sees it here.${lost}`;
    this.#rows.replaceChildren(...refused.map((one) => this.#row(one)));
    this.#rows.hidden = refused.length === 0;
    this.#newest.hidden = this.#cursor === null;
    this.#older.hidden = this.#next === null;
  }

  #row(mail: RefusedMail): HTMLElement {
    const { from_name, from_address, subject, received_at, reason, size_bytes, expires_at } = mail;
    const name = line(from_name);
    return make(
      "li",
      {},
      make("p", { class: "break" }, make("strong", {}, line(subject) || "(no subject)")),
      make(
        "p",
        { class: "break" },
        name === "" ? "" : `${name} `,
        make("span", { class: "mono" }, line(from_address) || "(no sender)"),
      ),
      make("p", {}, REASONS[reason]),
      make(
        "p",
        { class: "muted small" },
        make("time", { datetime: received_at }, exactTime(received_at)),
        `, ${size(size_bytes)}; kept until ${exactTime(expires_at)}`,
      ),
      make(
        "div",
        { class: "actions" },
        doing("Release", () => this.#release(mail)),
        doing("Delete", () => this.#delete(mail), "danger"),
      ),
    );
  }

  async #release(mail: RefusedMail): Promise<void> {
    try {
      const { id } = await this.#context.client.refused.release(mail.id);
      await this.show(this.#cursor);
      const open = make("a", { class: "button", href: hashOf("mail", id) }, "Open it");
      const allow = doing("Allow this sender", () => this.#allow(mail));
      const from = line(mail.from_address);
      const text = `Received now. Further mail from ${from} is still refused, unless you allow it.`;
      const actions = make("div", { class: "actions" }, open, ...(from === "" ? [] : [allow]));
      const notice = make("div", { class: "notice good", role: "status", tabindex: "-1" });
      notice.append(make("p", { class: "break" }, text), actions);
      this.#said.replaceChildren(notice);
      notice.focus();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #delete(mail: RefusedMail): Promise<void> {
    const question = {
      title: "Delete this mail?",
      text: "It can then no longer be released.",
      action: "Delete",
    };
    try {
      if (!(await confirmed(question))) return;
      await this.#context.client.refused.delete(mail.id);
      await this.show(this.#cursor);
      this.#tell("Deleted.");
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Allows exactly this address. An address that is not proven is allowed for everybody who writes it, after a question. */
  async #allow({ from_address, sender_verified }: RefusedMail): Promise<void> {
    const match = from_address.toLowerCase();
    const question = {
      title: "Allow a sender who is not proven?",
      text: `It could not be confirmed that the mail is from ${line(match)}. Anybody who writes this address into a mail will get in.`,
      action: "Allow",
    };
    try {
      if (!sender_verified && !(await confirmed(question))) return;
      const { rules } = this.#context.client;
      const { mode, allow, block } = (await rules.get()).receive;
      const others = (one: { match: string }): boolean => one.match !== match;
      const entry = { match, ...(sender_verified ? {} : { unverified: true }) };
      const stated = { mode, allow: [...allow.filter(others), entry], block: block.filter(others) };
      await rules.put({ receive: stated });
      this.#tell(`${line(match)} may write from now on.`);
    } catch (error) {
      this.#fail(error);
    }
  }

  #tell(text: string): void {
    const notice = make("p", { class: "notice good break", role: "status", tabindex: "-1" }, text);
    this.#said.replaceChildren(notice);
    notice.focus();
  }

  #fail(error: unknown): void {
    const notice = failureNotice(error);
    if (notice !== null && !this.#signal.aborted) this.#said.replaceChildren(notice);
  }
}
