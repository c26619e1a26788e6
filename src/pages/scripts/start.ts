// Adds to each example a button that copies it.
import { copyButton } from "./lib/copy.ts";

for (const example of document.querySelectorAll<HTMLElement>(".paste pre")) {
  const name = example.closest(".paste")?.querySelector("summary")?.textContent ?? "";
  example.previousElementSibling?.append(copyButton(example.textContent ?? "", `the example for ${name}`));
}
