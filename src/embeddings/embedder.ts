/** Turns texts into vectors whose nearness is that of their meanings. */
export interface Embedder {
  /** Names the space of its vectors: two of the same name can be compared. */
  readonly model: string;
  /** What is told of it to whoever has a key: not where it stands. */
  readonly name: string;
  /** Texts that it takes at once. */
  readonly maxTexts: number;
  /** One vector for each text, in their order. Rejects with EmbeddingError, and with whatever `signal` aborts it. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** Why there are no vectors. */
export class EmbeddingError extends Error {
  /** Whether the texts themselves were refused: the same ones would be again. */
  readonly isOfTexts: boolean;

  constructor(message: string, isOfTexts = false) {
    super(message);
    this.isOfTexts = isOfTexts;
  }
}

/** More is no embedding. */
const MAX_DIMENSIONS = 8_192;

/** What a model answered as vectors: as many as texts, all of one length, of finite numbers. Throws EmbeddingError. */
export function readVectors(answered: unknown, count: number): Float32Array[] {
  if (!Array.isArray(answered) || answered.length !== count) {
    throw new EmbeddingError(`The model did not answer with ${count} vectors`);
  }
  const vectors = (answered as unknown[]).map(readVector);
  const [first] = vectors;
  if (vectors.some((vector) => vector.length !== first?.length)) {
    throw new EmbeddingError("The model answered with vectors of several lengths");
  }
  return vectors;
}

function readVector(answered: unknown): Float32Array {
  if (!Array.isArray(answered) || answered.length === 0 || answered.length > MAX_DIMENSIONS) {
    throw new EmbeddingError("The model answered with something that is no vector");
  }
  const vector = Float32Array.from(answered as number[]);
  if (!vector.every(Number.isFinite))
    throw new EmbeddingError("The model answered with a vector of no numbers");
  return vector;
}
