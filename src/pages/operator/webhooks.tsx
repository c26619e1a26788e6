import { findMailboxes } from "../../service/directory-search.ts";
import { Empty } from "../components/empty.tsx";
import { Pager } from "../components/pager.tsx";
import { overviewsOf } from "./asked.ts";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { Targets } from "./targets.tsx";
import { countText } from "./words.tsx";

/** Mailboxes on a page. Each is asked for the state of its webhooks. */
const PAGE_SIZE = 15;

/** GET /operator/webhooks: mailboxes with a webhook that failed, and what is wrong with it. */
export async function webhooksPage(call: ConsoleCall): Promise<Response> {
  const after = call.query.get("after") ?? "";
  const search = { text: "", only: "failing", order: "address", after, limit: PAGE_SIZE } as const;
  const found = await findMailboxes(call.env, search);
  const rows = await overviewsOf(call.env, found.entries);
  return consolePage(call, {
    title: "Failing webhooks",
    tab: "Webhooks",
    about: (
      <>
        After ten failed deliveries in a row a webhook gets no more events. Setting its URL again, even to the
        same value, activates it, and missed events <a href="/docs/events">can be replayed</a>. With{" "}
        <code>webhook_recovery</code> it is recovering: tried again for three days, then sent what it missed.
      </>
    ),
    children: (
      <>
        {found.total === 0 ? (
          <Empty title="No failing webhooks">No webhook has failed ten times in a row.</Empty>
        ) : null}
        {rows.map(({ entry: { address }, overview }) => {
          const targets = overview?.webhooks.filter(({ status }) => status !== "active") ?? [];
          return (
            <section class="card">
              <h2 class="break">
                <a href={call.links.mailbox(address)}>{address}</a>
              </h2>
              {targets.length === 0 ? (
                <p class="muted">{overview === null ? "no answer" : "It was fixed a moment ago."}</p>
              ) : (
                <Targets targets={targets} />
              )}
            </section>
          );
        })}
        {found.total === 0 ? null : (
          <Pager
            shown={countText(found.total, "mailbox", "mailboxes")}
            first={after === "" ? null : call.links.webhooks()}
            next={found.next === null ? null : call.links.webhooks({ after: found.next })}
          />
        )}
      </>
    ),
  });
}
