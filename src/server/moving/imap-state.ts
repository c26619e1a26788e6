import { createHash } from "node:crypto";
import path from "node:path";
import * as z from "zod";
import { configFolder, readJsonFile, writePrivateFile, type Env } from "../../cli/profile/files.ts";
import { Refusal } from "../../host/refusal.ts";

const Stored = z.object({
  version: z.literal(1),
  folders: z.record(z.string(), z.object({ validity: z.string(), uid: z.int() })),
});

/**
 * The progress of an import from an IMAP account, in a file. UIDs are valid as long as the UIDVALIDITY of their folder does not
 * change (RFC 9051 §2.3.1.1). If it changes, the folder is read again, and its messages are duplicates.
 */
export class ImapState {
  readonly #file: string;
  readonly #folders: Map<string, { validity: string; uid: number }>;

  private constructor(file: string, folders: Map<string, { validity: string; uid: number }>) {
    this.#file = file;
    this.#folders = folders;
  }

  /** Reads the file if it exists. Throws a {@link Refusal} if it is not the state of an import. */
  static read(file: string): ImapState {
    let stored: unknown;
    try {
      stored = readJsonFile(file);
    } catch {
      stored = null;
    }
    if (stored === undefined) return new ImapState(file, new Map());
    const read = Stored.safeParse(stored);
    if (!read.success)
      throw new Refusal(
        `${file}: is not the state of an import: delete it, or name another file with --state`,
      );
    return new ImapState(file, new Map(Object.entries(read.data.folders)));
  }

  /** The file for an account and the mailbox that it is imported to. */
  static fileFor(env: Env, ...names: readonly string[]): string {
    const name = createHash("sha256").update(names.join("\n")).digest("hex").slice(0, 16);
    return path.join(configFolder(env), `import-${name}.json`);
  }

  /** The UID of the last message of a folder that was stored; 0 = none. */
  lastUid(folder: string, validity: string): number {
    const known = this.#folders.get(folder);
    return known?.validity === validity ? known.uid : 0;
  }

  /** Notes that a message of a folder and all before it were stored. `save` writes the note to the file. */
  reached(folder: string, validity: string, uid: number): void {
    this.#folders.set(folder, { validity, uid });
  }

  save(): void {
    const folders = Object.fromEntries(this.#folders);
    writePrivateFile(this.#file, `${JSON.stringify({ version: 1, folders })}\n`);
  }
}
