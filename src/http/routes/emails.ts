import { invalid, type Answer } from "../../contract/problem.ts";
import type { Email, InboxPage, SearchPage } from "../../contract/message.ts";
import type { emailRoutes } from "../../contract/routes/emails.ts";
import type { InboxFilters } from "../../contract/routes.ts";
import { done } from "../../lib/outcome.ts";
import type { JsonText } from "../../mailbox/messages/present.ts";
import type { SearchRequest } from "../../mailbox/search/search.ts";
import { counted } from "../../service/access.ts";
import { freshStub } from "../../service/mailbox-stub.ts";
import { openEmail, openRaw, type MailboxAccess } from "../../service/message-source.ts";
import { Wait, Waiting } from "../../service/wait.ts";
import { Bytes, ignoredText, type Json } from "../answers.ts";
import type { HandlersOf } from "../call.ts";
import { isStorageFault } from "../faults.ts";

export const emailHandlers = {
  async inbox({ input, ignored, ...to }) {
    const { query, mode, ...filters } = input.query;
    const note = noteOf(ignored);
    if (query !== null) {
      const options = { text: query, mode: mode || "keyword", note };
      return search(to, { ...filters, query, mode }, options);
    }
    const list = async (waitId?: string): Promise<Answer<JsonText<InboxPage>>> => {
      const page = await to.mailbox.inbox(to.access, input.query, waitId);
      return page.ok ? done(withHint(page.value, note)) : page;
    };
    // Pages that need no scan are asked for most often.
    const { from, to: recipient, subject, has_attachment } = filters;
    const isScan = [from, recipient, subject, has_attachment].some((filter) => filter !== null);
    return isScan ? done(new Waiting(new Wait(to, to.request.signal, to.waitTag), list)) : list();
  },

  async search({ access, input, ignored, ...to }) {
    const { q, ...filters } = input.query;
    const text = filters.query ?? q;
    const judged =
      text === null ? { ...access, fault: invalid("query", "is required (or its alias q)") } : access;
    const options = { text: text ?? "", mode: filters.mode || "hybrid", note: noteOf(ignored) };
    return search({ ...to, access: judged }, filters, options);
  },

  email: ({ input, ...to }) => showEmail(to, input.params.id),
  emailByQuery: ({ input, ...to }) => showEmail(to, input.query.id),

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
    return done(new Bytes(200, opened.value, headers));
  },

  async labelEmail({ env, mailbox, access, input }) {
    const { add_labels: add = [], remove_labels: remove = [] } = input.body;
    const email = await mailbox.relabel(access, input.params.id, { add, remove });
    return email.ok ? done(openEmail({ env, mailbox, access }, email.value)) : email;
  },
} satisfies HandlersOf<typeof emailRoutes>;

/**
 * Searches. A search of a large mailbox writes rows and rolls them back, which fails on a full disk: then it is repeated without
 * them.
 */
async function search(
  { request, waitTag, ...to }: MailboxAccess & { request: Request; waitTag?: string },
  filters: InboxFilters,
  wanted: SearchRequest,
): Promise<Answer<Waiting<JsonText<SearchPage>>>> {
  const { env, mailbox, access } = to;
  const wait = new Wait(to, request.signal, waitTag);
  return done(
    new Waiting(wait, async (waitId) => {
      const asked = { ...wanted, waitId };
      try {
        return await mailbox.search(access, filters, asked);
      } catch (error) {
        if (!isStorageFault(error)) throw error;
        return freshStub(env, mailbox).search(counted(access), filters, { ...asked, isReadOnly: true });
      }
    }),
  );
}

/** The hint that names ignored parameters; "" if there are none. */
function noteOf(ignored: readonly string[]): string {
  return ignored.length === 0 ? "" : `Unknown parameters were ignored: ${ignoredText(ignored)}`;
}

/** Adds a hint to the JSON of a page that has none. */
function withHint(page: string, hint: string): string {
  return hint === "" ? page : `{"hint":${JSON.stringify(hint)},${page.slice(1)}`;
}

async function showEmail(to: MailboxAccess, id: string): Promise<Answer<Json<Email>>> {
  const email = await to.mailbox.readEmail(to.access, id);
  return email.ok ? done(openEmail(to, email.value)) : email;
}
