import type { EmailPage } from "../../../contract/message.ts";
import type { Context } from "./context.ts";
import type { ListName } from "./place.ts";
import { mailRow, threadRow, type Row } from "./rows.ts";

/** Lines that are loaded at a time. */
export const PAGE_ROWS = 50;

export interface RowPage {
  rows: Row[];
  next: string | null;
}

/** One page of a list, after `cursor`; null is the first. */
export type Source = (cursor: string | null, signal: AbortSignal) => Promise<RowPage>;

/** Where a list comes from. */
export function sourceOf(
  { client, me }: Pick<Context, "client" | "me">,
  name: ListName,
  argument: string,
): Source {
  const pageAfter = (cursor: string | null) => ({ limit: PAGE_ROWS, cursor: cursor ?? undefined });
  const mails =
    (read: (page: ReturnType<typeof pageAfter>, signal: AbortSignal) => Promise<EmailPage>): Source =>
    async (cursor, signal) => {
      const page = await read(pageAfter(cursor), signal);
      return { rows: page.emails.map(mailRow), next: page.next_cursor };
    };
  switch (name) {
    case "inbox":
      return mails((page, signal) => client.inbox.list({ ...page, direction: "inbound" }, { signal }));
    case "sent":
      return mails((page, signal) => client.inbox.list({ ...page, direction: "outbound" }, { signal }));
    case "search":
      return mails((page, signal) => client.inbox.search({ ...page, q: argument }, { signal }));
    case "threads":
      return async (cursor, signal) => {
        const listed = client.threads.list(pageAfter(cursor), { signal });
        const [page, { mailbox }] = await Promise.all([listed, me]);
        return { rows: page.threads.map((thread) => threadRow(thread, mailbox)), next: page.next_cursor };
      };
  }
}
