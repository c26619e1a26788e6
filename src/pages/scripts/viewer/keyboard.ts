/** The actions of the keys. */
export interface KeyActions {
  next: () => void;
  previous: () => void;
  reply: () => void;
  search: () => void;
  back: () => void;
  help: () => void;
}

const KEYS: Readonly<Record<string, keyof KeyActions>> = {
  j: "next",
  k: "previous",
  r: "reply",
  "/": "search",
  u: "back",
  Escape: "back",
  "?": "help",
};

/** Listens for single keys, except in fields and while a dialog is open. Enter needs no listener: it opens the focused link. */
export function listenForKeys(actions: KeyActions, signal: AbortSignal): void {
  const press = (event: KeyboardEvent): void => {
    const action = KEYS[event.key];
    if (action === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const isTyping = event.target instanceof HTMLElement && event.target.matches(FIELDS);
    if (isTyping) {
      if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    event.preventDefault();
    actions[action]();
  };
  document.addEventListener("keydown", press, { signal });
}

const FIELDS = "input, textarea, select, [contenteditable]";
