import { STATUS } from "../contract/problem.ts";
import { configOf } from "../config/env.ts";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { receiveMail } from "./receive.ts";

/**
 * Receives a message from Cloudflare Email Routing. `setReject` refuses it for good; after an exception the sending server tries
 * again. When the function returns, the message is stored.
 */
export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  if (message.rawSize > MAX_MESSAGE_BYTES) {
    message.setReject("552 5.3.4 Message too large");
    return;
  }
  const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
  const envelope = {
    from: message.from,
    to: message.to,
    via: "email_routing" as const,
    clientAddress: null,
    helo: null,
  };
  const received = await receiveMail(raw, envelope, env, configOf(env));
  if (received.ok) return;
  if (STATUS[received.error.code] === STATUS.not_found) {
    message.setReject("550 5.1.1 No such mailbox");
    return;
  }
  throw new Error(`451 4.3.0 ${received.error.error}`);
}
