import type { Stats } from "../../contract/mailbox.ts";
import type { ObstacleRow } from "../sending/rows.ts";
import type { AccountRow } from "./rows.ts";

/** The values that are not running counters of the account. */
export interface Counted {
  /** Number of labels with a webhook URL. */
  routes: number;
  suppressions: number;
  sendsToday: number;
  /** The last known obstacle to sending; null = none. */
  obstacle: ObstacleRow | null;
  dailySendLimit: number;
}

/** Usage of a mailbox, from running counters: no rows of mail are counted. */
export function statsOf(row: AccountRow, counted: Counted, nowMs: number): Omit<Stats, "embeddings"> {
  const month = new Date(nowMs).toISOString().slice(0, 7);
  return {
    mailbox: row.address,
    total_emails: row.inbound + row.outbound,
    inbound: row.inbound,
    outbound: row.outbound,
    emails_this_month: row.month === month ? row.month_count : 0,
    suppression_count: counted.suppressions,
    webhook_routes: counted.routes,
    storage_bytes: row.storage_bytes,
    sends_today: counted.sendsToday,
    daily_send_limit: counted.dailySendLimit,
    sending_obstacle: counted.obstacle && {
      reply: counted.obstacle.reply,
      at: new Date(counted.obstacle.at).toISOString(),
    },
    ingest: { pending: 0, parsed: row.inbound - row.unparsed, failed: row.unparsed },
  };
}
