import { firstMinute, mcpHosts, type Example } from "../contract/first-minute.ts";
import { PRODUCT_NAME } from "../contract/product.ts";
import { configOf, type Config } from "../config/env.ts";
import { claimPageUrl, claimSecrets } from "../service/claims.ts";
import { originOf, type AppContext } from "../http/dispatch.ts";
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
    narrow: true,
    styles: ["start.css"],
    scripts: ["start.js"],
    children: (
      <>
        <h1>Mailboxes for software agents</h1>
        <p>
          An agent gets an address at <span class="mono break">{mailDomain}</span>, receives, reads and sends
          mail over an API.
        </p>
        <FirstMinute origin={origin} hasTemporary={config.bootstrapEnabled} />
        <h2>Give it to an agent</h2>
        <p>
          Let it read <a href="/llms.txt">llms.txt</a>, or install <a href="/skill.md">skill.md</a> as a
          skill. Hosts of MCP take one block each: put the key of the mailbox where <code>mk_...</code>{" "}
          stands.
        </p>
        <Examples of={mcpHosts(origin)} />
        <h2>Pages for people</h2>
        <ul class="rows">
          {PLACES.map(({ path, name, about }) => (
            <li>
              <a href={path}>
                <strong>{name}</strong>
                <br />
                <span class="muted">{about}</span>
              </a>
            </li>
          ))}
        </ul>
      </>
    ),
  });
}

function FirstMinute({ origin, hasTemporary }: { origin: string; hasTemporary: boolean }) {
  return (
    <>
      <h2>The first code</h2>
      {hasTemporary ? (
        <>
          <p>
            Get a mailbox for 72 hours, sign up somewhere with its address, and wait for the code. It needs no
            account and no human. TypeScript and the command line need the package <code>mailkeep</code>,
            which is not published: <code>npm run pack</code> in the repository of Mailkeep writes it.
          </p>
          <Examples of={firstMinute(origin)} isFirstOpen />
        </>
      ) : (
        <p>
          Whoever runs this deployment gives you a mailbox and its key; the reference shows how to{" "}
          <a href="/docs#code">wait for a code</a> with it.
        </p>
      )}
    </>
  );
}

function Examples({ of, isFirstOpen = false }: { of: readonly Example[]; isFirstOpen?: boolean }) {
  return (
    <>
      {of.map(({ id, title, about, text }, index) => (
        <details class="paste" id={id} open={isFirstOpen && index === 0}>
          <summary>{title}</summary>
          <p class="label">{about}</p>
          <pre tabindex={0} aria-label={`Example for ${title}`}>
            {text}
          </pre>
        </details>
      ))}
    </>
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
    name: "Look into a mailbox",
    about: "Read and answer its mail. You need a key of the mailbox.",
  },
  {
    path: "/operator",
    name: "Run this deployment",
    about: "Create, pause and erase mailboxes. You need the operator's key.",
  },
  {
    path: "/docs",
    name: "Build on it",
    about: "The API reference: each operation with examples, and a form to try it.",
  },
] as const;
