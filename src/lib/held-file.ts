import { withinTime } from "./time-limit.ts";

/** A binding that `npm start` adds. */
interface LocalBindings {
  /** Holds the file of a mailbox open until it is removed. */
  MAILBOX_FILES?: Pick<Fetcher, "fetch">;
}

/** The runtime takes some 10 ms to remove a file of this size. */
const LARGE_FILE_BYTES = 32_000_000;
/** How long the erasure of a mailbox waits for somebody to hold its file, in ms. */
const HOLD_TIMEOUT_MS = 5_000;

/**
 * Has the file of a mailbox held open before it is removed, if it is large. The system frees the pages of a removed file when its last
 * holder closes it, 0.3 s for each gigabyte: without another holder the runtime does so, which has one thread for all mailboxes.
 * Never throws: a file that nobody holds is removed as well.
 *
 * @param mailbox its address, and the bytes of its file.
 */
export async function holdFile(env: object, mailbox: { address: string; bytes: number }): Promise<void> {
  const { MAILBOX_FILES }: LocalBindings = env;
  if (MAILBOX_FILES === undefined || mailbox.bytes < LARGE_FILE_BYTES) return;
  const named = new URLSearchParams({ address: mailbox.address }).toString();
  try {
    await withinTime(HOLD_TIMEOUT_MS, null, (signal) =>
      MAILBOX_FILES.fetch(`http://files/hold?${named}`, { signal }),
    );
  } catch (error) {
    console.error("The file of a large mailbox is removed in one turn:", error);
  }
}
