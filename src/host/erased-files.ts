import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mailboxFile } from "./backup/data-folder.ts";

/** Time between two looks at a held file, in ms. The runtime removes it at once. */
const LOOK_MS = 100;
/** A file that is not removed by then is not held any longer. */
const MAX_LOOKS = 300;

/**
 * Holds the files of large mailboxes open while the runtime removes them. The system frees a removed file when its last holder
 * closes it, which takes 0.3 s for each gigabyte. workerd has one thread for all mailboxes, and none of them would answer
 * meanwhile; here a thread of Node's pool does it.
 */
export class ErasedFiles {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Opens the file of the mailbox with an address; throws if there is none. It is closed soon after it was removed. */
  async hold(address: string): Promise<void> {
    const file = await open(path.join(this.#dataDir, mailboxFile(address)), "r");
    closeOnceRemoved(file).catch((error: unknown) =>
      console.error("A removed file could not be closed:", error),
    );
  }
}

async function closeOnceRemoved(file: FileHandle): Promise<void> {
  try {
    for (let looks = 0; looks < MAX_LOOKS && (await file.stat()).nlink > 0; looks += 1) {
      await sleep(LOOK_MS, undefined, { ref: false });
    }
  } finally {
    await file.close();
  }
}
