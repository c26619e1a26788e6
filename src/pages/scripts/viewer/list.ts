import type { EventData } from "../../../contract/event.ts";
import { make } from "../lib/dom.ts";
import { count, line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { PAGE_ROWS, sourceOf, type RowPage, type Source } from "./list-sources.ts";
import { hashOf, type ListName } from "./place.ts";
import { arrivedRow, fillRow, type Row } from "./rows.ts";

/** The text of each list when it is empty. */
const EMPTY: Readonly<Record<ListName, string>> = {
  inbox: "No mail yet. New mail appears here automatically.",
  sent: "No mail was sent from this mailbox yet.",
  threads: "No conversations yet.",
  search: "Nothing found.",
};

/** New mails that were not opened are marked up to this number. */
const MAX_NEW_IDS = 1_000;

/**
 * The list of mails. It shows one page at a time, so that ten thousand mails cost as much as fifty. New mail is added on top of
 * the first page; on other pages a button shows how many arrived.
 */
export class List {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #rows = make("ul", { class: "rows mails" });
  readonly #state = make("div");
  readonly #arrivals = make("button", { type: "button", class: "arrivals", hidden: true });
  readonly #newer = make("button", { type: "button" }, "Newer");
  readonly #older = make("button", { type: "button" }, "Older");
  readonly #range = make("span", { class: "muted small" });
  #name: ListName = "inbox";
  #argument = "";
  #source: Source | null = null;
  /** Cursors of the pages up to this one; the first is null. */
  #cursors: (string | null)[] = [null];
  #page: RowPage = { rows: [], next: null };
  /** Ids of mails that arrived while this tab was open, and were not opened. */
  readonly #new = new Set<string>();
  #arrived = 0;
  /** The request for a page that is under way. */
  #loading: AbortController | null = null;
  /** Whether an event arrived during that request, so that the page must be loaded again. */
  #again = false;
  #current = "";

  constructor(context: Context, holder: HTMLElement, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    const pages = make("nav", { class: "pages spread", "aria-label": "Pages of the list" });
    pages.append(this.#newer, this.#range, this.#older);
    holder.replaceChildren(this.#arrivals, this.#state, this.#rows, pages);
    this.#newer.addEventListener("click", () => void this.newer().then(() => this.#begin()));
    this.#older.addEventListener("click", () => void this.older().then(() => this.#begin()));
    this.#arrivals.addEventListener("click", () => {
      if (this.#name === "inbox") void this.#first().then(() => this.#begin());
      else location.hash = hashOf("inbox");
    });
    context.onEvent((data) => this.#hear(data), signal);
  }

  get place(): { name: ListName; argument: string } {
    return { name: this.#name, argument: this.#argument };
  }

  /** Shows a list from its first page; does nothing if the list is already shown. */
  async open(name: ListName, argument: string): Promise<void> {
    if (this.#source !== null && name === this.#name && argument === this.#argument) return;
    this.#name = name;
    this.#argument = argument;
    this.#source = sourceOf(this.#context, name, argument);
    this.#rows.setAttribute("aria-label", name === "search" ? `Found for ${argument}` : name);
    await this.#first();
  }

  /** Loads the page again. Several calls during a request cause one more request. */
  refresh(): void {
    if (this.#loading !== null) this.#again = true;
    else if (this.#source !== null) void this.#turn(this.#cursors);
  }

  async older(): Promise<boolean> {
    const { next } = this.#page;
    return next !== null && this.#turn([...this.#cursors, next]);
  }

  async newer(): Promise<boolean> {
    return this.#cursors.length > 1 && this.#turn(this.#cursors.slice(0, -1));
  }

  /** Returns the link after the current one (`-1`: before), turning the page if need be; null at the end of the list. */
  async step(by: 1 | -1): Promise<HTMLAnchorElement | null> {
    const links = this.#links();
    const at = links.findIndex((link) => this.#isMeant(link));
    const next = links[at === -1 ? 0 : at + by];
    if (next !== undefined) return next;
    const turned = await (by === 1 ? this.older() : this.newer());
    return turned ? (this.#links().at(by === 1 ? 0 : -1) ?? null) : null;
  }

  /** The current line: the one with the focus, else the line of the mail that is shown. */
  get meant(): Row | null {
    const at = this.#links().findIndex((link) => this.#isMeant(link));
    return this.#page.rows[at] ?? null;
  }

  /** Marks the line of the mail that is shown; "" marks none. */
  mark(id: string): void {
    this.#current = id;
    this.#new.delete(this.#page.rows.find((row) => row.id === id)?.emailId ?? id);
    this.#show();
  }

  /** Focuses the line of the mail that was shown last, else the first line. */
  focus(id: string): void {
    const link = this.#links().find((one) => one.dataset.id === id) ?? this.#links()[0];
    link?.focus();
  }

  #isMeant(link: HTMLAnchorElement): boolean {
    const focused = this.#links().find((one) => one === document.activeElement);
    return focused === undefined ? link.dataset.id === this.#current : link === focused;
  }

  #links(): HTMLAnchorElement[] {
    return [...this.#rows.querySelectorAll("a")];
  }

  async #first(): Promise<void> {
    this.#arrived = 0;
    this.#page = { rows: [], next: null };
    this.#show();
    await this.#turn([null]);
  }

  /** Shows the page at the end of `cursors`; returns false and changes nothing if that fails. */
  async #turn(cursors: (string | null)[]): Promise<boolean> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const signal = AbortSignal.any([this.#signal, loading.signal]);
    this.#rows.setAttribute("aria-busy", "true");
    try {
      const page = await this.#source?.(cursors.at(-1) ?? null, signal);
      if (page === undefined || signal.aborted) return false;
      this.#cursors = cursors;
      if (cursors.length === 1) this.#arrived = 0;
      this.#page = page;
      this.#state.replaceChildren(...(page.rows.length === 0 ? [this.#empty()] : []));
      this.#show();
      return true;
    } catch (error) {
      const notice = failureNotice(error, () => void this.#turn(cursors));
      if (notice !== null) this.#state.replaceChildren(notice);
      return false;
    } finally {
      if (this.#loading === loading) this.#settle();
    }
  }

  #settle(): void {
    this.#loading = null;
    this.#rows.removeAttribute("aria-busy");
    if (!this.#again) return;
    this.#again = false;
    this.refresh();
  }

  /** Scrolls to the beginning of the page. */
  #begin(): void {
    this.#links()[0]?.focus({ preventScroll: true });
    this.#rows.parentElement?.parentElement?.scrollIntoView({ block: "nearest" });
    this.#rows.scrollIntoView({ block: "nearest" });
  }

  #hear(data: EventData): void {
    if (data.event === "message.received") this.#arrive(data);
    // Events of sent mail change its state; threads may have one more mail.
    else if (this.#name === "sent" || this.#name === "threads") this.refresh();
  }

  #arrive(data: EventData): void {
    const isFirstPage = this.#cursors.length === 1;
    this.#context.announce(`New mail from ${line(data.from)}: ${line(data.subject)}`);
    if (this.#new.size < MAX_NEW_IDS) this.#new.add(data.email_id);
    if (this.#name === "threads" && isFirstPage) return this.refresh();
    if (this.#name !== "inbox" || !isFirstPage) {
      this.#arrived += 1;
      this.#show();
      return;
    }
    // Shown at once from the event's data; the other data follows with the page.
    const known = this.#page.rows.some(({ id }) => id === data.email_id);
    if (!known) {
      this.#page.rows = [arrivedRow(data), ...this.#page.rows].slice(0, 2 * PAGE_ROWS);
      this.#state.replaceChildren();
      this.#show();
    }
    this.refresh();
  }

  #empty(): HTMLElement {
    return make("p", { class: "muted empty" }, EMPTY[this.#name]);
  }

  /** Updates the lines. The element of a mail stays the same, so the focus stays on it. */
  #show(): void {
    const { rows, next } = this.#page;
    const known = new Map(this.#links().map((link) => [link.dataset.id, link]));
    for (const [index, row] of rows.entries()) {
      const link = known.get(row.id) ?? make("a", { "data-id": row.id });
      fillRow(link, row, this.#new.has(row.emailId));
      if (row.id === this.#current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      const item = link.parentElement ?? make("li", {}, link);
      if (this.#rows.children[index] !== item)
        this.#rows.insertBefore(item, this.#rows.children[index] ?? null);
    }
    while (this.#rows.children.length > rows.length) this.#rows.lastElementChild?.remove();
    const before = (this.#cursors.length - 1) * PAGE_ROWS;
    this.#range.textContent = rows.length === 0 ? "" : `${before + 1}–${before + rows.length}`;
    this.#newer.disabled = this.#cursors.length === 1;
    this.#older.disabled = next === null;
    this.#newer.parentElement?.toggleAttribute("hidden", next === null && this.#cursors.length === 1);
    this.#arrivals.hidden = this.#arrived === 0;
    this.#arrivals.textContent = `${count(this.#arrived, "new mail")} · show`;
  }
}
