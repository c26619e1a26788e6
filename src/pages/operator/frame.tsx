import type { Child, PropsWithChildren } from "hono/jsx";
import { STATUS, type Problem } from "../../contract/problem.ts";
import type { Config } from "../../config/env.ts";
import { ButtonLink } from "../components/button-link.tsx";
import { Notice, type Kind } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { pageResponse } from "../shell.tsx";
import type { ConsoleLinks } from "./links.ts";

/** A request of the signed-in operator. The form of a POST has been verified to come from the console. */
export interface ConsoleCall {
  env: Env;
  config: Config;
  query: URLSearchParams;
  form: URLSearchParams;
  /** The form token, which each form contains. */
  token: string;
  /** URLs of the console's pages in this session. */
  links: ConsoleLinks;
}

/** A message to the operator, above the page. */
export interface ConsoleNotice {
  kind: Kind;
  text: Child;
}

export interface ConsoleFrame {
  title: string;
  /** The heading, where it differs from the title. */
  heading?: Child;
  /** The sentence below the heading. */
  about?: Child;
  /** Beside the heading. */
  actions?: Child;
  tab?: (typeof TABS)[number]["name"];
  notice?: ConsoleNotice | null;
  status?: number;
  children: Child;
}

const TABS = [
  { name: "Overview", path: (links: ConsoleLinks) => links.overview() },
  { name: "Mailboxes", path: (links: ConsoleLinks) => links.mailboxes() },
  { name: "Outbox", path: (links: ConsoleLinks) => links.outbox },
  { name: "Webhooks", path: (links: ConsoleLinks) => links.webhooks() },
  { name: "Refusals", path: (links: ConsoleLinks) => links.refusals() },
  { name: "Halted", path: (links: ConsoleLinks) => links.halted() },
  { name: "Doctor", path: (links: ConsoleLinks) => links.doctor },
  { name: "Settings", path: (links: ConsoleLinks) => links.settings },
] as const;

/**
 * With `no-referrer` a browser sends `Origin: null` with our own forms, which are then refused. Other origins get no referrer
 * with `same-origin` either.
 */
export const FORM_HEADERS = { "Referrer-Policy": "same-origin" };

/** A page of the console. */
export function consolePage(call: ConsoleCall, frame: ConsoleFrame): Promise<Response> {
  return pageResponse({
    title: `${frame.title} – Operator`,
    place: "/operator",
    placePath: call.links.overview(),
    sheet: "operator.css",
    scripts: ["operator.js"],
    status: frame.status,
    headers: FORM_HEADERS,
    children: (
      <div class="console">
        <div class="places">
          <nav aria-label="Console">
            {TABS.map(({ name, path }) => (
              <a href={path(call.links)} aria-current={name === frame.tab ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <Form call={call} action={call.links.signOut}>
            <button class="quiet">Sign out</button>
          </Form>
        </div>
        <div class="panel">
          {frame.notice ? <NoticeBox {...frame.notice} /> : null}
          <PageHead title={frame.heading ?? frame.title} actions={frame.actions}>
            {frame.about}
          </PageHead>
          {frame.children}
        </div>
      </div>
    ),
  });
}

/** A form that changes something. It contains the form token of this session. */
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

/** The message that answers what the operator did. */
export function NoticeBox({ kind, text }: ConsoleNotice) {
  return (
    <Notice kind={kind} role={kind === "bad" ? "alert" : "status"}>
      {text}
    </Notice>
  );
}

/** Answers with a page that explains a problem. */
export function problemPage(call: ConsoleCall, problem: Problem): Promise<Response> {
  const { title, hint } = WORDS[problem.code] ?? { title: "The request failed", hint: null };
  return consolePage(call, {
    title,
    status: STATUS[problem.code],
    children: (
      <>
        <p>{problem.error}.</p>
        {hint === null ? null : <p>{hint}</p>}
        <p class="actions">
          <ButtonLink href={call.links.mailboxes()}>All mailboxes</ButtonLink>
        </p>
      </>
    ),
  });
}

/** Title and next step for a problem, by its code. */
const WORDS: { [Code in Problem["code"]]?: { title: string; hint: string | null } } = {
  not_found: {
    title: "Not found",
    hint: "It may have been erased, or the URL may be incomplete. Look for it in the list.",
  },
  invalid: { title: "Invalid request", hint: "Go back, correct it and try again." },
  unavailable: { title: "Temporarily unavailable", hint: "Try again in a few seconds." },
};
