import type { EventData } from "../../src/contract/event.ts";
import { api, type Ask } from "../harness.ts";

/** A frame as it stood on the wire. */
export interface Frame {
  id: number;
  event: string;
  data: EventData;
}

/** A client of an event stream, which records its frames. */
export class EventStream {
  readonly response: Response;
  /** The complete body so far. */
  text = "";
  /** Resolves when the stream has ended: closed by the server, or broken off. */
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

  /** Resolves to the frames when at least `count` have arrived. */
  async framesOnce(count: number): Promise<Frame[]> {
    await this.until(() => this.frames.length >= count);
    return this.frames;
  }

  /** Resolves when `holds()` is true; rejects if the stream ends before. */
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
      // The server cut the stream off, or the test closed it.
      return "broken";
    }
  }
}
