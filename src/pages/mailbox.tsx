import { Dialog } from "./components/dialog.tsx";
import { Field } from "./components/field.tsx";
import { Icon } from "./components/icon.tsx";
import { Notice } from "./components/notice.tsx";
import { pageResponse } from "./shell.tsx";
import { urlOfStatic } from "./static-files.ts";

/**
 * The viewer of one mailbox. The page holds nothing of it: a script signs in with the key that a reader pastes, and asks
 * the API as any other client does.
 */
export function mailboxPage(): Promise<Response> {
  return pageResponse({
    title: "Mailbox",
    place: "/mailbox",
    app: true,
    sheet: "mailbox.css",
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
          <Notice kind="warn">This page needs JavaScript.</Notice>
        </noscript>
        <SignIn />
        <Viewer />
        <KeyList />
        <Dialog
          part="question"
          id="question"
          title=""
          actions={
            <>
              <button value="no">Cancel</button>
              <button value="yes" class="danger"></button>
            </>
          }
        >
          <p></p>
        </Dialog>
      </>
    ),
  });
}

function SignIn() {
  return (
    <section class="sign-in" data-part="sign-in" aria-labelledby="sign-in" hidden>
      <h2 id="sign-in">Look into a mailbox</h2>
      {/* The fields have no names: whatever happens, the browser sends and keeps nothing of them. */}
      <form method="post" autocomplete="off" novalidate>
        <Field
          id="key"
          label="Key"
          hint={
            <>
              A key of the mailbox, as your agent got it: <span class="mono">mk_…</span> Only this tab stores
              it, until you close it.
            </>
          }
          error=""
          input={{
            class: "mono masked",
            type: "text",
            required: true,
            autocomplete: "off",
            autocapitalize: "none",
          }}
        />
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
            With the operator's key: the address of the mailbox to open.
          </span>
        </div>
        <button class="primary">Open the mailbox</button>
      </form>
    </section>
  );
}

const LISTS = [
  { name: "inbox", label: "Inbox", icon: "inbox" },
  { name: "sent", label: "Sent", icon: "send" },
  { name: "threads", label: "Threads", icon: "thread" },
] as const;

/** `owner`: not for the key of a temporary mailbox. */
const SCREENS = [
  { name: "rules", label: "Rules", icon: "rules", owner: false },
  { name: "refused", label: "Refused", icon: "ban", owner: false },
  { name: "webhooks", label: "Webhooks", icon: "webhook", owner: true },
  { name: "routes", label: "Label routes", icon: "label", owner: true },
  { name: "suppressions", label: "Suppressions", icon: "hidden", owner: true },
  { name: "keys", label: "Keys", icon: "key", owner: true },
  { name: "settings", label: "Settings", icon: "settings", owner: false },
] as const;

function Viewer() {
  return (
    <div
      class="viewer"
      data-part="viewer"
      data-html={urlOfStatic("html.js")}
      data-screens={urlOfStatic("screens.js")}
      data-write={urlOfStatic("write.js")}
      hidden
    >
      <Side />
      <div class="content">
        <div data-part="notices"></div>
        <div class="panes" data-part="panes">
          <section class="list" aria-label="Mails">
            <form role="search" class="search keyed" data-part="search" method="post">
              <label class="sr" for="query">
                Search this mailbox
              </label>
              <Icon name="search" />
              <input
                id="query"
                type="search"
                role="combobox"
                aria-expanded="false"
                aria-controls="suggestions"
                aria-autocomplete="list"
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                placeholder="Search"
                aria-keyshortcuts="/"
              />
              <kbd aria-hidden="true">/</kbd>
              <ul id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
            </form>
            <div class="list-bar" data-part="bar"></div>
            <div class="lines" data-part="list" tabindex={-1}></div>
          </section>
          <section class="reading" data-part="reading" aria-label="Reading" tabindex={-1}></section>
        </div>
      </div>
    </div>
  );
}

/** Whose mailbox it is, and the ways to its parts: beside the panes on a desk, above them on a telephone. */
function Side() {
  return (
    <div class="side">
      <div class="whose">
        <strong class="break" data-part="address"></strong>
        <p class="row">
          <span class="badge" data-part="connection">
            Opening
          </span>
          <span data-part="copy-address"></span>
        </p>
      </div>
      <a class="button primary" href="#/compose" data-part="compose">
        <Icon name="compose" />
        Compose
      </a>
      <div class="ways">
        <nav aria-label="Lists">
          {LISTS.map(({ name, label, icon }) => (
            <a href={`#/${name}`} data-list={name}>
              <Icon name={icon} />
              {label}
              {name === "inbox" ? <span class="unread-count" data-part="unread"></span> : null}
            </a>
          ))}
        </nav>
        <nav class="labels" aria-label="Labels" data-part="labels"></nav>
        <nav class="screens" aria-label="This mailbox">
          {SCREENS.map(({ name, label, icon, owner }) => (
            <a href={`#/${name}`} data-screen={name} data-owner={owner ? "" : undefined}>
              <Icon name={icon} />
              {label}
            </a>
          ))}
          <button type="button" class="quiet" data-part="show-keys">
            <Icon name="keyboard" />
            Keyboard
          </button>
          <button type="button" class="quiet" data-part="sign-out">
            <Icon name="sign-out" />
            Sign out
          </button>
        </nav>
      </div>
    </div>
  );
}

const KEYS = [
  [["j", "k"], "The next mail, the mail before"],
  [["Enter"], "Open the mail that has the focus"],
  [["u", "Esc"], "Back to the list"],
  [["r", "a", "f"], "Reply, reply to all, forward"],
  [["c"], "Write a mail"],
  [["Ctrl Enter"], "Send what you write"],
  [["m"], "Mark as unread, or read"],
  [["e", "#"], "Delete, after a question"],
  [["/"], "Search"],
  [["g i", "g s", "g t"], "Go to Inbox, Sent, Threads"],
  [["g r", "g w", "g k"], "Go to Rules, Webhooks, Keys"],
  [["?"], "These keys"],
] as const;

function KeyList() {
  return (
    <Dialog part="keys" id="keys" title="Keyboard" actions={<button class="primary">Close</button>}>
      <dl class="facts keys">
        {KEYS.map(([keys, about]) => (
          <>
            <dt>
              {keys.map((key) => (
                <kbd>{key}</kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
