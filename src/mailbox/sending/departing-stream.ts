import { BREATH_BYTES, breath } from "../../lib/breath.ts";
import { composedBytes, composeMessage, type OpenAttachment } from "../../outbound/compose.ts";
import { dkimSignature, withFields, type DkimKey } from "../../outbound/dkim.ts";
import type { Departing } from "./outbox.ts";

/** Opens an upload for reading from its first byte. */
export type OpenFile = (upload: string) => AsyncIterable<Uint8Array>;

/** The parts of a queued message from which its bytes are composed. */
export type Composable = Pick<Departing, "message" | "uploads" | "signature">;

/** The bytes of a message; each call gives the same bytes. */
export function composedStream(departing: Composable, openFile: OpenFile): ReadableStream<Uint8Array> {
  const composed = composeMessage(departing.message, opener(departing, openFile));
  return streamOf(departing.signature === "" ? composed : withFields(departing.signature, composed));
}

/** How many bytes `composedStream` yields. */
export function departingBytes({ message, signature }: Composable): number {
  return Buffer.byteLength(signature) + composedBytes(message);
}

/**
 * Signs a message that has no signature yet. Resolves to the DKIM-Signature field with its line end; rejects if the message
 * cannot be composed.
 */
export function signatureOf(departing: Composable, key: DkimKey, openFile: OpenFile): Promise<string> {
  return dkimSignature(composeMessage(departing.message, opener(departing, openFile)), key);
}

function opener({ uploads }: Pick<Departing, "uploads">, openFile: OpenFile): OpenAttachment {
  return (index) => openFile(uploads[index] ?? "");
}

function streamOf(composed: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = composed[Symbol.asyncIterator]();
  let sinceBreath = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sinceBreath >= BREATH_BYTES) {
        sinceBreath = 0;
        await breath();
      }
      const next = await chunks.next();
      if (next.done === true) return controller.close();
      sinceBreath += next.value.byteLength;
      controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
