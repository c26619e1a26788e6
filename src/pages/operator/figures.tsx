import { RANGES, type Line, type Range, type Shown } from "./figures-data.ts";
import { Tabs } from "../components/tabs.tsx";
import { Plot } from "./plot.tsx";
import { countText, durationText, numberText } from "./words.tsx";

/** The range that a page was asked for. */
export function rangeOf(query: URLSearchParams): Range {
  return query.get("range") === "month" ? RANGES.month : RANGES.hour;
}

/** Links to the same page for another range of time. */
export function Ranges({ range, link }: { range: Range; link: (query: { range: string }) => string }) {
  const of = Object.values(RANGES).map(({ name }) => ({
    href: link({ range: name }),
    name: name === "hour" ? "The last hour" : "30 days",
  }));
  return <Tabs label="Time" of={of} current={link({ range: range.name })} />;
}

/** The plots of a range. */
export function Plots({ range, shown }: { range: Range; shown: Shown }) {
  const { times, receipts, sends, webhooks, latency } = shown;
  const stepNames = times.map((at) => stepName(range, at));
  const counts = { stepNames, isStacked: true, text: numberText };
  const [, slow] = latency;
  const slowest = Math.max(0, ...(slow?.values ?? []));
  return (
    <div class="plots">
      <Plot
        {...counts}
        title="Mail received"
        lines={receipts}
        summary={`${countText(total(receipts), "message", "messages")} stored`}
      />
      <Plot
        {...counts}
        title="Attempts to send"
        lines={sends}
        summary={sends.map((line) => `${numberText(total([line]))} ${line.name}`).join(", ")}
      />
      <Plot
        {...counts}
        title="Webhook failures"
        lines={webhooks}
        summary={countText(total(webhooks), "failed attempt", "failed attempts")}
      />
      <Plot
        stepNames={stepNames}
        isStacked={false}
        text={durationText}
        title="Time to store a message"
        lines={latency}
        summary={
          slowest === 0
            ? "No message in this time"
            : `95 of 100 within ${durationText(slowest)} at the slowest time`
        }
      />
    </div>
  );
}

function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { values }) => sum + values.reduce((some, value) => some + value, 0), 0);
}

/** The name of a step, in UTC. */
function stepName({ name }: Range, at: number): string {
  const iso = new Date(at).toISOString();
  return name === "hour" ? iso.slice(11, 16) : iso.slice(0, 10);
}
