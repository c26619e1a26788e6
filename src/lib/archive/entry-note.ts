/**
 * Properties of a message in an archive, as JSON in the pax `comment` of its entry. Anybody can make an archive, so these
 * properties only order and label messages in the owner's own mailbox; nothing else relies on them.
 */
export interface EntryNote {
  /** ISO 8601. */
  received_at?: string;
  labels?: readonly string[];
  /** A name that all messages of a thread share. */
  thread?: string;
  /** Present if the mailbox sent the message. */
  direction?: "outbound";
  /** Present for a delivery report, which listings do not show. */
  hidden?: true;
  envelope_from?: string;
  envelope_to?: string;
}

/** The beginning of a note, by which it differs from the comments of other programs. */
const PREFIX = "mailkeep ";
const MAX_TEXT_CHARS = 1_000;

/** A note as the comment of an entry. */
export function writeNote(note: EntryNote): string {
  return PREFIX + JSON.stringify(note);
}

/** The note in the comment of an entry, without members of a wrong type; {} for any other comment. */
export function readNote(comment: string): EntryNote {
  if (!comment.startsWith(PREFIX)) return {};
  let read: unknown;
  try {
    read = JSON.parse(comment.slice(PREFIX.length));
  } catch {
    return {};
  }
  if (typeof read !== "object" || read === null) return {};
  const said = new Map<string, unknown>(Object.entries(read));
  const texts = ["received_at", "thread", "envelope_from", "envelope_to"] as const;
  const labels = said.get("labels");
  return {
    ...Object.fromEntries(texts.flatMap((name) => textEntry(name, said.get(name)))),
    ...(Array.isArray(labels)
      ? { labels: labels.filter((label): label is string => typeof label === "string") }
      : {}),
    ...(said.get("direction") === "outbound" ? { direction: "outbound" as const } : {}),
    ...(said.get("hidden") === true ? { hidden: true as const } : {}),
  };
}

function textEntry(name: string, value: unknown): [string, string][] {
  return typeof value === "string" && value.length <= MAX_TEXT_CHARS ? [[name, value]] : [];
}
