import type { MailboxInfo } from "../../../contract/mailbox.ts";
import { make } from "../lib/dom.ts";
import { doing, field, locked } from "../lib/form.ts";
import { line } from "../lib/words.ts";
import type { Context } from "./context.ts";
import { tried } from "./tried.ts";
import { WebhookLog } from "./webhook-log.ts";

/** The webhook of all events, its state, and the log of deliveries. */
export async function webhooksView(context: Context, signal: AbortSignal): Promise<HTMLElement> {
  const info = await context.client.mailbox.get({ signal });
  const said = make("div");
  const state = make("p");
  const url = field(
    {
      id: "webhook-url",
      label: "URL",
      hint: "Every event except message.sent is posted there. Empty: no webhook.",
    },
    { type: "url", inputmode: "url", placeholder: "https://", spellcheck: "false" },
  );
  const secret = field(
    {
      id: "webhook-secret",
      label: "Secret",
      hint: "At least 16 characters. Empty: unchanged. It is never shown.",
    },
    { class: "masked", spellcheck: "false" },
  );
  const log = new WebhookLog(context, signal);
  const test = doing("Send a test", () => tried(said, sendTest));
  const show = (shown: MailboxInfo): void => {
    url.input.value = shown.webhook_url ?? "";
    secret.input.value = "";
    state.replaceChildren(...webhookState(shown));
    test.hidden = shown.webhook_url === null;
  };
  const save = async (): Promise<string> => {
    const json = {
      webhook_url: url.input.value.trim() || null,
      ...(secret.input.value === "" ? {} : { webhook_secret: secret.input.value }),
    };
    show(await context.client.mailbox.update(json, { signal }));
    return json.webhook_url === null ? "The webhook is removed." : "Saved.";
  };
  const sendTest = async (): Promise<string> => {
    await context.client.webhooks.test({}, { signal });
    await log.show(null);
    return "A test is being delivered; see below.";
  };
  show(info);
  void log.show(null);
  const buttons = make("div", { class: "actions" }, make("button", {}, "Save the webhook"), test);
  const form = make("form", { method: "post", novalidate: true }, url.field, secret.field, said, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void locked(form, () => tried(said, save));
  });
  const deliveries = make(
    "section",
    { "aria-label": "Deliveries" },
    make("h3", {}, "Deliveries"),
    log.element,
  );
  const title = make("h2", { tabindex: "-1" }, "Webhooks");
  return make("div", { class: "settings" }, title, state, form, deliveries);
}

function webhookState({ webhook_status, webhook_url }: MailboxInfo): (Node | string)[] {
  if (webhook_status === null || webhook_url === null) return [make("span", { class: "badge" }, "none")];
  if (webhook_status === "active") return [make("span", { class: "badge good" }, "active")];
  if (webhook_status === "recovering") {
    return [
      make("span", { class: "badge bad" }, "recovering"),
      ` Ten deliveries in a row failed at ${line(webhook_url)}. It is tried again by itself for three days, and then gets everything that it missed. Save the URL again to go on now.`,
    ];
  }
  return [
    make("span", { class: "badge bad" }, "failed"),
    ` Ten deliveries in a row failed at ${line(webhook_url)}. Save the URL again to go on.`,
  ];
}
