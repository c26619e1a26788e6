import type { webhookRoutes } from "../../contract/routes/webhooks.ts";
import { accessForUrl } from "../../service/webhook-url.ts";
import type { HandlersOf } from "../call.ts";
import { urlOf } from "../request-url.ts";

export const webhookHandlers = {
  async setWebhookRoute({ mailbox, access, input, env, config, request }) {
    const { label, webhook_url } = input.body;
    const call = { mailbox, access, env, config, calledAt: urlOf(request) };
    return mailbox.putWebhookRoute(await accessForUrl(webhook_url, call), label, webhook_url);
  },
} satisfies HandlersOf<typeof webhookRoutes>;
