// Search, and buttons that copy, on the pages of the documentation.
import { addCopyButton } from "./lib/copy.ts";
import { find, make } from "./lib/dom.ts";
import { excerptOf, findSections, type GuideIndex } from "./lib/guide-search.ts";
import { count } from "./lib/words.ts";

const form = find(".finding > form", HTMLFormElement);
const query = find("#docs-query", HTMLInputElement);
const found = find(".found", HTMLElement);
const shown = [...document.querySelectorAll<HTMLElement>(".page > :not(.found)")];
/** The texts of all pages, loaded when somebody begins to search. */
let index: Promise<GuideIndex> | null = null;

async function loaded(): Promise<GuideIndex> {
  const response = await fetch(form.dataset.index ?? "");
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return (await response.json()) as GuideIndex;
}

async function search(): Promise<void> {
  const asked = query.value.trim();
  found.hidden = asked === "";
  for (const part of shown) part.hidden = asked !== "";
  if (asked === "") return;
  index ??= loaded();
  try {
    const results = findSections(await index, asked);
    // Somebody typed on in the meantime.
    if (query.value.trim() === asked) show(asked, results);
  } catch {
    index = null;
    found.replaceChildren(
      make(
        "p",
        { class: "notice bad", role: "alert" },
        "The search could not be loaded. Type on to try again.",
      ),
    );
  }
}

function show(asked: string, results: ReturnType<typeof findSections>): void {
  const items = results.map(({ href, title, heading, text }) => {
    const [before, match, after] = excerptOf(text, asked);
    const name = heading === "" || heading === title ? title : `${title}: ${heading}`;
    const excerpt = make("span", {}, before, make("mark", {}, match), after);
    return make("li", {}, make("a", { href }, make("strong", {}, name), excerpt));
  });
  const summary = make(
    "p",
    { class: "muted", role: "status" },
    `${count(results.length, "section")} found for “${asked}”`,
  );
  found.replaceChildren(summary, make("ol", {}, ...items));
}

for (const example of document.querySelectorAll<HTMLElement>(".guide pre")) addCopyButton(example);

form.addEventListener("submit", (event) => event.preventDefault());
query.addEventListener("input", () => void search());
// A link to a section of this page leaves it as it is: the search ends.
found.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.target.closest("a") === null) return;
  query.value = "";
  void search();
});
