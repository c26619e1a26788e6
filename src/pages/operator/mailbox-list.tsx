import type { DirectorySearch } from "../../contract/directory.ts";
import type { EntryRow } from "../../directory/schema.ts";
import { findMailboxes, type FoundMailboxes } from "../../service/directory-search.ts";
import { consolePage, type ConsoleCall } from "./frame.tsx";
import { countText, Day } from "./words.tsx";

const PAGE_SIZE = 25;
const MAX_SEARCH_CHARS = 100;

type Only = DirectorySearch["only"];

const FILTERS: readonly { only: Only; name: string }[] = [
  { only: null, name: "All" },
  { only: "active", name: "Active" },
  { only: "paused", name: "Paused" },
  { only: "failing", name: "Webhooks failing" },
  { only: "cannot-send", name: "Cannot send" },
  { only: "kept", name: "With unsent messages" },
];

/** GET /operator: all mailboxes, or those that a search finds. */
export async function mailboxListPage(call: ConsoleCall): Promise<Response> {
  const search = readSearch(call.query);
  const found = await findMailboxes(call.env, { ...search, limit: PAGE_SIZE });
  const isErased = call.query.get("done") === "deleted";
  return consolePage(call, {
    title: "Mailboxes",
    tab: "Mailboxes",
    notice: isErased ? { kind: "good", text: "The mailbox is erased, with everything in it." } : null,
    children: (
      <>
        <div class="spread heading">
          <h1>Mailboxes</h1>
          <a class="button primary" href={call.links.create}>
            Create a mailbox
          </a>
        </div>
        <SearchForm call={call} search={search} />
        {found.total === 0 ? (
          <NothingFound call={call} search={search} />
        ) : (
          <Found call={call} search={search} found={found} />
        )}
      </>
    ),
  });
}

type Search = Omit<DirectorySearch, "limit">;

interface Searched {
  call: ConsoleCall;
  search: Search;
}

function readSearch(query: URLSearchParams): Search {
  return {
    text: (query.get("q") ?? "").trim().toLowerCase().slice(0, MAX_SEARCH_CHARS),
    only: FILTERS.find(({ only }) => only === query.get("only"))?.only ?? null,
    after: query.get("after") ?? "",
  };
}

function SearchForm({ call, search: { text, only } }: Searched) {
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
          {FILTERS.map((filter) => (
            <option value={filter.only ?? ""} selected={filter.only === only}>
              {filter.name}
            </option>
          ))}
        </select>
      </div>
      <button>Search</button>
    </form>
  );
}

function NothingFound({ call, search: { text, only } }: Searched) {
  if (text === "" && only === null) {
    return (
      <div class="card">
        <h2>No mailboxes yet</h2>
        <p>
          Create one here, or let an agent make its own with <code>POST /v1/bootstrap</code>.
        </p>
      </div>
    );
  }
  return (
    <div class="card">
      <h2>Nothing found</h2>
      <p>
        {text === "" ? "No mailbox is in this state." : <>No mailbox here has “{text}” in its name.</>} Try a
        shorter part of the name, or another state.
      </p>
      <p>
        <a href={call.links.mailboxes()}>Show all mailboxes</a>
      </p>
    </div>
  );
}

function Found({ call, search, found }: Searched & { found: FoundMailboxes }) {
  const { text, only, after } = search;
  const query = { q: text, only: only ?? "" };
  return (
    <>
      <p class="muted" role="status">
        {countText(found.total, "mailbox", "mailboxes")}
        {text === "" && only === null ? "" : " found"}
        {after === "" ? "" : ", continued"}
      </p>
      {found.entries.length === 0 ? (
        <p>This page of the list is empty.</p>
      ) : (
        <ul class="rows">
          {found.entries.map((entry) => (
            <Entry call={call} entry={entry} />
          ))}
        </ul>
      )}
      <nav class="pager" aria-label="Pages of the list">
        {after === "" ? <span /> : <a href={call.links.mailboxes(query)}>First page</a>}
        {found.next === null ? null : (
          <a class="button" rel="next" href={call.links.mailboxes({ ...query, after: found.next })}>
            Next page
          </a>
        )}
      </nav>
    </>
  );
}

function Entry({ call, entry }: { call: ConsoleCall; entry: EntryRow }) {
  return (
    <li>
      <a class="entry" href={call.links.mailbox(entry.address)}>
        <span class="mono break">{entry.address}</span>
        <span class="row small">
          <Badges {...entry} />
          <span class="muted">
            created <Day at={entry.created_at} />
          </span>
        </span>
      </a>
    </li>
  );
}

function Badges(entry: Pick<EntryRow, "status" | "kind" | "webhooks_failed" | "kept_at" | "cannot_send">) {
  return (
    <>
      {entry.webhooks_failed === 1 ? <span class="badge bad">webhook failed</span> : null}
      {entry.cannot_send === 1 ? <span class="badge bad">cannot send</span> : null}
      {entry.kept_at === null ? null : <span class="badge info">unsent messages</span>}
      {entry.kind === "temporary" ? <span class="badge">temporary</span> : null}
      {entry.status === "paused" ? <span class="badge warn">paused</span> : null}
    </>
  );
}
