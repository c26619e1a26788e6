import type { Embedder } from "../embeddings/embedder.ts";
import { OpenAiEmbedder } from "../embeddings/openai-embedder.ts";
import { WorkersAiEmbedder, type AiBinding } from "../embeddings/workers-ai-embedder.ts";
import type { Config } from "../env.ts";

/** Bindings that a deployment may have. */
export interface EmbedderBindings {
  /** Models of the platform's. */
  AI?: AiBinding;
  /** The network that `npm start` gives for hosts that the operator names. */
  OPERATOR_NETWORK?: Fetcher;
}

const embedders = new WeakMap<Config, Embedder>();

/** The configured model; null = none. */
export function embedderOf(env: EmbedderBindings, config: Config): Embedder | null {
  if (config.embeddings === null) return null;
  const known = embedders.get(config);
  if (known !== undefined) return known;
  const { url, model, key } = config.embeddings;
  const { AI, OPERATOR_NETWORK } = env;
  const fetcher: typeof fetch = (input, init) => (OPERATOR_NETWORK ?? globalThis).fetch(input, init);
  const embedder =
    url !== null
      ? new OpenAiEmbedder({ url, model, key }, fetcher)
      : AI === undefined
        ? null
        : new WorkersAiEmbedder(AI, model);
  if (embedder !== null) embedders.set(config, embedder);
  return embedder;
}
