import { membersOf, type Members } from "../profile/json.ts";

/** Which member of `params` the header `Mcp-Name` repeats, by method (MCP 2026-07-28, Streamable HTTP). */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

const VERSION_MEMBER = "io.modelcontextprotocol/protocolVersion";

/** A header value as it is; anything else travels in base64 between these marks. */
const PLAIN_VALUE = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function headerValue(text: string): string {
  return PLAIN_VALUE.test(text) ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/**
 * The headers that HTTP adds to a JSON-RPC message. Revision 2026-07-28 names its version in each message, and repeats
 * method and name in headers; earlier ones send the version that `initialize` agreed on, which is `agreed`.
 */
export function mcpHeaders(message: Members, agreed: string | null): Record<string, string> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const params = membersOf(message["params"]);
  const stated = membersOf(params["_meta"])[VERSION_MEMBER];
  const version = typeof stated === "string" ? stated : agreed;
  if (version !== null) headers["MCP-Protocol-Version"] = headerValue(version);
  const { method } = message;
  if (typeof stated !== "string" || typeof method !== "string") return headers;
  headers["Mcp-Method"] = headerValue(method);
  const name = Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method] ?? ""] : undefined;
  if (typeof name === "string") headers["Mcp-Name"] = headerValue(name);
  return headers;
}
