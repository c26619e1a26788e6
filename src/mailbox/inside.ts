import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { STATUS } from "../contract/problem.ts";
import type { Config } from "../env.ts";
import { receiveMail } from "../inbound/receive.ts";
import type { OutboundMail, RecipientResult, Transport } from "../outbound/transport.ts";

type Said = Omit<RecipientResult, "recipient">;

const TOO_LARGE: Said = {
  result: { kind: "refused" },
  code: 552,
  enhancedCode: "5.3.4",
  diagnostic: `552 5.3.4 Message too large (max ${MAX_MESSAGE_BYTES} bytes)`,
  aboutRecipient: false,
  providerId: null,
};
const DELIVERED: Said = {
  result: { kind: "taken" },
  code: 250,
  enhancedCode: "2.1.5",
  diagnostic: "250 2.1.5 Delivered inside this deployment",
  aboutRecipient: true,
  providerId: null,
};

/**
 * Delivers to mailboxes of the same deployment, actor to actor, as real inbound mail (architecture 7). Repeated after a
 * death it is one mail: the receiving mailbox knows the Message-ID and the content again.
 */
export function insideTransport(env: Env, config: () => Config): Transport {
  return {
    name: "local",
    maxBytes: MAX_MESSAGE_BYTES,
    async send(mail) {
      const raw = await wholeOf(mail);
      const results: RecipientResult[] = [];
      for (const recipient of mail.recipients) {
        const said = raw === null ? TOO_LARGE : await deliver(raw, { mail, recipient }, env, config());
        results.push({ recipient, ...said });
      }
      return results;
    },
  };
}

/** The message in memory; null if it is larger than what anybody may receive. */
async function wholeOf(mail: OutboundMail): Promise<Uint8Array | null> {
  if (mail.sizeBytes > MAX_MESSAGE_BYTES) return null;
  return new Uint8Array(await new Response(mail.open()).arrayBuffer());
}

async function deliver(
  raw: Uint8Array,
  { mail, recipient }: { mail: OutboundMail; recipient: string },
  env: Env,
  config: Config,
): Promise<Said> {
  const envelope = {
    from: mail.returnPath,
    to: recipient,
    via: "api" as const,
    clientAddress: null,
    helo: null,
  };
  try {
    const received = await receiveMail(raw, envelope, env, config);
    if (received.ok) return DELIVERED;
    const { code, error } = received.error;
    return STATUS[code] === STATUS.not_found
      ? {
          result: { kind: "refused" },
          code: 550,
          enhancedCode: "5.1.1",
          diagnostic: "550 5.1.1 No such mailbox",
          aboutRecipient: true,
          providerId: null,
        }
      : {
          result: { kind: "deferred" },
          code: 452,
          enhancedCode: "4.2.2",
          diagnostic: `452 4.2.2 ${error}`,
          aboutRecipient: true,
          providerId: null,
        };
  } catch (error) {
    console.error("A message could not be delivered inside and is tried again:", error);
    return {
      result: { kind: "deferred" },
      code: 451,
      enhancedCode: "4.3.0",
      diagnostic: "451 4.3.0 Local error",
      aboutRecipient: false,
      providerId: null,
    };
  }
}
