import { HonoBase } from "hono/hono-base";
import { PatternRouter } from "hono/router/pattern-router";
import { getPath } from "hono/utils/url";
import { notFound } from "../../contract/problem.ts";
import { configOf } from "../../config/env.ts";
import { CONSOLE, consolePathOf } from "../../http/console-path.ts";
import { endSession, formToken, isFormToken, pageToken, readSession } from "../../http/operator-session.ts";
import { urlOf } from "../../http/request-url.ts";
import { isSameOrigin } from "../../http/same-origin.ts";
import { claimPage } from "../claim.tsx";
import { withoutTrailingSlash } from "../trailing-slash.ts";
import { create, createPage } from "./create.tsx";
import { doctorPage } from "./doctor.tsx";
import { readForm } from "./form.ts";
import { problemPage, type ConsoleCall } from "./frame.tsx";
import { halt, haltedPage, resumeAll } from "./halted.tsx";
import { newKey } from "./key.tsx";
import { consoleLinks, seeOther, signInLink } from "./links.ts";
import { mailboxListPage } from "./mailbox-list.tsx";
import { erase, mailboxPage, pause, resume } from "./mailbox.tsx";
import { overviewPage } from "./overview.tsx";
import { refusalsPage } from "./refusals.tsx";
import { unsentMessagePage, unsentMessageSource } from "./unsent-message.tsx";
import { mailboxOutboxPage, outboxPage } from "./outbox.tsx";
import { settingsPage } from "./settings.tsx";
import { foreignForm, signIn, signInAgain, signInPage } from "./sign-in.tsx";
import { webhooksPage } from "./webhooks.tsx";

/**
 * The operator console: pages rendered on the server, and plain forms that work without scripts. Each change is a POST that
 * comes from one of our pages (`isSameOrigin`), belongs to a session (its cookie, and its page token in the path) and contains
 * that session's form token. The routes are written without the page token.
 */
export const operatorConsole = new HonoBase<{ Bindings: Env; Variables: { call: ConsoleCall } }>({
  router: new PatternRouter(),
  getPath: (request) => consolePathOf(getPath(request)).page,
}).basePath(CONSOLE);

// Rethrown to `serveHttp`, which knows the request's id.
operatorConsole.onError((error) => {
  throw error;
});

operatorConsole.get("*", async (c, next) => withoutTrailingSlash(c.req.raw) ?? next());
operatorConsole.get("/sign-in", (c) => signInPage(c.req.raw, c.env));
operatorConsole.post("/sign-in", (c) => signIn(c.req.raw, c.env));

// Everything below requires a session.
operatorConsole.use("*", async (c, next) => {
  const request = c.req.raw;
  const config = configOf(c.env);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead && !isSameOrigin(request, config)) return foreignForm();
  const url = urlOf(request);
  const session = await readSession(request, c.env);
  if (session === null && isRead) {
    return seeOther(signInLink({ next: `${consolePathOf(url.pathname).page}${url.search}` }));
  }
  if (session === null) return signInAgain(c.env);
  const form = isRead ? new URLSearchParams() : await readForm(request);
  if (form === null || (!isRead && !isFormToken(form.get("token"), session, config))) return foreignForm();
  const token = formToken(session, config);
  const links = consoleLinks(pageToken(session, config));
  c.set("call", { env: c.env, config, query: url.searchParams, form, token, links });
  await next();
});

operatorConsole.post("/sign-out", async (c) => {
  const cookie = await endSession(c.req.raw, c.env);
  return seeOther(signInLink({ done: "signed-out" }), { "Set-Cookie": cookie });
});

operatorConsole.get("/", (c) => overviewPage(c.var.call));
operatorConsole.get("/mailboxes", (c) => mailboxListPage(c.var.call));
operatorConsole.get("/mailboxes/new", (c) => createPage(c.var.call));
operatorConsole.post("/mailboxes/new", (c) => create(c.var.call));
operatorConsole.get("/mailboxes/:address", (c) => mailboxPage(c.var.call, c.req.param("address")));
operatorConsole.post("/mailboxes/:address/key", (c) => newKey(c.var.call, c.req.param("address")));
operatorConsole.post("/mailboxes/:address/pause", (c) => pause(c.var.call, c.req.param("address")));
operatorConsole.post("/mailboxes/:address/resume", (c) => resume(c.var.call, c.req.param("address")));
operatorConsole.post("/mailboxes/:address/delete", (c) => erase(c.var.call, c.req.param("address")));
// A reload may ask with GET for the URL of a form.
operatorConsole.get("/mailboxes/:address/:action", (c) =>
  seeOther(c.var.call.links.mailbox(c.req.param("address"))),
);

operatorConsole.get("/webhooks", (c) => webhooksPage(c.var.call));
operatorConsole.get("/outbox", (c) => outboxPage(c.var.call));
operatorConsole.get("/outbox/:address", (c) => mailboxOutboxPage(c.var.call, c.req.param("address")));
operatorConsole.get("/outbox/:address/:id", (c) =>
  unsentMessagePage(c.var.call, c.req.param("address"), c.req.param("id")),
);
operatorConsole.get("/outbox/:address/:id/raw", (c) =>
  unsentMessageSource(c.var.call, c.req.param("address"), c.req.param("id")),
);
operatorConsole.get("/refusals", (c) => refusalsPage(c.var.call));
operatorConsole.get("/halted", (c) => haltedPage(c.var.call));
operatorConsole.post("/sending/halt", (c) => halt(c.var.call));
operatorConsole.post("/sending/resume", (c) => resumeAll(c.var.call));
operatorConsole.get("/sending/:action", (c) => seeOther(c.var.call.links.halted()));
operatorConsole.get("/doctor", (c) => doctorPage(c.var.call));
operatorConsole.get("/settings", (c) => settingsPage(c.var.call));
// The page of a claim. A signed-in operator may type codes without the limit on wrong ones.
operatorConsole.get("/claim", (c) => claimPage(c));

operatorConsole.all("*", (c) => problemPage(c.var.call, notFound("Page")));
