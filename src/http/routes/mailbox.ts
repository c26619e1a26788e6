import type { mailboxRoutes } from "../../contract/routes/mailbox.ts";
import { accessForUrl } from "../../service/webhook-url.ts";
import type { HandlersOf } from "../call.ts";
import { urlOf } from "../request-url.ts";

export const mailboxHandlers = {
  async updateMailbox({ mailbox, access, input, env, config, request }) {
    const { display_name, webhook_url, webhook_secret, webhook_recovery } = input.body;
    const url = webhook_url === "" ? null : webhook_url;
    const call = { mailbox, access, env, config, calledAt: urlOf(request) };
    const judged = typeof url === "string" ? await accessForUrl(url, call) : access;
    return mailbox.configure(judged, {
      displayName: display_name === "" ? null : display_name,
      webhook: { url, secret: webhook_secret, recovery: webhook_recovery },
    });
  },
} satisfies HandlersOf<typeof mailboxRoutes>;
