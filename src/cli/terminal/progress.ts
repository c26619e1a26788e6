/** A command that takes longer shows that it goes on. */
const SHOWN_AFTER_MS = 1_000;
const EVERY_MS = 1_000;
/** Back to the first column, and erase the line. */
const CLEAR = "\r\x1b[K";

/** Where progress is shown; `isTTY` is true for a terminal. */
export interface ProgressStream {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

/** A line that is shown while something takes longer than a second, and is gone afterwards. */
export class Progress {
  readonly #stream: ProgressStream;
  #timer: NodeJS.Timeout | null = null;
  #isShown = false;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  /** Does `work`, and says on a terminal that it goes on and for how many seconds; a function says how far it is. */
  async during<T>(doing: string | (() => string), work: () => Promise<T>): Promise<T> {
    if (this.#stream.isTTY !== true) return work();
    const startedMs = performance.now();
    const show = (): void => {
      this.#isShown = true;
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      const said = typeof doing === "string" ? doing : doing();
      this.#stream.write(`${CLEAR}${said}… ${seconds} s`);
    };
    this.#timer = setTimeout(() => {
      show();
      this.#timer = setInterval(show, EVERY_MS);
    }, SHOWN_AFTER_MS);
    try {
      return await work();
    } finally {
      clearTimeout(this.#timer);
      this.clear();
    }
  }

  /** Erases the line, so that other text can take its place. It comes back with the next second. */
  clear(): void {
    if (this.#isShown) this.#stream.write(CLEAR);
    this.#isShown = false;
  }
}
