import { EmbeddingError, readVectors, type Embedder } from "./embedder.ts";

/** An endpoint that is compatible with OpenAI's: `POST <url>/embeddings` with `{ model, input }`. */
export interface EndpointSettings {
  /** Base address, such as `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  /** Sent as a Bearer token; null = none. */
  key: string | null;
}

const MAX_TEXTS = 32;
/** The longest answer: 32 vectors of 4,096 numbers of 20 characters, and some room. */
const MAX_ANSWER_BYTES = 4_000_000;
/** Statuses that blame the texts: malformed, too long, not processable (RFC 9110 §15.5). */
const TEXTS_REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/** Embeds texts by an endpoint of the operator's choice. */
export class OpenAiEmbedder implements Embedder {
  readonly model: string;
  readonly name: string;
  readonly maxTexts = MAX_TEXTS;
  readonly #settings: EndpointSettings;
  readonly #fetch: typeof fetch;

  constructor(settings: EndpointSettings, fetcher: typeof fetch) {
    this.#settings = settings;
    this.#fetch = fetcher;
    this.name = settings.model;
    this.model = `${settings.model} at ${settings.url}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { url, model, key } = this.#settings;
    const response = await this.#fetch(`${url}/embeddings`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      redirect: "manual",
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new EmbeddingError(`The model answered ${response.status}`, TEXTS_REFUSED.has(response.status));
    }
    return readVectors(ordered(await readJson(response)), texts.length);
  }
}

/** The vectors in the order of their texts; each names the index of its text. */
function ordered(answer: unknown): unknown {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return null;
  const vectors: unknown[] = [];
  for (const [at, one] of (data as ({ index?: unknown; embedding?: unknown } | null)[]).entries()) {
    const index = one?.index ?? at;
    if (typeof index !== "number" || !(index in data) || index in vectors) return null;
    vectors[index] = one?.embedding;
  }
  return vectors;
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new EmbeddingError(`The model answered more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    throw new EmbeddingError("The model answered no JSON");
  }
}
