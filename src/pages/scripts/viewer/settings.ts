import type { MailboxInfo, Stats } from "../../../contract/mailbox.ts";
import { copyButton } from "../lib/copy.ts";
import { confirmed } from "../lib/dialog.ts";
import { make } from "../lib/dom.ts";
import { doing, field, locked } from "../lib/form.ts";
import { exactTime, size } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { tried } from "./tried.ts";

interface Setting {
  context: Context;
  signal: AbortSignal;
  info: MailboxInfo;
}

/** The mailbox itself: its state, its name, its pause. A key of a temporary mailbox sees its state alone. */
export async function settingsView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const [me, stats] = await Promise.all([context.me, context.client.mailbox.stats({ signal })]);
  const title = make("h2", { tabindex: "-1" }, "Settings");
  const view = make("div", { class: "settings" }, title);
  if (me.scope === "provisional") {
    view.append(factsPart(stats, me.expires_at), temporaryNotice());
    return view;
  }
  const info = await context.client.mailbox.get({ signal });
  const setting = { context, signal, info };
  view.append(factsPart(stats, info.expires_at), namePart(setting), pausePart(setting));
  return view;
}

function temporaryNotice(): HTMLElement {
  return make(
    "div",
    { class: "notice info" },
    make("p", {}, "This mailbox is temporary. A permanent one sends mail, has webhooks, and can be paused."),
    make("p", {}, make("a", { class: "button", href: "/claim" }, "Claim a mailbox")),
  );
}

function factsPart(stats: Stats, expiresAt: string | null): HTMLElement {
  const facts = make("dl", { class: "facts" });
  const add = (name: string, ...value: (Node | string)[]): void =>
    facts.append(make("dt", {}, name), make("dd", {}, ...value));
  const address = make("span", { class: "mono break" }, stats.mailbox);
  add("Address", address, " ", copyButton(stats.mailbox, "the address"));
  if (expiresAt !== null) add("Ends", exactTime(expiresAt));
  add("Mails", `${stats.inbound} received, ${stats.outbound} sent`);
  add("Sent today", `${stats.sends_today} of ${stats.daily_send_limit}`);
  add("Storage", size(stats.storage_bytes));
  return facts;
}

function namePart({ context, signal, info }: Setting): HTMLElement {
  const said = make("div");
  const hint = "Recipients see it before the address.";
  const name = field({ id: "display-name", label: "Name", hint });
  name.input.value = info.display_name ?? "";
  const save = async (): Promise<string> => {
    const json = { display_name: name.input.value.trim() || null };
    await context.client.mailbox.update(json, { signal });
    return "Saved.";
  };
  const button = make("button", {}, "Save the name");
  const form = make("form", { method: "post", novalidate: true }, name.field, said, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void locked(form, () => tried(said, save));
  });
  return make("section", {}, make("h3", {}, "Sender"), form);
}

function pausePart({ context }: Setting): HTMLElement {
  const said = make("div");
  const pause = async (): Promise<string> => {
    const isSure = await confirmed({
      title: "Pause this mailbox?",
      text: "Mail still arrives, but nobody can read or send mail, agents included. The only thing a paused mailbox accepts is to be resumed.",
      action: "Pause",
    });
    if (!isSure) return "";
    await context.client.mailbox.pause();
    context.restart();
    return "";
  };
  return make(
    "section",
    {},
    make("h3", {}, "Pause"),
    make("p", { class: "muted" }, "Stops an agent that misbehaves. Mail still arrives."),
    said,
    doing("Pause the mailbox", () => tried(said, pause), "danger"),
  );
}
