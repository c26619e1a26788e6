import { configOf, type Config } from "../../config/env.ts";
import { UNAUTHORIZED, type Answer, type Problem } from "../../contract/problem.ts";
import { PRODUCT_NAME } from "../../contract/product.ts";
import { Scope } from "../../contract/scope.ts";
import { done, refused, type Outcome } from "../../lib/outcome.ts";
import { json, problemResponse } from "../answers.ts";
import { readCaller, type Caller } from "../caller.ts";
import { madeTargetOf, originOf, refusal, upgradeUrl, type AppContext } from "../dispatch.ts";
import { announcedBytes, MAX_JSON_BYTES } from "../request-input.ts";
import { McpCall } from "./call.ts";
import { foreignSite } from "./foreign-page.ts";
import {
  cancelledId,
  faultResponse,
  readMessage,
  toolCalled,
  wantsProgress,
  type Message,
  type MessageFault,
} from "./message.ts";
import { serveMessage } from "./protocol.ts";
import { eraOf, type Era } from "./revision.ts";
import { mcpServer } from "./server.ts";
import type { Tool } from "./tool.ts";
import { toolNamed } from "./tools.ts";

/** The path of the server, and of what tells clients how to be let in (RFC 9728 §3.1). */
export const MCP_PATH = "/mcp";
export const METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

/** Header fields that a page of this deployment sends to the server beside those of the API. */
export const MCP_HEADERS = "MCP-Protocol-Version, Mcp-Method, Mcp-Name";

/** The Model Context Protocol: one message a request, and nothing kept between requests. */
export async function serveMcp(c: AppContext): Promise<Response> {
  const config = configOf(c.env);
  const request = c.req.raw;
  const foreign = foreignSite(request, config);
  if (foreign !== null) return problemResponse(foreign);
  const caller = readCaller(request, config);
  const call = await callOf(c, config, caller);
  if (!call.ok) return refuse(c, config, caller, call.error);
  const response = await serveCall(request, call.value);
  const wrong = call.value.refusal;
  return wrong === null ? response : refuse(c, config, caller, wrong);
}

async function callOf(c: AppContext, config: Config, caller: Caller): Promise<Answer<McpCall>> {
  if (caller.kind === "nobody") return refused(UNAUTHORIZED);
  const mailbox = await madeTargetOf(c, config, { target: "caller" }, caller);
  if (!mailbox.ok) return mailbox;
  const parts = { request: c.req.raw, env: c.env, config, origin: originOf(c, config), caller };
  return done(new McpCall({ ...parts, mailbox: mailbox.value }));
}

/**
 * Serves the message of a request. The caller is judged before a large body is read, and before anything is answered. Only where
 * the message calls a tool that answers at once, the mailbox judges in the call that does the work.
 */
async function serveCall(request: Request, call: McpCall): Promise<Response> {
  if (isLarge(request)) {
    const admitted = await call.admit();
    if (!admitted.ok) return problemResponse(admitted.error);
  }
  const read = await readMessage(request);
  const judged = read.ok ? judge(request, read.value) : read;
  const tool = judged.ok ? calledTool(judged.value.message, call) : null;
  if (judged.ok && tool !== null && answersAtOnce(tool, judged.value.message)) {
    return callAtOnce(request, call, judged.value);
  }
  const admitted = await call.admit();
  if (!admitted.ok) return problemResponse(admitted.error);
  if (!judged.ok) return faultResponse(judged.error, read.ok ? read.value.id : null);
  return serveAdmitted(request, call, { judged: judged.value, isTool: tool !== null });
}

async function serveAdmitted(
  request: Request,
  call: McpCall,
  { judged, isTool }: { judged: Judged; isTool: boolean },
): Promise<Response> {
  const cancelled = cancelledId(judged.message);
  if (cancelled !== null) await call.cancel(cancelled);
  const formOfTool = readsStreams(request) ? "stream" : "held-json";
  const { handOvers } = call;
  return serveMessage(request, judged, {
    server: mcpServer(call),
    form: isTool ? formOfTool : "json",
    handOvers,
  });
}

/** A message that follows the rules of a revision. */
interface Judged {
  message: Message;
  era: Era;
}

function judge(request: Request, message: Message): Outcome<Judged, MessageFault> {
  const era = eraOf(request, message);
  return era.ok ? done({ message, era: era.value }) : era;
}

function answersAtOnce(tool: Tool, message: Message): boolean {
  return !tool.waits && !wantsProgress(message);
}

/** Calls a tool that answers at once. The mailbox judges the caller in the first call that does the work. */
async function callAtOnce(request: Request, call: McpCall, judged: Judged): Promise<Response> {
  const response = await serveMessage(request, judged, { server: mcpServer(call), form: "json" });
  // Wrong parameters reached no mailbox.
  if (!call.isServed) await call.admit();
  return response;
}

/** Whether a client can read a stream of events. */
function readsStreams(request: Request): boolean {
  return request.headers.get("Accept")?.includes("text/event-stream") ?? false;
}

function isLarge(request: Request): boolean {
  const announced = announcedBytes(request);
  return announced === null || announced > MAX_JSON_BYTES;
}

function calledTool(message: Message, call: McpCall): Tool | null {
  const name = toolCalled(message);
  return name === null ? null : toolNamed(name, call.isOperator);
}

/** Refuses a caller. One without a right key is told where to get one. */
function refuse(c: AppContext, config: Config, caller: Caller, problem: Problem): Promise<Response> {
  if (problem.code !== "unauthorized") return refusal(c, config, { problem, caller });
  const origin = originOf(c, config);
  const isWrong = caller.kind !== "nobody" || caller.presented;
  const challenge = `Bearer ${isWrong ? 'error="invalid_token", ' : ""}resource_metadata="${origin}${METADATA_PATH}"`;
  const told: Problem = {
    ...problem,
    fix: `Send Authorization: Bearer <key>. POST ${origin}/v1/bootstrap gives a temporary mailbox and its key; at ${upgradeUrl(origin)} a person gives you a permanent one.`,
    extra: { upgrade: upgradeUrl(origin) },
    headers: { "WWW-Authenticate": challenge },
  };
  return refusal(c, config, { problem: told, caller });
}

/** Tells a client how to be let in (RFC 9728): by a key in the Authorization header. There is no authorization server. */
export function serveMetadata(c: AppContext): Response {
  const origin = originOf(c, configOf(c.env));
  return json({
    resource: `${origin}${MCP_PATH}`,
    resource_name: PRODUCT_NAME,
    bearer_methods_supported: ["header"],
    scopes_supported: Scope.options,
    resource_documentation: `${origin}/docs`,
  });
}
