import { done } from "../../lib/outcome.ts";
import { json, jsonResponse } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { askedWithUrl } from "../webhook-url.ts";

export const mailboxHandlers: Pick<
  Handlers,
  "getMailbox" | "updateMailbox" | "pauseMailbox" | "resumeMailbox" | "deleteMailbox" | "stats"
> = {
  async getMailbox({ mailbox, access }) {
    const info = await mailbox.info(access);
    return info.ok ? done(json(info.value)) : info;
  },

  async updateMailbox({ mailbox, access, input, ...call }) {
    const { display_name, webhook_url, webhook_secret } = input.body;
    const url = webhook_url === "" ? null : webhook_url;
    const asked = typeof url === "string" ? await askedWithUrl(url, { mailbox, access, ...call }) : access;
    const info = await mailbox.configure(asked, {
      displayName: display_name === "" ? null : display_name,
      webhook: { url, secret: webhook_secret },
    });
    return info.ok ? done(json(info.value)) : info;
  },

  async pauseMailbox({ mailbox, access, input }) {
    const paused = await mailbox.pause(access, input.body.reason ?? null);
    return paused.ok ? done(json(paused.value)) : paused;
  },

  async resumeMailbox({ mailbox, access }) {
    const resumed = await mailbox.resume(access);
    return resumed.ok ? done(json(resumed.value)) : resumed;
  },

  async deleteMailbox({ mailbox, access }) {
    const deleted = await mailbox.destroy(access);
    return deleted.ok ? done(json(deleted.value)) : deleted;
  },

  async stats({ mailbox, access }) {
    const stats = await mailbox.stats(access);
    return stats.ok ? done(jsonResponse(stats.value)) : stats;
  },
};
