import { make } from "./dom.ts";

/** How long the button shows the result, in milliseconds. */
const DONE_MS = 2_000;

/** A button that puts `text` on the clipboard; `what` names it to who does not see it ("the code"). */
export function copyButton(text: string, what: string): HTMLButtonElement {
  const button = make("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", () => {
    void copied(text).then((done) => {
      button.textContent = done ? "Copied" : "Not allowed here";
      setTimeout(() => (button.textContent = "Copy"), DONE_MS);
    });
  });
  return button;
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
