import type { DirectorySearch } from "../../contract/directory.ts";
import type { Overview } from "../../mailbox/account/overview.ts";
import { findMailboxes, type FoundMailboxes } from "../../service/directory-search.ts";
import { overviewsOf } from "./asked.ts";
import { consolePage, Form, type ConsoleCall } from "./frame.tsx";
import { Table } from "./parts.tsx";
import { Moment } from "./words.tsx";

/** Mailboxes in each table. The list of mailboxes has all of them. */
const SHOWN = 20;

/** GET /operator/halted: mailboxes whose mail the relay does not take, and paused ones. */
export async function haltedPage(call: ConsoleCall): Promise<Response> {
  const find = (only: DirectorySearch["only"]) =>
    findMailboxes(call.env, { text: "", only, order: "address", after: "", limit: SHOWN });
  const [refused, paused] = await Promise.all([find("cannot-send"), find("paused")]);
  return consolePage(call, {
    title: "Halted",
    tab: "Halted",
    about: "Mailboxes that do not work: the relay takes nothing of theirs, or somebody paused them.",
    children: (
      <>
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
      <Table
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
          <a href={call.links.mailboxes({ only })}>All {found.total}</a>
        </p>
      )}
    </>
  );
}
