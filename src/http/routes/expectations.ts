import type { expectationRoutes } from "../../contract/routes/expectations.ts";
import { done } from "../../lib/outcome.ts";
import { Wait, Waiting } from "../../service/wait.ts";
import type { HandlersOf } from "../call.ts";

export const expectationHandlers = {
  async expectation({ mailbox, access, input, request, waitTag }) {
    // HEAD releases nothing (RFC 9110 §9.3.2), and has no body by whose blanks a client that hung up is noticed.
    const isPeek = request.method === "HEAD";
    const asked = { ...input.params, wait: isPeek ? 0 : input.query.wait, isPeek };
    const wait = new Wait({ mailbox, access }, request.signal, waitTag);
    return done(
      new Waiting(
        wait,
        (id) => mailbox.expectation(access, asked, id),
        ({ code, link }) => code !== null || link !== null,
      ),
    );
  },
} satisfies HandlersOf<typeof expectationRoutes>;
