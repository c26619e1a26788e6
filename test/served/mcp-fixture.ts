// The tools, resources and prompts that the conformance suite of the Model Context Protocol asks a server for. They are served by
// the transport of the product, behind its gate and its reader of messages.
import { acceptedContent, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { McpServer } from "../../src/http/mcp/protocol.ts";
import type { CallToolResult, ContentBlock, ResourceContents } from "../../src/http/mcp/types.ts";
import { FixtureServer, states, type Asking, type Question } from "./mcp-fixture-server.ts";

/** A red dot, and a second of nothing. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
const pause = () => new Promise((resolve) => void setTimeout(resolve, 50));

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

const ask = (inputRequests: Record<string, Question>, requestState?: string): Asking => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

/** A server with everything that the suite asks for. */
export function fixtureServer(): McpServer {
  const server = new FixtureServer();
  addContent(server);
  addConversation(server);
  addRounds(server);
  addResources(server);
  addPrompts(server);
  return server.served();
}

function addContent(server: FixtureServer): void {
  const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
  const embedded = (uri: string, mimeType: string, words: string) => ({
    type: "resource" as const,
    resource: { uri, mimeType, text: words },
  });
  server.tool("test_simple_text", () => text("This is a simple text response for testing."));
  server.tool("test_image_content", () => ({ content: [image] }));
  server.tool("test_audio_content", () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  server.tool("test_embedded_resource", () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  server.tool("test_multiple_content_types", () => ({
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
  server.tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addConversation(server: FixtureServer): void {
  server.tool("test_tool_with_logging", async (turn) => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      turn.log(words);
      await pause();
    }
    return text("Logged.");
  });
  server.tool("test_logging_tool", (turn) => {
    turn.log("Only for those who asked for it");
    return text("Done.");
  });
  server.tool("test_tool_with_progress", async ({ progressToken, notify }) => {
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        notify("notifications/progress", { progressToken, progress, total: 100 });
      }
      await pause();
    }
    return text("Done.");
  });
  // The fixture refuses a question that the client did not say it can answer.
  server.tool("test_missing_capability", () => ask({ question: sample("Are you there?", 10) }));
  server.tool("test_streaming_elicitation", () => ask({ name: elicit("What is your name?", "name") }));
  server.tool("test_trigger_tool_change", () => {
    server.announce("tools");
    return text("Announced.");
  });
  server.tool("test_trigger_prompt_change", () => {
    server.announce("prompts");
    return text("Announced.");
  });
}

function addRounds(server: FixtureServer): void {
  server.tool("test_input_required_result_elicitation", (turn) => {
    const answer = acceptedContent(turn.answers, "user_name", z.object({ name: z.string() }));
    return answer === undefined
      ? ask({ user_name: elicit("What is your name?", "name") })
      : text(`Hello, ${answer.name}!`);
  });
  server.tool("test_input_required_result_sampling", (turn) => {
    const answer = inputResponse(turn.answers, "capital_question");
    return answer.kind === "sampling"
      ? text(JSON.stringify(answer.result.content))
      : ask({ capital_question: sample("What is the capital of France?", 100) });
  });
  server.tool("test_input_required_result_list_roots", (turn) => {
    const answer = inputResponse(turn.answers, "client_roots");
    return answer.kind === "roots" ? text(JSON.stringify(answer.roots)) : ask({ client_roots: ROOTS });
  });
  for (const name of [
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
  ]) {
    server.tool(name, async (turn) =>
      turn.answers !== undefined && turn.state !== undefined
        ? text("state-ok")
        : ask(
            { confirm: elicit("Please confirm", "ok", { type: "boolean" }) },
            await states.mint({ round: 1 }),
          ),
    );
  }
  server.tool("test_input_required_result_multiple_inputs", async (turn) =>
    turn.answers === undefined
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
  server.tool("test_input_required_result_multi_round", async (turn) => {
    const { state } = turn;
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
  server.tool("test_input_required_result_capabilities", (turn) => {
    const declared = Capabilities.parse(turn.declared);
    return ask({
      ...(declared.sampling === undefined ? {} : { question: sample("What is the capital of France?", 100) }),
      ...(declared.elicitation === undefined ? {} : { name: elicit("What is your name?", "name") }),
    });
  });
}

function addResources(server: FixtureServer): void {
  const statics = [
    {
      name: "static-text",
      description: "A text.",
      mimeType: "text/plain",
      contents: { text: "This is the content of the static text resource." },
    },
    { name: "static-binary", description: "An image.", mimeType: "image/png", contents: { blob: PNG } },
  ];
  for (const { name, description, mimeType, contents } of statics) {
    server.resource({
      uri: new RegExp(`^test://${name}$`),
      listed: { uri: `test://${name}`, name, description, mimeType },
      isTemplate: false,
      read: (uri) => ({ uri, mimeType, ...contents }) as ResourceContents,
    });
  }
  server.resource({
    uri: /^test:\/\/template\/([^/]+)\/data$/,
    listed: {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data by id.",
      mimeType: "application/json",
    },
    isTemplate: true,
    read: (uri, id) => ({
      uri,
      mimeType: "application/json",
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
  });
}

function addPrompts(server: FixtureServer): void {
  const user = (content: ContentBlock) => ({ role: "user" as const, content });
  const words = (said: string) => user({ type: "text", text: said });
  const listed = (name: string, description: string, ...needed: string[]) => ({
    name,
    description,
    arguments: needed.map((one) => ({ name: one, description: one, required: true })),
  });
  server.prompt(listed("test_simple_prompt", "A text."), () => ({
    messages: [words("This is a simple prompt for testing.")],
  }));
  server.prompt(listed("test_prompt_with_arguments", "Two arguments.", "arg1", "arg2"), ({ arg1, arg2 }) => ({
    messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }));
  server.prompt(
    listed("test_prompt_with_embedded_resource", "A resource.", "resourceUri"),
    ({ resourceUri: uri = "" }) => ({
      messages: [
        user({
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        words("Please process the embedded resource above."),
      ],
    }),
  );
  server.prompt(listed("test_prompt_with_image", "An image."), () => ({
    messages: [
      user({ type: "image", data: PNG, mimeType: "image/png" }),
      words("Please analyze the image above."),
    ],
  }));
  server.prompt(listed("test_input_required_result_prompt", "Asks first."), (_, turn) => {
    const answer = acceptedContent(turn.answers, "user_context", z.object({ context: z.string() }));
    return answer === undefined
      ? ask({ user_context: elicit("What context should the prompt use?", "context") })
      : { messages: [words(`The context is ${answer.context}`)] };
  });
}
