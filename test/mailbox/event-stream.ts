import type { EventData } from "../../src/contract/event.ts";
import { api, type Ask } from "../harness.ts";

/** A frame as it stood on the wire. */
export interface Frame {
  id: number;
  event: string;
  data: EventData;
}

/** What a client of a stream sees. */
export class EventStream {
  readonly response: Response;
  /** Everything that came, as text. */
  text = "";
  /** Resolves when the stream ended, however it did. */
  readonly ended: Promise<"closed" | "broken">;
  readonly #hangUp: AbortController;
  readonly #changed = new Set<() => void>();

  private constructor(response: Response, hangUp: AbortController) {
    this.response = response;
    this.#hangUp = hangUp;
    this.ended = this.#read();
  }

  static async open(key: string, query = "", ask: Ask = {}): Promise<EventStream> {
    const hangUp = new AbortController();
    const response = await api(`/v1/events?${query}`, { key, signal: hangUp.signal, ...ask });
    if (response.status !== 200) throw new Error(`No stream: ${response.status} ${await response.text()}`);
    return new EventStream(response, hangUp);
  }

  get frames(): Frame[] {
    return [...this.text.matchAll(/^id: (\d+)\nevent: (.*)\ndata: (.*)\n\n/gm)].map(
      ([, id, event, data]) => ({
        id: Number(id),
        event: event ?? "",
        data: JSON.parse(data ?? "") as EventData,
      }),
    );
  }

  /** The frames as soon as there are so many. */
  async framesOnce(count: number): Promise<Frame[]> {
    await this.until(() => this.frames.length >= count);
    return this.frames;
  }

  /** Resolves when `holds` does; rejects when the stream ended before. */
  async until(holds: () => boolean): Promise<void> {
    let over = false;
    const end = this.ended.then(() => (over = true));
    while (!holds()) {
      if (over) throw new Error(`The stream ended after ${JSON.stringify(this.text)}`);
      await Promise.race([end, new Promise<void>((resolve) => this.#changed.add(resolve))]);
    }
  }

  hangUp(): void {
    this.#hangUp.abort();
  }

  async #read(): Promise<"closed" | "broken"> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        this.text += decoder.decode(chunk, { stream: true });
        for (const resolve of this.#changed) resolve();
        this.#changed.clear();
      }
      return "closed";
    } catch {
      // Cut off, or hung up by the test.
      return "broken";
    }
  }
}
