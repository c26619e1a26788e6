import { waitUntil } from "cloudflare:workers";
import { isRefusedByRules, STATUS } from "../contract/problem.ts";
import { configOf } from "../config/env.ts";
import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import type { Reason } from "../contract/metrics.ts";
import { flushSoon } from "../metrics/flush.ts";
import { metrics } from "../metrics/metrics.ts";
import { countReceipts } from "./count-receipts.ts";
import { loadTables } from "./load-tables.ts";
import { bodyBytes } from "../lib/body-bytes.ts";
import { arriving, arrivingFrom, closeMessage, isWhole, MessageTooLong, type Arriving } from "./arriving.ts";
import { MAX_ROW_BYTES } from "./blob-choice.ts";
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

const TOO_LARGE: Refusal = {
  reason: "too_large",
  error: "Message too large",
  reply: "552 5.3.4 Message too large",
};

async function receive(message: ForwardableEmailMessage, env: Env): Promise<Refusal | null> {
  if (message.rawSize > MAX_MESSAGE_BYTES) return TOO_LARGE;
  await loadTables(env);
  const mail = await arrivingOf(message);
  try {
    return await store(message, mail, env);
  } catch (error) {
    if (error instanceof MessageTooLong) return TOO_LARGE;
    throw error;
  } finally {
    await closeMessage(mail);
  }
}

/** A small message is read by the runtime in one call. The size is what the platform says: its stream decides. */
async function arrivingOf({ raw, rawSize }: ForwardableEmailMessage): Promise<Arriving> {
  if (rawSize > MAX_ROW_BYTES) return arriving(bodyBytes(raw), null);
  return arrivingFrom(new Uint8Array(await new Response(raw).arrayBuffer()));
}

async function store(message: ForwardableEmailMessage, mail: Arriving, env: Env): Promise<Refusal | null> {
  const startMs = performance.now();
  const envelope = {
    from: message.from,
    to: message.to,
    via: "email_routing" as const,
    clientAddress: null,
    helo: null,
  };
  const config = configOf(env);
  const sender = reported({ kind: "cloudflare" }, { env, config });
  const received = await receiveMail({ message: mail, envelope, sender }, { env, config });
  const bytes = isWhole(mail) ? mail.raw.byteLength : mail.passedBytes;
  countReceipts(envelope.via, [received], { bytes, startMs });
  if (received.ok) return null;
  const { code, error } = received.error;
  if (isRefusedByRules(received.error)) return { reason: code, error, reply: `550 5.7.1 ${error}` };
  return STATUS[code] === STATUS.not_found
    ? { reason: "unknown_mailbox", error, reply: "550 5.1.1 No such mailbox" }
    : { reason: code, error, reply: null };
}
