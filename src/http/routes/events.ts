import type { Answer, Problem } from "../../contract/problem.ts";
import type { eventRoutes } from "../../contract/routes/events.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { StreamRequest } from "../../mailbox/log/stream-request.ts";
import type { MailboxStub } from "../../service/mailbox-stub.ts";
import { Wait, Waiting } from "../../service/wait.ts";
import { Bytes } from "../answers.ts";
import type { HandlersOf } from "../call.ts";

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  // Without it nginx buffers the stream.
  "X-Accel-Buffering": "no",
};

export const eventHandlers = {
  async events({ mailbox, access, input, request }) {
    if (request.method === "HEAD") {
      const admitted = await mailbox.admit(access);
      return admitted.ok ? done(new Bytes(200, null, STREAM_HEADERS)) : admitted;
    }
    const lastEventId = request.headers.get("Last-Event-ID");
    const stream = await openStream(mailbox, { access, filters: input.query, lastEventId }, request.signal);
    return stream.ok ? done(new Bytes(200, stream.value, STREAM_HEADERS)) : stream;
  },

  async changes({ mailbox, access, input, request, waitTag }) {
    // HEAD has no body by whose blanks a client that hung up is noticed.
    const asked = request.method === "HEAD" ? { ...input.query, wait: 0 } : input.query;
    const wait = new Wait({ mailbox, access }, request.signal, waitTag);
    return done(new Waiting(wait, (id) => mailbox.changes(access, asked, id)));
  },
} satisfies HandlersOf<typeof eventRoutes>;

/**
 * Asks a mailbox for a stream. By fetch and not by RPC: its bytes then flow without a call for each, and `signal`, the end of the
 * client's connection, reaches the mailbox.
 */
async function openStream(
  mailbox: MailboxStub,
  request: StreamRequest,
  signal: AbortSignal,
): Promise<Answer<ReadableStream>> {
  const response = await mailbox.fetch("https://mailbox/", {
    method: "POST",
    body: JSON.stringify(request),
    signal,
  });
  if (response.ok && response.body !== null) return done(response.body);
  // partyserver answers an error of the actor with its stack as text.
  if (response.status === 500) throw new Error(`A mailbox could not open a stream: ${await response.text()}`);
  return refused(await response.json<Problem>());
}
