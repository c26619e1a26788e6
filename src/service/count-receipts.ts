import type { Door } from "../contract/metrics.ts";
import type { Answer } from "../contract/problem.ts";
import type { Metadata } from "../contract/message.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { metrics, secondsSince } from "../metrics/metrics.ts";

/** Counts a message that was handed over: its result for each recipient, its bytes, and the time it took. */
export function countReceipts(
  via: Metadata["received_via"],
  outcomes: readonly Answer<Received>[],
  { bytes, startMs }: { bytes: number; startMs: number },
): void {
  const door = doorOf(via);
  if (door === null) return;
  for (const received of outcomes) {
    const result = !received.ok ? "refused" : received.value.duplicate ? "duplicate" : "stored";
    metrics.count("mailkeep_receipts_total", { door, result });
    if (result === "stored") metrics.count("mailkeep_received_bytes_total", { door }, bytes);
  }
  metrics.observe("mailkeep_receipt_seconds", { door }, secondsSince(startMs));
}

/** Null for mail between mailboxes of this deployment and for imported mail, which come through no door. */
function doorOf(via: Metadata["received_via"]): Door | null {
  if (via === "email_routing") return "cloudflare";
  return via === "api" || via === "import" ? null : via;
}
