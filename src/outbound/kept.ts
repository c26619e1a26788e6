import type { RecipientState } from "./ledger.ts";

/** Older releases went on in other words. */
const KEPT_PREFIX = "Kept here:";

/** Diagnostic of a recipient whose mail would have left a deployment that sends none (OUTBOUND=local). */
export const KEPT_HERE = `${KEPT_PREFIX} not sent, because no relay is configured (OUTBOUND=local); whoever runs this deployment sets SMTP_URL to send mail`;

/** Stands beside what lists or answers mail that was kept. */
export const KEPT_HINT =
  "Mail to other domains is kept here and not sent, because no relay is configured (OUTBOUND=local). Whoever runs this deployment sets SMTP_URL to send mail";

/** Whether a recipient's mail was kept instead of sent. A host's reply begins with its code, and a report ends in another state. */
export function isKept(state: RecipientState, diagnostic: string | null): boolean {
  return state === "sent" && diagnostic?.startsWith(KEPT_PREFIX) === true;
}
