import { KEPT_HERE } from "../../outbound/unsent.ts";
import type { RecipientResult, Transport } from "../../outbound/transport.ts";

/** What a transport says of one recipient. */
export type Said = Pick<RecipientResult, "result" | "diagnostic" | "fault" | "providerId">;

/** A transport that says nothing of a recipient. */
export const UNANSWERED: Said = {
  result: { kind: "unanswered" },
  diagnostic: "The transport gave no answer",
  fault: null,
  providerId: null,
};

/** What we could not do ourselves. */
export const LOCAL_ERROR: Said = {
  result: { kind: "deferred" },
  diagnostic: "451 4.3.0 Local error",
  fault: null,
  providerId: null,
};

/** What waited to be sent from a domain that was lost meanwhile. */
export const NOT_OURS: Said = {
  result: { kind: "impossible" },
  diagnostic: "The domain of the sender is no longer verified",
  fault: null,
  providerId: null,
};

/** The mailbox was paused, or the deployment stopped sending, in the middle of a try. */
export const PAUSED: Said = {
  ...LOCAL_ERROR,
  diagnostic: "The mailbox was paused, or sending was switched off, while this was tried",
};

/** What a deployment without a way out does with mail that would leave it: keeps it, to be looked at. */
export const KEEPING: Transport = {
  name: "local",
  showsReturnPath: false,
  maxBytes: Infinity,
  send: (mail) =>
    Promise.resolve(
      mail.recipients.map((recipient) => ({
        recipient,
        result: { kind: "taken" },
        code: null,
        enhancedCode: null,
        diagnostic: KEPT_HERE,
        fault: null,
        concernsAll: false,
        providerId: null,
      })),
    ),
};
