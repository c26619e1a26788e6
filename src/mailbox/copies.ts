import { returnPathWith } from "../mail/address/return-path.ts";
import type { Transport } from "../outbound/transport.ts";
import type { Departing } from "./outbox.ts";
import type { RecipientRow } from "./schema.ts";

/**
 * Bytes of all the copies that one message is handed over in: two of the largest that common hosts take (25 MB), fifty of one
 * megabyte. What would be more goes to all its recipients in one copy.
 */
export const MAX_COPIES_BYTES = 50_000_000;

/** One transaction of a message: its recipients share an envelope. */
export interface Copy {
  /** MAIL FROM, without angle brackets. */
  returnPath: string;
  recipients: readonly RecipientRow[];
}

/**
 * The copies in which a message is handed over. Each recipient has one of its own, under its own return path, so that nobody
 * but its host sees its token. A large message to many goes out once, under a return path that is nobody's: of its
 * recipients nothing is believed then but what SMTP says.
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
