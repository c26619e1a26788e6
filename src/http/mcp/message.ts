import * as z from "zod";
import { STATUS, type Problem } from "../../contract/problem.ts";
import { MAX_HTML_BYTES, MAX_TEXT_BYTES } from "../../contract/sending.ts";
import { done, refused } from "../../lib/outcome.ts";
import { respond } from "../answers.ts";
import { jsonHeaderFault, readJson, type BodyLimit } from "../request-input.ts";
import { RPC_CODE } from "./rpc-error.ts";

/** The most bytes of a message: the texts of an email to send, half of their characters as escapes, and the rest. */
const MAX_MESSAGE_BYTES = 2 * (MAX_TEXT_BYTES + MAX_HTML_BYTES) + 100_000;

const LIMIT: BodyLimit = {
  bytes: MAX_MESSAGE_BYTES,
  error: `Request body too large (max ${MAX_MESSAGE_BYTES} bytes)`,
};

/**
 * The most characters of a request's id and of its progress token. They are answered as they came, the token again and again
 * while a tool waits; clients count or send UUIDs.
 */
const MAX_ID_CHARS = 256;
/** The most characters of a method's name. The longest known has half. */
const MAX_METHOD_CHARS = 64;

const jsonrpc = z.literal("2.0");
const id = z.union([z.string().max(MAX_ID_CHARS), z.int()]);

/** A JSON-RPC 2.0 request, or a notification, which has no id. */
const Called = z.strictObject({
  jsonrpc,
  id: id.optional(),
  method: z.string().max(MAX_METHOD_CHARS),
  params: z
    .looseObject({
      _meta: z.looseObject({ progressToken: id.optional() }).optional(),
    })
    .optional(),
});

/** An answer of the client. Nothing here asks clients anything, so none is waited for. */
const Answered = z.union([
  z.strictObject({ jsonrpc, id, result: z.looseObject({}) }),
  z.strictObject({ jsonrpc, id: id.optional(), error: z.object({ code: z.int(), message: z.string() }) }),
]);

type Called = z.output<typeof Called>;
/** A JSON-RPC 2.0 message. One without a method is an answer. */
export type Message = Called | (Partial<Omit<Called, "jsonrpc">> & { jsonrpc: "2.0"; method?: undefined });
/** A message that is to be answered. */
export type RpcRequest = Called & { id: string | number };

/** The refusal of a message, with the code of JSON-RPC 2.0 §5.1. */
export interface MessageFault {
  status: number;
  rpcCode: number;
  message: string;
  data?: object;
}

const BATCH: MessageFault = {
  status: 400,
  rpcCode: RPC_CODE.invalidRequest,
  message: "Batches are not supported: send one message a request",
};
const NO_MESSAGE: MessageFault = {
  status: 400,
  rpcCode: RPC_CODE.invalidRequest,
  message: `Not a JSON-RPC 2.0 message: jsonrpc must be "2.0", an id or a progressToken a whole number or a text of at most ${MAX_ID_CHARS} characters, a method a text, and params and _meta objects`,
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
  const called = Called.safeParse(read.value);
  if (called.success) return done(called.data);
  const answered = Answered.safeParse(read.value);
  return answered.success ? done({ jsonrpc: "2.0", id: answered.data.id }) : refused(NO_MESSAGE);
}

function faultOf({ code, error }: Problem): MessageFault {
  const rpcCode = code === "invalid" ? RPC_CODE.parseError : RPC_CODE.serverError;
  return { status: STATUS[code], rpcCode, message: error };
}

/** The response to a message that cannot be served; `id` is null where it could not be read. */
export function faultResponse(
  { status, rpcCode, message, data }: MessageFault,
  id: Message["id"] | null = null,
): Response {
  const body = { jsonrpc: "2.0", error: { code: rpcCode, message, data }, id };
  return respond(JSON.stringify(body), status, { "Content-Type": "application/json" });
}

/** The name of the tool that a message calls; null if it calls none. */
export function toolCalled({ method, params, id }: Message): string | null {
  const name = params?.["name"];
  return method === "tools/call" && id !== undefined && typeof name === "string" ? name : null;
}

/** Whether the sender wants to hear how far a request is. */
export function wantsProgress({ params }: Message): boolean {
  return params?._meta?.progressToken !== undefined;
}

/** The id of the request that a message cancels; null if it cancels none. */
export function cancelledId({ method, params }: Message): string | number | null {
  const id = params?.["requestId"];
  if (method !== "notifications/cancelled") return null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
