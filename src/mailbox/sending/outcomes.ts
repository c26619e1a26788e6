import { KEPT_HERE } from "../../outbound/unsent.ts";
import type { RecipientResult, Transport } from "../../outbound/transport.ts";

/** A transport's result for one recipient. */
export type Said = Pick<RecipientResult, "result" | "diagnostic" | "fault" | "providerId">;

/** The result for a recipient about whom the transport answered nothing. */
export const UNANSWERED: Said = {
  result: { kind: "unanswered" },
  diagnostic: "The transport gave no answer",
  fault: null,
  providerId: null,
};

/** The result of an error of this service, which is no fault of the recipient: the message is attempted again. */
export const LOCAL_ERROR: Said = {
  result: { kind: "deferred" },
  diagnostic: "451 4.3.0 Local error",
  fault: null,
  providerId: null,
};

/** The result if the mailbox lost the sender's domain while the message waited. */
export const NOT_OURS: Said = {
  result: { kind: "impossible" },
  diagnostic: "The domain of the sender is no longer verified",
  fault: null,
  providerId: null,
};

/** The transport of a deployment without a relay. It sends nothing: mail to other domains stays stored, unsent. */
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
