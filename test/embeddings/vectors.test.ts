import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fused } from "../../src/embeddings/fusion.ts";
import { TableCache } from "../../src/embeddings/table-cache.ts";
import { NearestSearch, quantized, VectorTable } from "../../src/embeddings/vectors.ts";

const DIMENSIONS = 4;
const EVERYTHING = { limit: 1_000, maxId: Infinity, among: null };
const component = fc.integer({ min: -127, max: 127 });
const vector = fc
  .array(component, { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((parts) => Int8Array.from(parts));
const id = fc.integer({ min: 1, max: 40 });

function cosine(one: Int8Array, two: Int8Array): number {
  const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, part, at) => sum + part * (b[at] ?? 0), 0);
  const lengths = Math.sqrt(dot(one, one) * dot(two, two));
  return lengths === 0 ? 0 : dot(one, two) / lengths;
}

describe("VectorTable", () => {
  it("finds the nearest of what was set and not deleted, like a comparison one by one", () => {
    const change = fc.oneof(
      { weight: 3, arbitrary: fc.record({ id, vector }) },
      { weight: 1, arbitrary: fc.record({ id, vector: fc.constant(null) }) },
    );
    const ask = fc.record({
      query: vector.filter((parts) => parts.some((part) => part !== 0)),
      limit: fc.integer({ min: 1, max: 12 }),
      maxId: fc.integer({ min: 0, max: 45 }),
      among: fc.option(fc.uniqueArray(id).map((ids) => new Set(ids))),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), ask, (changes, { query, ...options }) => {
        const [table, model] = [new VectorTable(DIMENSIONS), new Map<number, Int8Array>()];
        for (const one of changes) {
          if (one.vector === null) table.delete(one.id);
          else table.set(one.id, one.vector);
          if (one.vector === null) model.delete(one.id);
          else model.set(one.id, one.vector);
        }
        expect(table.size).toBe(model.size);
        const expected = [...model]
          .filter(([key]) => key <= options.maxId && (options.among?.has(key) ?? true))
          .map(([key, kept]) => ({ id: key, score: cosine(query, kept) }))
          .toSorted((one, two) => two.score - one.score)
          .slice(0, options.limit);
        const found = table.nearest(query, options);
        expect(found.map(({ score }) => score.toFixed(9))).toEqual(
          expected.map(({ score }) => score.toFixed(9)),
        );
        for (const one of found) {
          expect(one.score).toBeCloseTo(cosine(query, model.get(one.id) ?? new Int8Array(DIMENSIONS)), 9);
        }
        expect(new Set(found.map((one) => one.id)).size).toBe(found.length);
      }),
    );
  });

  it("finds nothing near a vector of zeros, which has no direction", () => {
    const table = new VectorTable(2);
    table.set(1, Int8Array.of(1, 2));
    expect(table.nearest(Int8Array.of(0, 0), EVERYTHING)).toEqual([]);
  });

  it("grows over many pages, and shrinks when vectors are deleted", () => {
    const table = new VectorTable(512);
    const pointing = (...parts: number[]) => Int8Array.from({ length: 512 }, (_, at) => parts[at] ?? 0);
    for (let at = 0; at < 5_000; at += 1) table.set(at, pointing(100, at % 100));
    table.set(9_999, pointing(-100, 1));
    expect(table.nearest(pointing(-1), { ...EVERYTHING, limit: 1 })).toMatchObject([{ id: 9_999 }]);
    for (let at = 0; at < 5_000; at += 1) table.delete(at);
    expect(table.nearest(pointing(1), EVERYTHING).map((one) => one.id)).toEqual([9_999]);
  });

  it("takes little memory for few vectors, however long, because each mailbox has a table", () => {
    const before = process.memoryUsage().arrayBuffers;
    const tables = Array.from({ length: 50 }, () => new VectorTable(3_072));
    for (const table of tables) table.set(1, new Int8Array(3_072).fill(1));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    expect(tables.every(({ size }) => size === 1)).toBe(true);
  });

  it("refuses a vector of another length", () => {
    const table = new VectorTable(2);
    expect(() => table.set(1, Int8Array.of(1, 2, 3))).toThrow("3 dimensions among those of 2");
  });
});

describe("NearestSearch", () => {
  it("keeps those that a table of all vectors would find nearest", () => {
    const offered = fc.uniqueArray(fc.record({ id, vector }), { selector: (one) => one.id });
    fc.assert(
      fc.property(offered, vector, fc.integer({ min: 1, max: 12 }), (all, query, limit) => {
        const [table, search] = [new VectorTable(DIMENSIONS), new NearestSearch(query, limit)];
        for (const one of all) {
          table.set(one.id, one.vector);
          search.offer(one.id, one.vector);
        }
        const rounded = (found: { id: number; score: number }[]) =>
          found.map((one) => [one.id, one.score.toFixed(9)]);
        const [found, expected] = [
          search.sorted(),
          table.nearest(query, { limit, maxId: Infinity, among: null }),
        ];
        expect(rounded(found).map(([, score]) => score)).toEqual(rounded(expected).map(([, score]) => score));
        expect(new Set(found.map((one) => one.id)).size).toBe(found.length);
      }),
    );
  });

  it("ignores a vector of another length", () => {
    const search = new NearestSearch(Int8Array.of(1, 2), 3);
    search.offer(1, Int8Array.of(1, 2, 3));
    expect(search.sorted()).toEqual([]);
  });
});

describe("TableCache", () => {
  const DIMENSION = 1_000;
  function tableOf(vectors: number): VectorTable {
    const table = new VectorTable(DIMENSION);
    for (let at = 0; at < vectors; at += 1) table.set(at, new Int8Array(DIMENSION));
    return table;
  }

  it("drops the least recently used table when all together are too large", () => {
    const [one, two, three] = [{}, {}, {}];
    const cache = new TableCache(1_200_000);
    cache.keep(one, tableOf(300));
    cache.keep(two, tableOf(300));
    expect(cache.use(one)?.size).toBe(300);
    cache.keep(three, tableOf(300));
    expect([one, two, three].map((owner) => cache.find(owner) === null)).toEqual([false, true, false]);
    cache.delete(one);
    expect(cache.find(one)).toBeNull();
  });

  it("drops other tables when one has grown, and never that one", () => {
    const [one, two] = [{}, {}];
    const cache = new TableCache(1_000_000);
    const growing = tableOf(1);
    cache.keep(one, growing);
    cache.keep(two, tableOf(1));
    for (let at = 0; at < 2_000; at += 1) growing.set(at, new Int8Array(DIMENSION));
    cache.trim(one);
    expect([cache.find(one)?.size, cache.find(two)]).toEqual([2_000, null]);
  });
});

describe("quantized", () => {
  it("keeps the direction to one percent, whatever the size of the numbers", () => {
    const parts = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 });
    const scale = fc.constantFrom(1e-12, 0.01, 1, 1e6);
    fc.assert(
      fc.property(parts, scale, (values, factor) => {
        fc.pre(values.some((value) => Math.abs(value) > 0.1));
        const exact = Float32Array.from(values, (value) => value * factor);
        const kept = quantized(exact);
        const dot = values.reduce((sum, value, at) => sum + value * (kept[at] ?? 0), 0);
        const lengths = Math.hypot(...values) * Math.hypot(...kept);
        expect(dot / lengths).toBeGreaterThan(0.99);
      }),
    );
  });

  it("of zeros only is near nothing", () => {
    const table = new VectorTable(3);
    table.set(1, quantized(new Float32Array(3)));
    expect(table.nearest(Int8Array.of(1, 2, 3), EVERYTHING)).toEqual([{ id: 1, score: 0 }]);
  });
});

describe("fused", () => {
  it("ranks first what ranks high in both, then what ranks high in one", () => {
    expect(fused([7, 8, 9], [9, 7, 5]).map((one) => one.id)).toEqual([7, 9, 8, 5]);
  });

  it("scores the first rank in both as 1, in one as one half", () => {
    expect(fused([1], [1])).toEqual([{ id: 1, score: 1 }]);
    expect(fused([1], [])).toEqual([{ id: 1, score: 0.5 }]);
  });

  it("loses nothing and repeats nothing", () => {
    const list = fc.uniqueArray(fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(list, list, (one, two) => {
        const both = fused(one, two);
        expect(new Set(both.map((found) => found.id))).toEqual(new Set([...one, ...two]));
        expect(both).toHaveLength(new Set([...one, ...two]).size);
        expect(both.map((found) => found.score)).toEqual(
          both.map((found) => found.score).toSorted((a, b) => b - a),
        );
      }),
    );
  });
});
