import { accepts } from "hono/accepts";
import type { AppContext } from "../http/dispatch.ts";
import { pageResponse } from "./shell.tsx";

/**
 * Whether somebody opened an address in a browser: its Accept names HTML, and not JSON before it (RFC 9110 §12.5.1). Programs
 * name JSON, anything at all, or nothing.
 */
export function isOpenedByPerson(c: AppContext): boolean {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const supports = ["application/json", "text/html"];
  return isRead && accepts(c, { header: "Accept", supports, default: "application/json" }) === "text/html";
}

/** 404 for a person. What was asked for is not repeated: the page says nothing that a link could put into it. */
export function notFoundPage(): Promise<Response> {
  return pageResponse({
    title: "Not found",
    narrow: true,
    status: 404,
    children: (
      <>
        <h1>There is no page here</h1>
        <p>The address in the browser may be mistyped, or not whole.</p>
        <p class="actions">
          <a class="button primary" href="/">
            To the start
          </a>
          <a class="button" href="/docs">
            Reference of the API
          </a>
        </p>
      </>
    ),
  });
}
