import type { Email, Thread } from "../../../contract/message.ts";
import { make } from "../lib/dom.ts";
import { Latest } from "../lib/latest.ts";
import { count, exactTime, line, shortTime } from "../lib/words.ts";
import type { Context, Shown } from "./context.ts";
import { failureNotice } from "./failures.ts";
import { mailPart } from "./mail.ts";

/** Mails on a page of a thread; older ones replace them. */
const PAGE_MAILS = 20;

const EXCERPT_CHARS = 200;

/** A conversation, oldest mail first, the newest one open. */
export async function threadView(context: Context, id: string, signal: AbortSignal): Promise<HTMLElement> {
  const view = make("div", { class: "thread" });
  const latest = new Latest();
  /** Ids of mails that arrived and are not shown. */
  const arrived = new Set<string>();
  let shown: ReadonlySet<string> = new Set();
  const show = async (cursor: string | null): Promise<void> => {
    const query = { limit: PAGE_MAILS, cursor: cursor ?? undefined };
    const isLatest = latest.ask();
    // The newest page has them, unless they are erased.
    const awaited = cursor === null ? [...arrived] : [];
    const page: Thread = await context.client.threads.get(id, query, { signal });
    if (!isLatest()) return;
    shown = new Set(page.emails.map((email) => email.id));
    for (const one of [...awaited, ...shown]) arrived.delete(one);
    const erased = (emailId: string): void => {
      context.erased(emailId);
      if (page.emails.length === 1) context.leave();
      else turn(() => show(cursor));
    };
    view.replaceChildren(...pageParts({ ...context, erased }, page, signal));
    const { next_cursor } = page;
    if (next_cursor !== null) view.append(pageButton("Older mails", () => show(next_cursor)));
    if (cursor !== null) view.append(pageButton("Newest mails", () => show(null)));
    offer();
  };
  /** Reloading would close the mails that the reader opened, so it is offered as a button. */
  const offer = (): void => {
    if (arrived.size === 0 || view.querySelector(".arrivals") !== null) return;
    const button = pageButton("New mail · show", () => show(null));
    button.classList.add("arrivals");
    view.prepend(button);
  };
  context.onEvent(({ event, thread_id, email_id }) => {
    const isNew = event === "message.received" || event === "message.sent";
    if (thread_id !== id || !isNew || shown.has(email_id)) return;
    arrived.add(email_id);
    offer();
  }, signal);
  await show(null);
  return view;

  function turn(next: () => Promise<void>): void {
    next().then(
      () => view.querySelector("h2")?.focus(),
      (error: unknown) => {
        const notice = failureNotice(error);
        if (notice !== null) view.append(notice);
      },
    );
  }

  function pageButton(text: string, next: () => Promise<void>): HTMLButtonElement {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => turn(next));
    return button;
  }
}

function pageParts(context: Context, { emails }: Thread, signal: AbortSignal): HTMLElement[] {
  const subject = line(emails[0]?.subject ?? "") || "(no subject)";
  const newest = emails.at(-1);
  const received = emails.filter(({ direction }) => direction === "inbound");
  context.seen.mark(
    received.map(({ id }) => id),
    true,
  );
  return [
    make("h2", { class: "break", dir: "auto", tabindex: "-1" }, subject),
    make("p", { class: "muted small" }, count(emails.length, "mail"), ", oldest first"),
    ...emails.map((email) => foldedMail({ context, email, isOld: true, signal }, email === newest)),
  ];
}

/** The beginning of what the author wrote, without what is quoted. */
function excerptOf({ text_new, snippet }: Email): string {
  return text_new.trim().slice(0, EXCERPT_CHARS).replaceAll(/\s+/g, " ") || snippet;
}

/** A mail that is built when it is opened. */
function foldedMail(shown: Shown, isOpen: boolean): HTMLElement {
  const { email } = shown;
  const who = line(email.from_name || email.from_address) || "(no sender)";
  const summary = make(
    "summary",
    {},
    make(
      "span",
      { class: "who", dir: "auto" },
      email.direction === "outbound" ? `${who} (this mailbox)` : who,
    ),
    " ",
    make(
      "time",
      { class: "muted small", datetime: email.received_at, title: exactTime(email.received_at) },
      shortTime(email.received_at),
    ),
    make("span", { class: "excerpt muted small", dir: "auto" }, line(excerptOf(email))),
  );
  const fold = make("details", { class: "folded" }, summary);
  fold.addEventListener("toggle", () => {
    if (fold.open && fold.children.length === 1) fold.append(mailPart(shown, true));
  });
  fold.open = isOpen;
  return fold;
}
