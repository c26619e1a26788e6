import type { Child } from "hono/jsx";
import { notFound, STATUS } from "../../contract/problem.ts";
import { MAX_REASON_CHARS } from "../../contract/routes/common.ts";
import { mailboxAt } from "../../service/mailbox-stub.ts";
import { canonicalAddress } from "../../mail/address/address.ts";
import type { Overview } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { ButtonLink } from "../components/button-link.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { consolePage, Form, problemPage, type ConsoleCall, type ConsoleNotice } from "./frame.tsx";
import { KeyId } from "./key.tsx";
import { seeOther, viewerLink } from "./links.ts";
import { Targets } from "./targets.tsx";
import { Moment, numberText, sizeText } from "./words.tsx";

/** GET /operator/mailboxes/:address. */
export function mailboxPage(call: ConsoleCall, written: string): Promise<Response> {
  const done = call.query.get("done");
  const notice = Object.hasOwn(DONE, done ?? "") ? DONE[done as keyof typeof DONE] : null;
  return show(call, written, { notice });
}

const DONE = {
  paused: { kind: "good", text: "The mailbox is paused." },
  resumed: { kind: "good", text: "The mailbox is active again." },
} as const satisfies Record<string, ConsoleNotice>;

/** POST /operator/mailboxes/:address/pause. */
export async function pause(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const reason = (call.form.get("reason") ?? "").trim();
  if (reason.length > MAX_REASON_CHARS) {
    const text = `The reason is too long: at most ${MAX_REASON_CHARS} characters.`;
    return show(call, address, { notice: { kind: "bad", text }, status: STATUS.invalid });
  }
  const paused = await mailboxAt(call.env, address).pause(AS_OPERATOR, reason === "" ? null : reason);
  return paused.ok
    ? seeOther(call.links.mailbox(address, { done: "paused" }))
    : problemPage(call, paused.error);
}

/** POST /operator/mailboxes/:address/resume. */
export async function resume(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const resumed = await mailboxAt(call.env, address).resume(AS_OPERATOR);
  return resumed.ok
    ? seeOther(call.links.mailbox(address, { done: "resumed" }))
    : problemPage(call, resumed.error);
}

/** POST /operator/mailboxes/:address/delete: erases the mailbox if the form repeats its address. */
export async function erase(call: ConsoleCall, written: string): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const typed = (call.form.get("confirm") ?? "").trim().toLowerCase();
  if (typed !== address) {
    return show(call, address, {
      status: STATUS.invalid,
      eraseFault: `Nothing was erased: type ${address} to confirm.`,
    });
  }
  const erased = await mailboxAt(call.env, address).destroy(AS_OPERATOR);
  return erased.ok ? seeOther(call.links.mailboxes({ done: "deleted" })) : problemPage(call, erased.error);
}

interface Shown {
  notice?: ConsoleNotice | null;
  status?: number;
  /** Why the mailbox was not erased. */
  eraseFault?: string;
}

async function show(call: ConsoleCall, written: string, shown: Shown): Promise<Response> {
  const address = canonicalAddress(written);
  if (address === null) return problemPage(call, notFound("Mailbox"));
  const overview = await mailboxAt(call.env, address).overview(AS_OPERATOR);
  if (!overview.ok) return problemPage(call, overview.error);
  const mailbox = overview.value;
  return consolePage(call, {
    title: address,
    tab: "Mailboxes",
    notice: shown.notice,
    status: shown.status,
    actions: (
      <>
        <ButtonLink href={viewerLink(address)}>Open in the viewer</ButtonLink>
        <Form call={call} action={call.links.act(address, "key")}>
          <KeyId />
          <button>New key</button>
        </Form>
      </>
    ),
    children: (
      <>
        <Facts of={factsOf(call, mailbox)} />
        <Usage mailbox={mailbox} />
        <h2>Webhooks</h2>
        {mailbox.webhooks.length === 0 ? (
          <p class="muted">
            No webhook is set. The owner sets one with <code>PATCH /v1/mailbox</code>.
          </p>
        ) : (
          <Targets targets={mailbox.webhooks} />
        )}
        <h2 id="actions">Actions</h2>
        {mailbox.pause === null ? (
          <PauseForm call={call} address={address} />
        ) : (
          <Form call={call} action={call.links.act(address, "resume")}>
            <button class="primary">Resume the mailbox</button>
          </Form>
        )}
        <EraseForm call={call} address={address} fault={shown.eraseFault} />
      </>
    ),
  });
}

type Fact = [name: string, value: Child];

/** The state of a mailbox: all that is known of it but numbers. */
function factsOf(call: ConsoleCall, mailbox: Overview): Fact[] {
  const { info, kind, pause: paused, keys, activeAt, hasUnsent, stats } = mailbox;
  const known = (name: string, value: Child): Fact[] => (value === null ? [] : [[name, value]]);
  const unsent = <a href={call.links.outboxOf(info.mailbox)}>Show unsent messages</a>;
  return [
    ["State", <StateText paused={paused} isFull={info.full} />],
    ...known("Reason", paused && (paused.reason ?? <span class="muted">none given</span>)),
    ["Kind", kind],
    ["Created", <Moment at={info.created_at} />],
    ["Last activity", activeAt === null ? "never" : <Moment at={activeAt} />],
    ...known("Erases itself", info.expires_at && <Moment at={info.expires_at} />),
    ...known("Display name", info.display_name),
    ["Keys", numberText(keys)],
    ...known("Sending", stats.sending_obstacle && <Obstacle {...stats.sending_obstacle} />),
    ...known("Unsent messages", hasUnsent ? unsent : null),
  ];
}

function StateText({ paused, isFull }: { paused: Overview["pause"]; isFull: boolean }) {
  return (
    <>
      {paused === null ? (
        <span class="badge good">active</span>
      ) : (
        <>
          <span class="badge warn">paused</span> since <Moment at={paused.at} />
        </>
      )}
      {isFull ? <span class="badge bad">full</span> : null}
    </>
  );
}

function Obstacle({ at, reply }: { at: string; reply: string }) {
  return (
    <>
      <span class="badge bad">refused</span> <Moment at={at} />: <span class="break">{reply}</span>
    </>
  );
}

function Usage({ mailbox: { stats, quotaBytes, info } }: { mailbox: Overview }) {
  const counts: [what: string, count: string][] = [
    ["messages", numberText(stats.total_emails)],
    ["received", numberText(stats.inbound)],
    ["sent", numberText(stats.outbound)],
    ["this month", numberText(stats.emails_this_month)],
    ["sent today", `${numberText(stats.sends_today)} of ${numberText(stats.daily_send_limit)}`],
    ["suppressed", numberText(stats.suppression_count)],
  ];
  if (stats.ingest.failed > 0) counts.push(["could not be parsed", numberText(stats.ingest.failed)]);
  return (
    <>
      <h2>Usage</h2>
      <div class="usage">
        <span id="storage">
          {sizeText(stats.storage_bytes)} of {sizeText(quotaBytes)} stored
          {info.full ? "; the mailbox is full, and new mail is refused" : ""}
        </span>
        <meter
          aria-labelledby="storage"
          min={0}
          max={quotaBytes}
          high={quotaBytes * 0.9}
          value={stats.storage_bytes}
        />
      </div>
      <ul class="counts">
        {counts.map(([what, count]) => (
          <li>
            <strong>{count}</strong>
            <span>{what}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function PauseForm({ call, address }: { call: ConsoleCall; address: string }) {
  return (
    <Form call={call} action={call.links.act(address, "pause")}>
      <Field
        id="reason"
        label="Reason (optional)"
        hint="The owner of the mailbox sees the reason. While the mailbox is paused, mail still arrives, but nobody can read or send mail."
        input={{ name: "reason", maxlength: MAX_REASON_CHARS, autocomplete: "off" }}
      />
      <button>Pause the mailbox</button>
    </Form>
  );
}

function EraseForm({ call, address, fault }: { call: ConsoleCall; address: string; fault?: string }) {
  return (
    <details class="erasing" open={fault !== undefined}>
      <summary>Erase this mailbox</summary>
      <Form call={call} action={call.links.act(address, "delete")}>
        <p>
          This erases its mail, keys and settings immediately and cannot be undone. Mail to the address is
          refused afterwards.
        </p>
        <Field
          id="confirm"
          label={`Type ${address} to confirm`}
          error={fault}
          input={{
            name: "confirm",
            required: true,
            autocomplete: "off",
            autocapitalize: "none",
            spellcheck: false,
            autofocus: fault !== undefined,
          }}
        />
        <button class="danger">Erase permanently</button>
      </Form>
    </details>
  );
}
