import type { WebhookRoute } from "../../../contract/webhook.ts";
import { confirmed } from "../lib/dialog.ts";
import { make } from "../lib/dom.ts";
import { doing, field, locked } from "../lib/form.ts";
import { Latest } from "../lib/latest.ts";
import { line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { labelHash } from "./place.ts";
import { tried } from "./tried.ts";
import { WebhookLog } from "./webhook-log.ts";

const KINDS: Readonly<Record<WebhookRoute["status"], string>> = {
  active: "good",
  recovering: "bad",
  failed: "bad",
};

/** The URLs to which mail with a label is posted, besides the one for all events. */
export async function routesView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const rows = make("ul", { class: "rows" });
  const said = make("div");
  const none = make("p", { class: "empty", hidden: true }, "No label has a route.");
  const label = field({ id: "route-label", label: "Label", hint: "Mail that arrives with it is posted." });
  const url = field(
    { id: "route-url", label: "URL", hint: "https. The secret of the webhook signs here too." },
    { type: "url", inputmode: "url", placeholder: "https://", spellcheck: "false" },
  );
  const latest = new Latest();
  const show = async (): Promise<void> => {
    const isLatest = latest.ask();
    const { routes } = await context.client.webhooks.routes({ signal });
    if (!isLatest()) return;
    rows.replaceChildren(
      ...routes.map((route) => row(route, context, signal, () => tried(said, () => remove(route)))),
    );
    rows.hidden = routes.length === 0;
    none.hidden = !rows.hidden;
  };
  const remove = async (route: WebhookRoute): Promise<string> => {
    const question = {
      title: "Remove this route?",
      text: `Mail with the label “${line(route.label)}” is no longer posted to ${line(route.webhook_url)}.`,
      action: "Remove",
    };
    if (!(await confirmed(question))) return "";
    await context.client.webhooks.deleteRoute({ label: route.label });
    await show();
    return "The route is removed.";
  };
  const save = async (): Promise<string> => {
    const json = { label: label.input.value.trim(), webhook_url: url.input.value.trim() };
    await context.client.webhooks.setRoute(json);
    label.input.value = "";
    url.input.value = "";
    await show();
    return "Saved.";
  };
  const form = make("form", { method: "post", novalidate: true }, label.field, url.field, said);
  form.append(make("button", {}, "Save the route"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void locked(form, () => tried(said, save));
  });
  await show();
  return make(
    "div",
    { class: "settings" },
    make("h2", { tabindex: "-1" }, "Label routes"),
    make("p", { class: "muted" }, "Mail with a label is posted to the URL of the label too."),
    rows,
    none,
    make("section", {}, make("h3", {}, "Add or change a route"), form),
  );
}

function row(
  { label, webhook_url, status }: WebhookRoute,
  context: Context,
  signal: AbortSignal,
  remove: () => Promise<void>,
): HTMLElement {
  const name = make("a", { class: "chip", href: labelHash(label) }, line(label));
  const log = make("details", {}, make("summary", { class: "small" }, "Deliveries"));
  log.addEventListener("toggle", () => {
    if (!log.open || log.children.length > 1) return;
    const shown = new WebhookLog(context, signal, label);
    log.append(shown.element);
    void shown.show(null);
  });
  const line1 = make(
    "div",
    { class: "row" },
    name,
    make("span", { class: `badge ${KINDS[status]}` }, status),
    make("span", { class: "mono small break" }, line(webhook_url)),
  );
  return make("li", {}, make("div", { class: "spread" }, line1, doing("Remove", remove, "danger")), log);
}
