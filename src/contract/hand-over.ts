import * as z from "zod";
import { CheckedSender } from "./checked-sender.ts";

/**
 * Where the SMTP listener asks about recipients and hands small messages over: everything that came in the same moment in one
 * request. Listener and worker are of the same version, so this is no part of the API.
 */
export const BATCH_PATH = "/v1/inbound/batch";
/** The most items of one request, and the most bytes of its messages together. A larger message has a request of its own. */
export const MAX_BATCH_ITEMS = 64;
export const MAX_BATCH_BYTES = 1_048_576;
/**
 * The most bytes of a request: its messages, and for each of 64 items a sender, 100 recipients and findings of full length.
 * smtp-server takes addresses of 253 characters, so all of that is less than 7 MB.
 */
export const MAX_BATCH_REQUEST_BYTES = 8 * MAX_BATCH_BYTES;

/** A message of a batch; its bytes follow the list of items. */
const BatchMail = z.strictObject({
  from: z.string(),
  to: z.array(z.string()),
  client: z.string(),
  helo: z.string(),
  sender: CheckedSender.nullable(),
  bytes: z.int().min(0).max(MAX_BATCH_BYTES),
});
export type BatchMail = z.infer<typeof BatchMail>;

/** A look-up, which asks whether an address takes mail, or a message. */
const BatchItem = z.union([z.strictObject({ lookUp: z.string() }), BatchMail]);
export type BatchItem = z.infer<typeof BatchItem>;
const BatchItems = z.array(BatchItem).max(MAX_BATCH_ITEMS);

/** The result for one recipient: the status that `/v1/inbound` would answer with if it were the only one. */
export const BatchOutcome = z.object({
  status: z.int(),
  id: z.string().optional(),
  full: z.boolean().optional(),
  code: z.string().optional(),
});
export type BatchOutcome = z.infer<typeof BatchOutcome>;

/** The answer to the item at place `item`: an outcome for each recipient of a message, one for a look-up. */
const BatchAnswer = z.object({ item: z.int(), outcomes: z.array(BatchOutcome) });
export type BatchAnswer = z.infer<typeof BatchAnswer>;

const LF = 0x0a;

/** Writes the items of a batch as one line of JSON, and the messages after it, in their order. */
export function writeBatch(items: readonly { item: BatchItem; bytes: Uint8Array | null }[]): Uint8Array[] {
  const line = `${JSON.stringify(items.map(({ item }) => item))}\n`;
  return [new TextEncoder().encode(line), ...items.flatMap(({ bytes }) => (bytes === null ? [] : [bytes]))];
}

/** Reads what `writeBatch` wrote; null for anything else. */
export function readBatch(body: Uint8Array): { item: BatchItem; bytes: Uint8Array }[] | null {
  const end = body.indexOf(LF);
  const items = BatchItems.safeParse(parsed(body.subarray(0, Math.max(0, end))));
  if (!items.success) return null;
  let at = end + 1;
  const read = items.data.map((item) => {
    const from = at;
    if ("bytes" in item) at += item.bytes;
    return { item, bytes: body.subarray(from, at) };
  });
  return at === body.byteLength ? read : null;
}

/** Reads a line of the answer; null for anything else. */
export function readBatchAnswer(line: string): BatchAnswer | null {
  const read = BatchAnswer.safeParse(parsed(line));
  return read.success ? read.data : null;
}

function parsed(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json));
  } catch {
    // Not JSON.
    return undefined;
  }
}
