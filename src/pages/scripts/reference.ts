// Search, copy and "Try it" on the reference of the API.
import { addCopyButton } from "./lib/copy.ts";
import { find, make } from "./lib/dom.ts";
import { tryForm } from "./reference/try-it.ts";

const tools = find("#tools", HTMLFormElement);
const search = find("#search", HTMLInputElement);
const found = find("#found", HTMLElement);
const key = find("#key", HTMLInputElement);
const entries = [...document.querySelectorAll<HTMLDetailsElement>("details.entry")];
const texts = new Map(entries.map((entry) => [entry, (entry.textContent ?? "").toLowerCase()]));

/** Shows the entries that contain every word. */
function filter(): void {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) entry.hidden = !words.every((word) => texts.get(entry)?.includes(word));
  for (const section of document.querySelectorAll("section")) {
    section.hidden = section.querySelector("details.entry:not([hidden])") === null;
  }
  const count = entries.filter(({ hidden }) => !hidden).length;
  found.textContent =
    words.length === 0 ? `${entries.length} entries` : `${count} of ${entries.length} entries match.`;
}

/** Opens the entry that the address names. */
function openNamed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  if (named.hidden) {
    search.value = "";
    filter();
  }
  named.open = true;
  named.scrollIntoView();
}

/** Adds what needs a script, when an operation is opened for the first time. */
function complete(entry: HTMLDetailsElement): void {
  const inside = find(".inside", HTMLElement, entry);
  for (const example of inside.querySelectorAll("pre")) addCopyButton(example);
  const start = make("button", { type: "button" }, "Try it");
  const place = make("div", { class: "try" }, start);
  start.addEventListener("click", () => {
    const form = tryForm(entry, () => key.value.trim());
    place.replaceChildren(make("h3", {}, "Try it"), form);
    form.querySelector<HTMLElement>("input, textarea, button")?.focus();
  });
  inside.append(place);
}

for (const entry of entries) {
  if (!entry.classList.contains("operation")) continue;
  entry.addEventListener("toggle", () => complete(entry), { once: true });
}

tools.addEventListener("submit", (event) => event.preventDefault());
search.addEventListener("input", filter);
addEventListener("hashchange", openNamed);
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});
openNamed();
