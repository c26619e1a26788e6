import type { EventData } from "../../../contract/event.ts";
import type { MailkeepError } from "../../../client/error.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";
import { clientOf } from "../lib/client.ts";
import { copyButton } from "../lib/copy.ts";
import { confirmed } from "../lib/dialog.ts";
import { find, make } from "../lib/dom.ts";
import type { Announcer } from "./announcer.ts";
import { composeView, type Drafts } from "./compose.ts";
import type { Context, MeShape } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { listenForKeys } from "./keyboard.ts";
import { List } from "./list.ts";
import { Live, type Connection } from "./live.ts";
import { mailView } from "./mail.ts";
import { hashOf, readPlace, type Place, type ReadingName } from "./place.ts";
import { rulesView } from "./rules.ts";
import type { Session } from "./session.ts";
import { settingsView } from "./settings.ts";
import { threadView } from "./thread.ts";

/** Functions that the viewer needs from its page. */
interface Around {
  /** Drafts survive a restart of the viewer. */
  drafts: Drafts;
  restart: () => void;
  signOut: (reason?: string) => void;
}

const CONNECTIONS: Readonly<Record<Connection, { text: string; kind: string }>> = {
  connecting: { text: "Connecting", kind: "" },
  live: { text: "Live", kind: "good" },
  offline: { text: "Offline: trying again", kind: "warn" },
};

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
  readonly #reading = part("reading");
  readonly #panes = part("panes");
  readonly #listeners = new Set<(data: EventData) => void>();
  /** Aborted when another mail or form is shown. */
  #shown = new AbortController();
  #place: Place = { kind: "list", name: "inbox", argument: "" };
  /** Id of the mail that was shown last. */
  #lastRead = "";

  constructor(session: Session, announcer: Announcer, around: Around) {
    this.#session = session;
    this.#around = around;
    this.#drafts = around.drafts;
    this.#client = clientOf(session, (refusal) => this.#refused(refusal));
    const { signal } = this.#over;
    this.#context = {
      client: this.#client,
      me: this.#client.me({ signal }),
      announce: announcer.say,
      onEvent: (listener, until) => {
        this.#listeners.add(listener);
        until.addEventListener("abort", () => this.#listeners.delete(listener));
      },
      leave: () => {
        this.#list.refresh();
        this.#back();
      },
      restart: around.restart,
    };
    this.#list = new List(this.#context, part("list"), signal);
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
    this.#listenForSearch();
    this.#listenForKeys();
    window.addEventListener("hashchange", () => void this.#follow(), { signal });
    window.addEventListener("beforeunload", (event) => this.#drafts.any && event.preventDefault(), {
      signal,
    });
    void this.#follow();
    this.#context.me.then(
      (me) => this.#greet(me),
      (error: unknown) => this.#notify(error),
    );
    const live = new Live(
      this.#client,
      {
        event: (data) => {
          for (const listener of this.#listeners) listener(data);
        },
        lost: () => this.#list.refresh(),
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
    find("#query", HTMLInputElement).value = "";
  }

  async #signOut(): Promise<void> {
    const question = {
      title: "Sign out?",
      text: "There is a draft that was not sent. It is lost when you sign out.",
      action: "Sign out",
    };
    if (!this.#drafts.any || (await confirmed(question))) this.#around.signOut();
  }

  #greet({ mailbox, scope }: MeShape): void {
    const address = mailbox ?? this.#session.mailbox ?? "";
    const copy = copyButton(address, "the address");
    part("address").textContent = address;
    part("copy-address").replaceChildren(copy);
    document.title = `${address} – Mailbox`;
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
    if (this.#over.signal.aborted) return;
    const notice = failureNotice(error, this.#around.restart);
    if (notice !== null) part("notices").replaceChildren(notice);
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
    this.#panes.dataset.shows = kind;
    if (kind === "list") {
      this.#reading.replaceChildren(make("p", { class: "muted nothing" }, "Choose a mail to read it here."));
      this.#list.mark("");
      this.#markList(name);
      if (name === "search") find("#query", HTMLInputElement).value = argument;
      await this.#list.open(name, argument);
      if (before.kind === "reading") this.#list.focus(this.#lastRead);
      return;
    }
    // A URL opened directly has no list yet.
    const list = this.#list.place;
    this.#markList(list.name);
    const opening = this.#list.open(list.name, list.argument);
    this.#lastRead = argument;
    this.#list.mark(argument);
    await Promise.all([opening, this.#read(name, argument, this.#shown.signal)]);
  }

  async #read(name: ReadingName, argument: string, signal: AbortSignal): Promise<void> {
    const back = make("a", { href: this.#listHash(), class: "back" }, "‹ Back to the list");
    this.#reading.setAttribute("aria-busy", "true");
    try {
      const view = await this.#viewOf(name, argument, signal);
      if (signal.aborted) return;
      this.#reading.replaceChildren(back, view);
      find("h2", HTMLElement, this.#reading).focus({ preventScroll: true });
      this.#reading.scrollIntoView({ block: "nearest" });
      if (this.#reading.getBoundingClientRect().top < 0) this.#reading.scrollIntoView();
    } catch (error) {
      const notice = failureNotice(error, () => void this.#follow());
      if (notice !== null && !signal.aborted) this.#reading.replaceChildren(back, notice);
    } finally {
      if (!signal.aborted) this.#reading.removeAttribute("aria-busy");
    }
  }

  #viewOf(name: ReadingName, argument: string, signal: AbortSignal): Promise<HTMLElement> {
    switch (name) {
      case "mail":
        return mailView(this.#context, argument, signal);
      case "thread":
        return threadView(this.#context, argument, signal);
      case "rules":
        return rulesView(this.#context, signal);
      case "settings":
        return settingsView(this.#context, signal);
      case "compose":
      case "reply":
      case "reply-all":
      case "forward":
        return composeView({
          context: this.#context,
          drafts: this.#drafts,
          manner: name,
          originalId: argument,
          signal,
        });
    }
  }

  #markList(name: string): void {
    for (const link of document.querySelectorAll("[data-list]")) {
      if (link.getAttribute("data-list") === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #listHash(): string {
    const { name, argument } = this.#list.place;
    return hashOf(name, argument);
  }

  #back(): void {
    if (this.#place.kind === "reading") location.hash = this.#listHash();
  }

  #listenForSearch(): void {
    const { signal } = this.#over;
    const form = part("search");
    const query = find("#query", HTMLInputElement);
    const search = (event: Event): void => {
      event.preventDefault();
      const text = query.value.trim();
      location.hash = text === "" ? hashOf("inbox") : hashOf("search", text);
    };
    form.addEventListener("submit", search, { signal });
  }

  #listenForKeys(): void {
    const go = (by: 1 | -1): void => void this.#list.step(by).then((link) => this.#goTo(link));
    listenForKeys(
      {
        next: () => go(1),
        previous: () => go(-1),
        reply: () => this.#reply(),
        search: () => find("#query", HTMLInputElement).select(),
        back: () => this.#back(),
        help: () => find("[data-part=keys]", HTMLDialogElement).showModal(),
      },
      this.#over.signal,
    );
  }

  /** Shows the next mail if one is shown; otherwise focuses its line. */
  #goTo(link: HTMLAnchorElement | null): void {
    if (link === null) return;
    if (this.#place.kind === "reading") location.hash = link.hash;
    else link.focus();
  }

  #reply(): void {
    // In a thread, the newest mail.
    const reply = [...this.#reading.querySelectorAll<HTMLAnchorElement>("[data-reply]")].at(-1);
    const meant = this.#list.meant;
    if (reply !== undefined) location.hash = reply.hash;
    else if (this.#place.kind === "list" && meant !== null) location.hash = hashOf("reply", meant.emailId);
  }
}
