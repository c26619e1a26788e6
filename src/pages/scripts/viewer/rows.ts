import type { EventData } from "../../../contract/event.ts";
import type { EmailSummary, SearchPage, ThreadSummary } from "../../../contract/message.ts";
import type { z } from "zod";
import { make } from "../lib/dom.ts";
import { count, exactTime, line, shortTime } from "../lib/words.ts";
import { statusBadge } from "./delivery.ts";
import { withWhom } from "./participants.ts";
import { hashOf } from "./place.ts";

/** A line of a list: a mail or a thread. */
export interface Row {
  id: string;
  href: string;
  /** The newest mail that it stands for. */
  emailId: string;
  who: string;
  subject: string;
  /** The beginning of the mail, or the match of a search. */
  excerpt: string;
  at: string;
  badges: readonly HTMLElement[];
  labels: readonly string[];
}

type Found = z.infer<typeof SearchPage>["emails"][number];

const badge = (text: string, kind = ""): HTMLElement => make("span", { class: `badge ${kind}`.trim() }, text);

const subjectOf = (subject: string): string => line(subject) || "(no subject)";

/** A mail of the inbox, of the sent ones, or of a search. */
export function mailRow(email: EmailSummary | Found): Row {
  const isOurs = email.direction === "outbound";
  const highlights = "highlights" in email ? email.highlights : [];
  return {
    id: email.id,
    href: hashOf("mail", email.id),
    emailId: email.id,
    who: isOurs
      ? `To ${line(email.to_address)}`
      : line(email.from_name || email.from_address) || "(no sender)",
    subject: subjectOf(email.subject),
    excerpt: line(highlights.at(-1) ?? email.snippet),
    at: email.received_at,
    labels: email.labels,
    badges: [
      ...(email.code === null ? [] : [badge(email.code, "info")]),
      ...(isOurs ? [statusBadge(email)] : []),
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
    who: line(data.from) || "(no sender)",
    subject: subjectOf(data.subject),
    excerpt: "",
    at: data.received_at,
    badges: [],
    labels: data.labels,
  };
}

/** A thread, as the reader of `mailbox` sees it. */
export function threadRow(thread: ThreadSummary, mailbox: string | null): Row {
  return {
    id: thread.thread_id,
    href: hashOf("thread", thread.thread_id),
    emailId: thread.latest_email_id,
    who: line(thread.from_name || thread.from_address) || "(no sender)",
    subject: subjectOf(thread.subject),
    excerpt: withWhom(thread.participants.map(line), mailbox),
    at: thread.received_at,
    labels: [],
    badges: [
      ...(thread.message_count > 1 ? [badge(`${thread.message_count} mails`)] : []),
      ...(thread.code === null ? [] : [badge(thread.code, "info")]),
      ...(thread.has_attachments ? [badge("files")] : []),
    ],
  };
}

/** Fills the link of a line. The element stays the same, because it may have the focus. */
export function fillRow(link: HTMLAnchorElement, row: Row, isNew: boolean): void {
  link.href = row.href;
  link.classList.toggle("unread", isNew);
  const time = make("time", { datetime: row.at, title: exactTime(row.at) }, shortTime(row.at));
  const badges = row.badges.length === 0 ? [] : [make("span", { class: "badges" }, ...row.badges)];
  const labels =
    row.labels.length === 0 ? [] : [make("span", { class: "labels" }, row.labels.map(line).join(", "))];
  link.replaceChildren(
    ...(isNew ? [make("span", { class: "sr" }, "New: ")] : []),
    make("span", { class: "who", dir: "auto" }, row.who),
    time,
    make("span", { class: "subject", dir: "auto" }, row.subject),
    make("span", { class: "excerpt", dir: "auto" }, row.excerpt),
    ...labels,
    ...badges,
  );
}
