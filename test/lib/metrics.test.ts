import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addSeries, exposition, Registry, type Catalogue, type Series } from "../../src/lib/metrics.ts";

const CATALOGUE = {
  mails_total: { type: "counter", help: "Mails.", labels: { door: ["smtp", "http"], result: ["ok", "no"] } },
  open: { type: "gauge", help: "Open.", labels: {} },
  seconds: { type: "histogram", help: "Time.", labels: { way: ["in", "out"] }, bounds: [0.1, 1] },
} as const satisfies Catalogue;

/** A text of metrics, read as Prometheus reads it: values by metric and labels. */
function parsed(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue;
    const match = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/.exec(line);
    if (match === null) throw new Error(`no sample: ${line}`);
    const [, name = "", labels = "", value = ""] = match;
    const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = "", written = ""]) =>
        `${label}=${written.replaceAll(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign))}`,
    );
    values.set([name, ...pairs].join("|"), value === "+Inf" ? Infinity : Number(value));
  }
  return values;
}

describe("a registry", () => {
  it("counts by labels, and shows metrics with few labels from the start", () => {
    const registry = new Registry(CATALOGUE);
    registry.count("mails_total", { door: "smtp", result: "ok" });
    registry.count("mails_total", { door: "smtp", result: "ok" }, 2);
    registry.set("open", {}, 7);
    const values = parsed(exposition(CATALOGUE, registry.read()));
    expect(values.get("mails_total|door=smtp|result=ok")).toBe(3);
    expect(values.get("mails_total|door=http|result=no")).toBe(0);
    expect(values.get("open")).toBe(7);
  });

  it("keeps nothing that it handed over, and can take it back", () => {
    const registry = new Registry(CATALOGUE);
    registry.count("mails_total", { door: "smtp", result: "ok" });
    const taken = registry.take();
    expect(registry.isEmpty).toBe(true);
    registry.count("mails_total", { door: "smtp", result: "ok" });
    registry.add(taken);
    expect(registry.read()).toEqual({ "mails_total|smtp|ok": [2] });
  });

  it("puts each observation into every bucket that holds it, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 5, noNaN: true })), (seen) => {
        const registry = new Registry(CATALOGUE);
        for (const value of seen) registry.observe("seconds", { way: "in" }, value);
        const values = parsed(exposition(CATALOGUE, registry.read()));
        const upTo = (bound: number) => seen.filter((value) => value <= bound).length;
        expect(values.get("seconds_bucket|way=in|le=0.1")).toBe(upTo(0.1));
        expect(values.get("seconds_bucket|way=in|le=1")).toBe(upTo(1));
        expect(values.get("seconds_bucket|way=in|le=+Inf")).toBe(seen.length);
        expect(values.get("seconds_count|way=in")).toBe(seen.length);
        const sum = seen.reduce((total, value) => total + Math.max(0, value), 0);
        expect(values.get("seconds_sum|way=in")).toBeCloseTo(sum, 6);
      }),
    );
  });

  it("sums up in any order and grouping to the same", () => {
    const part = fc.dictionary(fc.constantFrom("a|x", "a|y", "b"), fc.array(fc.nat(), { maxLength: 4 }));
    fc.assert(
      fc.property(part, part, part, (one, two, three) => {
        const left: Series = {};
        for (const some of [one, two, three]) addSeries(left, some);
        const inner: Series = {};
        for (const some of [three, two]) addSeries(inner, some);
        const right: Series = {};
        for (const some of [inner, one]) addSeries(right, some);
        expect(left).toEqual(right);
      }),
    );
  });
});

describe("the text format", () => {
  it("escapes labels and help texts so that they are read back as they were", () => {
    const text = fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "é", "{", "}", ",", " ") });
    fc.assert(
      fc.property(text, text, (label, help) => {
        const catalogue = { info: { type: "gauge", help, labels: { version: [label] } } } as const;
        const written = exposition(catalogue, { [`info|${label}`]: [1] });
        expect(parsed(written).get(`info|version=${label}`)).toBe(1);
        expect(written.split("\n")).toHaveLength(4);
      }),
    );
  });

  it("leaves out series that the catalogue does not know, also those with names of every object", () => {
    const text = exposition(CATALOGUE, {
      "gone_total|smtp": [5],
      "mails_total|smtp|ok|more": [6],
      __proto__: [7],
    } as Series);
    expect([...parsed(text).values()].filter((value) => value >= 5 && value !== Infinity)).toEqual([]);
  });
});
