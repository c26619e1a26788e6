import { PRODUCT_NAME } from "../contract/product.ts";
import { configOf, type Config } from "../config/env.ts";
import { claimPageUrl, claimSecrets } from "../service/claims.ts";
import { originOf, type AppContext } from "../http/dispatch.ts";
import { pageHeaders } from "./policy.ts";
import { pageResponse } from "./shell.tsx";

/** What this deployment is, for a person who comes by; or the page of a claim, where a client sends its user here with one. */
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
          An agent gets an address at <span class="mono break">{mailDomain}</span>, receives mail there, reads
          it and answers, over an API. People come in where a person is needed:
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

/** To the page that bears the device code: the session id redeems the key, and must not stay in the address bar. */
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
  { path: "/docs", name: "Build on it", about: "The reference of the API, to read and to try." },
] as const;
