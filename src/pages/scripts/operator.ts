import { copyButton } from "./lib/copy.ts";
import { keepTokenOfPath } from "./lib/operator-session.ts";

/** Adds a copy button beside each element with `data-copy`. */
for (const element of document.querySelectorAll<HTMLElement>("[data-copy]")) {
  element.after(copyButton(element.textContent, element.dataset.copy ?? "it"));
}

keepTokenOfPath();
