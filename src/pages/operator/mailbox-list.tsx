import { DIRECTORY_ORDERS, type DirectorySearch } from "../../contract/directory.ts";
import type { EntryRow } from "../../directory/schema.ts";
import type { Overview } from "../../mailbox/account/overview.ts";
import { findMailboxes } from "../../service/directory-search.ts";
import { ButtonLink } from "../components/button-link.tsx";
import { Empty } from "../components/empty.tsx";
import { Icon } from "../components/icon.tsx";
import { Pager } from "../components/pager.tsx";
import { Things, type Column } from "../components/things.tsx";
import { overviewsOf } from "./asked.ts";
import { consolePage, Form, type ConsoleCall } from "./frame.tsx";
import { KeyId } from "./key.tsx";
import { viewerLink } from "./links.ts";
import { countText, Day, Moment, numberText, sizeText } from "./words.tsx";

/** Each mailbox on a page is asked for its figures. */
const PAGE_SIZE = 25;
const MAX_SEARCH_CHARS = 100;

type Search = Omit<DirectorySearch, "limit">;

const STATES: readonly [only: Search["only"], name: string][] = [
  [null, "Any"],
  ["active", "Active"],
  ["paused", "Paused"],
  ["failing", "Webhooks failing"],
  ["cannot-send", "Cannot send"],
  ["kept", "With unsent messages"],
];

/** GET /operator/mailboxes: all mailboxes, or those that a search finds. */
export async function mailboxListPage(call: ConsoleCall): Promise<Response> {
  const search = readSearch(call.query);
  const found = await findMailboxes(call.env, { ...search, limit: PAGE_SIZE });
  const rows = await overviewsOf(call.env, found.entries);
  const isErased = call.query.get("done") === "deleted";
  return consolePage(call, {
    title: "Mailboxes",
    tab: "Mailboxes",
    notice: isErased ? { kind: "good", text: "The mailbox is erased, with everything in it." } : null,
    actions: (
      <ButtonLink kind="primary" href={call.links.create}>
        Create a mailbox
      </ButtonLink>
    ),
    children: (
      <>
        <SearchForm call={call} search={search} />
        {found.total === 0 ? (
          <NothingFound call={call} search={search} />
        ) : (
          <>
            <Things
              label="Mailboxes"
              columns={columnsFor(call, search)}
              rows={rows.map(({ entry, overview }) => cellsOf(call, entry, overview))}
            />
            <Pager
              shown={foundText(search, found.total)}
              first={search.after === "" ? null : listLink(call, { ...search, after: "" })}
              next={found.next === null ? null : listLink(call, { ...search, after: found.next })}
            />
          </>
        )}
      </>
    ),
  });
}

/** The number of mailboxes, on all pages together. */
function foundText({ text, only, after }: Search, total: number): string {
  const isSearch = text !== "" || only !== null;
  return `${countText(total, "mailbox", "mailboxes")}${isSearch ? " found" : ""}${after === "" ? "" : ", continued"}`;
}

function readSearch(query: URLSearchParams): Search {
  return {
    text: (query.get("q") ?? "").trim().toLowerCase().slice(0, MAX_SEARCH_CHARS),
    only: STATES.find(([only]) => only === query.get("only"))?.[0] ?? null,
    order: DIRECTORY_ORDERS.find((order) => order === query.get("sort")) ?? "address",
    after: query.get("after") ?? "",
  };
}

function listLink(call: ConsoleCall, { text, only, order, after }: Search): string {
  const sort = order === "address" ? "" : order;
  return call.links.mailboxes({ q: text, only: only ?? "", sort, after });
}

interface Searched {
  call: ConsoleCall;
  search: Search;
}

function SearchForm({ call, search: { text, only, order } }: Searched) {
  return (
    <form class="inline search" role="search" action={call.links.mailboxes()}>
      <div class="field">
        <label for="q">Part of the address</label>
        <input
          id="q"
          name="q"
          type="search"
          value={text}
          maxlength={MAX_SEARCH_CHARS}
          autocapitalize="none"
        />
      </div>
      <div class="field">
        <label for="only">State</label>
        <select id="only" name="only">
          {STATES.map(([value, name]) => (
            <option value={value ?? ""} selected={value === only}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <input type="hidden" name="sort" value={order} />
      <button>Search</button>
    </form>
  );
}

function NothingFound({ call, search: { text, only } }: Searched) {
  if (text === "" && only === null) {
    return (
      <Empty title="No mailboxes yet">
        Create one here, or let an agent make its own with <code>POST /v1/bootstrap</code>.
      </Empty>
    );
  }
  return (
    <Empty
      title="Nothing found"
      actions={<ButtonLink href={call.links.mailboxes()}>Show all mailboxes</ButtonLink>}
    >
      {text === "" ? "No mailbox is in this state." : <>No mailbox here has “{text}” in its name.</>} Try a
      shorter part of the name, or another state.
    </Empty>
  );
}

function columnsFor(call: ConsoleCall, search: Search): (Column | string)[] {
  const sorted = (name: string, order: "address" | "created"): Column => {
    const isUp = search.order === order;
    const isDown = search.order === `-${order}`;
    return {
      name,
      href: listLink(call, { ...search, order: isUp ? `-${order}` : order, after: "" }),
      ...(isUp || isDown ? { sorted: isUp ? ("ascending" as const) : ("descending" as const) } : {}),
    };
  };
  const number = (name: string): Column => ({ name, isNumber: true });
  return [
    sorted("Address", "address"),
    "Kind",
    "State",
    number("Mails"),
    number("Storage"),
    "Last activity (UTC)",
    "Failing webhooks",
    sorted("Created", "created"),
    "Actions",
  ];
}

const NO_ANSWER = <span class="muted">no answer</span>;

function cellsOf(call: ConsoleCall, entry: EntryRow, overview: Overview | null) {
  const { address, kind, created_at } = entry;
  // By the mailbox's own answer, where it gave one: the directory hears of changes a second later.
  const isPaused = overview === null ? entry.status === "paused" : overview.pause !== null;
  const figure = <T,>(show: (overview: Overview) => T) => (overview === null ? NO_ANSWER : show(overview));
  return [
    <a class="break" href={call.links.mailbox(address)}>
      {address}
    </a>,
    kind,
    <States entry={entry} isPaused={isPaused} isFull={overview?.info.full === true} />,
    figure(({ stats }) => numberText(stats.total_emails)),
    figure(({ stats }) => sizeText(stats.storage_bytes)),
    figure(({ activeAt }) => (activeAt === null ? "never" : <Moment at={activeAt} isShort />)),
    figure(({ webhooks }) => failingText(webhooks)),
    <Day at={created_at} />,
    <Actions call={call} address={address} isPaused={isPaused} />,
  ];
}

function failingText(webhooks: Overview["webhooks"]) {
  const failing = webhooks.filter(({ status }) => status !== "active").length;
  if (webhooks.length === 0) return <span class="muted">none set</span>;
  const text = `${failing} of ${webhooks.length}`;
  return failing === 0 ? text : <span class="badge bad">{text}</span>;
}

function States({ entry, isPaused, isFull }: { entry: EntryRow; isPaused: boolean; isFull: boolean }) {
  return (
    <span class="states">
      {isPaused ? <span class="badge warn">paused</span> : <span class="badge good">active</span>}
      {isFull ? <span class="badge bad">full</span> : null}
      {entry.cannot_send === 1 ? <span class="badge bad">cannot send</span> : null}
      {entry.kept_at === null ? null : <span class="badge info">unsent</span>}
    </span>
  );
}

function Actions({ call, address, isPaused }: { call: ConsoleCall; address: string; isPaused: boolean }) {
  return (
    <div class="row-actions">
      <Form call={call} action={call.links.act(address, "key")}>
        <KeyId />
        <button class="quiet" title="New key">
          <Icon name="key" />
          <span>New key</span> <span class="sr">of {address}</span>
        </button>
      </Form>
      <a class="button quiet" title="Open in the viewer" href={viewerLink(address)}>
        <Icon name="open" />
        <span>Open</span> <span class="sr">{address} in the viewer</span>
      </a>
      {isPaused ? (
        <Form call={call} action={call.links.act(address, "resume")}>
          <button class="quiet" title="Resume">
            <Icon name="play" />
            <span>Resume</span> <span class="sr">{address}</span>
          </button>
        </Form>
      ) : (
        <a class="button quiet" title="Pause" href={`${call.links.mailbox(address)}#actions`}>
          <Icon name="pause" />
          <span>Pause</span> <span class="sr">{address}</span>
        </a>
      )}
    </div>
  );
}
