import { find } from "./dom.ts";

/** A question before an action that cannot be undone. */
export interface Question {
  title: string;
  text: string;
  /** The text of the button that confirms. */
  action: string;
}

/** Asks and resolves to whether the reader confirmed. */
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
