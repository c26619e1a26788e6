import type { EventData } from "../../../contract/event.ts";
import type { MailkeepError } from "../../../client/error.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";
import { clientOf } from "../lib/client.ts";
import { copyButton } from "../lib/copy.ts";
import { confirmed } from "../lib/dialog.ts";
import { find, make } from "../lib/dom.ts";
import { icon } from "../lib/icon.ts";
import { later } from "../lib/later.ts";
import { line } from "../lib/words.ts";
import type { Announcer } from "./announcer.ts";
import type { Context } from "./context.ts";
import type { Drafts } from "./draft.ts";
import { failureNotice } from "./failures.ts";
import { listenForKeys } from "./keyboard.ts";
import { List, type Unread } from "./list.ts";
import { Live, type Connection } from "./live.ts";
import { eraseMail, mailView } from "./mail.ts";
import { hashOf, isScreen, labelHash, readPlace, type Place, type ReadingName } from "./place.ts";
import { EVERYDAY } from "./rows.ts";
import { SearchBox } from "./search-box.ts";
import { Seen } from "./seen.ts";
import { storedKnown, storeKnown, type Known, type Session } from "./session.ts";
import { threadView } from "./thread.ts";

/** Functions that the viewer needs from its page. */
interface Around {
  /** Drafts survive a restart of the viewer. */
  drafts: Drafts;
  restart: () => void;
  signOut: (reason?: string) => void;
}

const CONNECTIONS: Readonly<Record<Connection, { text: string; kind: string }>> = {
  connecting: { text: "Opening", kind: "" },
  live: { text: "Live", kind: "good" },
  offline: { text: "Offline", kind: "warn" },
};

/** Labels in the side bar. */
const MAX_LABELS = 6;

/** The title of the page while it shows no mailbox. */
const TITLE = document.title;

const part = (name: string): HTMLElement => find(`[data-part=${name}]`, HTMLElement);

/** One mailbox, from signing in to signing out. */
export class Viewer {
  readonly #session: Session;
  readonly #around: Around;
  readonly #client: Mailkeep;
  readonly #context: Context;
  readonly #over = new AbortController();
  readonly #drafts: Drafts;
  readonly #list: List;
  readonly #seen: Seen;
  readonly #search: SearchBox;
  readonly #reading = part("reading");
  readonly #panes = part("panes");
  readonly #listeners = new Set<(data: EventData) => void>();
  /** Aborted when another mail or form is shown. */
  #shown = new AbortController();
  #place: Place = { kind: "list", name: "inbox", argument: "" };
  /** Id of the mail that was shown last. */
  #lastRead = "";
  #address = "";
  #canSend = false;
  /** Whether the connection was there once. */
  #hasStarted = false;
  #unread: Unread = { count: 0, isMore: false };
  #labels: readonly string[] = [];

  constructor(session: Session, announcer: Announcer, around: Around) {
    this.#session = session;
    this.#around = around;
    this.#drafts = around.drafts;
    this.#client = clientOf(session, (refusal) => this.#refused(refusal));
    const { signal } = this.#over;
    this.#seen = new Seen(this.#client, () => this.#list.seenChanged(), signal);
    this.#context = {
      client: this.#client,
      seen: this.#seen,
      me: this.#client.me({ signal }),
      announce: announcer.say,
      notify: (notice) => {
        if (!this.#over.signal.aborted) part("notices").replaceChildren(notice);
      },
      onEvent: (listener, until) => {
        this.#listeners.add(listener);
        until.addEventListener("abort", () => this.#listeners.delete(listener));
      },
      leave: () => {
        this.#list.refresh();
        this.#back();
      },
      erased: (id) => {
        this.#list.remove(id);
        if (this.#place.argument === id) this.#back();
      },
      restart: around.restart,
    };
    const told = {
      unread: (unread: Unread) => this.#showUnread(unread),
      labels: (labels: readonly string[]) => this.#showLabels(labels),
    };
    this.#list = new List(this.#context, { bar: part("bar"), scroller: part("list") }, told, signal);
    const seek = (text: string): void => {
      location.hash = text === "" ? hashOf("inbox") : hashOf("search", text);
    };
    this.#search = new SearchBox(() => this.#labels, seek, signal);
  }

  /** Shows the mailbox. Loads its state, the mail or list that the URL names, and its events at the same time. */
  start(): void {
    const { signal } = this.#over;
    part("viewer").hidden = false;
    part("notices").replaceChildren();
    part("address").textContent = "";
    part("copy-address").replaceChildren();
    part("sign-out").addEventListener("click", () => void this.#signOut(), { signal });
    part("show-keys").addEventListener(
      "click",
      () => find("[data-part=keys]", HTMLDialogElement).showModal(),
      { signal },
    );
    part("labels").replaceChildren();
    this.#listenForKeys();
    window.addEventListener("hashchange", () => void this.#follow(), { signal });
    window.addEventListener("beforeunload", (event) => this.#drafts.any && event.preventDefault(), {
      signal,
    });
    void this.#follow();
    void this.#seen.load();
    const known = storedKnown();
    if (known !== null) this.#greet(known);
    this.#context.me.then(
      (me) => {
        if (signal.aborted) return;
        storeKnown(me);
        this.#greet(me);
      },
      (error: unknown) => this.#notify(error),
    );
    const live = new Live(
      this.#client,
      {
        event: (data) => {
          for (const listener of this.#listeners) listener(data);
        },
        lost: () => {
          this.#list.refresh();
          if (this.#hasStarted) void this.#seen.load();
          this.#hasStarted = true;
        },
        connection: (state) => this.#tell(state),
      },
      signal,
    );
    void live.run();
  }

  end(): void {
    this.#shown.abort();
    this.#over.abort();
    part("viewer").hidden = true;
    part("list").replaceChildren();
    this.#reading.replaceChildren();
    part("bar").replaceChildren();
    part("labels").replaceChildren();
    part("unread").replaceChildren();
    this.#search.text = "";
    document.title = TITLE;
  }

  async #signOut(): Promise<void> {
    const question = {
      title: "Sign out?",
      text: "There is a draft that was not sent. It is lost when you sign out.",
      action: "Sign out",
    };
    if (!this.#drafts.any || (await confirmed(question))) this.#around.signOut();
  }

  #greet({ mailbox, scope, send }: Known): void {
    const address = mailbox ?? this.#session.mailbox ?? "";
    const copy = copyButton(address, "the address");
    const [name = "", domain = ""] = address.split(/(?=@)/);
    part("address").replaceChildren(name, make("wbr"), domain);
    part("copy-address").replaceChildren(copy);
    part("compose").hidden = !send;
    this.#canSend = send;
    this.#address = address;
    this.#showUnread(this.#unread);
    for (const link of document.querySelectorAll<HTMLElement>("[data-owner]")) {
      link.hidden = scope === "provisional";
    }
    if (scope !== "provisional") return;
    const claim = make("a", { href: "/claim" }, "Claim a permanent one");
    const text = make(
      "p",
      {},
      "This mailbox is temporary: it cannot send mail and is erased after 72 hours. ",
      claim,
      " to send from it.",
    );
    part("notices").replaceChildren(make("div", { class: "notice info" }, text));
  }

  /** Shows the number of unread mails beside the inbox and in the window's title. */
  #showUnread(unread: Unread): void {
    this.#unread = unread;
    const text = unread.count === 0 ? "" : `${unread.count}${unread.isMore ? "+" : ""}`;
    const shown = part("unread");
    if (shown.dataset.count !== text) {
      shown.dataset.count = text;
      const said = make("span", { class: "sr" }, ` ${text} unread`);
      shown.replaceChildren(
        ...(text === "" ? [] : [make("span", { class: "badge info", "aria-hidden": "true" }, text), said]),
      );
    }
    if (this.#address !== "") {
      document.title = `${text === "" ? "" : `(${text}) `}${this.#address} – Mailbox`;
    }
  }

  /** Adds labels of mails to those in the side bar. The service does not list labels: they are those of the loaded mails. */
  #showLabels(labels: readonly string[]): void {
    const all = [...new Set([...this.#labels, ...labels])];
    if (all.length === this.#labels.length) return;
    this.#labels = all;
    // Those that somebody gave first, and then those that mail gets by itself.
    const links = all
      .toSorted((a, b) => Number(EVERYDAY.has(a)) - Number(EVERYDAY.has(b)) || a.localeCompare(b))
      .slice(0, MAX_LABELS)
      .map((label) => {
        const link = make("a", { href: labelHash(label) }, icon("label"));
        link.append(make("span", {}, line(label)));
        return link;
      });
    part("labels").replaceChildren(make("h2", { class: "label" }, "Labels"), ...links);
  }

  /** Handles the two refusals that concern the whole viewer: a bad key and a paused mailbox. */
  #refused(refusal: MailkeepError): void {
    if (this.#over.signal.aborted) return;
    if (refusal.status === 401) {
      this.#around.signOut("The key is no longer valid: it expired or was revoked. Paste another one.");
    } else if (refusal.code === "paused") this.#showPause();
  }

  #showPause(): void {
    // All other requests under way get the same refusal.
    this.#over.abort();
    this.#shown.abort();
    this.#tell("connecting");
    part("connection").textContent = "Paused";
    part("list").replaceChildren();
    this.#reading.replaceChildren();
    this.#panes.dataset.shows = "list";
    const resume = make("button", { type: "button", class: "primary" }, "Resume");
    const notice = make(
      "div",
      { class: "notice warn", role: "alert" },
      make("p", {}, "This mailbox is paused. Mail still arrives; to read it, resume the mailbox."),
      resume,
    );
    resume.addEventListener("click", () => {
      clientOf(this.#session)
        .mailbox.resume()
        .then(this.#around.restart, (error: unknown) => {
          const failed = failureNotice(error);
          if (failed !== null) notice.append(failed);
        });
    });
    part("notices").replaceChildren(notice);
  }

  #notify(error: unknown): void {
    const notice = failureNotice(error, this.#around.restart);
    if (notice !== null) this.#context.notify(notice);
  }

  #tell(state: Connection): void {
    const { text, kind } = CONNECTIONS[state];
    const badge = part("connection");
    if (state === "offline" && badge.textContent !== text) this.#context.announce("The connection is lost.");
    badge.textContent = text;
    badge.className = `badge ${kind}`.trim();
  }

  /** Shows the list or mail that the URL names. */
  async #follow(): Promise<void> {
    const before = this.#place;
    this.#place = readPlace(location.hash);
    const { kind, name, argument } = this.#place;
    this.#shown.abort();
    this.#shown = new AbortController();
    const { signal } = this.#shown;
    this.#panes.dataset.shows = kind;
    mark("data-screen", name);
    if (kind === "list") {
      this.#reading.removeAttribute("aria-busy");
      this.#reading.replaceChildren(make("p", { class: "muted nothing" }, "Choose a mail to read it here."));
      this.#list.mark("");
      mark("data-list", name);
      this.#search.text = name === "search" ? argument : "";
      await this.#list.open(name, argument);
      // The reader may have gone on meanwhile, and write.
      if (before.kind === "reading" && !signal.aborted) this.#list.focus(this.#lastRead);
      return;
    }
    // A URL opened directly has no list yet.
    const list = this.#list.place;
    mark("data-list", list.name);
    const opening = this.#list.open(list.name, list.argument);
    this.#lastRead = argument;
    this.#list.mark(argument);
    await Promise.all([opening, this.#read(name, argument, signal)]);
  }

  async #read(name: ReadingName, argument: string, signal: AbortSignal): Promise<void> {
    const back = make("a", { href: this.#listHash(), class: "back" }, "‹ Back to the list");
    this.#reading.setAttribute("aria-busy", "true");
    try {
      const view = await this.#viewOf(name, argument, signal);
      if (signal.aborted) return;
      this.#reading.replaceChildren(back, view);
      find("h2", HTMLElement, this.#reading).focus({ preventScroll: true });
      this.#reading.scrollTop = 0;
    } catch (error) {
      const notice = failureNotice(error, () => void this.#follow());
      if (notice !== null && !signal.aborted) this.#reading.replaceChildren(back, notice);
    } finally {
      if (!signal.aborted) this.#reading.removeAttribute("aria-busy");
    }
  }

  async #viewOf(name: ReadingName, argument: string, signal: AbortSignal): Promise<HTMLElement> {
    const context = this.#context;
    if (name === "mail") return mailView(context, argument, signal);
    if (name === "thread") return threadView(context, argument, signal);
    if (isScreen(name)) return (await later("screens")).screens[name](context, signal);
    const { composeView } = await later("write");
    return composeView({ context, drafts: this.#drafts, manner: name, originalId: argument, signal });
  }

  #listHash(): string {
    const { name, argument } = this.#list.place;
    return hashOf(name, argument);
  }

  #back(): void {
    if (this.#place.kind === "reading") location.hash = this.#listHash();
  }

  #listenForKeys(): void {
    const go = (by: 1 | -1): void => void this.#list.step(by).then((link) => this.#goTo(link));
    const actions = {
      next: () => go(1),
      previous: () => go(-1),
      reply: () => this.#answer("reply"),
      replyAll: () => this.#answer("reply-all"),
      forward: () => this.#answer("forward"),
      compose: () => {
        if (this.#canSend) location.hash = hashOf("compose");
      },
      erase: () => this.#erase(),
      unread: () => this.#toggleUnread(),
      search: () => this.#search.focus(),
      back: () => this.#back(),
      help: () => find("[data-part=keys]", HTMLDialogElement).showModal(),
    };
    const lead = (name: Parameters<typeof hashOf>[0]): void => {
      location.hash = hashOf(name);
    };
    listenForKeys(actions, lead, this.#over.signal);
  }

  /** Shows the next mail if one is shown; otherwise focuses its line. */
  #goTo(link: HTMLAnchorElement | null): void {
    if (link === null) return;
    if (this.#place.kind === "reading") location.hash = link.hash;
    else link.focus();
  }

  /** Opens the form that answers or forwards the shown mail, in a thread the newest; in the list, the mail of the current line. */
  #answer(name: "reply" | "reply-all" | "forward"): void {
    const way = [...this.#reading.querySelectorAll<HTMLAnchorElement>(`[data-way=${name}]`)].at(-1);
    const meant = this.#list.meant;
    if (way !== undefined) location.hash = way.hash;
    else if (this.#place.kind === "list" && meant !== null) location.hash = hashOf(name, meant.emailId);
  }

  /** Asks whether to delete the shown mail; in the list, the mail of the current line. */
  #erase(): void {
    const button = [...this.#reading.querySelectorAll<HTMLButtonElement>("[data-erase]")].at(-1);
    const meant = this.#list.meant;
    if (button !== undefined && !button.hidden) button.click();
    else if (this.#place.kind === "list" && meant !== null && this.#list.place.name !== "threads") {
      void this.#eraseMeant(meant.emailId, meant.subject);
    }
  }

  async #eraseMeant(id: string, subject: string): Promise<void> {
    if ((await this.#context.me).scope === "provisional") return;
    const notice = await eraseMail(this.#context, { id, subject });
    if (notice !== null) this.#context.notify(notice);
  }

  /** Marks the shown mail unread and goes back to the list; in the list, turns the mark of the current line. */
  #toggleUnread(): void {
    const { kind, name } = this.#place;
    const meant = this.#list.meant;
    if (kind === "reading" && name === "mail") {
      this.#reading.querySelector<HTMLButtonElement>("[data-unread]")?.click();
    } else if (kind === "list" && meant?.isReceived === true) {
      this.#seen.mark([meant.emailId], !this.#seen.has(meant.emailId));
    }
  }
}

/** Marks the links whose `attribute` has a value as the current ones. */
function mark(attribute: string, value: string): void {
  for (const link of document.querySelectorAll(`[${attribute}]`)) {
    if (link.getAttribute(attribute) !== value) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "page");
      // On a telephone the links scroll sideways.
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}
