import type { EmailPage } from "../contract/message.ts";
import type { Answer } from "../contract/problem.ts";
import type { InboxFilters } from "../contract/routes.ts";
import { done } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { JsonText, View } from "./present.ts";
import { inboxPage, isNewestPage } from "./reading.ts";

/** The page that agents ask for again and again, kept as text until something changes. */
export class NewestPage {
  #kept: { limit: number; text: JsonText<EmailPage> } | null = null;

  /** A page of the inbox; the newest one is read once between two changes. */
  read(db: Database, view: View, filters: InboxFilters): Answer<JsonText<EmailPage>> {
    const isNewest = isNewestPage(filters);
    if (isNewest && this.#kept?.limit === filters.limit) return done(this.#kept.text);
    const page = inboxPage(db, view, filters);
    if (isNewest && page.ok) this.#kept = { limit: filters.limit, text: page.value };
    return page;
  }

  /** Called with every change of a message. */
  forget(): void {
    this.#kept = null;
  }
}
