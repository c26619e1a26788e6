import type { Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import type { JsonText } from "../messages/present.ts";
import type { Turns } from "../turns.ts";

/** Cached pages at most. Agents poll the newest page and a few searches of their own. */
const MAX_PAGES = 4;

/** Recently requested pages, cached as JSON text until a message changes. */
export class PageCache {
  readonly #pages = new Map<string, string>();

  /** Counts the changes, so that a page is not cached if a message changed while it was made. */
  #changes = 0;

  /**
   * Answers the cached page with this name, or calls `make` and caches its page. The name must contain all parameters; null:
   * the page is not cached.
   */
  *read<Shape>(
    name: string | null,
    make: () => Turns<Answer<JsonText<Shape>>>,
  ): Turns<Answer<JsonText<Shape>>> {
    const known = name === null ? undefined : this.#pages.get(name);
    if (known !== undefined) return done(known);
    const before = this.#changes;
    const page = yield* make();
    if (name !== null && page.ok && before === this.#changes) this.#put(name, page.value);
    return page;
  }

  has(name: string): boolean {
    return this.#pages.has(name);
  }

  /** Drops all pages; called when a message changes. */
  forget(): void {
    this.#changes += 1;
    this.#pages.clear();
  }

  #put(name: string, text: string): void {
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= MAX_PAGES) this.#pages.delete(oldest);
    this.#pages.set(name, text);
  }
}
