import type { EmailPage, SearchPage, ThreadPage } from "../../../contract/message.ts";
import type { Query } from "../lib/client.ts";
import type { Context } from "./context.ts";
import type { ListName } from "./place.ts";
import { mailRow, threadRow, type Row } from "./rows.ts";

/** Lines on a page; the document never contains more. */
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
  const mails =
    (path: string, query: Query): Source =>
    async (cursor, signal) => {
      const asked = { query: { ...query, limit: PAGE_ROWS, cursor }, signal };
      const page = await client.ask<EmailPage | SearchPage>(path, asked);
      return { rows: page.emails.map(mailRow), next: page.next_cursor };
    };
  switch (name) {
    case "inbox":
      return mails("/v1/inbox", { direction: "inbound" });
    case "sent":
      return mails("/v1/inbox", { direction: "outbound" });
    case "search":
      return mails("/v1/search", { q: argument });
    case "threads":
      return async (cursor, signal) => {
        const asked = { query: { limit: PAGE_ROWS, cursor }, signal };
        const [page, { mailbox }] = await Promise.all([client.ask<ThreadPage>("/v1/threads", asked), me]);
        return { rows: page.threads.map((thread) => threadRow(thread, mailbox)), next: page.next_cursor };
      };
  }
}
