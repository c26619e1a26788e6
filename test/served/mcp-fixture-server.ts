// A server with what the product does not offer (questions to the client, subscriptions, log messages, completions), made of the
// same `Method`s as the product's.
import { createRequestStateCodec } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { McpServer, Method } from "../../src/http/mcp/protocol.ts";
import { META } from "../../src/http/mcp/revision.ts";
import { invalidParams, resourceNotFound, RPC_CODE, RpcError } from "../../src/http/mcp/rpc-error.ts";
import type { Exchange } from "../../src/http/mcp/transport.ts";
import type { CallToolResult, ContentBlock, Prompt, ResourceContents } from "../../src/http/mcp/types.ts";

/** A question to the client, by its method and parameters. */
export interface Question {
  method: string;
  params: object;
}

/** The result that asks the client for something first. */
export interface Asking {
  resultType: "input_required";
  inputRequests: Record<string, Question>;
  requestState?: string;
}

/** The request as a tool or a prompt knows it. */
export interface Turn {
  progressToken: string | number | undefined;
  /** The client's answers to the questions of an earlier result. */
  answers: Record<string, unknown> | undefined;
  /** The state that an earlier result gave the client. */
  state: { round: number } | undefined;
  /** The capabilities of the client. */
  declared: Record<string, unknown>;
  notify: (method: string, params: object) => void;
  log: (words: string) => void;
}

type Work<Result> = (turn: Turn) => Result | Asking | Promise<Result | Asking>;

interface PromptResult {
  messages: { role: "user"; content: ContentBlock }[];
}
type PromptWork = (
  values: Record<string, string>,
  turn: Turn,
) => PromptResult | Asking | Promise<PromptResult | Asking>;

interface FixtureResource {
  uri: RegExp;
  listed: object;
  isTemplate: boolean;
  read(uri: string, id: string): ResourceContents;
}

export const states = createRequestStateCodec<{ round: number }>({
  key: "a key of the conformance fixture, 32 bytes",
});

const ANY = z.looseObject({});
const MISSING_CAPABILITY = -32_021;
const HINT = { ttlMs: 1_000, cacheScope: "private" } as const;
const CHANGES = { toolsListChanged: "tools", promptsListChanged: "prompts" } as const;

/** Gathers tools, resources and prompts, and makes a server of them. */
export class FixtureServer {
  readonly #tools = new Map<string, Work<CallToolResult>>();
  readonly #prompts = new Map<string, { listed: Prompt; work: PromptWork }>();
  readonly #resources: FixtureResource[] = [];
  /** Who hears that a list changed. */
  readonly #listeners = new Set<(list: "tools" | "prompts") => void>();

  tool(name: string, work: Work<CallToolResult>): void {
    this.#tools.set(name, work);
  }

  prompt(listed: Prompt, work: PromptWork): void {
    this.#prompts.set(listed.name, { listed, work });
  }

  resource(resource: FixtureResource): void {
    this.#resources.push(resource);
  }

  announce(list: "tools" | "prompts"): void {
    for (const hear of this.#listeners) hear(list);
  }

  /** The server as the product's protocol serves it. */
  served(): McpServer {
    return {
      info: { name: "fixture", version: "1" },
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: {},
        logging: {},
        completions: {},
      },
      discoverCache: HINT,
      methods: {
        ...this.#toolMethods(),
        ...this.#readMethods(),
        ...this.#promptMethods(),
        ...this.#others(),
      },
    };
  }

  #toolMethods(): Record<string, Method> {
    const tools = [...this.#tools.keys()].map((name) => ({
      name,
      description: `Answers the scenario ${name}.`,
      inputSchema: { type: "object" },
    }));
    return {
      "tools/list": { params: ANY, cache: HINT, answer: () => ({ tools }) },
      "tools/call": {
        params: ANY,
        answer: async (params: Record<string, unknown>, exchange) => {
          const work = this.#tools.get(String(params["name"]));
          if (work === undefined) throw invalidParams("Unknown tool");
          const turn = await turnOf(params, exchange);
          try {
            return asked(await work(turn), turn);
          } catch (error) {
            if (error instanceof RpcError) throw error;
            return { content: [{ type: "text", text: String(error) }], isError: true };
          }
        },
      },
    };
  }

  #readMethods(): Record<string, Method> {
    const listed = (isTemplate: boolean) =>
      this.#resources.filter((one) => one.isTemplate === isTemplate).map((one) => one.listed);
    return {
      "resources/list": { params: ANY, cache: HINT, answer: () => ({ resources: listed(false) }) },
      "resources/templates/list": {
        params: ANY,
        cache: HINT,
        answer: () => ({ resourceTemplates: listed(true) }),
      },
      "resources/read": {
        params: z.object({ uri: z.string() }),
        cache: HINT,
        answer: ({ uri }: { uri: string }) => {
          for (const resource of this.#resources) {
            const match = resource.uri.exec(uri);
            if (match !== null) return { contents: [resource.read(uri, match[1] ?? "")] };
          }
          throw resourceNotFound(uri);
        },
      },
    };
  }

  #promptMethods(): Record<string, Method> {
    const prompts = [...this.#prompts.values()].map(({ listed }) => listed);
    return {
      "prompts/list": { params: ANY, cache: HINT, answer: () => ({ prompts }) },
      "prompts/get": {
        params: ANY,
        answer: async (params: Record<string, unknown>, exchange) => {
          const found = this.#prompts.get(String(params["name"]));
          if (found === undefined) throw invalidParams("Unknown prompt");
          const turn = await turnOf(params, exchange);
          return asked(await found.work((params["arguments"] ?? {}) as Record<string, string>, turn), turn);
        },
      },
    };
  }

  #others(): Record<string, Method> {
    return {
      "logging/setLevel": {
        params: ANY,
        answer: ({ _meta: meta = {} }: { _meta?: object }) => {
          if (META.version in meta)
            throw new RpcError(RPC_CODE.methodNotFound, "Method not found", { status: 404 });
          return {};
        },
      },
      "completion/complete": {
        params: ANY,
        answer: () => ({ completion: { values: [], total: 0, hasMore: false } }),
      },
      "subscriptions/listen": {
        params: z.object({ notifications: ANY }),
        answer: ({ notifications }: { notifications: Record<string, unknown> }, exchange) =>
          this.#listen(notifications, exchange),
      },
    };
  }

  /** Tells of the changes that the client asked for, until it is gone. */
  async #listen(wished: Record<string, unknown>, { id, signal, notify }: Exchange): Promise<object> {
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    const honored = Object.keys(CHANGES).filter((name) => wished[name] === true);
    notify("notifications/subscriptions/acknowledged", {
      notifications: Object.fromEntries(honored.map((name) => [name, true])),
      _meta,
    });
    if (honored.length === 0) return { _meta };
    const lists = new Set(
      Object.entries(CHANGES).flatMap(([name, list]) => (wished[name] === true ? list : [])),
    );
    const hear = (list: "tools" | "prompts") => {
      if (lists.has(list)) notify(`notifications/${list}/list_changed`, { _meta });
    };
    this.#listeners.add(hear);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    this.#listeners.delete(hear);
    return { _meta };
  }
}

async function turnOf(params: Record<string, unknown>, { notify }: Exchange): Promise<Turn> {
  const meta = (params["_meta"] ?? {}) as Record<string, unknown>;
  const isStateless = Object.hasOwn(meta, META.version);
  const { inputResponses, requestState } = params as {
    inputResponses?: Turn["answers"];
    requestState?: string;
  };
  return {
    progressToken: meta["progressToken"] as string | undefined,
    answers: inputResponses,
    state: requestState === undefined ? undefined : await stateOf(requestState),
    declared: (meta[META.capabilities] ?? {}) as Record<string, unknown>,
    notify,
    log(data) {
      if (isStateless && meta[META.logLevel] === undefined) return;
      notify("notifications/message", { level: "info", data });
    },
  };
}

async function stateOf(text: string): Promise<{ round: number }> {
  try {
    return await states.verify(text, undefined as never);
  } catch {
    throw invalidParams("Invalid or expired requestState", { reason: "invalid_request_state" });
  }
}

const NEEDS: Record<string, string> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** A result, unless it asks something that the client cannot answer. */
function asked<Result extends object>(result: Result | Asking, { declared }: Turn): Result | Asking {
  if (!("inputRequests" in result)) return result;
  for (const { method } of Object.values(result.inputRequests)) {
    const capability = NEEDS[method] ?? "";
    if (declared[capability] !== undefined) continue;
    throw new RpcError(MISSING_CAPABILITY, `Missing required client capabilities: ${capability}`, {
      status: 400,
      data: { requiredCapabilities: { [capability]: {} } },
    });
  }
  return result;
}
