import * as z from "zod";

const Now = z.object({ now_ms: z.number() });
const Settled = z.object({ settled: z.boolean() });
const Advanced = z.object({ ...Now.shape, ...Settled.shape });

const unsettled = (): Error => new Error("An attempt has been under way for half a minute");

/** Asks the clock inside the runtime of a twin (`src/twin/worker/front.ts`). */
export class Control {
  readonly #url: URL;
  readonly #token: string;

  constructor(url: URL, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async now(): Promise<Date> {
    return new Date((await this.#ask("/now", Now)).now_ms);
  }

  /** Moves the clock by `ms`; resolves when what fell due on the way is done. Rejects as `settled`. */
  async advance(ms: number): Promise<Date> {
    const { settled, now_ms } = await this.#ask(`/advance?ms=${ms}`, Advanced);
    if (!settled) throw unsettled();
    return new Date(now_ms);
  }

  /** Resolves when no attempt is under way. Rejects if one does not end within half a minute. */
  async settled(): Promise<void> {
    const { settled } = await this.#ask("/settle", Settled);
    if (!settled) throw unsettled();
  }

  async #ask<Answer>(path: string, shape: z.ZodType<Answer>): Promise<Answer> {
    const response = await fetch(new URL(path, this.#url), {
      headers: { Authorization: `Bearer ${this.#token}` },
    });
    if (!response.ok) throw new Error(`The clock of the twin answered ${response.status}`);
    return shape.parse(await response.json());
  }
}
