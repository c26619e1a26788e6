import { ownJson } from "../../lib/json-text.ts";
import type { EventKind, LoggedData } from "../../contract/event.ts";
import { idOf } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import { shownState } from "../../outbound/ledger.ts";
import type { Account } from "../account/account.ts";
import type { MailboxContext } from "../context.ts";
import type { Log } from "../log/log.ts";
import type { LoggedEvent } from "../log/rows.ts";
import { listingOf, messageIdOf } from "../messages/present.ts";
import { FIND_EMAIL } from "../messages/rows.ts";
import { MESSAGES } from "../messages/schema.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { RecipientRow } from "./rows.ts";

/** Writes the log events of outgoing messages. */
export class OutgoingEvents {
  readonly #messages: Tables;
  readonly #log: Log;
  readonly #webhooks: Webhooks;

  constructor(context: MailboxContext, others: { log: Log; webhooks: Webhooks }) {
    this.#messages = context.tables(MESSAGES);
    this.#log = others.log;
    this.#webhooks = others.webhooks;
  }

  /** Writes an event of an outgoing message into the log and plans its webhooks, within one transaction. */
  write(
    account: Account,
    { kind, recipient, nowMs }: { kind: EventKind; recipient: RecipientRow; nowMs: number },
  ): LoggedEvent {
    const row = this.#messages.first(FIND_EMAIL, recipient.seq);
    if (row === null) throw new Error("The row of an outgoing message is missing");
    const { from_address, subject, has_attachments, attachment_count } = listingOf(row);
    const data: LoggedData = {
      event: kind,
      email_id: idOf(row.seq, account.idTail),
      mailbox: account.row.address,
      from: from_address,
      subject,
      received_at: new Date(nowMs).toISOString(),
      thread_id: idOf(row.thread, account.idTail),
      labels: ownJson<string[]>(row.labels),
      has_attachments,
      message_id: messageIdOf(row),
      attachment_count,
      ...(kind === "message.sent"
        ? {}
        : {
            recipient: recipient.address,
            status: shownState(recipient.state),
            diagnostic: recipient.diagnostic,
          }),
    };
    const event = this.#log.append(account, { kind, at: nowMs, data });
    account.writeLastEvent();
    this.#webhooks.enqueue(account, event, nowMs);
    return event;
  }
}
