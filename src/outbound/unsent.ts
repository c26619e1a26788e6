import type { RecipientState } from "./ledger.ts";

/** The beginning of the diagnostic in every release; earlier releases continue it with other words. */
const UNSENT_PREFIX = "Kept here:";

/** Diagnostic of a recipient outside of a deployment that has no transport (OUTBOUND=local). */
export const KEPT_HERE = `${UNSENT_PREFIX} not sent, because no relay is configured (OUTBOUND=local); whoever runs this deployment sets SMTP_URL to send mail`;

/** Hint in answers that show a message which was not sent. */
export const UNSENT_HINT =
  "Mail to other domains is kept here and not sent, because no relay is configured (OUTBOUND=local). Whoever runs this deployment sets SMTP_URL to send mail";

/**
 * Whether a recipient gets nothing because no transport is configured. No other diagnostic of state `sent` begins like this:
 * a host's reply begins with its code, and a report leads to another state.
 */
export function isUnsent(state: RecipientState, diagnostic: string | null): boolean {
  return state === "sent" && diagnostic?.startsWith(UNSENT_PREFIX) === true;
}
