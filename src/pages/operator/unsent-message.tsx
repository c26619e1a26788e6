import type { Child } from "hono/jsx";
import { notFound } from "../../contract/problem.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import type { UnsentMessage } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { openRaw } from "../../service/message-source.ts";
import { ButtonLink } from "../components/button-link.tsx";
import { Facts } from "../components/facts.tsx";
import { consolePage, problemPage, type ConsoleCall } from "./frame.tsx";
import { Moment, sizeText } from "./words.tsx";

/** Bytes of a message's source that the page shows. The download has all of it. */
const SHOWN_BYTES = 100_000;

/** The beginning of a message's source. */
interface Source {
  text: string;
  /** Size of the whole message. */
  sizeBytes: number;
  isWhole: boolean;
}

/** GET /operator/outbox/:address/:id: one unsent message with its source. */
export async function unsentMessagePage(call: ConsoleCall, written: string, id: string): Promise<Response> {
  const address = canonicalAddress(written);
  const found = address === null ? null : await mailboxAt(call.env, address).unsentOne(AS_OPERATOR, id);
  if (address === null || !found?.ok) return problemPage(call, notFound("Email"));
  const mail = found.value;
  const source = await sourceOf(call, address, id);
  return consolePage(call, {
    title: "Unsent message",
    heading: mail.subject === "" ? "(no subject)" : mail.subject,
    tab: "Outbox",
    children: (
      <>
        <Facts of={factsOf({ call, mailbox: address, mail, source })} />
        <p class="actions">
          <ButtonLink href={`${call.links.unsent(address, mail.id)}/raw`}>Download the message</ButtonLink>
          <ButtonLink href={call.links.outboxOf(address)}>Unsent messages of this mailbox</ButtonLink>
        </p>
        <h2>Source</h2>
        <SourceText source={source} />
      </>
    ),
  });
}

interface Shown {
  call: ConsoleCall;
  mailbox: string;
  mail: UnsentMessage;
  source: Source | null;
}

function factsOf({ call, mailbox, mail, source }: Shown): [name: string, value: Child][] {
  return [
    ["Mailbox", <a href={call.links.mailbox(mailbox)}>{mailbox}</a>],
    ["From", mail.from],
    ["Recipients", mail.recipients.map(({ address }) => <div>{address}</div>)],
    ["Sent", <Moment at={mail.sent_at} />],
    ...(source === null ? [] : [["Size", sizeText(source.sizeBytes)] as [string, Child]]),
  ];
}

function SourceText({ source }: { source: Source | null }) {
  if (source === null) return <p>The source cannot be read now. Try again in a few seconds.</p>;
  return (
    <>
      <pre class="source" tabindex={0} role="region" aria-label="Source of the message">
        {source.text}
      </pre>
      {source.isWhole ? null : (
        <p class="muted">This is the beginning of the message. Download it to see the rest.</p>
      )}
    </>
  );
}

/** GET /operator/outbox/:address/:id/raw: the bytes of an unsent message. */
export async function unsentMessageSource(call: ConsoleCall, written: string, id: string): Promise<Response> {
  const opened = await openUnsent(call, canonicalAddress(written), id);
  if (opened === null) return problemPage(call, notFound("Email"));
  return new Response(opened.body, {
    headers: {
      "Content-Type": "message/rfc822",
      "Content-Length": String(opened.sizeBytes),
      "Content-Disposition": 'attachment; filename="message.eml"',
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  });
}

/** Returns null for any other message: the operator reads unsent messages only. */
async function openUnsent(call: ConsoleCall, address: string | null, id: string) {
  if (address === null) return null;
  const mailbox = mailboxAt(call.env, address);
  const found = await mailbox.unsentOne(AS_OPERATOR, id);
  const source = found.ok ? await mailbox.raw(AS_OPERATOR, id) : found;
  if (!source.ok) return null;
  const { sizeBytes } = source.value;
  const opened = await openRaw(call.env, mailbox, source.value);
  return opened.ok ? { body: opened.value, sizeBytes } : null;
}

/** The beginning of a message as text; null if it cannot be read. */
async function sourceOf(call: ConsoleCall, address: string, id: string): Promise<Source | null> {
  const opened = await openUnsent(call, address, id);
  if (opened === null) return null;
  const stream = new Response(opened.body).body;
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    const wanted = chunk.subarray(0, SHOWN_BYTES - bytes);
    text += decoder.decode(wanted, { stream: true });
    bytes += wanted.byteLength;
    if (bytes === SHOWN_BYTES) break;
  }
  return { text, sizeBytes: opened.sizeBytes, isWhole: bytes === opened.sizeBytes };
}
