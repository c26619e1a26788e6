import { notFound } from "../../contract/problem.ts";
import type { Config } from "../../config/env.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import type { UnsentMessage } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { monitorOf } from "../../metrics/flush.ts";
import { mailboxesThatKept } from "../../service/directory-search.ts";
import { Empty } from "../components/empty.tsx";
import { Notice } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { Things } from "../components/things.tsx";
import { answersOf } from "./asked.ts";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { countText, Moment } from "./words.tsx";

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
  const [entries, halt] = await Promise.all([
    mailboxesThatKept(call.env, NEWEST),
    monitorOf(call.env).sendingHalt(),
  ]);
  const answers = await answersOf(call.env, entries, (mailbox) =>
    mailbox.unsent(AS_OPERATOR, { cursor: null, limit: NEWEST }),
  );
  const pages = answers.map(({ entry: { address }, value }): Unsent[] =>
    (value?.messages ?? []).map((mail) => ({ mailbox: address, mail })),
  );
  const silent = answers.filter(({ value }) => value === null).length;
  const unsent = pages.flat().toSorted((left, right) => (left.mail.sent_at < right.mail.sent_at ? 1 : -1));
  return consolePage(call, {
    title: "Outbox",
    tab: "Outbox",
    about: transportText(call.config),
    children: (
      <>
        {halt !== null && (
          <Notice kind="bad">
            <a href={call.links.halted()}>All sending is halted</a> since <Moment at={halt.at} />. New
            messages wait.
          </Notice>
        )}
        {silent > 0 && (
          <Notice kind="warn">
            {silent === 1 ? "1 mailbox does" : `${silent} mailboxes do`} not answer: messages may be missing.
          </Notice>
        )}
        {unsent.length === 0 ? (
          <Empty title="No unsent messages">
            With <code>OUTBOUND=local</code>, messages to addresses outside this deployment are stored and
            listed here instead of being sent.
          </Empty>
        ) : (
          <>
            <UnsentTable call={call} messages={unsent.slice(0, NEWEST)} showMailbox />
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
      return "Messages to addresses outside this deployment are not sent, but listed here: no relay is configured.";
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
    heading: "Unsent messages",
    tab: "Outbox",
    about: (
      <>
        From <a href={call.links.mailbox(address)}>{address}</a>, newest first.
      </>
    ),
    children: (
      <>
        {messages.length === 0 ? (
          <Empty title={cursor === null ? "No unsent messages" : "No older messages"} />
        ) : (
          <UnsentTable call={call} messages={messages.map((mail) => ({ mailbox: address, mail }))} />
        )}
        <Pager
          shown={countText(messages.length, "message", "messages")}
          first={cursor === null ? null : call.links.outboxOf(address)}
          next={next_cursor === null ? null : call.links.outboxOf(address, { cursor: next_cursor })}
        />
      </>
    ),
  });
}

interface Listed {
  call: ConsoleCall;
  messages: readonly Unsent[];
  showMailbox?: boolean;
}

function UnsentTable({ call, messages, showMailbox = false }: Listed) {
  return (
    <Things
      label="Unsent messages"
      columns={["Subject", ...(showMailbox ? ["Mailbox"] : []), "To", "Sent (UTC)"]}
      rows={messages.map(({ mailbox, mail }) => [
        <a class="break" href={call.links.unsent(mailbox, mail.id)}>
          {mail.subject === "" ? "(no subject)" : mail.subject}
        </a>,
        ...(showMailbox ? [<span class="break">{mailbox}</span>] : []),
        <span class="break">{recipientsText(mail)}</span>,
        <Moment at={mail.sent_at} isShort />,
      ])}
    />
  );
}

const NAMED_RECIPIENTS = 3;

function recipientsText({ recipients }: UnsentMessage): string {
  const named = recipients.slice(0, NAMED_RECIPIENTS).map(({ address }) => address);
  const more = recipients.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}
