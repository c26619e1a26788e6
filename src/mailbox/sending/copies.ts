import { returnPathWith } from "../../mail/address/return-path.ts";
import type { Transport } from "../../outbound/transport.ts";
import type { Departing } from "./outbox.ts";
import type { RecipientRow } from "./rows.ts";

/**
 * The most bytes that all copies of one message may have together: two of the largest messages that common hosts accept (25
 * MB), or fifty of one megabyte. Beyond that, all recipients share one copy.
 */
export const MAX_COPIES_BYTES = 50_000_000;

/** One SMTP transaction: its recipients share an envelope. */
export interface Copy {
  /** MAIL FROM, without angle brackets. */
  returnPath: string;
  recipients: readonly RecipientRow[];
}

/**
 * The copies in which a message is handed over. Each recipient gets its own copy with its own return path, so that only its
 * host sees its token. A large message to many recipients goes out as one copy whose return path belongs to none of them;
 * the mailbox then believes only SMTP replies about them, not delivery reports.
 *
 * @param mailbox address of the mailbox that sends.
 */
export function copiesOf(
  { returnPath }: Pick<Departing, "returnPath">,
  recipients: readonly RecipientRow[],
  handing: { transport: Pick<Transport, "showsReturnPath">; mailbox: string; sizeBytes: number },
): Copy[] {
  const { transport, mailbox, sizeBytes } = handing;
  const paths = recipients.map(({ token }) => (token === null ? null : returnPathWith(mailbox, token)));
  const isShared =
    !transport.showsReturnPath ||
    paths.includes(null) ||
    (recipients.length > 1 && recipients.length * sizeBytes > MAX_COPIES_BYTES);
  if (isShared) return [{ returnPath, recipients }];
  return recipients.map((recipient, index) => ({
    returnPath: paths[index] ?? returnPath,
    recipients: [recipient],
  }));
}
