import {
  BAGGAGE_META_KEY,
  LATEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { json } from "../answers.ts";
import type { Message } from "./message.ts";
import { SERVER_INFO } from "./server-info.ts";
import { jsonOf } from "./tool.ts";

/**
 * A call of a tool that is answered without the library, which takes a millisecond for each message: it makes a server, a transport
 * and a stream, and parses the message five times. Only a message of the plainest form is: the library serves all others, and
 * refuses what is wrong. A test compares the answers of both.
 */
export interface DirectCall {
  id: string | number;
  name: string;
  input: Record<string, unknown> | undefined;
  /** Of revision 2026-07-28. */
  isStateless: boolean;
}

const MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS = new Set(["name", "arguments", "_meta"]);

/** The call of a tool that may be answered directly; null for any other message. */
export function directCall(request: Request, message: Message): DirectCall | null {
  const { id, method, params } = message;
  if (method !== "tools/call" || id === undefined || params === undefined) return null;
  const { name, arguments: input, _meta: meta } = params;
  if (typeof name !== "string" || !hasOnly(message, MEMBERS) || !hasOnly(params, PARAMS)) return null;
  if (input !== undefined && !isObject(input)) return null;
  if (meta === undefined) return isOf2025(request) ? { id, name, input, isStateless: false } : null;
  return isStateless(request, name, meta) ? { id, name, input, isStateless: true } : null;
}

/** A client of 2025: it names its revision since 2025-06-18, in a header field alone. */
function isOf2025({ headers }: Request): boolean {
  const version = headers.get("MCP-Protocol-Version") ?? LATEST_PROTOCOL_VERSION;
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

function isStateless({ headers }: Request, name: string, meta: unknown): boolean {
  const envelope = envelopeOf(meta);
  return (
    envelope !== null &&
    envelopes.has(envelope.text) &&
    headers.get("MCP-Protocol-Version") === envelope.version &&
    headers.get("Mcp-Method") === "tools/call" &&
    headers.get("Mcp-Name") === name
  );
}

/** The `_meta` of messages that the library accepted, as JSON: it names the client and is the same in each of its messages. */
const envelopes = new Set<string>();
const MAX_ENVELOPES = 256;
const MAX_ENVELOPE_CHARS = 1_000;

/** Members of `_meta` that differ in each message, and that the library does not read. */
const TRACES: ReadonlySet<string> = new Set([TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY]);

function envelopeOf(meta: unknown): { text: string; version: string } | null {
  if (!isObject(meta)) return null;
  const version = meta[PROTOCOL_VERSION_META_KEY];
  const text = JSON.stringify(Object.entries(meta).filter(([name]) => !TRACES.has(name)));
  return typeof version === "string" && text.length <= MAX_ENVELOPE_CHARS ? { text, version } : null;
}

/** Remembers that the library accepted the `_meta` of a message. */
export function rememberEnvelope({ params }: Message): void {
  const envelope = envelopeOf(params?.["_meta"]);
  if (envelope === null) return;
  const [oldest] = envelopes;
  if (envelopes.size >= MAX_ENVELOPES && oldest !== undefined) envelopes.delete(oldest);
  envelopes.add(envelope.text);
}

const STATELESS_MEMBERS = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: SERVER_INFO })},`;

/** The response to a direct call, as the library would write it. */
export function directResponse({ id, isStateless: isNew }: DirectCall, result: CallToolResult): Response {
  const { structuredContent: _, ...others } = result;
  const members = `${isNew ? STATELESS_MEMBERS : ""}"structuredContent":${jsonOf(result)}`;
  return json(
    `{"result":{${members},${JSON.stringify(others).slice(1)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`,
  );
}

function hasOnly(value: object, names: ReadonlySet<string>): boolean {
  return Object.keys(value).every((name) => names.has(name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
