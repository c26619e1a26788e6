import type { EventData } from "../../../contract/event.ts";
import type { EmailSummary, SearchPage, ThreadSummary } from "../../../contract/message.ts";
import type { z } from "zod";
import { copyButton } from "../lib/copy.ts";
import { make } from "../lib/dom.ts";
import { count, exactTime, line, shortTime } from "../lib/words.ts";
import { statusWord } from "./delivery.ts";
import { withWhom } from "./participants.ts";
import { hashOf } from "./place.ts";

/** A state or a number beside a subject. */
interface Badge {
  text: string;
  kind: string;
}

/**
 * A line of a list: a mail or a thread. It holds no element and nothing that can be computed when it is shown, as a list may have a
 * hundred thousand: the browser's garbage collector stops the page for longer the more objects there are.
 */
export interface Row {
  id: string;
  /** The view that its link leads to. */
  opens: "mail" | "thread";
  /** The newest mail that it stands for. */
  emailId: string;
  /** Whether somebody else wrote that mail, so that it can be new to the reader. */
  isReceived: boolean;
  who: string;
  subject: string;
  /** The beginning of the mail, or the match of a search. */
  excerpt: string;
  at: string;
  badges: readonly Badge[];
  /** The code of the mail, which a button copies. */
  code: string | null;
  labels: readonly string[];
}

const NOTHING: readonly never[] = [];

/** Sets of labels by their text: most lines have one of a few. */
const labelSets = new Map<string, readonly string[]>();
/** More are not shared: every mail may have labels of its own. */
const MAX_LABEL_SETS = 500;

/** The same labels, as one array for all lines that have them. */
function shared(labels: readonly string[]): readonly string[] {
  if (labels.length === 0) return NOTHING;
  const text = labels.join("\n");
  const known = labelSets.get(text);
  if (known === undefined && labelSets.size < MAX_LABEL_SETS) labelSets.set(text, labels);
  return known ?? labels;
}

type Found = z.infer<typeof SearchPage>["emails"][number];

const badge = (text: string, kind = ""): Badge => ({ text, kind });

const badgePart = ({ text, kind }: Badge): HTMLElement =>
  make("span", { class: `badge ${kind}`.trim() }, text);

const chip = (label: string): HTMLElement => make("span", { class: "chip" }, label);

const subjectOf = (subject: string): string => line(subject) || "(no subject)";

/** A mail of the inbox, of the sent ones, or of a search. */
export function mailRow(email: EmailSummary | Found): Row {
  const isOurs = email.direction === "outbound";
  const highlights = "highlights" in email ? email.highlights : [];
  return {
    id: email.id,
    opens: "mail",
    emailId: email.id,
    isReceived: !isOurs,
    who: isOurs
      ? `To ${line(email.to_address)}`
      : line(email.from_name || email.from_address) || "(no sender)",
    subject: subjectOf(email.subject),
    excerpt: line(highlights.at(-1) ?? email.snippet),
    at: email.received_at,
    labels: shared(email.labels),
    code: email.code,
    badges: isOurs || email.attachment_count > 0 ? badgesOf(email, isOurs) : NOTHING,
  };
}

function badgesOf(email: EmailSummary | Found, isOurs: boolean): Badge[] {
  return [
    ...(isOurs ? [statusWord(email)] : []),
    ...(email.attachment_count > 0 ? [badge(count(email.attachment_count, "file"))] : []),
  ];
}

/** Makes the line of a mail from its event, before the mail itself is loaded. */
export function arrivedRow(data: EventData): Row {
  return {
    id: data.email_id,
    opens: "mail",
    emailId: data.email_id,
    isReceived: true,
    who: line(data.from) || "(no sender)",
    subject: subjectOf(data.subject),
    excerpt: "",
    at: data.received_at,
    badges: NOTHING,
    labels: shared(data.labels),
    code: null,
  };
}

/** A thread, as the reader of `mailbox` sees it. */
export function threadRow(thread: ThreadSummary, mailbox: string | null): Row {
  return {
    id: thread.thread_id,
    opens: "thread",
    emailId: thread.latest_email_id,
    isReceived: thread.from_address !== mailbox,
    who: line(thread.from_name || thread.from_address) || "(no sender)",
    subject: subjectOf(thread.subject),
    excerpt: withWhom(thread.participants.map(line), mailbox),
    at: thread.received_at,
    labels: NOTHING,
    code: thread.code,
    badges: [
      ...(thread.message_count > 1 ? [badge(`${thread.message_count} mails`)] : []),
      ...(thread.has_attachments ? [badge("files")] : []),
    ],
  };
}

/** Labels that mail gets by itself and that tell nothing beside the rest of a line. */
export const EVERYDAY = new Set(["personal", "code", "notification"]);

/** Labels in a line. Behind them stands how many more there are, as the subject needs the room. */
const MAX_CHIPS = 2;

/** Fills a line. Its link stays the same element, because it may have the focus. */
export function fillRow(item: HTMLElement, link: HTMLAnchorElement, row: Row, isNew: boolean): void {
  link.href = hashOf(row.opens, row.id);
  link.classList.toggle("unread", isNew);
  const labels = row.labels.filter((label) => !EVERYDAY.has(label)).map(line);
  const chips = labels.slice(0, MAX_CHIPS).map(chip);
  if (labels.length > MAX_CHIPS) chips.push(badgePart(badge(`+${labels.length - MAX_CHIPS}`)));
  const code =
    row.code === null ? [] : [make("span", { class: "code-place", "aria-hidden": "true" }, row.code)];
  link.replaceChildren(
    ...(isNew ? [make("span", { class: "sr" }, "New: ")] : []),
    make("span", { class: "who", dir: "auto" }, row.who),
    make("time", { datetime: row.at, title: exactTime(row.at) }, shortTime(row.at)),
    make(
      "span",
      { class: "about-mail" },
      make("span", { class: "subject", dir: "auto" }, row.subject),
      make("span", { class: "excerpt", dir: "auto" }, row.excerpt),
      ...chips,
      ...row.badges.map(badgePart),
      ...code,
    ),
  );
  fillCode(item, row.code);
}

function fillCode(item: HTMLElement, code: string | null): void {
  const shown = item.querySelector(".code-button");
  if (shown?.getAttribute("data-code") === code) return;
  shown?.remove();
  if (code === null) return;
  const button = copyButton(code, `the code ${code}`, code);
  button.className = "code-button";
  button.setAttribute("data-code", code);
  item.append(button);
}
