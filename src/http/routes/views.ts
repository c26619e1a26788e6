import type { viewRoutes } from "../../contract/routes/views.ts";
import { done } from "../../lib/outcome.ts";
import { linkOfEmail, viewEmail, viewThread } from "../../service/view-mail.ts";
import type { HandlersOf } from "../call.ts";

export const viewHandlers = {
  async emailView({ input, env, mailbox, access }) {
    const viewed = await viewEmail({ env, mailbox, access }, input.params.id, input.query);
    return viewed.ok ? done(viewed.value.view) : viewed;
  },

  emailLink: ({ input, env, mailbox, access }) =>
    linkOfEmail({ env, mailbox, access }, input.params.id, input.params.n),

  async threadView({ input, env, mailbox, access }) {
    const viewed = await viewThread({ env, mailbox, access }, input.params.id, input.query.budget);
    return viewed.ok ? done(viewed.value.view) : viewed;
  },
} satisfies HandlersOf<typeof viewRoutes>;
