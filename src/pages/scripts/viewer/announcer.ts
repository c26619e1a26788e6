import { count } from "../lib/words.ts";

/** What is said within this time is said at once: a reader who listens is not to hear of each of a hundred mails. */
const GATHER_MS = 400;

/** Tells what happens by the page's live region, to who cannot see it. */
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
