import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { PRODUCT_NAME, VERSION } from "../contract/product.ts";
import { pageHeaders, type Policy } from "./policy.ts";
import { urlOfStatic, type Sheet, type StaticName } from "./static-files.ts";

/** A page's contents, and what surrounds them. */
export interface PageFrame {
  /** The window's title. Browsers show it in histories, so it contains no secret. */
  title: string;
  /** The entry of the menu for this page. */
  place?: Place;
  /** The link of that entry; by default its path. */
  placePath?: string;
  /** A single column, for text and forms. */
  narrow?: boolean;
  /** Fills the window; its parts scroll by themselves. */
  app?: boolean;
  /** The only style sheet, which contains the common one; by default that. */
  sheet?: Sheet;
  /** Scripts, run in this order after the page is parsed. */
  scripts?: readonly StaticName[];
  /** Additions to the policy of every page. */
  policy?: Policy;
  /** 200 by default. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The contents of `<main>`. Texts are escaped; URLs in `href` and `src` must be of this origin. */
  children: Child;
}

const MENU = [
  { path: "/mailbox", name: "Mailbox" },
  { path: "/operator", name: "Operator" },
  { path: "/docs", name: "Docs" },
] as const;

type Place = (typeof MENU)[number]["path"];

/** Answers with a page: the common header and footer around `children`. */
export async function pageResponse(frame: PageFrame): Promise<Response> {
  const page = await html`<!doctype html>${<Shell {...frame} />}`;
  const headers = { ...pageHeaders(frame.policy), ...frame.headers };
  return new Response(page.toString(), { status: frame.status ?? 200, headers });
}

function Shell(frame: PageFrame) {
  const { title, place, placePath, narrow = false, app = false, scripts = [], children } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === PRODUCT_NAME ? title : `${title} – ${PRODUCT_NAME}`}</title>
        <link rel="icon" type="image/svg+xml" href={urlOfStatic("icon.svg")} />
        <link rel="stylesheet" href={urlOfStatic(frame.sheet ?? "main.css")} />
        {scripts.map((name) => (
          <script defer src={urlOfStatic(name)}></script>
        ))}
      </head>
      <body class={app ? "app" : undefined}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <svg viewBox="0 0 32 32" aria-hidden="true">
              <rect x="2" y="6" width="28" height="20" rx="4" />
              <path d="m6 11 10 8 10-8" />
            </svg>
            {PRODUCT_NAME}
          </a>
          <nav aria-label="Pages">
            {MENU.map(({ path, name }) => (
              <a
                href={path === place ? (placePath ?? path) : path}
                aria-current={path === place ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        </header>
        <main id="main" class={narrow ? "narrow" : undefined} tabindex={-1}>
          {children}
        </main>
        {app ? null : (
          <footer class="foot">
            {PRODUCT_NAME} {VERSION}
          </footer>
        )}
      </body>
    </html>
  );
}
