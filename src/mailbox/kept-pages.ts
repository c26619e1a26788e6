import type { Answer } from "../contract/problem.ts";
import { done } from "../lib/outcome.ts";
import type { JsonText } from "./present.ts";

/** Pages kept at once: agents ask for the newest one, and for a search or two of their own. */
const MAX_KEPT_PAGES = 4;

/** Pages that agents ask for again and again, kept as text until something changes. */
export class KeptPages {
  readonly #kept = new Map<string, string>();

  /** What `make` answers; asked the same again before anything changed, the text it gave then. `wish` names the page. */
  read<Shape>(wish: string, make: () => Answer<JsonText<Shape>>): Answer<JsonText<Shape>> {
    const kept = this.#kept.get(wish);
    if (kept !== undefined) return done(kept);
    const page = make();
    if (page.ok) this.#keep(wish, page.value);
    return page;
  }

  /** Called with every change of a message. */
  forget(): void {
    this.#kept.clear();
  }

  #keep(wish: string, text: string): void {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT_PAGES) this.#kept.delete(oldest);
    this.#kept.set(wish, text);
  }
}
