import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { PRODUCT_NAME, VERSION } from "../contract/product.ts";
import { pageHeaders, type Policy } from "./policy.ts";
import { urlOfStatic, type StaticName } from "./static-files.ts";

/** What a page is, around its contents. */
export interface PageFrame {
  /** Of the window; it stands in histories and tab lists, so nothing secret. */
  title: string;
  /** The place of the menu that this page is. */
  place?: Place;
  /** Where the menu leads for that place; its path unless said. */
  placePath?: string;
  /** A single column, for text and forms. */
  narrow?: boolean;
  /** Beside the sheet of every page. */
  styles?: readonly StaticName[];
  /** Run once the page is parsed, in this order. */
  scripts?: readonly StaticName[];
  /** What the page may do besides what every page may. */
  policy?: Policy;
  /** 200 unless said. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** What `<main>` holds. Texts are escaped; an address for `href` or `src` must be one of ours. */
  children: Child;
}

const MENU = [
  { path: "/mailbox", name: "Mailbox" },
  { path: "/operator", name: "Operator" },
  { path: "/docs", name: "API" },
] as const;

type Place = (typeof MENU)[number]["path"];

/** Answers with a page: the frame that all have in common, around `children`. */
export async function pageResponse(frame: PageFrame): Promise<Response> {
  const page = await html`<!doctype html>${<Shell {...frame} />}`;
  const headers = { ...pageHeaders(frame.policy), ...frame.headers };
  return new Response(page.toString(), { status: frame.status ?? 200, headers });
}

function Shell(frame: PageFrame) {
  const { title, place, placePath, narrow = false, styles = [], scripts = [], children } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === PRODUCT_NAME ? title : `${title} – ${PRODUCT_NAME}`}</title>
        <link rel="icon" type="image/svg+xml" href={urlOfStatic("icon.svg")} />
        {["main.css" as const, ...styles].map((name) => (
          <link rel="stylesheet" href={urlOfStatic(name)} />
        ))}
        {scripts.map((name) => (
          <script defer src={urlOfStatic(name)}></script>
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
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
        <footer class="foot">
          {PRODUCT_NAME} {VERSION}
        </footer>
      </body>
    </html>
  );
}
