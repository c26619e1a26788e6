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
    // HEAD asks what GET would say, and takes nothing (RFC 9110 §9.3.2).
    const consume = request.method === "HEAD" ? false : input.query.consume;
    const answer = await mailbox.code(access, { ...input.query, consume }, waitId);
    return answer.ok ? done(json(answer.value)) : answer;
  },
};
