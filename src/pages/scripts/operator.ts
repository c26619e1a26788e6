import { copyButton } from "./lib/copy.ts";
import { keepTokenOfPath } from "./lib/operator-session.ts";

/** What a page of the console marks with `data-copy` gets a button beside it; without scripts it is copied by hand. */
for (const element of document.querySelectorAll<HTMLElement>("[data-copy]")) {
  element.after(copyButton(element.textContent, element.dataset.copy ?? "it"));
}

keepTokenOfPath();
