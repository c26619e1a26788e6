import type { PropsWithChildren } from "hono/jsx";
import titles from "../../../dist/guides.json" with { type: "json" };
import { ButtonLink } from "../components/button-link.tsx";
import { urlOfStatic } from "../static-files.ts";
import { GUIDE_GROUPS, type GuideName } from "./groups.ts";

export const REFERENCE_PATH = "/docs";

/** The path of a guide. */
export const pathOfGuide = (name: GuideName): string => `${REFERENCE_PATH}/${name}`;

/** The title of a guide. */
export const titleOfGuide = (name: GuideName): string => titles[name];

/** A page of the documentation, beside the list of all of them and a search. `current` is its path. */
export function DocsFrame({ current, children }: PropsWithChildren<{ current: string }>) {
  return (
    <div class="docs">
      <div class="finding">
        <form class="scripted" role="search" data-index={urlOfStatic("guides.json")}>
          <label class="sr" for="docs-query">
            Search the documentation
          </label>
          <input
            id="docs-query"
            type="search"
            placeholder="Search the docs"
            autocomplete="off"
            spellcheck={false}
          />
        </form>
        <ButtonLink kind="quiet" href="#guides">
          All pages
        </ButtonLink>
      </div>
      <div class="page">
        <section class="found" aria-label="Found" hidden></section>
        {children}
      </div>
      <nav class="guides" id="guides" aria-label="Documentation">
        <p class="label">Reference</p>
        <ul>
          <Entry path={REFERENCE_PATH} title="API reference" current={current} />
        </ul>
        {GUIDE_GROUPS.map(({ title, names }) => (
          <>
            <p class="label">{title}</p>
            <ul>
              {names.map((name) => (
                <Entry path={pathOfGuide(name)} title={titleOfGuide(name)} current={current} />
              ))}
            </ul>
          </>
        ))}
      </nav>
    </div>
  );
}

function Entry({ path, title, current }: { path: string; title: string; current: string }) {
  return (
    <li>
      <a href={path} aria-current={path === current ? "page" : undefined}>
        {title}
      </a>
    </li>
  );
}
