import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import type { JsonText } from "../messages/present.ts";

/** Cached pages at most. Agents poll the newest page and a few searches of their own. */
const MAX_PAGES = 4;

/** Recently requested pages, cached as JSON text until a message changes. */
export class PageCache {
  readonly #pages = new Map<string, string>();

  /** Answers the cached page with this name, or calls `make` and caches its page. The name must contain all parameters. */
  read<Shape>(name: string, make: () => Answer<JsonText<Shape>>): Answer<JsonText<Shape>> {
    const known = this.#pages.get(name);
    if (known !== undefined) return done(known);
    const page = make();
    if (page.ok) this.#put(name, page.value);
    return page;
  }

  /** Drops all pages; called when a message changes. */
  forget(): void {
    this.#pages.clear();
  }

  #put(name: string, text: string): void {
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= MAX_PAGES) this.#pages.delete(oldest);
    this.#pages.set(name, text);
  }
}
