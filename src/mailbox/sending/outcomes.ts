import { KEPT_HERE } from "../../outbound/unsent.ts";
import type { RecipientResult, Transport } from "../../outbound/transport.ts";

/** A transport's result for one recipient. */
export type Said = Pick<RecipientResult, "result" | "diagnostic" | "fault" | "providerId">;

/** A transport that says nothing of a recipient. */
export const UNANSWERED: Said = {
  result: { kind: "unanswered" },
  diagnostic: "The transport gave no answer",
  fault: null,
  providerId: null,
};

/** A failure of this service, which says nothing of the recipient: the message is tried again. */
export const LOCAL_ERROR: Said = {
  result: { kind: "deferred" },
  diagnostic: "451 4.3.0 Local error",
  fault: null,
  providerId: null,
};

/** The mailbox lost the sender's domain while the message waited. */
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

/** The transport of a deployment that has none: it stores mail to other domains, for the operator to look at, and sends nothing. */
export const NO_TRANSPORT: Transport = {
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
