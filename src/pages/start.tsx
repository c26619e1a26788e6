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
  const session = c.req.query("session");
  if (session !== undefined) return toClaim(session, originOf(c, config), config);
  return pageResponse({
    title: PRODUCT_NAME,
    narrow: true,
    children: (
      <>
        <h1>Mailboxes for software agents</h1>
        <p>
          An agent gets an address at <span class="mono break">{mailDomain}</span>, receives, reads and sends
          mail over an API. These pages are for people:
        </p>
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
