import type { Tally } from "../../contract/directory.ts";
import { UNREADY_REASONS } from "../../contract/readiness.ts";
import { unreadyReasons } from "../../http/probes.ts";
import type { Series } from "../../lib/metrics.ts";
import { flush, monitorOf } from "../../metrics/flush.ts";
import { tallyMailboxes } from "../../service/directory-search.ts";
import { Notice } from "../components/notice.tsx";
import { attention, waitingSends, type Trouble } from "./attention.ts";
import { LAST_DAY, SHOWN, shownFigures, startOf, type Range } from "./figures-data.ts";
import { Plots, rangeOf, Ranges } from "./figures.tsx";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { durationText, numberText } from "./words.tsx";

/** GET /operator: what needs attention, then counts and latencies of the last hour or of 30 days. */
export async function overviewPage(call: ConsoleCall): Promise<Response> {
  const range = rangeOf(call.query);
  const nowMs = Date.now();
  // So that the page shows what happened a second ago.
  await flush(call.env);
  const monitor = monitorOf(call.env);
  const shown = async (wanted: Range) =>
    shownFigures(wanted, await monitor.figures(wanted.span, startOf(wanted, nowMs), SHOWN), nowMs);
  const [figures, day, totals, diagnosis, tally, halt, unready] = await Promise.all([
    shown(range),
    shown(LAST_DAY),
    monitor.totals(),
    monitor.diagnosis(),
    tallyMailboxes(call.env),
    monitor.sendingHalt(),
    unreadyReasons(call.env),
  ]);
  const found = attention({
    day,
    totals,
    diagnosis,
    tally,
    halt,
    unready: unready.map((one) => UNREADY_REASONS[one]),
  });
  return consolePage(call, {
    title: "Overview",
    tab: "Overview",
    children: (
      <>
        <h2>Attention</h2>
        {found.length === 0 ? (
          <Notice kind="good">Nothing needs attention.</Notice>
        ) : (
          <ul class="rows attention">
            {found.map((trouble) => (
              <Row call={call} trouble={trouble} />
            ))}
          </ul>
        )}
        <h2>Now</h2>
        <Now totals={totals} tally={tally} />
        <h2>Figures</h2>
        <Ranges range={range} link={call.links.overview} />
        <Plots range={range} shown={figures} />
      </>
    ),
  });
}

/** Work that waits now. */
function Now({ totals, tally }: { totals: Series; tally: Tally }) {
  const value = (key: string) => totals[key]?.[0] ?? 0;
  const counts: [count: number, many: string, one: string, detail?: string][] = [
    [tally.total, "mailboxes", "mailbox"],
    [tally.paused, "paused", "paused"],
    [waitingSends(totals), "messages to send", "message to send", oldest(totals, "sends")],
    [
      value("mailkeep_queue_messages|webhooks"),
      "webhooks to deliver",
      "webhook to deliver",
      oldest(totals, "webhooks"),
    ],
    [value("mailkeep_listeners|stream"), "open streams", "open stream"],
    [value("mailkeep_listeners|wait"), "waiting calls", "waiting call"],
  ];
  return (
    <ul class="counts">
      {counts.map(([count, many, one, detail = ""]) => (
        <li>
          <strong>{numberText(count)}</strong>
          <span>{count === 1 ? one : many}</span> <span>{detail}</span>
        </li>
      ))}
    </ul>
  );
}

function oldest(totals: Series, queue: "sends" | "webhooks"): string {
  const seconds = totals[`mailkeep_queue_oldest_seconds|${queue}`]?.[0] ?? 0;
  return seconds === 0 ? "" : `oldest ${durationText(seconds)}`;
}

function Row({ call, trouble: { isBad, title, detail, at } }: { call: ConsoleCall; trouble: Trouble }) {
  return (
    <li>
      <a href={at(call.links)}>
        <span class={isBad ? "badge bad" : "badge warn"}>{isBad ? "error" : "warning"}</span>
        <span class="break">
          <strong>{title}</strong>
          <span class="muted">{detail}</span>
        </span>
      </a>
    </li>
  );
}
