import type { Embedder } from "../../embeddings/embedder.ts";
import { OpenAiEmbedder } from "../../embeddings/openai-embedder.ts";
import { WorkersAiEmbedder, type AiBinding } from "../../embeddings/workers-ai-embedder.ts";
import { operatorFetch, type Config, type OperatorBindings } from "../../config/env.ts";

/** Bindings of the deployment that models use. */
export interface EmbedderBindings extends OperatorBindings {
  /** Models on Cloudflare. */
  AI?: AiBinding;
}

const embedders = new WeakMap<Config, Embedder>();

/** The configured embedding model; null if none is configured. */
export function embedderOf(env: EmbedderBindings, config: Config): Embedder | null {
  if (config.embeddings === null) return null;
  const known = embedders.get(config);
  if (known !== undefined) return known;
  const { url, model, key } = config.embeddings;
  const { AI } = env;
  const embedder =
    url !== null
      ? new OpenAiEmbedder({ url, model, key }, operatorFetch(env))
      : AI === undefined
        ? null
        : new WorkersAiEmbedder(AI, model);
  if (embedder !== null) embedders.set(config, embedder);
  return embedder;
}
