import { pageResponse } from "./shell.tsx";

/**
 * The viewer of one mailbox. The page holds nothing of it: a script signs in with the key that a reader pastes, and asks
 * the API as any other client does.
 */
export function mailboxPage(): Promise<Response> {
  return pageResponse({
    title: "Mailbox",
    place: "/mailbox",
    styles: ["mailbox.css"],
    scripts: ["mailbox.js"],
    // Its own empty page, into which the HTML of a mail is written (mail-frame.ts).
    policy: {
      "frame-src": "'self'",
      // No script of the page can make markup of a text, by whatever mistake: what a stranger wrote stays text.
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    },
    children: (
      <>
        <h1 class="sr">Mailbox</h1>
        <p class="sr" role="status" aria-live="polite" data-part="announcer"></p>
        <noscript>
          <p class="notice warn">This page needs JavaScript.</p>
        </noscript>
        <SignIn />
        <Viewer />
        <KeyList />
        <dialog data-part="question" aria-labelledby="question">
          <h2 id="question"></h2>
          <p></p>
          <form method="dialog" class="actions">
            <button value="no">Cancel</button>
            <button value="yes" class="danger"></button>
          </form>
        </dialog>
      </>
    ),
  });
}

function SignIn() {
  return (
    <section class="sign-in" data-part="sign-in" aria-labelledby="sign-in">
      <h2 id="sign-in">Look into a mailbox</h2>
      {/* The fields have no names: whatever happens, the browser sends and keeps nothing of them. */}
      <form method="post" autocomplete="off" novalidate>
        <div class="field">
          <label for="key">Key</label>
          <input
            id="key"
            class="mono masked"
            type="text"
            required
            autocomplete="off"
            autocapitalize="none"
            aria-describedby="key-hint key-error"
          />
          <span class="hint" id="key-hint">
            A key of the mailbox, as your agent got it: <span class="mono">mk_…</span> Only this tab stores
            it, until you close it.
          </span>
          <span class="error" id="key-error" role="alert"></span>
        </div>
        <div class="field" data-part="which" hidden>
          <label for="address">Mailbox</label>
          <input
            id="address"
            type="text"
            inputmode="email"
            autocomplete="off"
            autocapitalize="none"
            aria-describedby="address-hint"
          />
          <span class="hint" id="address-hint">
            This is the operator's key: enter the address of a mailbox.
          </span>
        </div>
        <button class="primary">Open the mailbox</button>
      </form>
    </section>
  );
}

const LISTS = [
  { name: "inbox", label: "Inbox" },
  { name: "sent", label: "Sent" },
  { name: "threads", label: "Threads" },
] as const;

function Viewer() {
  return (
    <div class="viewer" data-part="viewer" hidden>
      <div class="bar">
        <p class="whose">
          <strong class="mono break" data-part="address"></strong>
          <span data-part="copy-address"></span>
          <span class="badge" data-part="connection">
            Connecting
          </span>
        </p>
        <p class="doings">
          <a class="button primary" href="#/compose">
            Compose
          </a>
          <a class="button" href="#/rules">
            Rules
          </a>
          <a class="button" href="#/settings">
            Settings
          </a>
          <button type="button" data-part="sign-out">
            Sign out
          </button>
        </p>
      </div>
      <div data-part="notices"></div>
      <div class="panes" data-part="panes">
        <section class="list" aria-label="Mails">
          <nav class="tabs" aria-label="Lists">
            {LISTS.map(({ name, label }) => (
              <a href={`#/${name}`} data-list={name}>
                {label}
              </a>
            ))}
          </nav>
          <form role="search" class="search" data-part="search" method="post">
            <label class="sr" for="query">
              Search this mailbox
            </label>
            <input id="query" type="search" autocomplete="off" placeholder="Search (press /)" />
          </form>
          <div data-part="list"></div>
        </section>
        <section class="reading" data-part="reading" aria-label="Reading" tabindex={-1}></section>
      </div>
      <p class="muted small keys-hint">
        Keyboard: <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> open, <kbd>r</kbd> reply,{" "}
        <kbd>/</kbd> search,{" "}
        <button type="button" class="plain" data-part="show-keys">
          all keys
        </button>
      </p>
    </div>
  );
}

const KEYS = [
  ["j", "The next mail"],
  ["k", "The mail before"],
  ["Enter", "Open the mail that has the focus"],
  ["r", "Reply"],
  ["/", "Search"],
  ["u or Esc", "Back to the list"],
  ["?", "These keys"],
] as const;

function KeyList() {
  return (
    <dialog data-part="keys" aria-labelledby="keys">
      <h2 id="keys">Keyboard</h2>
      <dl class="facts keys">
        {KEYS.map(([key, about]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </>
        ))}
      </dl>
      <form method="dialog" class="actions">
        <button class="primary">Close</button>
      </form>
    </dialog>
  );
}
