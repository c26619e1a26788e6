import type { MailboxInfo, Stats } from "../../contract/mailbox.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import type { DeliveryError, WebhookStatus } from "../../contract/webhook.ts";
import { idOf, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import { shownState, type ShownState } from "../../outbound/ledger.ts";
import { pageOf, pageStart, writeCursor } from "../page.ts";
import type { Outbox } from "../sending/outbox.ts";
import { emailSeq, listingOf, receivedAt, type View } from "../messages/present.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import { OWN_URL } from "../webhooks/targets.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

/** A webhook URL and the result of its latest deliveries. */
export interface TargetHealth {
  /** Null for the mailbox's own URL. */
  label: string | null;
  url: string;
  status: WebhookStatus;
  /** Consecutive failed deliveries. */
  failures: number;
  /** The latest attempt; null before the first. */
  latest: { at: string; status: number | null; error: DeliveryError | null } | null;
}

/** A mailbox as the operator sees it: everything but its mail. */
export interface Overview {
  info: MailboxInfo & { full: boolean };
  kind: "permanent" | "temporary";
  stats: Omit<Stats, "embeddings">;
  /** Quota in bytes. */
  quotaBytes: number;
  pause: { at: string; reason: string | null } | null;
  keys: number;
  /** When a message was last stored or a key last used (written at most once an hour); null = never. */
  activeAt: string | null;
  webhooks: TargetHealth[];
  /** Whether some message was not sent because no transport is configured. */
  hasUnsent: boolean;
}

/** A message that was not sent because no transport is configured. */
export interface UnsentMessage {
  id: string;
  from: string;
  subject: string;
  sent_at: string;
  recipients: { address: string; state: ShownState }[];
}

export interface UnsentMessagePage {
  messages: UnsentMessage[];
  next_cursor: string | null;
}

/** The webhook URLs of a mailbox and the results of their latest deliveries. */
export function healthOf(webhooks: Webhooks): TargetHealth[] {
  return webhooks.health().map(({ target: { label, url, status, failures }, latest }) => ({
    label: label === OWN_URL ? null : label,
    url,
    status,
    failures,
    latest:
      latest === null
        ? null
        : { at: new Date(latest.at).toISOString(), status: latest.status, error: latest.error },
  }));
}

/** Messages that were not sent, newest first. */
export function unsentPage(
  outbox: Outbox,
  view: View,
  page: { cursor: string | null; limit: number },
): Answer<UnsentMessagePage> {
  const start = pageStart(page.cursor, [BEYOND_ALL]);
  if (!start.ok) return start;
  const [below = BEYOND_ALL] = start.value;
  const { shown, next } = pageOf(outbox.unsent(below, page.limit + 1), page.limit, ({ seq }) =>
    writeCursor(seq),
  );
  return done({ messages: shown.map((row) => unsentMessage(outbox, view, row)), next_cursor: next });
}

/** One of these messages. 404 for any other. */
export function findUnsent(outbox: Outbox, view: View, id: string): Answer<UnsentMessage> {
  const seq = emailSeq(view, id);
  const row = seq.ok ? outbox.unsentOne(seq.value) : null;
  return row === null ? refused(notFound("Email")) : done(unsentMessage(outbox, view, row));
}

function unsentMessage(
  outbox: Outbox,
  view: View,
  { seq, ...row }: { seq: Seq; listing: string },
): UnsentMessage {
  const { subject, from_address } = listingOf(row);
  return {
    id: idOf(seq, view.tail),
    from: from_address,
    subject,
    sent_at: receivedAt(seq),
    recipients: outbox
      .recipients(seq)
      .filter(({ inside }) => inside === 0)
      .map(({ address, state }) => ({ address, state: shownState(state) })),
  };
}
