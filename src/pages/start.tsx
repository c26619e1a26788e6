import { firstMinute, mcpHosts } from "../contract/first-minute.ts";
import { PRODUCT_NAME } from "../contract/product.ts";
import { configOf, type Config } from "../config/env.ts";
import { claimPageUrl, claimSecrets } from "../service/claims.ts";
import { originOf, type AppContext } from "../http/dispatch.ts";
import { CODE_INPUT } from "./claim.tsx";
import { Field } from "./components/field.tsx";
import { Icon } from "./components/icon.tsx";
import { Pastes } from "./components/pastes.tsx";
import { pageHeaders } from "./policy.ts";
import { pageResponse } from "./shell.tsx";

/** GET /: explains this deployment. With `?session=` it redirects to the page of that claim. */
export async function startPage(c: AppContext): Promise<Response> {
  const config = configOf(c.env);
  const { mailDomain } = config;
  const origin = originOf(c, config);
  const session = c.req.query("session");
  if (session !== undefined) return toClaim(session, origin, config);
  return pageResponse({
    title: PRODUCT_NAME,
    sheet: "start.css",
    scripts: ["start.js"],
    children: (
      <>
        <section class="beside hero">
          <div>
            <h1>Mailboxes for software agents</h1>
            <p class="lead">
              An agent gets a real address at <span class="mono break">{mailDomain}</span>. It receives and
              sends mail, waits for codes, searches, follows threads, and hears of everything live.
            </p>
            <ClaimForm />
          </div>
          <FirstMinute origin={origin} hasTemporary={config.bootstrapEnabled} />
        </section>
        <section class="beside">
          <div>
            <h2>Give it to an agent</h2>
            <p>
              Let it read <a href="/llms.txt">llms.txt</a>, or install <a href="/skill.md">skill.md</a> as a
              skill. Hosts of MCP take one block each: put the key of the mailbox where <code>mk_...</code>{" "}
              stands.
            </p>
          </div>
          <Pastes name="hosts" of={mcpHosts(origin)} />
        </section>
        <ul class="places">
          {PLACES.map(({ path, name, about, icon }) => (
            <li>
              <a href={path}>
                <Icon name={icon} />
                <strong>{name}</strong>
                <span>{about}</span>
              </a>
            </li>
          ))}
        </ul>
      </>
    ),
  });
}

/** For a person whose agent shows a code. The page of the claim says who asks for what. */
function ClaimForm() {
  return (
    <form class="card claim" method="get" action="/claim">
      <Field
        id="code"
        label="Your agent shows you a code?"
        hint="You see which mailbox it asks for, and approve or deny."
        input={{ ...CODE_INPUT, placeholder: "BCDF-GHJK" }}
        beside={<button>Continue</button>}
      />
    </form>
  );
}

function FirstMinute({ origin, hasTemporary }: { origin: string; hasTemporary: boolean }) {
  return (
    <div>
      <h2>The first code</h2>
      {hasTemporary ? (
        <>
          <p>
            Get a mailbox for 72 hours, sign up somewhere with its address, and wait for the code. It needs no
            account and no human.
          </p>
          <Pastes name="clients" of={firstMinute(origin)} />
          <p class="small muted">
            TypeScript and the command line need the package <code>mailkeep</code>, which is not published.
            They work in a clone of Mailkeep, and in a project after <code>npm install</code> of the clone’s
            folder.
          </p>
        </>
      ) : (
        <p>
          Whoever runs this deployment gives you a mailbox and its key; the reference shows how to{" "}
          <a href="/docs#code">wait for a code</a> with it.
        </p>
      )}
    </div>
  );
}

/** Redirects to the URL with the device code. The session id redeems the key, so it must not stay in the address bar. */
function toClaim(session: string, origin: string, config: Config): Response {
  const secrets = config.keySecret === null ? null : claimSecrets(session, config.keySecret);
  const headers = { ...pageHeaders(), Location: claimPageUrl(origin, secrets ?? undefined) };
  return new Response(null, { status: 303, headers });
}

const PLACES = [
  {
    path: "/mailbox",
    icon: "inbox",
    name: "Look into a mailbox",
    about: "Read and answer its mail. You need a key of the mailbox.",
  },
  {
    path: "/operator",
    icon: "settings",
    name: "Run this deployment",
    about: "Create, pause and erase mailboxes. You need the operator's key.",
  },
  {
    path: "/docs/agents",
    icon: "book",
    name: "Read the guides",
    about: "Agents, the SDK, the command line, MCP.",
  },
  {
    path: "/docs",
    icon: "source",
    name: "Build on the API",
    about: "The reference: each operation with examples, and a form to try it.",
  },
] as const;
