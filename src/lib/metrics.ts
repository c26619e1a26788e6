/** One metric. Its labels have closed lists of values, so that their number is bounded. */
export interface MetricSpec {
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: Readonly<Record<string, readonly string[]>>;
  /** Of a histogram: the upper bounds of its buckets, ascending, without infinity. */
  bounds?: readonly number[];
}

/** Metrics by their names. */
export type Catalogue = Readonly<Record<string, MetricSpec>>;

/** The label values of one series. */
export type LabelsOf<Spec extends MetricSpec> = {
  readonly [Name in keyof Spec["labels"]]: Spec["labels"][Name][number];
};

/** The names of a catalogue's metrics that have a type. */
type Named<All extends Catalogue, Type extends MetricSpec["type"]> = {
  [Name in keyof All]: All[Name]["type"] extends Type ? Name : never;
}[keyof All] &
  string;

/**
 * Values by series. A counter or gauge has one number. A histogram has the observations in each bucket, those over the last
 * bound, and the sum of all.
 */
export type Series = Record<string, number[]>;

/** A metric with at most this many combinations of label values shows all of them from the start, at 0. */
const MAX_SHOWN_AT_ZERO = 24;

/** The key of a series: the name of its metric and its label values in order. */
export function seriesKey(name: string, values: readonly string[]): string {
  return [name, ...values].join("|");
}

/** Counts in memory. Counting takes less than a microsecond and never throws. */
export class Registry<All extends Catalogue> {
  readonly catalogue: All;
  #series: Series = Object.create(null) as Series;

  constructor(catalogue: All) {
    this.catalogue = catalogue;
  }

  /** Whether anything was counted since the last `take`. */
  get isEmpty(): boolean {
    for (const _ in this.#series) return false;
    return true;
  }

  /** Adds to a counter. */
  count<Name extends Named<All, "counter">>(name: Name, labels: LabelsOf<All[Name]>, by = 1): void {
    const values = this.#valuesOf(name, labels, 1);
    values[0] = (values[0] ?? 0) + by;
  }

  /** Sets a gauge. */
  set<Name extends Named<All, "gauge">>(name: Name, labels: LabelsOf<All[Name]>, value: number): void {
    this.#valuesOf(name, labels, 1)[0] = value;
  }

  /** Adds an observation to a histogram. A negative one, after the clock was set back, counts as 0. */
  observe<Name extends Named<All, "histogram">>(
    name: Name,
    labels: LabelsOf<All[Name]>,
    value: number,
  ): void {
    const bounds = this.catalogue[name]?.bounds ?? [];
    const values = this.#valuesOf(name, labels, bounds.length + 2);
    const seen = Math.max(0, value);
    const index = bounds.findIndex((bound) => seen <= bound);
    const bucket = index === -1 ? bounds.length : index;
    values[bucket] = (values[bucket] ?? 0) + 1;
    values[bounds.length + 1] = (values[bounds.length + 1] ?? 0) + seen;
  }

  /** The series as they are. */
  read(): Series {
    return this.#series;
  }

  /** Hands over everything that was counted, and begins again at 0. */
  take(): Series {
    const taken = this.#series;
    this.#series = Object.create(null) as Series;
    return taken;
  }

  /** Adds what was counted elsewhere, or could not be handed over. */
  add(series: Series): void {
    addSeries(this.#series, series);
  }

  #valuesOf(name: string, labels: Readonly<Record<string, string>>, length: number): number[] {
    let key = name;
    for (const label in this.catalogue[name]?.labels) key += `|${labels[label]}`;
    return (this.#series[key] ??= Array.from({ length }, () => 0));
  }
}

/** Adds the values of `more` to `series`. */
export function addSeries(series: Series, more: Series): void {
  for (const [key, values] of Object.entries(more)) {
    const sum = series[key];
    if (sum === undefined) series[key] = [...values];
    else values.forEach((value, index) => (sum[index] = (sum[index] ?? 0) + value));
  }
}

/** Writes series in Prometheus's text format 0.0.4. Series that are not in the catalogue are left out. */
export function exposition(catalogue: Catalogue, series: Series): string {
  return Object.entries(catalogue)
    .map(([name, spec]) => {
      const lines = combinationsOf(spec, name, series).flatMap(({ labels, values }) =>
        spec.type === "histogram"
          ? histogramLines(name, labels, { bounds: spec.bounds ?? [], values })
          : [`${name}${labelText(labels)} ${numberText(values[0] ?? 0)}`],
      );
      return `# HELP ${name} ${escapeHelp(spec.help)}\n# TYPE ${name} ${spec.type}\n${lines.map((line) => `${line}\n`).join("")}`;
    })
    .join("");
}

type LabelPairs = readonly (readonly [name: string, value: string])[];

/** The series of a metric: those that were counted, and all possible ones if there are few. */
function combinationsOf(
  { labels }: MetricSpec,
  name: string,
  series: Series,
): { labels: LabelPairs; values: readonly number[] }[] {
  const all = Object.entries(labels).reduce<LabelPairs[]>(
    (before, [label, values]) =>
      before.flatMap((pairs) => values.map((value): LabelPairs => [...pairs, [label, value]])),
    [[]],
  );
  return all.flatMap((pairs) => {
    const key = seriesKey(
      name,
      pairs.map(([, value]) => value),
    );
    const values = Object.hasOwn(series, key) ? series[key] : undefined;
    return values === undefined && all.length > MAX_SHOWN_AT_ZERO
      ? []
      : [{ labels: pairs, values: values ?? [] }];
  });
}

function histogramLines(
  name: string,
  labels: LabelPairs,
  { bounds, values }: { bounds: readonly number[]; values: readonly number[] },
): string[] {
  let count = 0;
  const lines = [...bounds, Infinity].map((bound, index) => {
    count += values[index] ?? 0;
    return `${name}_bucket${labelText([...labels, ["le", numberText(bound)]])} ${numberText(count)}`;
  });
  return [
    ...lines,
    `${name}_sum${labelText(labels)} ${numberText(values[bounds.length + 1] ?? 0)}`,
    `${name}_count${labelText(labels)} ${numberText(count)}`,
  ];
}

function labelText(labels: LabelPairs): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",")}}`;
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
