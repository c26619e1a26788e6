import { waitUntil } from "cloudflare:workers";
import { isRefusedByRules, STATUS } from "../contract/problem.ts";
import { configOf } from "../config/env.ts";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import type { Reason } from "../contract/metrics.ts";
import { flushSoon } from "../metrics/flush.ts";
import { metrics } from "../metrics/metrics.ts";
import { countReceipts } from "./count-receipts.ts";
import { loadTables } from "./load-tables.ts";
import { receiveMail } from "./receive.ts";
import { reported } from "./sender-check.ts";

/**
 * Receives a message from Cloudflare Email Routing. `setReject` refuses it for good; after an exception the sending server tries
 * again. When the function returns, the message is stored.
 */
export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  const refusal = await receive(message, env);
  if (refusal !== null) {
    metrics.count("mailkeep_refusals_total", { door: "cloudflare", reason: refusal.reason });
  }
  flushSoon(env, waitUntil);
  if (refusal === null) return;
  if (refusal.reply === null) throw new Error(`451 4.3.0 ${refusal.error}`);
  message.setReject(refusal.reply);
}

/** Why a message was refused; its reply is null where the sender shall try again. */
interface Refusal {
  reason: Reason;
  error: string;
  reply: string | null;
}

async function receive(message: ForwardableEmailMessage, env: Env): Promise<Refusal | null> {
  if (message.rawSize > MAX_MESSAGE_BYTES) {
    return { reason: "too_large", error: "Message too large", reply: "552 5.3.4 Message too large" };
  }
  const startMs = performance.now();
  await loadTables(env);
  const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
  const envelope = {
    from: message.from,
    to: message.to,
    via: "email_routing" as const,
    clientAddress: null,
    helo: null,
  };
  const config = configOf(env);
  const sender = reported(raw, { kind: "cloudflare" }, { env, config });
  const received = await receiveMail({ raw, envelope, sender }, { env, config });
  countReceipts(envelope.via, [received], { bytes: raw.byteLength, startMs });
  if (received.ok) return null;
  const { code, error } = received.error;
  if (isRefusedByRules(received.error)) return { reason: code, error, reply: `550 5.7.1 ${error}` };
  return STATUS[code] === STATUS.not_found
    ? { reason: "unknown_mailbox", error, reply: "550 5.1.1 No such mailbox" }
    : { reason: code, error, reply: null };
}
