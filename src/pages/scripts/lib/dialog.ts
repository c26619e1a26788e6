import { find } from "./dom.ts";

/** What a reader is asked before something happens that cannot be undone by a click. */
export interface Question {
  title: string;
  text: string;
  /** What the button says that does it. */
  action: string;
}

/** Asks, and resolves to whether the answer is yes. */
export function confirmed({ title, text, action }: Question): Promise<boolean> {
  const dialog = find("[data-part=question]", HTMLDialogElement);
  find("h2", HTMLElement, dialog).textContent = title;
  find("p", HTMLElement, dialog).textContent = text;
  find("button[value=yes]", HTMLButtonElement, dialog).textContent = action;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
