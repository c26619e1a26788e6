// The tools, resources and prompts that the conformance suite of the Model Context Protocol asks a server for. They are served by
// the transport of the product, behind its gate and its reader of messages.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  InMemoryServerEventBus,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** A red dot, and a second of nothing. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
const pause = () => new Promise((resolve) => void setTimeout(resolve, 50));

const states = createRequestStateCodec<{ round: number }>({
  key: "a key of the conformance fixture, 32 bytes",
});

/** A question to the person in front of the client. */
const elicit = (
  message: string,
  field: string,
  schema: { type: "string" } | { type: "boolean" } = { type: "string" },
) => ({
  method: "elicitation/create" as const,
  params: {
    message,
    requestedSchema: { type: "object" as const, properties: { [field]: schema }, required: [field] },
  },
});
const sample = (words: string, maxTokens: number) => ({
  method: "sampling/createMessage" as const,
  params: {
    messages: [{ role: "user" as const, content: { type: "text" as const, text: words } }],
    maxTokens,
  },
});
const ROOTS = { method: "roots/list" as const, params: {} };

/** The capabilities of a client, as far as a tool here looks at them. */
const Capabilities = z.object({ sampling: z.object({}).optional(), elicitation: z.object({}).optional() });

type Ask = NonNullable<InputRequiredResult["inputRequests"]>;
const ask = (inputRequests: Ask, requestState?: string): InputRequiredResult => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

/** Where the fixture tells that its lists changed. */
export const bus = new InMemoryServerEventBus();

/** A server with everything that the suite asks for. */
export function fixtureServer(): McpServer {
  const hint = { ttlMs: 1_000, cacheScope: "private" } as const;
  const server = new McpServer(
    { name: "fixture", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: {},
        logging: {},
        completions: {},
      },
      cacheHints: {
        "tools/list": hint,
        "prompts/list": hint,
        "resources/list": hint,
        "resources/templates/list": hint,
        "resources/read": hint,
        "server/discover": hint,
      },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  addContent(server);
  addConversation(server);
  addRounds(server);
  addResources(server);
  addPrompts(server);
  return server;
}

type Work = (
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

function add(server: McpServer, name: string, work: Work): void {
  server.registerTool(name, { description: `Answers the scenario ${name}.` }, (context) => work(context));
}

function addContent(server: McpServer): void {
  const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
  const embedded = (uri: string, mimeType: string, words: string) => ({
    type: "resource" as const,
    resource: { uri, mimeType, text: words },
  });
  add(server, "test_simple_text", () => text("This is a simple text response for testing."));
  add(server, "test_image_content", () => ({ content: [image] }));
  add(server, "test_audio_content", () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  add(server, "test_embedded_resource", () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  add(server, "test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      embedded(
        "test://mixed-content-resource",
        "application/json",
        JSON.stringify({ test: "data", value: 123 }),
      ),
    ],
  }));
  add(server, "test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addConversation(server: McpServer): void {
  add(server, "test_tool_with_logging", async ({ mcpReq }) => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", words);
      await pause();
    }
    return text("Logged.");
  });
  add(server, "test_logging_tool", async ({ mcpReq }) => {
    await mcpReq.log("info", "Only for those who asked for it");
    return text("Done.");
  });
  add(server, "test_tool_with_progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      await pause();
    }
    return text("Done.");
  });
  // The library refuses a question that the client did not say it can answer.
  add(server, "test_missing_capability", () => ask({ question: sample("Are you there?", 10) }));
  add(server, "test_streaming_elicitation", () => ask({ name: elicit("What is your name?", "name") }));
  add(server, "test_trigger_tool_change", () => {
    bus.publish({ kind: "tools_list_changed" });
    return text("Announced.");
  });
  add(server, "test_trigger_prompt_change", () => {
    bus.publish({ kind: "prompts_list_changed" });
    return text("Announced.");
  });
}

function addRounds(server: McpServer): void {
  add(server, "test_input_required_result_elicitation", ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_name", z.object({ name: z.string() }));
    return answer === undefined
      ? ask({ user_name: elicit("What is your name?", "name") })
      : text(`Hello, ${answer.name}!`);
  });
  add(server, "test_input_required_result_sampling", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    return answer.kind === "sampling"
      ? text(JSON.stringify(answer.result.content))
      : ask({ capital_question: sample("What is the capital of France?", 100) });
  });
  add(server, "test_input_required_result_list_roots", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    return answer.kind === "roots" ? text(JSON.stringify(answer.roots)) : ask({ client_roots: ROOTS });
  });
  for (const name of [
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
  ]) {
    add(server, name, async ({ mcpReq }) =>
      mcpReq.inputResponses !== undefined && mcpReq.requestState() !== undefined
        ? text("state-ok")
        : ask(
            { confirm: elicit("Please confirm", "ok", { type: "boolean" }) },
            await states.mint({ round: 1 }),
          ),
    );
  }
  add(server, "test_input_required_result_multiple_inputs", async ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? ask(
          {
            user_name: elicit("What is your name?", "name"),
            greeting: sample("Generate a greeting", 50),
            client_roots: ROOTS,
          },
          await states.mint({ round: 1 }),
        )
      : text("Got all answers."),
  );
  add(server, "test_input_required_result_multi_round", async ({ mcpReq }) => {
    const state = mcpReq.requestState<{ round: number }>();
    if (state === undefined) {
      return ask({ step1: elicit("Step 1: What is your name?", "name") }, await states.mint({ round: 1 }));
    }
    if (state.round === 1) {
      return ask(
        { step2: elicit("Step 2: What is your favorite color?", "color") },
        await states.mint({ round: 2 }),
      );
    }
    return text("Done after two rounds.");
  });
  add(server, "test_input_required_result_capabilities", ({ mcpReq }) => {
    const declared = Capabilities.parse(Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY));
    return ask({
      ...(declared.sampling === undefined ? {} : { question: sample("What is the capital of France?", 100) }),
      ...(declared.elicitation === undefined ? {} : { name: elicit("What is your name?", "name") }),
    });
  });
}

function addResources(server: McpServer): void {
  server.registerResource(
    "static-text",
    "test://static-text",
    { description: "A text.", mimeType: "text/plain" },
    ({ href }) => ({
      contents: [
        { uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." },
      ],
    }),
  );
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "An image.", mimeType: "image/png" },
    ({ href }) => ({ contents: [{ uri: href, mimeType: "image/png", blob: PNG }] }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data by id.", mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: "user" as const, content });
  const words = (said: string) => user({ type: "text" as const, text: said });
  server.registerPrompt("test_simple_prompt", { description: "A text." }, () => ({
    messages: [words("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Two arguments.", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: "resource" as const,
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        words("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "An image." }, () => ({
    messages: [
      user({ type: "image" as const, data: PNG, mimeType: "image/png" }),
      words("Please analyze the image above."),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first." }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_context", z.object({ context: z.string() }));
    return answer === undefined
      ? ask({ user_context: elicit("What context should the prompt use?", "context") })
      : { messages: [words(`The context is ${answer.context}`)] };
  });
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}
