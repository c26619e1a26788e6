import type { StoredDiagnosis } from "../../contract/diagnosis.ts";
import type { Series } from "../../lib/metrics.ts";
import { flush, monitorOf } from "../../metrics/flush.ts";
import { RANGES, SHOWN, shownFigures, startOf, type Line, type Range, type Shown } from "./figures-data.ts";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { Plot } from "./plot.tsx";
import { countText, Moment, numberText } from "./words.tsx";

/** GET /operator/figures: counts and latencies of the last hour or of 30 days, refusals, and what the doctor found. */
export async function figuresPage(call: ConsoleCall): Promise<Response> {
  const range = call.query.get("range") === "month" ? RANGES.month : RANGES.hour;
  const nowMs = Date.now();
  // So that the page shows what happened a second ago.
  await flush(call.env);
  const monitor = monitorOf(call.env);
  const [figures, totals, diagnosis] = await Promise.all([
    monitor.figures(range.span, startOf(range, nowMs), SHOWN),
    monitor.totals(),
    monitor.diagnosis(),
  ]);
  const shown = shownFigures(range, figures, nowMs);
  return consolePage(call, {
    title: "Figures",
    tab: "Figures",
    children: (
      <>
        <h1>Figures</h1>
        <nav class="ranges" aria-label="Time">
          {Object.values(RANGES).map(({ name }) => (
            <a
              href={call.links.figures({ range: name })}
              aria-current={name === range.name ? "page" : undefined}
            >
              {name === "hour" ? "The last hour" : "30 days"}
            </a>
          ))}
        </nav>
        <Waiting totals={totals} />
        <Plots range={range} shown={shown} />
        <Refusals shown={shown} />
        <Doctor diagnosis={diagnosis} />
      </>
    ),
  });
}

/** Work that waits now. */
function Waiting({ totals }: { totals: Series }) {
  const value = (key: string) => totals[key]?.[0] ?? 0;
  return (
    <dl class="facts">
      {(["sends", "webhooks"] as const).map((queue) => (
        <>
          <dt>{queue === "sends" ? "Messages to send" : "Webhooks to deliver"}</dt>
          <dd>
            {waitingText(
              value(`mailkeep_queue_messages|${queue}`),
              value(`mailkeep_queue_oldest_seconds|${queue}`),
            )}
          </dd>
        </>
      ))}
      <dt>Listeners</dt>
      <dd>
        {countText(value("mailkeep_listeners|stream"), "stream", "streams")},{" "}
        {countText(value("mailkeep_listeners|wait"), "waiting call", "waiting calls")}
      </dd>
    </dl>
  );
}

function waitingText(count: number, oldestSeconds: number): string {
  return count === 0
    ? "none wait"
    : `${numberText(count)} wait, the oldest for ${durationText(oldestSeconds)}`;
}

function Plots({ range, shown }: { range: Range; shown: Shown }) {
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

function Refusals({ shown: { refusals } }: { shown: Shown }) {
  return (
    <section class="card">
      <h2>Refusals</h2>
      {refusals.length === 0 ? (
        <p>Nothing was refused in this time.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Door</th>
              <th scope="col">Reason</th>
              <th scope="col">Count</th>
            </tr>
          </thead>
          <tbody>
            {refusals.map(({ door, reason, count }) => (
              <tr>
                <td>{door}</td>
                <td>
                  <code>{reason}</code>
                </td>
                <td>{numberText(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Doctor({ diagnosis }: { diagnosis: StoredDiagnosis | null }) {
  const command = <code>npx mailkeep-server doctor --report</code>;
  if (diagnosis === null) {
    return (
      <section class="card">
        <h2>The doctor</h2>
        <p>No report was sent. {command} checks this deployment and sends one.</p>
      </section>
    );
  }
  const wrong = diagnosis.findings.filter(({ level }) => level !== "ok");
  return (
    <section class="card">
      <h2>The doctor</h2>
      <p>
        On <Moment at={diagnosis.at} />: {countText(diagnosis.findings.length, "check", "checks")},{" "}
        {wrong.length === 0 ? "all right" : countText(wrong.length, "finding", "findings")}. {command} checks
        again.
      </p>
      {wrong.map(({ level, title, cost, fix }) => (
        <div class={`notice ${level === "broken" ? "bad" : "warn"}`}>
          <p class="break">
            <strong>{level === "broken" ? "Broken" : "Warning"}:</strong> {title}
          </p>
          {cost === "" ? null : <p class="break">{cost}</p>}
          {fix === "" ? null : (
            <p class="break">
              <code>{fix}</code>
            </p>
          )}
        </div>
      ))}
    </section>
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

const MS_PER_S = 1_000;
const S_PER_MINUTE = 60;
const S_PER_HOUR = 3_600;

/** 0.0123 → "12 ms", 75 → "1 min". */
function durationText(seconds: number): string {
  if (seconds < 1) return `${numberText(Math.round(seconds * MS_PER_S))} ms`;
  if (seconds < S_PER_MINUTE) return `${numberText(Number(seconds.toFixed(1)))} s`;
  return seconds < S_PER_HOUR
    ? `${numberText(Math.floor(seconds / S_PER_MINUTE))} min`
    : `${numberText(Math.floor(seconds / S_PER_HOUR))} h`;
}
