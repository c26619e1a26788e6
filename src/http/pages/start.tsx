import { PRODUCT_NAME } from "../../contract/product.ts";
import type { AppContext } from "../dispatch.ts";
import { configOf } from "../../env.ts";
import { pageResponse } from "./shell.tsx";

/** What this deployment is, for a person who comes by. */
export function startPage(c: AppContext): Promise<Response> {
  const { mailDomain } = configOf(c.env);
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
