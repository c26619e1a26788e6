import { make } from "./dom.ts";

/** How long the button shows the result, in milliseconds. */
const DONE_MS = 2_000;

/** A button that puts `text` on the clipboard; `what` names it to who does not see it ("the code"), `shown` to who does. */
export function copyButton(text: string, what: string, shown = "Copy"): HTMLButtonElement {
  const button = make("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, shown);
  button.addEventListener("click", () => {
    void copied(text).then((done) => {
      button.textContent = done ? "Copied" : "Not allowed here";
      setTimeout(() => (button.textContent = shown), DONE_MS);
    });
  });
  return button;
}

/** Puts a button over the corner of an example, that copies it. */
export function addCopyButton(example: HTMLElement): void {
  const holder = make("div", { class: "example" });
  example.replaceWith(holder);
  holder.append(example, copyButton((example.textContent ?? "").replace(/\n$/, ""), "the example"));
}

async function copied(text: string): Promise<boolean> {
  try {
    // Not there on a page that came without TLS from another machine.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
