import { notFound } from "../../contract/problem.ts";
import type { Config } from "../../config/env.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import type { UnsentMessage } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { mailboxesThatKept } from "../../service/directory-search.ts";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { Moment } from "./words.tsx";

/** Messages on the page. At most so many mailboxes are asked, each for so many messages. */
const NEWEST = 20;
const PAGE_SIZE = 25;

/** An unsent message and its mailbox. */
interface Unsent {
  mailbox: string;
  mail: UnsentMessage;
}

/** GET /operator/outbox: the newest unsent messages of all mailboxes. */
export async function outboxPage(call: ConsoleCall): Promise<Response> {
  const entries = await mailboxesThatKept(call.env, NEWEST);
  const pages = await Promise.all(
    entries.map(async ({ address }): Promise<Unsent[]> => {
      const page = await mailboxAt(call.env, address).unsent(AS_OPERATOR, { cursor: null, limit: NEWEST });
      return page.ok ? page.value.messages.map((mail) => ({ mailbox: address, mail })) : [];
    }),
  );
  const unsent = pages.flat().toSorted((left, right) => (left.mail.sent_at < right.mail.sent_at ? 1 : -1));
  return consolePage(call, {
    title: "Outbox",
    tab: "Outbox",
    children: (
      <>
        <h1>Outbox</h1>
        <p>{transportText(call.config)}</p>
        {unsent.length === 0 ? (
          <div class="card">
            <h2>No unsent messages</h2>
            <p>
              With <code>OUTBOUND=local</code>, messages to addresses outside this deployment are stored and
              listed here instead of being sent. Messages between mailboxes of this deployment are delivered
              and not listed.
            </p>
          </div>
        ) : (
          <>
            <h2>Newest</h2>
            <UnsentList call={call} messages={unsent.slice(0, NEWEST)} showMailbox />
            <p>
              <a href={call.links.mailboxes({ only: "kept" })}>All mailboxes with unsent messages</a>
            </p>
          </>
        )}
      </>
    ),
  });
}

function transportText({ outbound, smtp }: Config): string {
  switch (outbound) {
    case "local":
      return "Messages to addresses outside this deployment are not sent: no relay is configured. They are listed here.";
    case "none":
      return "This deployment sends no mail: OUTBOUND is none.";
    case "cloudflare":
      return "Mail is sent through Cloudflare’s sending service. New messages are not listed here.";
    case "smtp":
    case "worker-mailer":
      return `Mail is sent through the relay ${smtp?.host ?? ""}. New messages are not listed here.`;
  }
}

/** GET /operator/outbox/:address: all unsent messages of one mailbox. */
export async function mailboxOutboxPage(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const cursor = call.query.get("cursor");
  const page = await mailboxAt(call.env, address).unsent(AS_OPERATOR, { cursor, limit: PAGE_SIZE });
  if (!page.ok) return problemPage(call, page.error);
  const { messages, next_cursor } = page.value;
  return consolePage(call, {
    title: `Unsent messages of ${address}`,
    tab: "Outbox",
    children: (
      <>
        <h1>Unsent messages</h1>
        <p>
          From <a href={call.links.mailbox(address)}>{address}</a>, newest first.
        </p>
        {messages.length === 0 ? (
          <p class="card">{cursor === null ? "No unsent messages." : "No older messages."}</p>
        ) : (
          <UnsentList call={call} messages={messages.map((mail) => ({ mailbox: address, mail }))} />
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
  messages: readonly Unsent[];
  showMailbox?: boolean;
}

function UnsentList({ call, messages, showMailbox = false }: Listed) {
  return (
    <ul class="rows">
      {messages.map(({ mailbox, mail }) => (
        <li>
          <a href={call.links.unsent(mailbox, mail.id)}>
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
