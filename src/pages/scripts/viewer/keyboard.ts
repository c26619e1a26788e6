import type { ListName, ScreenName } from "./place.ts";

/** The actions of the keys. */
export interface KeyActions {
  next: () => void;
  previous: () => void;
  reply: () => void;
  replyAll: () => void;
  forward: () => void;
  compose: () => void;
  erase: () => void;
  unread: () => void;
  search: () => void;
  back: () => void;
  help: () => void;
}

const KEYS: Readonly<Record<string, keyof KeyActions>> = {
  j: "next",
  k: "previous",
  r: "reply",
  a: "replyAll",
  f: "forward",
  c: "compose",
  e: "erase",
  "#": "erase",
  m: "unread",
  "/": "search",
  u: "back",
  Escape: "back",
  "?": "help",
};

/** The places that a key after `g` leads to. */
const PLACES: Readonly<Record<string, ListName | ScreenName>> = {
  i: "inbox",
  s: "sent",
  t: "threads",
  r: "rules",
  w: "webhooks",
  k: "keys",
};

/** The second key follows `g` within this time, in milliseconds. */
const SEQUENCE_MS = 2_000;

const FIELDS = "input, textarea, select, [contenteditable]";

/**
 * Listens for single keys, and for `g` with a place behind it, except in fields and while a dialog is open. Enter needs no
 * listener: it opens the focused link.
 */
export function listenForKeys(
  actions: KeyActions,
  go: (place: ListName | ScreenName) => void,
  signal: AbortSignal,
): void {
  let pressedG = -Infinity;
  const press = (event: KeyboardEvent): void => {
    if (!isMeant(event)) return;
    const isSecond = event.timeStamp - pressedG < SEQUENCE_MS;
    pressedG = event.key === "g" ? event.timeStamp : -Infinity;
    const place = isSecond ? PLACES[event.key] : undefined;
    const action = KEYS[event.key];
    if (place === undefined && action === undefined) return;
    event.preventDefault();
    if (place !== undefined) go(place);
    else if (action !== undefined) actions[action]();
  };
  document.addEventListener("keydown", press, { signal });
}

/** Whether a key is for the viewer. Escape leaves a field. */
function isMeant(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return false;
  if (document.querySelector("dialog[open]") !== null) return false;
  const { target } = event;
  if (!(target instanceof HTMLElement && target.matches(FIELDS))) return true;
  if (event.key === "Escape") target.blur();
  return false;
}
