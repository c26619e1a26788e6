import * as z from "zod";
import { STATUS, type Problem } from "../../contract/problem.ts";
import { MAX_HTML_BYTES, MAX_TEXT_BYTES } from "../../contract/sending.ts";
import { done, refused } from "../../lib/outcome.ts";
import { respond } from "../answers.ts";
import { jsonHeaderFault, readJson, type BodyLimit } from "../request-input.ts";

/** The most bytes of a message: the texts of an email to send, half of their characters as escapes, and the rest. */
const MAX_MESSAGE_BYTES = 2 * (MAX_TEXT_BYTES + MAX_HTML_BYTES) + 100_000;

const LIMIT: BodyLimit = {
  bytes: MAX_MESSAGE_BYTES,
  error: `Request body too large (max ${MAX_MESSAGE_BYTES} bytes)`,
};

/** The most characters of a request's id. It is answered as it came; clients count or send UUIDs. */
const MAX_ID_CHARS = 256;
/** The most characters of a method's name. The longest known has half. */
const MAX_METHOD_CHARS = 64;

/** A JSON-RPC 2.0 message, as far as it is looked at before the library parses it. */
const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(MAX_ID_CHARS), z.int()]).optional(),
  method: z.string().max(MAX_METHOD_CHARS).optional(),
  params: z.looseObject({}).optional(),
});
export type Message = z.output<typeof Message>;

/** The refusal of a message, with the code of JSON-RPC 2.0 §5.1. */
export interface MessageFault {
  status: number;
  rpcCode: number;
  message: string;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** A code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;

const BATCH: MessageFault = {
  status: 400,
  rpcCode: INVALID_REQUEST,
  message: "Batches are not supported: send one message a request",
};
const NO_MESSAGE: MessageFault = {
  status: 400,
  rpcCode: INVALID_REQUEST,
  message: `Not a JSON-RPC 2.0 message: jsonrpc must be "2.0", an id a whole number or a text of at most ${MAX_ID_CHARS} characters, a method a text, and params an object`,
};

/** The fault of a request's header fields; null if they announce JSON of an allowed length. */
export function headerFault(request: Request): MessageFault | null {
  const fault = jsonHeaderFault(request, LIMIT);
  return fault === null ? null : faultOf(fault);
}

/** Reads the one message of a request. Its body is bounded in bytes, depth and number of values. */
export async function readMessage(
  request: Request,
): Promise<{ ok: true; value: Message } | { ok: false; error: MessageFault }> {
  const read = headerFault(request) ?? (await readJson(request, LIMIT));
  if ("rpcCode" in read) return refused(read);
  if (!read.ok) return refused(faultOf(read.error));
  if (Array.isArray(read.value)) return refused(BATCH);
  const message = Message.safeParse(read.value);
  return message.success ? done(message.data) : refused(NO_MESSAGE);
}

function faultOf({ code, error }: Problem): MessageFault {
  const rpcCode = code === "invalid" ? PARSE_ERROR : SERVER_ERROR;
  return { status: STATUS[code], rpcCode, message: error };
}

/** No list of this server changes while a client is connected, so there is nothing to subscribe to. */
export const NOTHING_TO_LISTEN_TO: MessageFault = {
  status: 404,
  rpcCode: -32_601,
  message: "Method not found",
};

/** The response to a message that cannot be served; `id` is null where it could not be read. */
export function faultResponse(
  { status, rpcCode, message }: MessageFault,
  id: Message["id"] | null = null,
): Response {
  const body = { jsonrpc: "2.0", error: { code: rpcCode, message }, id };
  return respond(JSON.stringify(body), status, { "Content-Type": "application/json" });
}

/** The name of the tool that a message calls; null if it calls none. */
export function toolCalled({ method, params, id }: Message): string | null {
  const name = params?.["name"];
  return method === "tools/call" && id !== undefined && typeof name === "string" ? name : null;
}

/** Whether the sender wants to hear how far a request is. */
export function wantsProgress({ params }: Message): boolean {
  const meta = params?.["_meta"];
  return typeof meta === "object" && meta !== null && Reflect.get(meta, "progressToken") !== undefined;
}

/** The id of the request that a message cancels; null if it cancels none. */
export function cancelledId({ method, params }: Message): string | number | null {
  const id = params?.["requestId"];
  if (method !== "notifications/cancelled") return null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
