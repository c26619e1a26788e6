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

/** A line of a list: a mail or a thread. It holds no element, as a list may have a hundred thousand. */
export interface Row {
  id: string;
  href: string;
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
    href: hashOf("mail", email.id),
    emailId: email.id,
    isReceived: !isOurs,
    who: isOurs
      ? `To ${line(email.to_address)}`
      : line(email.from_name || email.from_address) || "(no sender)",
    subject: subjectOf(email.subject),
    excerpt: line(highlights.at(-1) ?? email.snippet),
    at: email.received_at,
    labels: email.labels,
    code: email.code,
    badges: [
      ...(isOurs ? [statusWord(email)] : []),
      ...(email.attachment_count > 0 ? [badge(count(email.attachment_count, "file"))] : []),
    ],
  };
}

/** Makes the line of a mail from its event, before the mail itself is loaded. */
export function arrivedRow(data: EventData): Row {
  return {
    id: data.email_id,
    href: hashOf("mail", data.email_id),
    emailId: data.email_id,
    isReceived: true,
    who: line(data.from) || "(no sender)",
    subject: subjectOf(data.subject),
    excerpt: "",
    at: data.received_at,
    badges: [],
    labels: data.labels,
    code: null,
  };
}

/** A thread, as the reader of `mailbox` sees it. */
export function threadRow(thread: ThreadSummary, mailbox: string | null): Row {
  return {
    id: thread.thread_id,
    href: hashOf("thread", thread.thread_id),
    emailId: thread.latest_email_id,
    isReceived: thread.from_address !== mailbox,
    who: line(thread.from_name || thread.from_address) || "(no sender)",
    subject: subjectOf(thread.subject),
    excerpt: withWhom(thread.participants.map(line), mailbox),
    at: thread.received_at,
    labels: [],
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
  link.href = row.href;
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
