import type { Answer, Problem } from "../../contract/problem.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { StreamWish } from "../../mailbox/log/stream-request.ts";
import { json, respond } from "../answers.ts";
import type { Handlers, MailboxStub } from "../call.ts";

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  // Without it nginx buffers the stream.
  "X-Accel-Buffering": "no",
};

export const eventHandlers: Pick<Handlers, "events" | "changes"> = {
  async events({ mailbox, access, input, request }) {
    if (request.method === "HEAD") {
      const admitted = await mailbox.admit(access);
      return admitted.ok ? done(respond(null, 200, STREAM_HEADERS)) : admitted;
    }
    const lastEventId = request.headers.get("Last-Event-ID");
    const wish: StreamWish = { access, filters: input.query, lastEventId };
    const stream = await openStream(mailbox, wish, request.signal);
    return stream.ok ? done(respond(stream.value, 200, STREAM_HEADERS)) : stream;
  },

  async changes({ mailbox, access, input, request }) {
    const waitId = uuidV7(Date.now());
    request.signal.addEventListener("abort", () => void mailbox.forget(waitId));
    const page = await mailbox.changes(access, input.query, waitId);
    return page.ok ? done(json(page.value)) : page;
  },
};

/**
 * Asks a mailbox for a stream. By fetch and not by RPC: its bytes then flow without a call for each, and `signal`, the end of the
 * client's connection, reaches the mailbox.
 */
async function openStream(
  mailbox: MailboxStub,
  wish: StreamWish,
  signal: AbortSignal,
): Promise<Answer<ReadableStream>> {
  const response = await mailbox.fetch("https://mailbox/", {
    method: "POST",
    body: JSON.stringify(wish),
    signal,
  });
  if (response.ok && response.body !== null) return done(response.body);
  return refused(await response.json<Problem>());
}
