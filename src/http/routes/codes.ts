import type { codeRoutes } from "../../contract/routes/codes.ts";
import { done } from "../../lib/outcome.ts";
import { Wait, Waiting } from "../../service/wait.ts";
import type { HandlersOf } from "../call.ts";

export const codeHandlers = {
  async code({ mailbox, access, input, request, waitTag }) {
    const { max_age, ...query } = input.query;
    const oldest = max_age === 0 ? null : Date.now() - max_age * 1_000;
    const since = oldest === null ? query.since : Math.max(query.since ?? oldest, oldest);
    // HEAD consumes nothing (RFC 9110 §9.3.2), and has no body by whose blanks a client that hung up is noticed.
    const isHead = request.method === "HEAD";
    const asked = { ...query, since, ...(isHead ? { consume: false, timeout: 0 } : {}) };
    const wait = new Wait({ mailbox, access }, request.signal, waitTag);
    return done(
      new Waiting(
        wait,
        (id) => mailbox.code(access, asked, id),
        (answer) => asked.consume === true && answer.id !== undefined,
      ),
    );
  },
} satisfies HandlersOf<typeof codeRoutes>;
