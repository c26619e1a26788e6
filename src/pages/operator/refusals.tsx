import { flush, monitorOf } from "../../metrics/flush.ts";
import { Empty } from "../components/empty.tsx";
import { Things } from "../components/things.tsx";
import { SHOWN, shownFigures, startOf } from "./figures-data.ts";
import { rangeOf, Ranges } from "./figures.tsx";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { numberText } from "./words.tsx";

/** GET /operator/refusals: how many messages and requests were refused, by door and reason. */
export async function refusalsPage(call: ConsoleCall): Promise<Response> {
  const range = rangeOf(call.query);
  const nowMs = Date.now();
  await flush(call.env);
  const figures = await monitorOf(call.env).figures(range.span, startOf(range, nowMs), SHOWN);
  const { refusals } = shownFigures(range, figures, nowMs);
  return consolePage(call, {
    title: "Refusals",
    tab: "Refusals",
    about: (
      <>
        Refused mail and requests. The reasons are the <a href="/docs/api#errors">error codes</a>; mail that
        the rules of a mailbox refused is kept there for 7 days.
      </>
    ),
    children: (
      <>
        <Ranges range={range} link={call.links.refusals} />
        {refusals.length === 0 ? (
          <Empty title="Nothing was refused">No mail and no request was refused in this time.</Empty>
        ) : (
          <Things
            label="Refusals"
            columns={["Reason", "Door", { name: "Count", isNumber: true }]}
            rows={refusals.map(({ door, reason, count }) => [<code>{reason}</code>, door, numberText(count)])}
          />
        )}
      </>
    ),
  });
}
