/** Turns texts into vectors; the nearer two vectors, the nearer the meanings of their texts. */
export interface Embedder {
  /** Name of the vector space. Vectors of the same space can be compared. */
  readonly model: string;
  /** The name of the model as owners of mailboxes see it, without its address. */
  readonly name: string;
  /** The most texts of one call. */
  readonly maxTexts: number;
  /** Returns one vector for each text, in order. Rejects with EmbeddingError, or with the reason of `signal`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** The model returned no vectors; the message says why. */
export class EmbeddingError extends Error {
  /** Whether the model refused the texts themselves, and would refuse them again. */
  readonly isOfTexts: boolean;

  constructor(message: string, isOfTexts = false) {
    super(message);
    this.isOfTexts = isOfTexts;
  }
}

/** The most dimensions of a vector; a longer list is no embedding. */
const MAX_DIMENSIONS = 8_192;

/** Checks the vectors of a model's answer: as many as texts, of one length, of finite numbers. Throws EmbeddingError. */
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
