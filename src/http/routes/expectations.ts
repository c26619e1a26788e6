import type { expectationRoutes } from "../../contract/routes/expectations.ts";
import { newWait } from "../../service/wait.ts";
import type { HandlersOf } from "../call.ts";

export const expectationHandlers = {
  async expectation({ mailbox, access, input, request, waitTag }) {
    // A call that waits must end with its client, so that the code stays for the next try.
    const wait = newWait(mailbox, request.signal, waitTag);
    // HEAD answers as GET does, and releases nothing (RFC 9110 §9.3.2).
    const asked = { ...input.params, wait: input.query.wait, isPeek: request.method === "HEAD" };
    return mailbox.expectation(access, asked, wait);
  },
} satisfies HandlersOf<typeof expectationRoutes>;
