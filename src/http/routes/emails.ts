import { invalid, type Answer } from "../../contract/problem.ts";
import { done } from "../../lib/outcome.ts";
import { ignoredText, json, jsonResponse, respond } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { openEmail, openRaw, type Asked } from "../message-source.ts";

export const emailHandlers: Pick<
  Handlers,
  | "inbox"
  | "search"
  | "email"
  | "emailByQuery"
  | "rawEmail"
  | "labelEmail"
  | "deleteEmail"
  | "deleteEmailByQuery"
> = {
  async inbox({ mailbox, access, input, ignored }) {
    const { query, mode, ...filters } = input.query;
    const note = noteOf(ignored);
    if (query !== null) {
      const found = await mailbox.search(
        access,
        { ...filters, query, mode },
        { text: query, mode: mode || "keyword", note },
      );
      return found.ok ? done(jsonResponse(found.value)) : found;
    }
    const page = await mailbox.inbox(access, input.query);
    return page.ok ? done(jsonResponse(withHint(page.value, note))) : page;
  },

  async search({ mailbox, access, input, ignored }) {
    const { q, ...filters } = input.query;
    const text = filters.query ?? q;
    const asked =
      text === null ? { ...access, fault: invalid("query", "is required (or its alias q)") } : access;
    const wanted = { text: text ?? "", mode: filters.mode || "hybrid", note: noteOf(ignored) };
    const found = await mailbox.search(asked, filters, wanted);
    return found.ok ? done(jsonResponse(found.value)) : found;
  },

  email: ({ input, ...asked }) => showEmail(asked, input.params.id),
  emailByQuery: ({ input, ...asked }) => showEmail(asked, input.query.id),

  async rawEmail({ env, mailbox, access, input }) {
    const source = await mailbox.raw(access, input.params.id);
    if (!source.ok) return source;
    const opened = await openRaw(env, mailbox, source.value);
    if (!opened.ok) return opened;
    const headers = {
      "Content-Type": "message/rfc822",
      "Content-Length": String(source.value.sizeBytes),
      "Content-Disposition": 'attachment; filename="message.eml"',
      "Content-Security-Policy": "default-src 'none'; sandbox",
    };
    return done(respond(opened.value, 200, headers));
  },

  async labelEmail({ env, mailbox, access, input }) {
    const { add_labels: add = [], remove_labels: remove = [] } = input.body;
    const email = await mailbox.relabel(access, input.params.id, { add, remove });
    return email.ok ? done(jsonResponse(openEmail({ env, mailbox, access }, email.value))) : email;
  },

  deleteEmail: ({ input, ...asked }) => eraseEmail(asked, input.params.id),
  deleteEmailByQuery: ({ input, ...asked }) => eraseEmail(asked, input.query.id),
};

/** The hint that names ignored parameters; "" if there are none. */
function noteOf(ignored: readonly string[]): string {
  return ignored.length === 0 ? "" : `Unknown parameters were ignored: ${ignoredText(ignored)}`;
}

/** Adds a hint to the JSON of a page that has none. */
function withHint(page: string, hint: string): string {
  return hint === "" ? page : `{"hint":${JSON.stringify(hint)},${page.slice(1)}`;
}

async function showEmail(asked: Asked, id: string): Promise<Answer<Response>> {
  const email = await asked.mailbox.readEmail(asked.access, id);
  return email.ok ? done(jsonResponse(openEmail(asked, email.value))) : email;
}

async function eraseEmail({ mailbox, access }: Asked, id: string): Promise<Answer<Response>> {
  const deleted = await mailbox.deleteEmail(access, id);
  return deleted.ok ? done(json(deleted.value)) : deleted;
}
