import type { CallToolResult } from "@modelcontextprotocol/server";
import { api, type Ask } from "./harness.ts";

/** The two revisions of the protocol that are served. */
export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export const REVISIONS = [MODERN, LEGACY] as const;
export type Revision = (typeof REVISIONS)[number];

/** The answer to a JSON-RPC message. */
export interface RpcAnswer {
  status: number;
  headers: Headers;
  result: Record<string, unknown>;
  error: { code: number; message: string; data?: unknown } | undefined;
  /** Notifications that came before the answer. */
  notifications: { method: string; params: Record<string, unknown> }[];
}

/** The members of a message beside its method and parameters. */
export interface RpcAsk extends Ask {
  revision?: Revision;
  /** JSON-RPC id; null: the message is a notification. */
  id?: string | number | null;
  meta?: Record<string, unknown>;
  path?: string;
}

/** The message of a client that speaks a revision. */
export function rpcMessage(
  method: string,
  params: object,
  { revision = MODERN, id = 1, meta }: RpcAsk,
): object {
  const modern = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const own = { ...(revision === MODERN ? modern : {}), ...meta };
  const body = Object.keys(own).length === 0 ? params : { ...params, _meta: own };
  return { jsonrpc: "2.0", ...(id === null ? {} : { id }), method, params: body };
}

/** The header fields of a client that speaks a revision. */
export function rpcHeaders(method: string, params: object, revision: Revision): Record<string, string> {
  const name: unknown = Reflect.get(params, "name") ?? Reflect.get(params, "uri");
  return {
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": revision,
    ...(revision === MODERN ? { "Mcp-Method": method } : {}),
    ...(revision === MODERN && typeof name === "string" ? { "Mcp-Name": name } : {}),
  };
}

/** Sends one JSON-RPC request to /mcp. */
export async function rpc(method: string, params: object = {}, asked: RpcAsk = {}): Promise<RpcAnswer> {
  const { revision = MODERN, headers, path = "/mcp" } = asked;
  const response = await api(path, {
    ...asked,
    json: rpcMessage(method, params, asked),
    headers: { ...rpcHeaders(method, params, revision), ...headers },
  });
  return readAnswer(response);
}

/** Reads JSON, or a stream of events. */
export async function readAnswer(response: Response): Promise<RpcAnswer> {
  // The harness checks texts of routes of the table; this endpoint is none.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
  const messages: Record<string, unknown>[] = isStream
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data))
    : text === ""
      ? []
      : [JSON.parse(text)];
  const answer =
    messages.find((message) => "result" in message || "error" in message) ?? messages.at(-1) ?? {};
  return {
    status: response.status,
    headers: response.headers,
    result: (answer["result"] ?? {}) as Record<string, unknown>,
    error: answer["error"] as RpcAnswer["error"],
    notifications: messages.filter((message) => !("id" in message)) as RpcAnswer["notifications"],
  };
}

/** Calls a tool, and answers its result. */
export async function callTool<Value = Record<string, unknown>>(
  key: string,
  name: string,
  input: object = {},
  asked: RpcAsk = {},
): Promise<CallToolResult & { value: Value; answer: RpcAnswer }> {
  const answer = await rpc("tools/call", { name, arguments: input }, { key, ...asked });
  const result = answer.result as unknown as CallToolResult;
  return { ...result, value: result.structuredContent as Value, answer };
}
