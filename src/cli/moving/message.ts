import type { EntryNote } from "../../lib/archive/entry-note.ts";

/** A message that is to be imported. */
export interface MovedMessage {
  raw: Uint8Array;
  /** The name of its entry in an archive: a path in a Maildir, which holds folder and flags. */
  name: string;
  /** When it was received according to its container, in ms since 1970; 0 if the container does not say. */
  modifiedMs: number;
  note: EntryNote;
  /** Called once the deployment has stored it and all before it. */
  done?: () => void;
}

/** A message that is too large to be imported. */
export interface TooLarge {
  tooLarge: string;
}

/** The messages to import, from files or from an IMAP account. */
export interface Source {
  messages: AsyncIterable<MovedMessage | TooLarge>;
  /** The file or folder that is being read, for people. */
  place: () => string;
}
