import type { KeyRecord } from "../../../contract/mailbox.ts";
import { copyButton } from "../lib/copy.ts";
import { confirmed } from "../lib/dialog.ts";
import { make } from "../lib/dom.ts";
import { doing } from "../lib/form.ts";
import { Latest } from "../lib/latest.ts";
import { exactTime } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { failureNotice } from "./failures.ts";

const DAY_MS = 86_400_000;

/** How long a new key lives, in days; null: until it is revoked. */
const LIFETIMES: readonly (readonly [days: number | null, text: string])[] = [
  [null, "Until it is revoked"],
  [1, "One day"],
  [30, "30 days"],
  [365, "One year"],
];

/** The keys of the mailbox: made here, and revoked. A new one is shown once. */
export async function keysView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const rows = make("ul", { class: "rows" });
  const said = make("div");
  const lifetime = make("select", { id: "key-lifetime" });
  for (const [index, [, text]] of LIFETIMES.entries()) {
    lifetime.append(make("option", { value: String(index) }, text));
  }
  const fail = (error: unknown): void => {
    const notice = failureNotice(error);
    if (notice !== null) said.replaceChildren(notice);
  };
  const latest = new Latest();
  const show = async (): Promise<void> => {
    const isLatest = latest.ask();
    const { keys } = await context.client.keys.list({ signal });
    if (isLatest()) rows.replaceChildren(...keys.map((key) => row(key, () => revoke(key))));
  };
  const revoke = async ({ id }: KeyRecord): Promise<void> => {
    const question = {
      title: "Revoke this key?",
      text: "Whoever uses it is refused at once. If it is the key of this tab, you are signed out.",
      action: "Revoke",
    };
    try {
      if (!(await confirmed(question))) return;
      await context.client.keys.revoke(id);
      said.replaceChildren(make("p", { class: "notice good", role: "status" }, "The key is revoked."));
      await show();
    } catch (error) {
      fail(error);
    }
  };
  const create = async (): Promise<void> => {
    try {
      const days = LIFETIMES[lifetime.selectedIndex]?.[0] ?? null;
      const json = days === null ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
      const { api_key } = await context.client.keys.create(json);
      said.replaceChildren(newKeyNotice(api_key));
      await show();
    } catch (error) {
      fail(error);
    }
  };
  await show();
  const field = make("div", { class: "field" }, make("label", { for: "key-lifetime" }, "It ends"), lifetime);
  return make(
    "div",
    { class: "settings" },
    make("h2", { tabindex: "-1" }, "Keys"),
    make("p", { class: "muted" }, "Anyone with a key of this mailbox can read and send its mail."),
    rows,
    make("section", {}, make("h3", {}, "New key"), field, said, doing("Make a key", create)),
  );
}

function newKeyNotice(key: string): HTMLElement {
  return make(
    "div",
    { class: "notice good", role: "status" },
    make("p", {}, "Copy the new key now: it is not shown again."),
    make("p", { class: "mono break" }, key),
    copyButton(key, "the key"),
  );
}

function row({ id, scope, created_at, expires_at, last_used_at }: KeyRecord, revoke: () => Promise<void>) {
  const used = last_used_at === null ? "never used" : `last used ${exactTime(last_used_at)}`;
  const ends = expires_at === null ? "" : `, ends ${exactTime(expires_at)}`;
  return make(
    "li",
    { class: "file" },
    make(
      "div",
      { class: "about" },
      make("span", { class: "mono small break" }, id),
      make("span", { class: "muted small" }, `${scope}, made ${exactTime(created_at)}, ${used}${ends}`),
    ),
    doing("Revoke", revoke, "danger"),
  );
}
