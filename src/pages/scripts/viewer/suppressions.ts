import type { Suppression } from "../../../contract/sending.ts";
import { make } from "../lib/dom.ts";
import { doing } from "../lib/form.ts";
import { Latest } from "../lib/latest.ts";
import { exactTime, line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";

const PAGE_ADDRESSES = 50;

const REASONS: Readonly<Record<Suppression["reason"], string>> = {
  bounce: "Mail to it was rejected",
  complaint: "The recipient reported mail as spam",
};

/** The addresses to which nothing is sent any more, until they are allowed again. */
export async function suppressionsView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const rows = make("ul", { class: "rows" });
  const said = make("div");
  const none = make("p", { class: "empty", hidden: true }, "No address is suppressed.");
  let cursor: string | null = null;
  let next: string | null = null;
  const latest = new Latest();
  const show = async (from: string | null): Promise<void> => {
    const isLatest = latest.ask();
    const query = { limit: PAGE_ADDRESSES, ...(from === null ? {} : { cursor: from }) };
    const page = await context.client.suppressions.list(query, { signal });
    if (!isLatest()) return;
    cursor = from;
    next = page.next_cursor;
    rows.replaceChildren(...page.suppressions.map((one) => row(one, () => tried(() => forgive(one)))));
    rows.hidden = page.suppressions.length === 0;
    none.hidden = !rows.hidden;
    newest.hidden = cursor === null;
    older.hidden = next === null;
  };
  const tried = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      const notice = failureNotice(error);
      if (notice !== null) said.replaceChildren(notice);
    }
  };
  const forgive = async ({ address }: Suppression): Promise<void> => {
    await context.client.suppressions.delete(address);
    const text = `Mail to ${line(address)} is sent again.`;
    said.replaceChildren(make("p", { class: "notice good break", role: "status" }, text));
    await show(cursor);
  };
  const newest = doing("Newest", () => tried(() => show(null)));
  const older = doing("Older", () => tried(() => show(next)));
  await show(null);
  return make(
    "div",
    { class: "settings" },
    make("h2", { tabindex: "-1" }, "Suppressions"),
    make("p", { class: "muted" }, "Nothing is sent to these addresses, because earlier mail to them failed."),
    said,
    rows,
    none,
    make("div", { class: "actions" }, newest, older),
  );
}

function row({ address, reason, created_at }: Suppression, forgive: () => Promise<void>): HTMLElement {
  return make(
    "li",
    { class: "file" },
    make(
      "div",
      { class: "about" },
      make("span", { class: "mono break" }, line(address)),
      make("span", { class: "muted small" }, `${REASONS[reason]}, ${exactTime(created_at)}`),
    ),
    doing("Allow again", forgive),
  );
}
