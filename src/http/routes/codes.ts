import { uuidV7 } from "../../lib/ids.ts";
import { done } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";

export const codeHandlers: Pick<Handlers, "code"> = {
  async code({ mailbox, access, input, request }) {
    if (request.signal.aborted) return done(json({ code: null }));
    const waitId = uuidV7(Date.now());
    // Who hung up must not consume the code that its next try comes for.
    request.signal.addEventListener("abort", () => void mailbox.forget(waitId));
    const answer = await mailbox.code(access, input.query, waitId);
    return answer.ok ? done(json(answer.value)) : answer;
  },
};
