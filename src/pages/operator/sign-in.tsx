import { configOf } from "../../config/env.ts";
import { isOperatorKey } from "../../http/caller.ts";
import { CONSOLE, withToken } from "../../http/console-path.ts";
import { beginSession } from "../../http/operator-session.ts";
import { urlOf } from "../../http/request-url.ts";
import { isSameOrigin } from "../../http/same-origin.ts";
import { countBadKey } from "../../http/bad-keys.ts";
import { pageResponse } from "../shell.tsx";
import type { StaticName } from "../static-files.ts";
import { readForm } from "./form.ts";
import { FORM_HEADERS, NoticeBox, type ConsoleNotice } from "./frame.tsx";
import { seeOther, signInLink, wantedPage } from "./links.ts";

/**
 * GET /operator/sign-in?next=…: asks for the operator's key. If the browser is signed in already, the page's script goes on to
 * `next`: it has the page token, which the URL leaves out.
 */
export function signInPage(request: Request, env: Env): Promise<Response> {
  const query = urlOf(request).searchParams;
  const isDone = query.get("done") === "signed-out";
  return askForKey(env, {
    next: wantedPage(query.get("next")),
    status: 200,
    scripts: ["sign-in.js"],
    notice: isDone ? { kind: "good", text: "You are signed out." } : null,
  });
}

/** POST /operator/sign-in: starts a session if the key is right. Wrong keys count like those of the API. */
export async function signIn(request: Request, env: Env): Promise<Response> {
  const config = configOf(env);
  if (!isSameOrigin(request, config)) return foreignForm();
  const form = await readForm(request);
  const next = wantedPage(form?.get("next") ?? null);
  const key = form?.get("key")?.trim() ?? "";
  if (key === "") return askForKey(env, { next, status: 400, fault: "Enter the operator key." });
  if (isOperatorKey(key, config)) {
    const { cookie, pageToken } = beginSession(request, config);
    return seeOther(withToken(next, pageToken), { "Set-Cookie": cookie });
  }
  const tooMany = await countBadKey(request, env, config);
  if (tooMany === null) {
    return askForKey(env, {
      next,
      status: 403,
      fault: "This is not the operator key of this deployment. Keys of mailboxes (mk_…) do not open it.",
    });
  }
  const seconds = tooMany.retryAfterSeconds ?? 60;
  return askForKey(env, {
    next,
    status: 429,
    headers: { "Retry-After": String(seconds) },
    fault: `Too many wrong keys came from your address. Try again in ${seconds} seconds.`,
  });
}

/** Answers a form that was sent after its session ended. Nothing was changed. */
export function signInAgain(env: Env): Promise<Response> {
  return askForKey(env, {
    next: CONSOLE,
    status: 403,
    notice: { kind: "warn", text: "You are signed out, so nothing was changed. Sign in and do it again." },
  });
}

/** Answers a form of another site, or an incomplete form. */
export function foreignForm(): Promise<Response> {
  return pageResponse({
    title: "Refused",
    place: "/operator",
    narrow: true,
    status: 403,
    headers: FORM_HEADERS,
    children: (
      <>
        <h1>This form did not come from the console</h1>
        <p>Nothing was changed: the form was sent by another site, or by a page that is no longer current.</p>
        <p class="actions">
          <a class="button" href={CONSOLE}>
            Open the console
          </a>
        </p>
      </>
    ),
  });
}

interface Asking {
  next: string;
  status: number;
  notice?: ConsoleNotice | null;
  /** Why the key was refused. */
  fault?: string;
  headers?: Record<string, string>;
  scripts?: readonly StaticName[];
}

function askForKey(env: Env, asking: Asking): Promise<Response> {
  const { operatorDigest } = configOf(env);
  return pageResponse({
    title: "Sign in – Operator",
    place: "/operator",
    narrow: true,
    status: asking.status,
    scripts: asking.scripts,
    headers: { ...FORM_HEADERS, ...asking.headers },
    children: (
      <>
        <h1>Sign in as the operator</h1>
        {asking.notice ? <NoticeBox {...asking.notice} /> : null}
        {operatorDigest === null ? <NoOperator /> : <KeyForm {...asking} />}
      </>
    ),
  });
}

function NoOperator() {
  return (
    <>
      <p>This deployment has no operator: no operator key is set, so nobody can sign in.</p>
      <p>
        Set the secret <code>AUTH_TOKEN</code> to at least 32 characters, as with{" "}
        <code>npx wrangler secret put AUTH_TOKEN</code>, and come back.
      </p>
    </>
  );
}

function KeyForm({ next, fault }: Asking) {
  return (
    <form method="post" action={signInLink()}>
      <input type="hidden" name="next" value={next} />
      <div class={fault === undefined ? "field" : "field wrong"}>
        <label for="key">Operator key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          aria-describedby={fault === undefined ? "key-hint" : "key-error key-hint"}
          aria-invalid={fault === undefined ? undefined : "true"}
        />
        {fault === undefined ? null : (
          <span class="error" id="key-error" role="alert">
            {fault}
          </span>
        )}
        <span class="hint" id="key-hint">
          The value of <code>AUTH_TOKEN</code>. <code>npm start</code> creates one and stores it as{" "}
          <code>auth_token</code> in <code>secrets.json</code> in the data folder.
        </span>
      </div>
      <p class="muted small">You stay signed in on this browser for 12 hours. This uses one cookie.</p>
      <div class="actions">
        <button class="primary">Sign in</button>
      </div>
    </form>
  );
}
