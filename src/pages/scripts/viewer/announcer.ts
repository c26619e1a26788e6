import { count } from "../lib/words.ts";

/** Texts within this time, in milliseconds, are announced together: a hundred new mails are not a hundred announcements. */
const GATHER_MS = 400;

/** Announces texts to screen readers, by the page's live region. */
export class Announcer {
  readonly #region: HTMLElement;
  #gathered: string[] = [];

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  readonly say = (text: string): void => {
    if (text === "") return;
    this.#gathered.push(text);
    if (this.#gathered.length === 1) setTimeout(() => this.#tell(), GATHER_MS);
  };

  #tell(): void {
    const [text = "", ...more] = this.#gathered;
    this.#region.textContent = more.length === 0 ? text : `${text} And ${count(more.length, "more event")}.`;
    this.#gathered = [];
  }
}
