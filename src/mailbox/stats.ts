import type { Stats } from "../contract/mailbox.ts";
import type { AccountRow } from "./schema.ts";

/** Usage of a mailbox, from its running counters: no row is counted for it. `routes` are URLs of labels. */
export function statsOf(row: AccountRow, routes: number, nowMs: number): Stats {
  const month = new Date(nowMs).toISOString().slice(0, 7);
  return {
    mailbox: row.address,
    total_emails: row.inbound + row.outbound,
    inbound: row.inbound,
    outbound: row.outbound,
    emails_this_month: row.month === month ? row.month_count : 0,
    suppression_count: 0,
    webhook_routes: routes,
    storage_bytes: row.storage_bytes,
    sends_today: 0,
    daily_send_limit: 0,
    ingest: { pending: 0, parsed: row.inbound - row.unparsed, failed: row.unparsed },
  };
}
