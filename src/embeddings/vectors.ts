/** The largest component is scaled to this, so that a vector uses the whole range of a signed byte. */
const STEPS = 127;

/**
 * Quantizes a vector to signed bytes. It keeps the direction, to about one percent, and loses the length: cosines need no more,
 * and it takes a quarter of the memory.
 */
export function quantized(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return largest === 0
    ? new Int8Array(vector.length)
    : Int8Array.from(vector, (value) => Math.round((value / largest) * STEPS));
}

/** A vector that was found, and its cosine to the searched one, -1 to 1. */
export interface Neighbour {
  id: number;
  score: number;
}

/** Which vectors to compare. */
export interface NearestOptions {
  limit: number;
  /** Vectors with larger ids are left out. */
  maxId: number;
  /** If not null, only these ids are compared. */
  among: ReadonlySet<number> | null;
}

/** Ranks vectors as they arrive and keeps the nearest only, so its memory does not grow with their number. */
export class NearestSearch {
  readonly #vector: Int8Array;
  readonly #length: number;
  readonly #best: Best;

  constructor(vector: Int8Array, limit: number) {
    this.#vector = vector;
    this.#length = lengthOf(vector);
    this.#best = new Best(limit);
  }

  /** Compares a vector; call it once for each id. A vector of another length is ignored. */
  offer(id: number, vector: Int8Array): void {
    // The searched vector is zero and has no direction.
    if (this.#length === 0 || vector.length !== this.#vector.length) return;
    const length = lengthOf(vector);
    const score = length === 0 ? 0 : dot(this.#vector, vector, 0) / (this.#length * length);
    this.#best.offer(id, score);
  }

  /** The nearest vectors, best first; of equally near ones the larger id comes first. */
  sorted(): Neighbour[] {
    return this.#best.sorted();
  }
}

/** Memory of a vector besides its bytes: its id, its inverse length and its entry in the index. */
const ENTRY_BYTES = 64;
/** Size of a page, which holds whole vectors. A table grows by pages: nothing is copied, and a small table stays small. */
const PAGE_BYTES = 262_144;

/** Vectors of one length by id, in memory. A search compares all of them. */
export class VectorTable {
  readonly #dimensions: number;
  /** Vectors of a page. */
  readonly #perPage: number;
  readonly #pages: Int8Array[] = [];
  readonly #ids: number[] = [];
  /** 1 / length of each quantized vector; 0 for a vector of zeros, which is never found. */
  readonly #inverseLengths: number[] = [];
  /** The index of each vector, by its id. */
  readonly #places = new Map<number, number>();

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#perPage = Math.max(1, Math.floor(PAGE_BYTES / dimensions));
  }

  get size(): number {
    return this.#ids.length;
  }

  /** Bytes of memory that the table takes. */
  get bytes(): number {
    return this.#pages.length * this.#perPage * this.#dimensions + this.#ids.length * ENTRY_BYTES;
  }

  /** Stores a vector under `id` and replaces an earlier one. Throws if it has another length. */
  set(id: number, vector: Int8Array): void {
    if (vector.length !== this.#dimensions) {
      throw new Error(`A vector of ${vector.length} dimensions among those of ${this.#dimensions}`);
    }
    const at = this.#places.get(id) ?? this.#ids.length;
    this.#put(at, id, vector, 1 / lengthOf(vector));
  }

  /** Removes a vector; the last one moves to its index. */
  delete(id: number): void {
    const at = this.#places.get(id);
    const lastId = this.#ids.at(-1);
    if (at === undefined || lastId === undefined) return;
    const last = this.#ids.length - 1;
    if (at !== last) this.#put(at, lastId, this.#view(last), this.#inverseLengths[last] ?? 0);
    this.#ids.pop();
    this.#inverseLengths.pop();
    this.#places.delete(id);
    this.#pages.length = Math.ceil(last / this.#perPage);
  }

  /** The nearest to `vector`, best first; of equally near ones the larger id, which came later, is first. */
  nearest(vector: Int8Array, { limit, maxId, among }: NearestOptions): Neighbour[] {
    const length = lengthOf(vector);
    // A zero vector has no direction.
    if (length === 0) return [];
    const best = new Best(limit);
    for (let at = 0; at < this.#ids.length; at += 1) {
      const id = this.#ids[at] ?? 0;
      if (id > maxId || (among !== null && !among.has(id))) continue;
      const page = this.#pages[Math.floor(at / this.#perPage)];
      if (page === undefined) break;
      const product = dot(vector, page, (at % this.#perPage) * this.#dimensions);
      best.offer(id, (product / length) * (this.#inverseLengths[at] ?? 0));
    }
    return best.sorted();
  }

  #view(at: number): Int8Array {
    const start = (at % this.#perPage) * this.#dimensions;
    const page = this.#pages[Math.floor(at / this.#perPage)] ?? new Int8Array(start + this.#dimensions);
    return page.subarray(start, start + this.#dimensions);
  }

  #put(at: number, id: number, vector: Int8Array, inverseLength: number): void {
    const number = Math.floor(at / this.#perPage);
    const page = (this.#pages[number] ??= new Int8Array(this.#perPage * this.#dimensions));
    page.set(vector, (at % this.#perPage) * this.#dimensions);
    this.#ids[at] = id;
    this.#inverseLengths[at] = Number.isFinite(inverseLength) ? inverseLength : 0;
    this.#places.set(id, at);
  }
}

function lengthOf(vector: Int8Array): number {
  return Math.sqrt(dot(vector, vector, 0));
}

function dot(one: Int8Array, page: Int8Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (page[start + at] ?? 0);
  return sum;
}

/** Keeps the best of the candidates that it is offered. */
class Best {
  readonly #limit: number;
  /** A heap with the worst candidate at its root. */
  readonly #heap: Neighbour[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(id: number, score: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push({ id, score });
      this.#rise(heap.length - 1);
      return;
    }
    const [worst] = heap;
    if (worst === undefined || !isWorse(worst, { id, score })) return;
    heap[0] = { id, score };
    this.#sink();
  }

  sorted(): Neighbour[] {
    return this.#heap.toSorted((one, two) => (isWorse(one, two) ? 1 : -1));
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfWorse(at, parent)) return;
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const [one, two] = [heap[left], heap[left + 1]];
      if (one === undefined) return;
      const worse = two !== undefined && isWorse(two, one) ? left + 1 : left;
      if (!this.#swapIfWorse(worse, at)) return;
      at = worse;
    }
  }

  /** Swaps a child with its parent if the child is worse; returns whether it did. */
  #swapIfWorse(child: number, parent: number): boolean {
    const [one, two] = [this.#heap[child], this.#heap[parent]];
    if (one === undefined || two === undefined || !isWorse(one, two)) return false;
    this.#heap[child] = two;
    this.#heap[parent] = one;
    return true;
  }
}

function isWorse(one: Neighbour, two: Neighbour): boolean {
  return one.score < two.score || (one.score === two.score && one.id < two.id);
}
