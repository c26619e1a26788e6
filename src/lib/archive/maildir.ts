/** The folder and the flags of a message, by the path of its file. */
export interface MaildirName {
  /** The folder, its parts divided by "/"; "" for the root of the Maildir. */
  folder: string;
  /** Letters of the flags, such as "FS". */
  flags: string;
}

/** Flags of a Maildir and the labels that stand for them. S (seen) has none: there is no unread state. */
const LABEL_OF_FLAG: Readonly<Record<string, string>> = {
  D: "draft",
  F: "flagged",
  R: "answered",
  T: "trash",
};

/** Names that programs give to the folder of sent mail. */
const SENT = /^(?:sent|sent[ _-](?:items|messages|mail|objects)|gesendet|outbox)$/i;

/**
 * Reads the path of a file that may be a message: one in `cur` or `new` of a Maildir, or one whose name ends with `.eml`. Null
 * for any other file. Systems on which a name cannot hold ":" write another sign before the flags.
 */
export function readMailName(path: string): MaildirName | null {
  const parts = partsOf(path);
  const file = parts.at(-1) ?? "";
  const isFiled = isInMaildir(path);
  if (!isFiled && !/\.eml$/i.test(file)) return null;
  if (file.startsWith(".") || file.startsWith("._")) return null;
  const flags = isFiled ? (/[:;!_-]2,([A-Za-z]*)$/.exec(file)?.[1] ?? "") : "";
  return { folder: isFiled ? folderOf(parts.slice(0, -2)) : "", flags };
}

/** Whether a file lies in `cur` or `new` of a Maildir, so that it is a message whatever it holds. */
export function isInMaildir(path: string): boolean {
  return /^(?:cur|new)$/.test(partsOf(path).at(-2) ?? "");
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
}

/** The labels for the flags of a Maildir. */
export function labelsOfFlags(flags: string): string[] {
  return [...new Set(flags)].flatMap((flag) => LABEL_OF_FLAG[flag] ?? []);
}

/** The Maildir flags for labels, in alphabetical order as Maildir requires; always with S. */
export function flagsOfLabels(labels: readonly string[]): string {
  const flags = Object.keys(LABEL_OF_FLAG).filter((flag) => labels.includes(LABEL_OF_FLAG[flag] ?? ""));
  return [...flags, "S"].toSorted().join("");
}

/** Whether a folder holds sent mail, by its name. */
export function isSentFolder(folder: string): boolean {
  return SENT.test(folder.split("/").at(-1) ?? "");
}

/** Maildir++ writes the folder A/B as ".A.B"; others write folders within folders. */
function folderOf(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  if (last.startsWith(".")) return last.slice(1).replaceAll(".", "/");
  return parts.filter((part) => !/^maildir$/i.test(part)).join("/");
}
