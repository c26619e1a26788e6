/** The lists, of which one is always shown. */
export const LISTS = ["inbox", "sent", "threads", "search"] as const;
export type ListName = (typeof LISTS)[number];

/** Views beside the list. */
const READINGS = ["mail", "thread", "compose", "reply", "reply-all", "forward", "settings", "rules"] as const;
export type ReadingName = (typeof READINGS)[number];

/** The view that the URL's fragment names. Browsers do not send fragments; this one contains ids and searches, no key. */
export type Place =
  | { kind: "list"; name: ListName; argument: string }
  | { kind: "reading"; name: ReadingName; argument: string };

const INBOX: Place = { kind: "list", name: "inbox", argument: "" };

/** Reads a fragment such as `#/mail/<id>`; the inbox for an unknown one. */
export function readPlace(hash: string): Place {
  const [, name = "", rest = ""] = /^#\/([a-z-]+)(?:\/(.*))?$/.exec(hash) ?? [];
  const argument = decoded(rest);
  const list = LISTS.find((one) => one === name);
  if (list !== undefined) return { kind: "list", name: list, argument };
  const reading = READINGS.find((one) => one === name);
  return reading === undefined ? INBOX : { kind: "reading", name: reading, argument };
}

/** The fragment of a place. */
export function hashOf(name: ListName | ReadingName, argument = ""): string {
  return argument === "" ? `#/${name}` : `#/${name}/${encodeURIComponent(argument)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: no id looks like that.
    return "";
  }
}
