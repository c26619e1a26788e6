import { accepts } from "hono/accepts";
import type { AppContext } from "../http/dispatch.ts";
import { ButtonLink } from "./components/button-link.tsx";
import { pageResponse } from "./shell.tsx";

/**
 * Returns whether a browser asks: its `Accept` prefers HTML to JSON (RFC 9110 §12.5.1). Programs accept JSON, anything, or send
 * no `Accept`.
 */
export function isOpenedByPerson(c: AppContext): boolean {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const supports = ["application/json", "text/html"];
  return isRead && accepts(c, { header: "Accept", supports, default: "application/json" }) === "text/html";
}

/** Answers 404 with a page. It does not repeat the URL, so that a link cannot put text into it. */
export function notFoundPage(): Promise<Response> {
  return pageResponse({
    title: "Not found",
    narrow: true,
    status: 404,
    children: (
      <>
        <h1>Page not found</h1>
        <p>The URL may be mistyped or incomplete.</p>
        <p class="actions">
          <ButtonLink kind="primary" href="/">
            Start page
          </ButtonLink>
          <ButtonLink href="/docs">API reference</ButtonLink>
        </p>
      </>
    ),
  });
}
