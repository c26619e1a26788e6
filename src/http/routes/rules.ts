import type { ruleRoutes } from "../../contract/routes/rules.ts";
import { done } from "../../lib/outcome.ts";
import { openEmail } from "../../service/message-source.ts";
import { releaseRefused } from "../../service/release-refused.ts";
import type { HandlersOf } from "../call.ts";

export const ruleHandlers = {
  async releaseRefused({ env, mailbox, access, input }) {
    const to = { env, mailbox, access };
    const id = await releaseRefused(to, input.params.id);
    if (!id.ok) return id;
    const email = await mailbox.readEmail(access, id.value);
    return email.ok ? done(openEmail(to, email.value)) : email;
  },
} satisfies HandlersOf<typeof ruleRoutes>;
