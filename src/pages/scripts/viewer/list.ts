import type { EventData } from "../../../contract/event.ts";
import { make } from "../lib/dom.ts";
import { count, line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { PAGE_ROWS, sourceOf, type RowPage, type Source } from "./list-sources.ts";
import { LoadedRows } from "./loaded-rows.ts";
import { hashOf, type ListName } from "./place.ts";
import { Rolling } from "./rolling.ts";
import { arrivedRow, type Row } from "./rows.ts";

/** The text of each list when it is empty. */
const EMPTY: Readonly<Record<ListName, string>> = {
  inbox: "No mail yet. New mail appears here automatically.",
  sent: "No mail was sent from this mailbox yet.",
  threads: "No conversations yet.",
  search: "Nothing found.",
};

const TITLES: Readonly<Record<ListName, string>> = {
  inbox: "Inbox",
  sent: "Sent",
  threads: "Threads",
  search: "Found",
};

/** The next page is loaded when so few loaded lines are below the window. */
const LOAD_AHEAD = 15;
/** The newest lines, of which unread mails are counted and labels listed. */
const MAX_LOOKED_AT = 500;

/** Unread mails of the inbox, as far as it is loaded. */
export interface Unread {
  count: number;
  /** Whether there may be more in the part that is not loaded. */
  isMore: boolean;
}

/** Functions that the list calls when its mails change. */
interface Told {
  unread: (unread: Unread) => void;
  labels: (labels: readonly string[]) => void;
}

/**
 * The list of mails. It grows as the reader scrolls, and the document has the lines near the window only. New mail is added on top
 * as it arrives; a reader who is further down keeps the place, and sees a button that leads to it.
 */
export class List {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #scroller: HTMLElement;
  readonly #told: Told;
  readonly #title = make("strong", { class: "break" });
  readonly #markAll = make("button", { type: "button", class: "quiet", hidden: true }, "Mark all read");
  readonly #state = make("div");
  readonly #rolling: Rolling;
  /** Below the lines: why the next ones could not be loaded. */
  readonly #end = make("div");
  readonly #arrivals = make("button", { type: "button", class: "arrivals", hidden: true });
  #name: ListName = "inbox";
  #argument = "";
  #source: Source | null = null;
  readonly #rows = new LoadedRows<Row>();
  /** Cursor of the next page; null: all lines are loaded. */
  #next: string | null = null;
  /** The loaded mails of the inbox, also while another list is shown. */
  #inbox: Unread & { ids: readonly string[] } = { ids: [], count: 0, isMore: false };
  #arrived = 0;
  /** Whether the first page of the list is there. */
  #isLoaded = false;
  /** The request for the first page that is under way, and the one for the next. */
  #loading: AbortController | null = null;
  #growing: Promise<boolean> | null = null;
  /** Whether an event arrived during that request, so that the page must be loaded again. */
  #again = false;
  #current = "";
  /** The line that had the focus last. */
  #last = "";

  constructor(
    context: Context,
    { bar, scroller }: { bar: HTMLElement; scroller: HTMLElement },
    told: Told,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#signal = signal;
    this.#scroller = scroller;
    this.#told = told;
    this.#rolling = new Rolling(scroller);
    bar.replaceChildren(this.#title, this.#markAll);
    const arrivals = make("div", { class: "arrivals-place" }, this.#arrivals);
    scroller.replaceChildren(arrivals, this.#state, this.#rolling.element, this.#end);
    this.#arrivals.addEventListener("click", () => this.#showArrivals());
    this.#markAll.addEventListener("click", () => {
      const newest = this.#rows.all[0];
      if (newest !== undefined) context.seen.markAll(newest.id);
      scroller.focus({ preventScroll: true });
    });
    this.#listenForScrolling();
    context.onEvent((data) => this.#hear(data), signal);
  }

  get place(): { name: ListName; argument: string } {
    return { name: this.#name, argument: this.#argument };
  }

  /** Shows a list from its beginning; does nothing if the list is already shown. */
  async open(name: ListName, argument: string): Promise<void> {
    if (this.#source !== null && name === this.#name && argument === this.#argument) return;
    this.#name = name;
    this.#argument = argument;
    this.#source = sourceOf(this.#context, name, argument);
    this.#title.textContent = name === "search" ? `${TITLES.search}: ${line(argument)}` : TITLES[name];
    this.#rolling.element.setAttribute("aria-label", this.#title.textContent);
    this.#rows.clear();
    this.#isLoaded = false;
    this.#next = null;
    this.#growing = null;
    this.#end.replaceChildren();
    this.#arrived = 0;
    this.#last = "";
    this.#scroller.scrollTop = 0;
    this.#show();
    await this.#load();
  }

  /** Loads the beginning again. Several calls during a request cause one more request. */
  refresh(): void {
    // Later pages of a search follow the order of the first: it is not mixed with a newer one.
    if (this.#name === "search" && this.#rows.length > PAGE_ROWS) return;
    if (this.#loading !== null) this.#again = true;
    else if (this.#source !== null) void this.#load();
  }

  /** Returns the link after the current one (`-1`: before), loading more if need be; null at the end of the list. */
  async step(by: 1 | -1): Promise<HTMLAnchorElement | null> {
    if (this.#at() + by >= this.#rows.length && !(await this.#grow())) return null;
    // Mail may have arrived above it meanwhile.
    const at = this.#at();
    const to = at === -1 ? 0 : at + by;
    return to < 0 ? null : (this.#rolling.reveal(to) ?? null);
  }

  /** The current line: the one with the focus, else the line of the mail that is shown. */
  get meant(): Row | null {
    return this.#rows.all[this.#at()] ?? null;
  }

  /** Marks the line of the mail that is shown; "" marks none. */
  mark(id: string): void {
    this.#current = id;
    this.#show();
    // With j and k the mail changes and the focus is elsewhere: the line stays in sight.
    const at = this.#rows.indexOf(id);
    if (at !== -1) this.#rolling.reveal(at);
  }

  /** Focuses the line of the mail that was shown last; if it is in another list, the line that had the focus last, else the first. */
  focus(id: string): void {
    const at = this.#rows.indexOf(this.#rows.has(id) ? id : this.#last);
    this.#rolling.reveal(Math.max(0, at))?.focus();
  }

  /** Takes a mail out. If it had the focus, the next one gets it. */
  remove(id: string): void {
    const at = this.#rows.indexOf(id);
    const hadFocus = this.#rolling.focused === id;
    // A thread has the id of its first mail, and may have others.
    if (this.#name === "threads") this.#rows.takeOut(id);
    else this.#rows.remove(id);
    this.#inbox.ids = this.#inbox.ids.filter((one) => one !== id);
    this.#show();
    if (hadFocus) this.#rolling.reveal(Math.min(at, this.#rows.length - 1))?.focus();
    this.refresh();
  }

  /** Shows again which mails are new. */
  seenChanged(): void {
    this.#show();
  }

  #at(): number {
    const meant = this.#rolling.focused || this.#current || this.#last;
    return this.#rows.indexOf(meant);
  }

  #listenForScrolling(): void {
    const signal = this.#signal;
    let isDue = false;
    const draw = (): void => {
      isDue = false;
      if (signal.aborted) return;
      if (this.#arrived > 0 && this.#name === "inbox" && !this.#rolling.isScrolled) this.#show();
      if (this.#draw()) soon();
    };
    const soon = (): void => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(draw);
    };
    this.#scroller.addEventListener("scroll", soon, { signal, passive: true });
    window.addEventListener("resize", () => this.#rolling.resized(), { signal });
    this.#scroller.addEventListener("focusin", () => (this.#last = this.#rolling.focused || this.#last), {
      signal,
    });
  }

  /** Puts lines into the document where few are left, and loads more. Returns whether the next frame must draw again. */
  #draw(): boolean {
    const { isMore, below } = this.#rolling.scrolled();
    // After a failure the reader is asked, and scrolling alone does not try again.
    const mayGrow = this.#loading === null && this.#end.childElementCount === 0;
    if (below < LOAD_AHEAD && this.#next !== null && mayGrow) void this.#grow();
    return isMore;
  }

  /** Loads the beginning and joins it with the lines that are loaded already; changes nothing if that fails. */
  async #load(): Promise<void> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const signal = AbortSignal.any([this.#signal, loading.signal]);
    this.#rolling.element.setAttribute("aria-busy", "true");
    this.#rows.ask();
    try {
      const page = await this.#source?.(null, signal);
      if (page === undefined || signal.aborted) return;
      this.#join(page);
      this.#end.replaceChildren();
      this.#state.replaceChildren(...(page.rows.length === 0 ? [this.#empty()] : []));
      this.#show();
    } catch (error) {
      const notice = failureNotice(error, () => void this.#load());
      if (notice !== null && !signal.aborted) this.#state.replaceChildren(notice);
    } finally {
      if (this.#loading === loading) this.#settle();
    }
  }

  #join({ rows, next }: RowPage): void {
    this.#isLoaded = true;
    if (this.#rows.length > PAGE_ROWS && this.#rows.join(rows)) return;
    this.#rows.replace(rows);
    this.#next = next;
  }

  #settle(): void {
    this.#loading = null;
    this.#rolling.element.removeAttribute("aria-busy");
    if (this.#again) {
      this.#again = false;
      this.refresh();
    } else this.#draw();
  }

  /** Loads the next page, one at a time. Resolves to whether there are more lines now. */
  #grow(): Promise<boolean> {
    if (this.#growing !== null) return this.#growing;
    const growing = this.#grown().finally(() => {
      if (this.#growing === growing) this.#growing = null;
    });
    this.#growing = growing;
    return growing;
  }

  async #grown(): Promise<boolean> {
    const source = this.#source;
    const cursor = this.#next;
    if (cursor === null || source === null) return false;
    try {
      const page = await source(cursor, this.#signal);
      // Another list is shown, or its beginning was loaded anew.
      if (source !== this.#source || cursor !== this.#next || this.#signal.aborted) return false;
      // A thread that moved up meanwhile is on two pages.
      this.#rows.append(page.rows);
      this.#next = page.next;
      this.#end.replaceChildren();
      this.#show();
      return true;
    } catch (error) {
      const notice = failureNotice(error, () => void this.#grow());
      if (notice !== null && source === this.#source) this.#end.replaceChildren(notice);
      return false;
    }
  }

  #hear(data: EventData): void {
    if (data.event === "message.received") this.#arrive(data);
    // Events of sent mail change its state; threads may have one more mail.
    else if (this.#name === "sent" || this.#name === "threads") this.refresh();
  }

  #arrive(data: EventData): void {
    this.#context.announce(`New mail from ${line(data.from)}: ${line(data.subject)}`);
    const others = this.#inbox.ids.filter((id) => id !== data.email_id);
    this.#inbox.ids = [data.email_id, ...others].slice(0, MAX_LOOKED_AT);
    if (this.#name !== "inbox") {
      if (this.#name === "threads") this.refresh();
      else this.#arrived += 1;
      this.#show();
      return;
    }
    // Shown at once from the event's data; the other data follows with the page.
    if (!this.#rows.has(data.email_id)) {
      if (this.#rolling.isScrolled) this.#arrived += 1;
      this.#rows.prepend(arrivedRow(data));
      this.#state.replaceChildren();
      this.#show();
    }
    this.refresh();
  }

  #showArrivals(): void {
    this.#arrived = 0;
    if (this.#name !== "inbox") location.hash = hashOf("inbox");
    else {
      this.#scroller.scrollTop = 0;
      this.#show();
      this.#rolling.reveal(0)?.focus();
    }
  }

  #empty(): HTMLElement {
    return make("p", { class: "muted empty" }, EMPTY[this.#name]);
  }

  #show(): void {
    // A mark of seen mail may be answered after the reader signed out.
    if (this.#signal.aborted) return;
    const { seen } = this.#context;
    const isNew = (row: Row): boolean => row.isReceived && !seen.has(row.emailId);
    this.#rolling.show(this.#rows.all, { current: this.#current, isNew, isWhole: this.#next === null });
    // Until its first page is there, the inbox counts as it did when it was shown last.
    if (this.#name === "inbox" && this.#isLoaded) {
      if (!this.#rolling.isScrolled) this.#arrived = 0;
      const newest = this.#rows.all.slice(0, MAX_LOOKED_AT);
      const oldest = newest.at(-1);
      const isWhole = this.#next === null && newest.length === this.#rows.length;
      const isMore = !isWhole && oldest !== undefined && !seen.isPast(oldest.id);
      this.#inbox = { ids: newest.map(({ id }) => id), count: 0, isMore };
    }
    this.#inbox.count = this.#inbox.ids.filter((id) => !seen.has(id)).length;
    this.#markAll.hidden = this.#name !== "inbox" || !this.#isLoaded || this.#inbox.count === 0;
    this.#arrivals.hidden = this.#arrived === 0;
    this.#arrivals.textContent = `${count(this.#arrived, "new mail")} · show`;
    this.#told.unread(this.#inbox);
    const labels = this.#rows.all.slice(0, MAX_LOOKED_AT).flatMap((row) => row.labels);
    if (labels.length > 0) this.#told.labels([...new Set(labels)]);
  }
}
