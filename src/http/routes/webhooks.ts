import { done } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { askedWithUrl } from "../webhook-url.ts";

export const webhookHandlers: Pick<
  Handlers,
  | "webhookRoutes"
  | "setWebhookRoute"
  | "deleteWebhookRoute"
  | "webhookDeliveries"
  | "redeliverWebhook"
  | "replayWebhooks"
  | "testWebhook"
> = {
  async webhookRoutes({ mailbox, access }) {
    const routes = await mailbox.webhookRoutes(access);
    return routes.ok ? done(json(routes.value)) : routes;
  },

  async setWebhookRoute({ mailbox, access, input, ...call }) {
    const { label, webhook_url } = input.body;
    const asked = await askedWithUrl(webhook_url, { mailbox, access, ...call });
    const route = await mailbox.putWebhookRoute(asked, label, webhook_url);
    return route.ok ? done(json(route.value)) : route;
  },

  async deleteWebhookRoute({ mailbox, access, input }) {
    const removed = await mailbox.removeWebhookRoute(access, input.query.label);
    return removed.ok ? done(json(removed.value)) : removed;
  },

  async webhookDeliveries({ mailbox, access, input }) {
    const { state, label, limit, cursor } = input.query;
    const page = await mailbox.webhookDeliveries(access, { state, label, limit, cursor });
    return page.ok ? done(json(page.value)) : page;
  },

  async redeliverWebhook({ mailbox, access, input }) {
    const delivery = await mailbox.redeliverWebhook(access, input.params.id);
    return delivery.ok ? done(json(delivery.value, 202)) : delivery;
  },

  async replayWebhooks({ mailbox, access, input }) {
    const { from_seq, to_seq } = input.body;
    const replay = await mailbox.replayWebhooks(access, { from: from_seq, to: to_seq ?? null });
    return replay.ok ? done(json(replay.value, 202)) : replay;
  },

  async testWebhook({ mailbox, access, input }) {
    const delivery = await mailbox.testWebhook(access, input.body.label ?? null);
    return delivery.ok ? done(json(delivery.value, 202)) : delivery;
  },
};
