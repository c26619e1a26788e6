import { EmbeddingError, readVectors, type Embedder } from "./embedder.ts";

/** The part of a Workers AI binding that is used here. */
export interface AiBinding {
  run(model: string, input: { text: string[] }): Promise<unknown>;
}

const MAX_TEXTS = 32;

/** Embeds texts by a model of Workers AI. */
export class WorkersAiEmbedder implements Embedder {
  readonly model: string;
  readonly name: string;
  readonly maxTexts = MAX_TEXTS;
  readonly #ai: AiBinding;

  constructor(ai: AiBinding, model: string) {
    this.#ai = ai;
    this.model = model;
    this.name = model;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    // The binding cannot be aborted, so only the wait ends.
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new EmbeddingError("The model did not answer in time")), {
        once: true,
      });
    });
    const answer = await Promise.race([this.#ai.run(this.model, { text: [...texts] }), aborted]);
    return readVectors((answer as { data?: unknown } | null)?.data, texts.length);
  }
}
