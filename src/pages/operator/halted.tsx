import type { DirectorySearch } from "../../contract/directory.ts";
import { STATUS } from "../../contract/problem.ts";
import { MAX_REASON_CHARS } from "../../contract/routes/common.ts";
import type { Overview } from "../../mailbox/account/overview.ts";
import { flush, monitorOf } from "../../metrics/flush.ts";
import { haltSending, resumeSending } from "../../service/sending-switch.ts";
import { findMailboxes, type FoundMailboxes } from "../../service/directory-search.ts";
import { Things } from "../components/things.tsx";
import { overviewsOf } from "./asked.ts";
import { waitingSends } from "./attention.ts";
import { consolePage, Form, type ConsoleCall, type ConsoleNotice } from "./frame.tsx";
import { seeOther } from "./links.ts";
import { HaltSwitch, type SwitchFault } from "./halt-switch.tsx";
import { Moment, numberText } from "./words.tsx";

/** Mailboxes in each table. The list of mailboxes has all of them. */
const SHOWN = 20;

const DONE = {
  halted: { kind: "good", text: "Within 5 seconds no mailbox sends any more." },
  resumed: {
    kind: "good",
    text: "Sending is resumed. Within a minute each mailbox begins to send what waited.",
  },
} as const satisfies Record<string, ConsoleNotice>;

/** GET /operator/halted: the switch of all sending, mailboxes whose mail the relay does not take, and paused ones. */
export async function haltedPage(
  call: ConsoleCall,
  { fault = null, status }: { fault?: SwitchFault | null; status?: number } = {},
): Promise<Response> {
  const find = (only: DirectorySearch["only"]) =>
    findMailboxes(call.env, { text: "", only, order: "address", after: "", limit: SHOWN });
  // So that the page shows how many messages wait now.
  await flush(call.env);
  const monitor = monitorOf(call.env);
  const [refused, paused, halt, totals] = await Promise.all([
    find("cannot-send"),
    find("paused"),
    monitor.sendingHalt(),
    monitor.totals(),
  ]);
  const done = call.query.get("done") ?? "";
  return consolePage(call, {
    title: "Halted",
    tab: "Halted",
    status,
    notice: Object.hasOwn(DONE, done) ? DONE[done as keyof typeof DONE] : null,
    about: "Mail that does not leave this deployment, and why.",
    children: (
      <>
        <h2>All sending</h2>
        <HaltSwitch call={call} halt={halt} waiting={waitingSends(totals)} fault={fault} />
        <h2>Sending is refused</h2>
        {refused.total === 0 ? (
          <p class="muted">The relay refuses no mailbox.</p>
        ) : (
          <Halted
            call={call}
            found={refused}
            only="cannot-send"
            word="Answer of the relay"
            why={({ stats: { sending_obstacle: one } }) => one && { at: one.at, text: one.reply }}
          />
        )}
        <h2>Paused</h2>
        {paused.total === 0 ? (
          <p class="muted">No mailbox is paused.</p>
        ) : (
          <Halted
            call={call}
            found={paused}
            only="paused"
            word="Reason"
            why={({ pause }) => pause && { at: pause.at, text: pause.reason ?? "none given" }}
          />
        )}
      </>
    ),
  });
}

const UNCONFIRMED: SwitchFault = { field: "confirm", text: "Nothing was changed: confirm it here." };

/** POST /operator/sending/halt: halts the sending of all mailboxes, if the form confirms it. */
export async function halt(call: ConsoleCall): Promise<Response> {
  const reason = (call.form.get("reason") ?? "").trim();
  if (reason.length > MAX_REASON_CHARS) {
    const text = `The reason is too long: at most ${MAX_REASON_CHARS} characters.`;
    return haltedPage(call, { fault: { field: "reason", text }, status: STATUS.invalid });
  }
  if (call.form.get("confirm") !== "yes") return unconfirmed(call);
  await haltSending(call.env, reason === "" ? null : reason);
  return seeOther(call.links.halted({ done: "halted" }));
}

/** POST /operator/sending/resume: ends a halt, if the form confirms it. */
export async function resumeAll(call: ConsoleCall): Promise<Response> {
  if (call.form.get("confirm") !== "yes") return unconfirmed(call);
  await resumeSending(call.env);
  return seeOther(call.links.halted({ done: "resumed" }));
}

function unconfirmed(call: ConsoleCall): Promise<Response> {
  return haltedPage(call, { fault: UNCONFIRMED, status: STATUS.invalid });
}

interface Shown {
  call: ConsoleCall;
  found: FoundMailboxes;
  only: "paused" | "cannot-send";
  word: string;
  /** Null where the mailbox works again. */
  why: (overview: Overview) => { at: string; text: string } | null;
}

async function Halted({ call, found, only, word, why }: Shown) {
  const rows = await overviewsOf(call.env, found.entries);
  return (
    <>
      <Things
        label={only === "paused" ? "Paused mailboxes" : "Mailboxes that cannot send"}
        columns={["Address", "Since", word, ...(only === "paused" ? ["Actions"] : [])]}
        rows={rows.map(({ entry: { address }, overview }) => {
          const one = overview === null ? null : why(overview);
          const resume = (
            <Form call={call} action={call.links.act(address, "resume")}>
              <button>
                Resume <span class="sr">{address}</span>
              </button>
            </Form>
          );
          return [
            <a class="break" href={call.links.mailbox(address)}>
              {address}
            </a>,
            one === null ? "—" : <Moment at={one.at} />,
            <span class="break">
              {one?.text ?? (overview === null ? "no answer" : "It works again since a moment ago.")}
            </span>,
            ...(only === "paused" ? [resume] : []),
          ];
        })}
      />
      {found.next === null ? null : (
        <p>
          <a href={call.links.mailboxes({ only })}>
            All {numberText(found.total)}{" "}
            {only === "paused" ? "paused mailboxes" : "mailboxes that cannot send"}
          </a>
        </p>
      )}
    </>
  );
}
