import fc from "fast-check";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { HOST_METRICS } from "../../src/contract/host-metrics.ts";
import { LOG_EVENTS } from "../../src/contract/log.ts";
import { METRICS } from "../../src/contract/metrics.ts";
import { UNREADY_REASONS } from "../../src/contract/readiness.ts";
import { quantile, RANGES, shownFigures, startOf } from "../../src/pages/operator/figures-data.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const NOW = Date.UTC(2026, 10, 22, 20, 15, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BUILD_INFO = "mailkeep_build_info";

describe("the figures of the console", () => {
  it("put each minute of the last hour, and each day of thirty, into its step", () => {
    const figures = [
      { at: NOW - 30_000, series: { "mailkeep_receipts_total|smtp|stored": [2] } },
      { at: NOW - 30_000 - 59 * MINUTE_MS, series: { "mailkeep_receipts_total|smtp|stored": [3] } },
      { at: NOW - 30_000 - 60 * MINUTE_MS, series: { "mailkeep_receipts_total|smtp|stored": [100] } },
    ];
    const hour = shownFigures(RANGES.hour, figures, NOW).receipts[0]?.values;
    expect([hour?.length, hour?.[0], hour?.at(-1)]).toEqual([60, 3, 2]);
    const days = [20, 1, 0].map((hours) => ({
      at: Date.UTC(2026, 10, 22, hours),
      series: { "mailkeep_receipts_total|smtp|stored": [1] },
    }));
    const first = { at: Date.UTC(2026, 9, 24, 5), series: { "mailkeep_receipts_total|smtp|stored": [4] } };
    const month = shownFigures(RANGES.month, [first, ...days], NOW).receipts[0]?.values;
    expect([month?.length, month?.[0], month?.at(-1)]).toEqual([30, 4, 3]);
    expect(startOf(RANGES.month, NOW)).toBe(Date.UTC(2026, 9, 24));
  });

  it("name the most frequent refusal first, and none that did not happen", () => {
    const series = {
      "mailkeep_refusals_total|http|not_found": [2],
      "mailkeep_refusals_total|smtp|unknown_mailbox": [5],
      "mailkeep_refusals_total|smtp|sender_blocked": [3],
      "mailkeep_rule_refusals_total|blocked": [4],
    };
    const { refusals } = shownFigures(RANGES.hour, [{ at: NOW - HOUR_MS / 2, series }], NOW);
    expect(refusals).toEqual([
      { door: "smtp", reason: "unknown_mailbox", count: 5 },
      { door: "rules", reason: "blocked", count: 4 },
      { door: "http", reason: "not_found", count: 2 },
    ]);
  });

  it("find quantiles that are no smaller for a larger share, and within the bucket of the observation", () => {
    const bounds = [1, 2, 4];
    const share = fc.double({ min: 0.01, max: 1, noNaN: true });
    const counts = fc.array(fc.nat({ max: 50 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(counts, share, share, (values, one, two) => {
        const [less, more] = [Math.min(one, two), Math.max(one, two)];
        expect(quantile(less, bounds, values)).toBeLessThanOrEqual(quantile(more, bounds, values));
      }),
    );
    expect(quantile(0.5, bounds, [0, 10, 0, 0, 15])).toBe(1.5);
    expect(quantile(0.95, bounds, [0, 0, 0, 3, 30])).toBe(4);
    expect(quantile(0.5, bounds, [])).toBe(0);
  });
});

describe("what is written about metrics and logs", () => {
  const page = readFileSync(path.join(ROOT, "docs/operating.md"), "utf8");
  const dashboard = readFileSync(path.join(ROOT, "deploy/grafana-dashboard.json"), "utf8");
  const all: readonly string[] = [...Object.keys(METRICS), ...Object.keys(HOST_METRICS), BUILD_INFO];
  /** The metrics that a text names; a histogram is read by its buckets. */
  const namedIn = (text: string) =>
    new Set([...text.matchAll(/\bmailkeep_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, "")));

  it("has a row of the documentation for each metric, with its type and labels, and for no other", () => {
    const rows = [...page.matchAll(/^\| `(mailkeep_\w+)`\s*\| (\w+)\s*\| (.*?)\s*\| /gm)].map(
      ([, name, type, labels = ""]) => `${name} ${type} ${[...labels.matchAll(/\w+/g)].join()}`,
    );
    const metrics = [...Object.entries(METRICS), ...Object.entries(HOST_METRICS)];
    const expected = metrics.map(
      ([name, { type, labels }]) => `${name} ${type} ${Object.keys(labels).join()}`,
    );
    expect(rows.toSorted()).toEqual([...expected, `${BUILD_INFO} gauge version`].toSorted());
  });

  it("names only metrics that exist in the alerts of the documentation and in the dashboard", () => {
    expect([...namedIn(page), ...namedIn(dashboard)].filter((name) => !all.includes(name))).toEqual([]);
  });

  it("shows every metric in the dashboard, but the times that a graph cannot show", () => {
    const shown = namedIn(dashboard);
    const left = ["mailkeep_start_time_seconds", "mailkeep_process_max_files", "mailkeep_disk_size_bytes"];
    expect(all.filter((name) => !shown.has(name) && !left.includes(name))).toEqual([]);
  });

  it("has a row of the documentation for each reason of /readyz and each event of the log", () => {
    for (const name of [...Object.keys(UNREADY_REASONS), ...Object.keys(LOG_EVENTS)]) {
      expect(page).toMatch(new RegExp(`^\\| \`${name}\``, "m"));
    }
  });
});
