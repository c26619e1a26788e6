import type { codeRoutes } from "../../contract/routes/codes.ts";
import { done } from "../../lib/outcome.ts";
import { newWait } from "../../service/wait.ts";
import type { HandlersOf } from "../call.ts";

export const codeHandlers = {
  async code({ mailbox, access, input, request, waitTag }) {
    if (request.signal.aborted) return done({ code: null });
    // A client that hung up must not consume the code that its next try comes for.
    const wait = newWait(mailbox, request.signal, waitTag);
    // HEAD answers as GET does, and consumes nothing (RFC 9110 §9.3.2).
    const consume = request.method === "HEAD" ? false : input.query.consume;
    return mailbox.code(access, { ...input.query, consume }, wait);
  },
} satisfies HandlersOf<typeof codeRoutes>;
