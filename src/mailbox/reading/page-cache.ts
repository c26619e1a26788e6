import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import type { JsonText } from "../messages/present.ts";

/** Pages in memory at once: agents ask for the newest one, and for a search or two of their own. */
const MAX_PAGES = 4;

/** Pages that agents ask for again and again, kept as text until something changes. */
export class PageCache {
  readonly #pages = new Map<string, string>();

  /** The page that `make` gives; the same page again comes from memory until something changes. `name` tells pages apart. */
  read<Shape>(name: string, make: () => Answer<JsonText<Shape>>): Answer<JsonText<Shape>> {
    const known = this.#pages.get(name);
    if (known !== undefined) return done(known);
    const page = make();
    if (page.ok) this.#put(name, page.value);
    return page;
  }

  /** Forgets all pages: a message changed. */
  forget(): void {
    this.#pages.clear();
  }

  #put(name: string, text: string): void {
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= MAX_PAGES) this.#pages.delete(oldest);
    this.#pages.set(name, text);
  }
}
