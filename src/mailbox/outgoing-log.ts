import type { EventKind, LoggedData } from "../contract/event.ts";
import { idOf } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import { shownState } from "../outbound/ledger.ts";
import type { Account } from "./account.ts";
import { append, type LoggedEvent } from "./log.ts";
import type { RecipientRow } from "./schema.ts";
import * as statements from "./statements.ts";
import { listingOf } from "./present.ts";

/** What the news of messages of ours are logged with. */
export interface OutgoingLog {
  db: Database;
  /** Makes the webhooks of an entry; within the transaction that writes it. */
  enqueue: (account: Account, event: LoggedEvent, nowMs: number) => void;
}

/** Writes what happened to a message of ours into the log, and plans its webhooks; within one transaction. */
export function logOutgoing(
  { db, enqueue }: OutgoingLog,
  account: Account,
  what: { kind: EventKind; recipient: RecipientRow; nowMs: number },
): LoggedEvent {
  const { kind, recipient, nowMs } = what;
  const row = db.first(statements.FIND_EMAIL, recipient.seq);
  if (row === null) throw new Error("A message on its way out is not where it was put");
  const { from_address, subject, has_attachments, attachment_count } = listingOf(row);
  const data: LoggedData = {
    event: kind,
    email_id: idOf(row.seq, account.idTail),
    mailbox: account.row.address,
    from: from_address,
    subject,
    received_at: new Date(nowMs).toISOString(),
    thread_id: idOf(row.thread, account.idTail),
    labels: JSON.parse(row.labels) as string[],
    has_attachments,
    message_id: (JSON.parse(row.detail) as { message_id: string }).message_id,
    attachment_count,
    ...(kind === "message.sent"
      ? {}
      : {
          recipient: recipient.address,
          status: shownState(recipient.state),
          diagnostic: recipient.diagnostic,
        }),
  };
  const event = append(db, account, { kind, at: nowMs, data });
  db.run(statements.KEEP_LAST_EVENT, account.row.last_event);
  enqueue(account, event, nowMs);
  return event;
}
