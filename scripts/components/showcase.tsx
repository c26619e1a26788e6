// The page of all components: `scripts/components/server.ts` bundles and serves it. No deployment has it.
import type { Child } from "hono/jsx";
import { firstMinute } from "../../src/contract/first-minute.ts";
import { ButtonLink } from "../../src/pages/components/button-link.tsx";
import { CodeBlock } from "../../src/pages/components/code-block.tsx";
import { Dialog } from "../../src/pages/components/dialog.tsx";
import { Empty } from "../../src/pages/components/empty.tsx";
import { Facts } from "../../src/pages/components/facts.tsx";
import { Field } from "../../src/pages/components/field.tsx";
import { Icon } from "../../src/pages/components/icon.tsx";
import { ICONS, type IconName } from "../../src/pages/components/icons.ts";
import { Notice, type Kind } from "../../src/pages/components/notice.tsx";
import { PageHead } from "../../src/pages/components/page-head.tsx";
import { Pager } from "../../src/pages/components/pager.tsx";
import { Pastes } from "../../src/pages/components/pastes.tsx";
import { Badge, Chip } from "../../src/pages/components/signs.tsx";
import { Tabs } from "../../src/pages/components/tabs.tsx";
import { Things } from "../../src/pages/components/things.tsx";
import { pageResponse } from "../../src/pages/shell.tsx";

const KINDS: readonly Kind[] = ["good", "bad", "warn", "info"];
const ICON_NAMES = Object.keys(ICONS) as IconName[];
const SIZES = ["xs", "sm", "md", "lg", "xl"] as const;

/** The page, with the components in light and in dark. */
export function showcase(): Promise<Response> {
  return pageResponse({
    title: "Components",
    sheet: "start.css",
    children: (
      <div class="schemes">
        {(["light", "dark"] as const).map((scheme) => (
          <section class={scheme} aria-label={scheme}>
            <All scheme={scheme} />
          </section>
        ))}
      </div>
    ),
  });
}

/** Every component in every state. Ids end with the scheme, so that none is there twice. */
function All({ scheme }: Shown) {
  return (
    <>
      <Words />
      <Controls />
      <Fields scheme={scheme} />
      <Signs />
      <Data scheme={scheme} />
      <Ways scheme={scheme} />
      <Pictures scheme={scheme} />
    </>
  );
}

interface Shown {
  scheme: string;
}

function Words() {
  return (
    <>
      <Example name="PageHead">
        <PageHead
          title="Mailboxes"
          actions={
            <ButtonLink href="#" kind="primary" icon="compose">
              New
            </ButtonLink>
          }
        >
          The title of a page and its first sentence.
        </PageHead>
      </Example>
      <Example name="Text">
        {SIZES.map((size) => (
          <p class={`size-${size}`}>The size {size}</p>
        ))}
        <p class="muted">
          Muted, with <a href="#">a link</a>, <code>code</code> and <kbd>Ctrl</kbd>
        </p>
        <p class="code">BCDF-GHJK</p>
      </Example>
    </>
  );
}

function Controls() {
  return (
    <>
      <Example name="Button and ButtonLink">
        <div class="row">
          <button type="button">Plain</button>
          <button type="button" class="primary">
            Primary
          </button>
          <button type="button" class="danger">
            Danger
          </button>
          <button type="button" class="quiet">
            Quiet
          </button>
          <button type="button" disabled>
            Disabled
          </button>
          <button type="button" class="copy">
            Copy
          </button>
          <button type="button" class="icon-only" aria-label="Delete">
            <Icon name="trash" />
          </button>
          <button type="button" class="plain">
            Like a link
          </button>
          <ButtonLink href="#" icon="book">
            A link
          </ButtonLink>
        </div>
      </Example>
    </>
  );
}

function Fields({ scheme }: Shown) {
  return (
    <Example name="Field">
      <Field
        id={`empty-${scheme}`}
        label="Name"
        hint="Recipients see it."
        input={{ placeholder: "Travel Desk" }}
      />
      <Field
        id={`wrong-${scheme}`}
        label="Address"
        hint="A whole address"
        error="This is no address."
        input={{ value: "ann@" }}
      />
      <Field id={`off-${scheme}`} label="Not now" input={{ value: "fixed", disabled: true }} />
      <Field
        id={`beside-${scheme}`}
        label="Code"
        input={{ class: "mono" }}
        beside={<button type="button">Continue</button>}
      />
      <div class="keyed">
        <input type="search" placeholder="Search" aria-label="Search" />
        <kbd aria-hidden="true">/</kbd>
      </div>
    </Example>
  );
}

function Signs() {
  return (
    <>
      <Example name="Badge and Chip">
        <div class="row">
          <Badge>plain</Badge>
          {KINDS.map((kind) => (
            <Badge kind={kind}>{kind}</Badge>
          ))}
          <Chip>orders</Chip>
        </div>
      </Example>
      <Example name="Notice">
        {KINDS.map((kind) => (
          <Notice kind={kind}>
            A message: <strong>{kind}</strong>, with <a href="#">a link</a>.
          </Notice>
        ))}
      </Example>
      <Example name="Empty">
        <Empty title="No mail yet">New mail appears here automatically.</Empty>
        <Empty title="Nothing found" actions={<ButtonLink href="#">Show all</ButtonLink>}>
          Try a shorter part of the name.
        </Empty>
      </Example>
    </>
  );
}

function Data({ scheme }: Shown) {
  return (
    <>
      <Example name="Facts">
        <Facts
          of={[
            ["Address", "travel-desk@mailkeep.test"],
            ["State", <Badge kind="good">live</Badge>],
          ]}
        />
      </Example>
      <Example name="Things">
        <Things
          label={`Mailboxes, ${scheme}`}
          columns={[
            { name: "Address", href: "#", sorted: "ascending" },
            { name: "State" },
            { name: "Mails", isNumber: true },
          ]}
          rows={[
            [<a href="#">orders@mailkeep.test</a>, <Badge kind="good">live</Badge>, "1,204"],
            [<a href="#">travel-desk@mailkeep.test</a>, <Badge kind="warn">paused</Badge>, "7"],
          ]}
        />
        <Pager shown="1 to 25 of 107" first="#" next="#" />
      </Example>
    </>
  );
}

function Ways({ scheme }: Shown) {
  return (
    <>
      <Example name="Tabs">
        <Tabs
          label={`Parts, ${scheme}`}
          of={[
            { href: "#a", name: "Overview" },
            { href: "#b", name: "Outbox" },
          ]}
          current="#a"
        />
      </Example>
      <Example name="CodeBlock and Pastes">
        <CodeBlock label={`Command, ${scheme}`} text="curl -sS http://127.0.0.1:8787/llms.txt" />
        <Pastes
          name={`clients-${scheme}`}
          of={firstMinute("http://127.0.0.1:8787").map((one) => ({ ...one, id: `${one.id}-${scheme}` }))}
        />
      </Example>
    </>
  );
}

function Pictures({ scheme }: Shown) {
  return (
    <>
      <Example name="Dialog">
        <Dialog
          id={`question-${scheme}`}
          title="Erase this mailbox?"
          open
          actions={
            <>
              <button value="no">Cancel</button>
              <button value="yes" class="danger">
                Erase
              </button>
            </>
          }
        >
          <p>Its mail cannot be brought back.</p>
        </Dialog>
      </Example>
      <Example name="Icon">
        <ul class="row icons">
          {ICON_NAMES.map((name) => (
            <li>
              <Icon name={name} /> {name}
            </li>
          ))}
        </ul>
      </Example>
    </>
  );
}

function Example({ name, children }: { name: string; children?: Child }) {
  return (
    <div class="shown">
      <h2>{name}</h2>
      {children}
    </div>
  );
}
