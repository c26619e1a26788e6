import { done, refused } from "../../lib/outcome.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { receiveMail } from "../../inbound/receive.ts";
import { readBytes } from "../request-input.ts";

export const inboundHandlers: Pick<Handlers, "inbound"> = {
  async inbound({ request, env, config, input }) {
    const { from, to, via, client, helo } = input.query;
    const raw = await readBytes(request, MAX_MESSAGE_BYTES);
    if (raw === null) {
      return refused({ code: "too_large", error: `Message too large (max ${MAX_MESSAGE_BYTES} bytes)` });
    }
    try {
      const received = await receiveMail(raw, { from, to, via, clientAddress: client, helo }, env, config);
      return received.ok ? done(json(received.value, 202)) : received;
    } catch (error) {
      // The sender's MTA keeps the message and comes again.
      console.error("A message could not be stored:", error);
      return refused({
        code: "unavailable",
        error: "The message could not be stored; try again",
        retryAfterSeconds: 30,
      });
    }
  },
};
