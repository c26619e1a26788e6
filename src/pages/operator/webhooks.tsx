import { mailboxAt } from "../../service/mailbox-stub.ts";
import type { TargetHealth } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { findMailboxes } from "../../service/directory-search.ts";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { Targets } from "./targets.tsx";
import { countText } from "./words.tsx";

/** Mailboxes on a page. Each is asked for the state of its webhooks, so there are fewer than on other pages. */
const PAGE_SIZE = 15;

/** GET /operator/webhooks: mailboxes with a webhook that failed, and what is wrong with it. */
export async function webhooksPage(call: ConsoleCall): Promise<Response> {
  const after = call.query.get("after") ?? "";
  const found = await findMailboxes(call.env, { text: "", only: "failing", after, limit: PAGE_SIZE });
  const mailboxes = await Promise.all(
    found.entries.map(async ({ address }) => ({ address, targets: await failedTargets(call, address) })),
  );
  return consolePage(call, {
    title: "Failing webhooks",
    tab: "Webhooks",
    children: (
      <>
        <h1>Failing webhooks</h1>
        <p>
          After ten failed deliveries in a row a webhook is marked as failed and gets no more events. Setting
          its URL again, even to the same value, activates it; missed events can be replayed. Where the
          mailbox’s owner set webhook_recovery, it is recovering instead: tried again for three days, then
          sent what it missed.
        </p>
        {found.total === 0 ? (
          <div class="card">
            <h2>No failing webhooks</h2>
            <p>No webhook has failed ten times in a row.</p>
          </div>
        ) : (
          <p class="muted" role="status">
            {countText(found.total, "mailbox", "mailboxes")}
          </p>
        )}
        {mailboxes.map(({ address, targets }) => (
          <section>
            <h2 class="break">
              <a href={call.links.mailbox(address)}>{address}</a>
            </h2>
            {targets.length === 0 ? (
              <p class="muted">It was fixed a moment ago.</p>
            ) : (
              <Targets targets={targets} />
            )}
          </section>
        ))}
        <nav class="pager" aria-label="Pages of the list">
          {after === "" ? <span /> : <a href={call.links.webhooks()}>First page</a>}
          {found.next === null ? null : (
            <a class="button" rel="next" href={call.links.webhooks({ after: found.next })}>
              Next page
            </a>
          )}
        </nav>
      </>
    ),
  });
}

/** The directory learns of changes with a delay, so a listed mailbox may have no failed webhook any more. */
async function failedTargets(call: ConsoleCall, address: string): Promise<TargetHealth[]> {
  const overview = await mailboxAt(call.env, address).overview(AS_OPERATOR);
  return overview.ok ? overview.value.webhooks.filter(({ status }) => status !== "active") : [];
}
