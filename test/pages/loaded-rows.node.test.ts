import { describe, expect, it } from "vitest";
import { LoadedRows } from "../../src/pages/scripts/viewer/loaded-rows.ts";

interface Line {
  readonly id: string;
}

/** Lines with these ids. `read` is called whenever somebody looks at one. */
const rows = (ids: readonly (number | string)[], read: () => void = () => undefined): Line[] =>
  ids.map((id) => ({
    get id() {
      read();
      return String(id);
    },
  }));

const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at);

const idsOf = (loaded: LoadedRows<Line>): string[] => loaded.all.map(({ id }) => id);

describe("the loaded lines of a list", () => {
  it("take a new mail and its page as cheaply among 100,000 lines as among 200", () => {
    const reads = (length: number): number => {
      let count = 0;
      const loaded = new LoadedRows<Line>();
      loaded.replace(rows(numbers(0, length), () => (count += 1)));
      count = 0;
      for (const row of rows(["new"])) loaded.prepend(row);
      expect(loaded.join(rows(["new", ...numbers(0, 49)], () => (count += 1)))).toBe(true);
      expect(loaded.length).toBe(length + 1);
      return count;
    };
    expect(reads(100_000)).toBe(reads(200));
  });

  it("put the newest page in the place of the lines that it reaches down to, without those that are gone", () => {
    const loaded = new LoadedRows<Line>();
    loaded.replace(rows([1, 2, 3, 4, 5, 6]));
    expect(loaded.join(rows(["new", 1, 3]))).toBe(true);
    expect(idsOf(loaded)).toEqual(["new", "1", "3", "4", "5", "6"]);
    expect(loaded.has("2")).toBe(false);
  });

  it("show a thread that moved up once, wherever it stood", () => {
    const loaded = new LoadedRows<Line>();
    loaded.replace(rows([1, 2, 3, 4, 5, 6]));
    expect(loaded.join(rows([5, 1, 2]))).toBe(true);
    expect(idsOf(loaded)).toEqual(["5", "1", "2", "3", "4", "6"]);
    loaded.append(rows([6, 2, 7]));
    expect(idsOf(loaded)).toEqual(["5", "1", "2", "3", "4", "6", "7"]);
  });

  it("stay as they are if the newest page reaches to none of them", () => {
    const loaded = new LoadedRows<Line>();
    loaded.replace(rows([1, 2, 3]));
    expect(loaded.join(rows(["a", "b"]))).toBe(false);
    expect(loaded.join([])).toBe(false);
    expect(idsOf(loaded)).toEqual(["1", "2", "3"]);
  });

  it("keep a line that arrived while the newest page was on its way, and its place on top", () => {
    const loaded = new LoadedRows<Line>();
    const arrive = (): void => {
      loaded.ask();
      for (const row of rows(["first", "second"])) loaded.prepend(row);
    };
    loaded.replace(rows([1, 2]));
    arrive();
    loaded.replace(rows(["first", 1, 2]));
    expect(idsOf(loaded)).toEqual(["second", "first", "1", "2"]);
    // The next page is younger than both.
    loaded.ask();
    loaded.replace(rows(["first", 1]));
    expect(idsOf(loaded)).toEqual(["first", "1"]);

    loaded.replace(rows([1, 2, 3]));
    arrive();
    expect(loaded.join(rows(["first", 1]))).toBe(true);
    expect(idsOf(loaded)).toEqual(["second", "first", "1", "2", "3"]);
  });

  it("do not bring back a line that was removed while a page was on its way", () => {
    const loaded = new LoadedRows<Line>();
    loaded.replace(rows([1, 2, 3]));
    loaded.ask();
    loaded.remove("2");
    loaded.append(rows([2, 4]));
    expect(idsOf(loaded)).toEqual(["1", "3", "4"]);
    expect(loaded.join(rows([1, 2, 3]))).toBe(true);
    expect(idsOf(loaded)).toEqual(["1", "3", "4"]);
    loaded.replace(rows([1, 2]));
    expect(idsOf(loaded)).toEqual(["1"]);
    // Other lines, of which one has the same id: a thread has that of its first mail.
    loaded.clear();
    loaded.replace(rows([1, 2]));
    loaded.takeOut("2");
    expect(idsOf(loaded)).toEqual(["1"]);
    loaded.replace(rows([1, 2]));
    expect(idsOf(loaded)).toEqual(["1", "2"]);
  });

  it("forget a line that is removed, and do nothing for one that is not there", () => {
    const loaded = new LoadedRows<Line>();
    loaded.replace(rows([1, 2, 3]));
    loaded.remove("2");
    loaded.remove("2");
    expect(idsOf(loaded)).toEqual(["1", "3"]);
    expect(loaded.indexOf("2")).toBe(-1);
    expect(loaded.indexOf("3")).toBe(1);
  });
});
