import * as z from "zod";
import { fieldRule } from "../../contract/field-rule.ts";
import type { Wait } from "../../service/wait.ts";
import { respond } from "../answers.ts";
import type { Message, RpcRequest } from "./message.ts";
import { HANDSHAKE_REVISIONS, META, STATELESS_REVISION, type Era } from "./revision.ts";
import { invalidParams, RPC_CODE, RpcError } from "./rpc-error.ts";
import { answerRequest, type Exchange, type Form } from "./transport.ts";
import type { CacheHint } from "./types.ts";

/** A method that clients call. */
export interface Method {
  /** The shape of the members of `params` that it reads. */
  params: z.ZodType;
  /** How long, and for whom, a client of 2026-07-28 may keep the answer. */
  cache?: CacheHint;
  /** The result. It throws an `RpcError` where there is none. */
  answer(params: never, exchange: Exchange): object | Promise<object>;
  /** The result as JSON, where that is at hand. */
  encode?(result: never): string;
}

/** A server, by what clients are told of it and may call. */
export interface McpServer {
  info: { name: string; title?: string; version: string };
  capabilities: Record<string, object>;
  instructions?: string;
  methods: Readonly<Record<string, Method>>;
  /** How long, and for whom, the answer to `server/discover` may be kept. */
  discoverCache: CacheHint;
}

/** Serves one message whose form was judged. It keeps nothing: there are no sessions. */
export function serveMessage(
  request: Request,
  { message, era }: { message: Message; era: Era },
  { server, ...answered }: { server: McpServer; form: Form; handOvers?: readonly Wait[] },
): Promise<Response> {
  if (!isRequest(message)) return Promise.resolve(respond(null, 202, {}));
  return answerRequest(request, { id: message.id, ...answered }, async (exchange) => {
    const method = methodOf(server, message.method, era);
    const params = paramsOf(method, message);
    const result = await method.answer(params as never, exchange);
    const text = method.encode?.(result as never) ?? JSON.stringify(result);
    return era === "stateless" ? stamped(text, result, { server, method }) : text;
  });
}

function isRequest(message: Message): message is RpcRequest {
  return message.id !== undefined && message.method !== undefined;
}

function methodOf(server: McpServer, name: string, era: Era): Method {
  const own = era === "stateless" ? statelessMethods(server) : handshakeMethods(server);
  for (const methods of [own, server.methods]) {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method !== undefined) return method;
  }
  throw new RpcError(RPC_CODE.methodNotFound, "Method not found", {
    status: era === "stateless" ? 404 : 200,
  });
}

const ANY = z.looseObject({});
const Initialize = z.object({
  protocolVersion: z.string(),
  capabilities: ANY,
  clientInfo: z.object({ name: z.string(), version: z.string() }),
});

function handshakeMethods(server: McpServer): Record<string, Method> {
  const { info: serverInfo, capabilities, instructions } = server;
  return {
    initialize: {
      params: Initialize,
      answer: ({ protocolVersion: asked }: z.output<typeof Initialize>) => {
        const protocolVersion = HANDSHAKE_REVISIONS.includes(asked) ? asked : HANDSHAKE_REVISIONS[0];
        return { protocolVersion, capabilities, serverInfo, instructions };
      },
    },
    ping: { params: ANY, answer: () => ({}) },
  };
}

function statelessMethods({ capabilities, instructions, discoverCache }: McpServer): Record<string, Method> {
  return {
    "server/discover": {
      params: ANY,
      cache: discoverCache,
      answer: () => ({ supportedVersions: [STATELESS_REVISION], capabilities, instructions }),
    },
  };
}

/** The parameters as they were sent, if the method takes them. The error quotes nothing of them. */
function paramsOf({ params: shape }: Method, { params = {} }: RpcRequest): Record<string, unknown> {
  const issue = shape.safeParse(params, { error: fieldRule }).error?.issues[0];
  if (issue === undefined) return params;
  throw invalidParams(`Invalid params: ${String(issue.path[0] ?? "params")}: ${issue.message}`);
}

/** The JSON of a result with the members that 2026-07-28 adds to each. */
function stamped(
  text: string,
  result: object,
  { server, method }: { server: McpServer; method: Method },
): string {
  const members = {
    ...("resultType" in result ? {} : { resultType: "complete", ...method.cache }),
    _meta: { [META.serverInfo]: server.info },
  };
  const stamp = JSON.stringify(members).slice(1);
  return text === "{}" ? `{${stamp}` : `${text.slice(0, -1)},${stamp}`;
}
