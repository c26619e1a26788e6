import type { Child, PropsWithChildren } from "hono/jsx";
import { STATUS, type Problem } from "../../contract/problem.ts";
import type { Config } from "../../config/env.ts";
import { pageResponse } from "../shell.tsx";
import type { ConsoleLinks } from "./links.ts";

/** A request of the operator, who is signed in; a POST has a form that proved to be ours. */
export interface ConsoleCall {
  env: Env;
  config: Config;
  query: URLSearchParams;
  form: URLSearchParams;
  /** What every form carries. */
  token: string;
  /** Where the pages are in this session. */
  links: ConsoleLinks;
}

/** A message to the operator, above the page. */
export interface Notice {
  kind: "good" | "bad" | "warn" | "info";
  text: Child;
}

export interface ConsoleFrame {
  title: string;
  tab?: (typeof TABS)[number]["name"];
  notice?: Notice | null;
  status?: number;
  children: Child;
}

const TABS = [
  { name: "Mailboxes", path: (links: ConsoleLinks) => links.mailboxes() },
  { name: "Webhooks", path: (links: ConsoleLinks) => links.webhooks() },
  { name: "Outbox", path: (links: ConsoleLinks) => links.outbox },
  { name: "Settings", path: (links: ConsoleLinks) => links.settings },
] as const;

/**
 * With `no-referrer` a browser would say of our own forms that they come from nowhere. Other origins learn nothing from this
 * either.
 */
export const FORM_HEADERS = { "Referrer-Policy": "same-origin" };

/** A page of the console. */
export function consolePage(call: ConsoleCall, frame: ConsoleFrame): Promise<Response> {
  return pageResponse({
    title: `${frame.title} – Operator`,
    place: "/operator",
    placePath: call.links.mailboxes(),
    styles: ["operator.css"],
    scripts: ["operator.js"],
    status: frame.status,
    headers: FORM_HEADERS,
    children: (
      <>
        <div class="tabs">
          <nav aria-label="Console">
            {TABS.map(({ name, path }) => (
              <a href={path(call.links)} aria-current={name === frame.tab ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <Form call={call} action={call.links.signOut}>
            <button class="plain">Sign out</button>
          </Form>
        </div>
        {frame.notice ? <NoticeBox {...frame.notice} /> : null}
        {frame.children}
      </>
    ),
  });
}

/** A form that changes something: it carries what proves that a page of this session made it. */
export function Form({
  call,
  action,
  children,
}: PropsWithChildren<{ call: Pick<ConsoleCall, "token">; action: string }>) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={call.token} />
      {children}
    </form>
  );
}

export function NoticeBox({ kind, text }: Notice) {
  return (
    <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
      <p>{text}</p>
    </div>
  );
}

/** Says that what was asked for is not there, or cannot be done. */
export function problemPage(call: ConsoleCall, problem: Problem): Promise<Response> {
  const { title, hint } = WORDS[problem.code] ?? { title: "That did not work", hint: null };
  return consolePage(call, {
    title,
    status: STATUS[problem.code],
    children: (
      <>
        <h1>{title}</h1>
        <p>{problem.error}.</p>
        {hint === null ? null : <p>{hint}</p>}
        <p class="actions">
          <a class="button" href={call.links.mailboxes()}>
            All mailboxes
          </a>
        </p>
      </>
    ),
  });
}

/** What the reader can do about a problem. */
const WORDS: { [Code in Problem["code"]]?: { title: string; hint: string | null } } = {
  not_found: {
    title: "Not found",
    hint: "It may have been erased, or the address in the browser is not whole. Look for it in the list.",
  },
  invalid: { title: "That was not understood", hint: "Go back, correct it and try again." },
  unavailable: { title: "Not to be had now", hint: "Try again in a few seconds." },
};
