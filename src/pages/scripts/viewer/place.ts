/** The lists, of which one is always shown. */
export const LISTS = ["inbox", "sent", "threads", "search"] as const;
export type ListName = (typeof LISTS)[number];

/** Screens about the mailbox itself, beside the list. */
const SCREENS = ["rules", "refused", "routes", "webhooks", "suppressions", "keys", "settings"] as const;
export type ScreenName = (typeof SCREENS)[number];

/** Views of mails and forms to write them, beside the list. */
const MAILS = ["mail", "thread", "compose", "reply", "reply-all", "forward"] as const;
export type ReadingName = (typeof MAILS)[number] | ScreenName;

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
  const reading = [...MAILS, ...SCREENS].find((one) => one === name);
  return reading === undefined ? INBOX : { kind: "reading", name: reading, argument };
}

/** Whether a view is a screen about the mailbox itself. */
export function isScreen(name: ReadingName): name is ScreenName {
  return SCREENS.some((screen) => screen === name);
}

/** The fragment of a place. */
export function hashOf(name: ListName | ReadingName, argument = ""): string {
  return argument === "" ? `#/${name}` : `#/${name}/${encodeURIComponent(argument)}`;
}

/** The fragment of the search for a label. */
export function labelHash(label: string): string {
  const isPlain = /^[^\s"“”„＂]+$/.test(label);
  return hashOf("search", isPlain ? `label:${label}` : `label:"${label.replaceAll(/["“”„＂]/g, "")}"`);
}

/** An address in a link. Blanks, control characters and those that reorder text would show another one than is asked for. */
const LINKED_ADDRESS = /^[^\s\p{C}@]{1,64}@[^\s\p{C}@]{1,253}$/u;

/** The mailbox that a link to the viewer names, by its query; null if it names none. `isWrong`: what it names is no address. */
export function readLink(query: string): { address: string | null; isWrong: boolean } {
  const text = new URLSearchParams(query).get("address")?.trim().toLowerCase() ?? "";
  const isAddress = LINKED_ADDRESS.test(text);
  return { address: isAddress ? text : null, isWrong: text !== "" && !isAddress };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: no id looks like that.
    return "";
  }
}
