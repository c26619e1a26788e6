import type { OutboundMail, Transport } from "../../../src/outbound/transport.ts";
import { sizeOf, streamOf } from "../messages.ts";
import type { MailOrder, Sent } from "./order.ts";

/** Hands one message to a transport as it was ordered; `askLeave` is asked where the order says `beforeEnd: "ask"`. */
export async function carry(
  transport: Transport,
  order: MailOrder,
  askLeave: () => Promise<void>,
): Promise<Sent> {
  const sent: Sent = { results: [], rejected: null, beforeEndCalls: 0 };
  const controller = new AbortController();
  if (order.abortAfterMs === 0) controller.abort();
  else if (order.abortAfterMs !== undefined) setTimeout(() => controller.abort(), order.abortAfterMs);
  const mail: OutboundMail = {
    returnPath: order.returnPath ?? "bounces@sender.example",
    fromAddress: order.fromAddress ?? "agent@sender.example",
    recipients: order.recipients,
    envelopeId: order.envelopeId ?? "envelope-1",
    needsSmtpUtf8: order.needsSmtpUtf8 ?? false,
    sizeBytes: order.claimedBytes ?? sizeOf(order.message),
    open: () => brokenAfter(streamOf(order.message), order.breaksAfterBytes),
    beforeEnd: async () => {
      sent.beforeEndCalls += 1;
      if (order.beforeEnd === "ask") await askLeave();
    },
  };
  try {
    sent.results = await transport.send(mail, controller.signal);
  } catch (error) {
    sent.rejected = String(error);
  }
  return sent;
}

function brokenAfter(stream: ReadableStream<Uint8Array>, bytes?: number): ReadableStream<Uint8Array> {
  if (bytes === undefined) return stream;
  let passed = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        passed += chunk.byteLength;
        if (passed > bytes) throw new Error("the blob is gone");
        controller.enqueue(chunk);
      },
    }),
  );
}
