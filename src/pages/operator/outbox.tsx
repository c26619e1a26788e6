import { notFound } from "../../contract/problem.ts";
import type { Config } from "../../config/env.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import type { UnsentMessage } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { mailboxesThatKept } from "../../service/directory-search.ts";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { Moment } from "./words.tsx";

/** As many mailboxes are asked at most, and each has the newest message at least once among them. */
const NEWEST = 20;
const PAGE_SIZE = 25;

/** A kept message and whose it is. */
interface Kept {
  mailbox: string;
  mail: UnsentMessage;
}

/** GET /operator/outbox: the newest messages of all mailboxes that would have left the deployment. */
export async function outboxPage(call: ConsoleCall): Promise<Response> {
  const entries = await mailboxesThatKept(call.env, NEWEST);
  const pages = await Promise.all(
    entries.map(async ({ address }): Promise<Kept[]> => {
      const page = await mailboxAt(call.env, address).unsent(AS_OPERATOR, { cursor: null, limit: NEWEST });
      return page.ok ? page.value.messages.map((mail) => ({ mailbox: address, mail })) : [];
    }),
  );
  const kept = pages.flat().toSorted((left, right) => (left.mail.sent_at < right.mail.sent_at ? 1 : -1));
  return consolePage(call, {
    title: "Outbox",
    tab: "Outbox",
    children: (
      <>
        <h1>Outbox</h1>
        <p>{wayOutText(call.config)}</p>
        {kept.length === 0 ? (
          <div class="card">
            <h2>No mail was kept</h2>
            <p>
              With <code>OUTBOUND=local</code>, mail to addresses outside this deployment is kept here instead
              of being sent, so that you can look at it. Mail between mailboxes of the deployment arrives, and
              is not listed.
            </p>
          </div>
        ) : (
          <>
            <h2>Newest</h2>
            <KeptList call={call} kept={kept.slice(0, NEWEST)} showMailbox />
            <p>
              <a href={call.links.mailboxes({ only: "kept" })}>All mailboxes with kept mail</a>
            </p>
          </>
        )}
      </>
    ),
  });
}

function wayOutText({ outbound, smtp }: Config): string {
  switch (outbound) {
    case "local":
      return "This deployment has no way out: what would leave it is kept and shown here.";
    case "none":
      return "This deployment sends nothing: OUTBOUND is none.";
    case "cloudflare":
      return "Mail leaves this deployment by the platform’s sending service; nothing is kept here now.";
    case "smtp":
    case "worker-mailer":
      return `Mail leaves this deployment by the relay ${smtp?.host ?? ""}; nothing is kept here now.`;
  }
}

/** GET /operator/outbox/:address: all of one mailbox. */
export async function mailboxOutboxPage(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const cursor = call.query.get("cursor");
  const page = await mailboxAt(call.env, address).unsent(AS_OPERATOR, { cursor, limit: PAGE_SIZE });
  if (!page.ok) return problemPage(call, page.error);
  const { messages, next_cursor } = page.value;
  return consolePage(call, {
    title: `Kept mail of ${address}`,
    tab: "Outbox",
    children: (
      <>
        <h1>Kept mail</h1>
        <p>
          Of <a href={call.links.mailbox(address)}>{address}</a>, the newest first.
        </p>
        {messages.length === 0 ? (
          <p class="card">There is none{cursor === null ? "" : " further back"}.</p>
        ) : (
          <KeptList call={call} kept={messages.map((mail) => ({ mailbox: address, mail }))} />
        )}
        <nav class="pager" aria-label="Pages of the list">
          {cursor === null ? <span /> : <a href={call.links.outboxOf(address)}>Newest</a>}
          {next_cursor === null ? null : (
            <a class="button" rel="next" href={call.links.outboxOf(address, { cursor: next_cursor })}>
              Older
            </a>
          )}
        </nav>
      </>
    ),
  });
}

interface Listed {
  call: ConsoleCall;
  kept: readonly Kept[];
  showMailbox?: boolean;
}

function KeptList({ call, kept, showMailbox = false }: Listed) {
  return (
    <ul class="rows">
      {kept.map(({ mailbox, mail }) => (
        <li>
          <a href={call.links.kept(mailbox, mail.id)}>
            <span class="spread">
              <strong class="break">{mail.subject === "" ? "(no subject)" : mail.subject}</strong>
              <span class="small muted">
                <Moment at={mail.sent_at} />
              </span>
            </span>
            <span class="small muted break">
              {showMailbox ? `${mailbox} to ` : "To "}
              {recipientsText(mail)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const NAMED_RECIPIENTS = 3;

function recipientsText({ recipients }: UnsentMessage): string {
  const named = recipients.slice(0, NAMED_RECIPIENTS).map(({ address }) => address);
  const more = recipients.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}
