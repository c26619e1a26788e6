// Requests that a reader can copy: for each operation one with curl and one in TypeScript.
import type { ContentSpec, OpenApi, OperationSpec, ParameterSpec, Schema } from "./document.ts";
import { shapeName, variantsOf } from "./document.ts";

type Shapes = OpenApi["components"]["schemas"];
type Exemplified = Pick<ParameterSpec, "example" | "examples" | "schema">;

/** The shell variable and environment variable that hold the reader's key. */
const KEY = "MAILKEEP_KEY";
const JSON_MEDIA = "application/json";
const EVENTS = "text/event-stream";
const MAX_DEPTH = 6;

const SAMPLES: Readonly<Record<string, string>> = {
  email: "ann@example.com",
  "date-time": "2026-11-01T12:00:00Z",
  date: "2026-11-01",
  uri: "https://example.com/hook",
  uuid: "01936f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f",
};

/** Values of parameters whose schema says no more than that they are strings, by name. */
const BY_NAME: Readonly<Record<string, string | undefined>> = {
  address: SAMPLES.email,
  id: SAMPLES.uuid,
  label: "personal",
  mailbox: SAMPLES.email,
  session: SAMPLES.uuid,
  to: SAMPLES.email,
};
const ANY_TEXT = "text";

/** Returns the example that the document gives, or a value that fits the schema. */
export function exampleOf(given: Exemplified & { name?: string }, shapes: Shapes): unknown {
  if (given.example !== undefined) return given.example;
  const [first] = Object.values(given.examples ?? {});
  if (first !== undefined) return first.value;
  const value = sample(given.schema, shapes, 0);
  return value === ANY_TEXT ? (BY_NAME[given.name ?? ""] ?? value) : value;
}

function sample(schema: Schema, shapes: Shapes, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  const stated = [schema.example, schema.examples?.[0], schema.const, schema.default, schema.enum?.[0]];
  const value = stated.find((one) => one !== undefined);
  if (value !== undefined) return value;
  const [variant] = variantsOf(schema);
  const target = shapes[shapeName(schema) ?? ""] ?? variant ?? schema;
  return target === schema ? sampleOfType(schema, shapes, depth) : sample(target, shapes, depth + 1);
}

function sampleOfType(schema: Schema, shapes: Shapes, depth: number): unknown {
  if (schema.properties !== undefined) return sampleObject(schema, shapes, depth);
  if (schema.items !== undefined) return [sample(schema.items, shapes, depth + 1)];
  const [type = ""] = [schema.type ?? []].flat();
  if (type === "string") return SAMPLES[schema.format ?? ""] ?? ANY_TEXT;
  return type in PLAIN ? PLAIN[type] : (schema.minimum ?? 1);
}

/** Values of types that need no further look; numbers are the other ones. */
const PLAIN: Readonly<Record<string, unknown>> = { object: {}, array: [], boolean: true, null: null };

/** Required properties; of a schema that requires none, the first, as an empty object would show nothing. */
function sampleObject({ properties = {}, required = [] }: Schema, shapes: Shapes, depth: number): unknown {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const entries = names.map((name) => [name, sample(properties[name] ?? {}, shapes, depth + 1)]);
  return Object.fromEntries(entries) as unknown;
}

/** A request of an operation, with a value for each required parameter. */
interface ExampleRequest {
  url: string;
  /** The media type of the body; null without one. */
  media: string | null;
  /** A JSON body. */
  body: unknown;
  hasKey: boolean;
  /** The media type of the answer. */
  answer: string;
}

function requestOf(operation: OperationSpec, { servers, components }: OpenApi): ExampleRequest {
  const { schemas } = components;
  let path = operation.path;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    if (!parameter.required) continue;
    const value = String(exampleOf(parameter, schemas));
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === "query") query.set(parameter.name, value);
  }
  const [declared, content] = contentOf(operation.requestBody?.content);
  const media = declared === "*/*" ? "application/octet-stream" : declared;
  return {
    url: `${servers[0]?.url ?? ""}${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
    media,
    body: media === JSON_MEDIA && content !== undefined ? exampleOf(content, schemas) : undefined,
    hasKey: operation.security.length > 0,
    answer: answerMedia(operation),
  };
}

/** Returns the first media type of a body and what is said of it. */
export function contentOf(
  content: ContentSpec | undefined,
): [string, ContentSpec[string]] | [null, undefined] {
  return Object.entries(content ?? {})[0] ?? [null, undefined];
}

/** Returns the media type of a successful answer. */
function answerMedia({ responses }: OperationSpec): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return contentOf(success?.content)[0] ?? JSON_MEDIA;
}

/** Writes the request as a command of a POSIX shell. */
export function curlExample(operation: OperationSpec, document: OpenApi): string {
  const request = requestOf(operation, document);
  const { url, media, body, hasKey, answer } = request;
  const options = [
    answer === EVENTS ? "--no-buffer" : null,
    operation.method === "GET" ? null : `--request ${operation.method}`,
    hasKey ? `--header "Authorization: Bearer $${KEY}"` : null,
    media === null ? null : `--header "Content-Type: ${media}"`,
    body === undefined ? null : `--data ${quoted(JSON.stringify(body, null, 2))}`,
    sendsFile(request) ? `--data-binary @${fileOf(media ?? "")}` : null,
    isText(answer) ? null : `--output ${fileOf(answer)}`,
  ].filter((option) => option !== null);
  return [`curl ${quoted(url)}`, ...options].join(" \\\n  ");
}

/** Writes the request as a TypeScript module for Node.js, Deno and Bun. */
export function typeScriptExample(operation: OperationSpec, document: OpenApi): string {
  const request = requestOf(operation, document);
  const functions = [
    ...(sendsFile(request) ? ["readFile"] : []),
    ...(isText(request.answer) ? [] : ["writeFile"]),
  ];
  return [
    ...(functions.length === 0 ? [] : [`import { ${functions.join(", ")} } from "node:fs/promises";\n`]),
    `const response = await fetch(${JSON.stringify(request.url)}${fetchOptions(operation.method, request)});`,
    "if (!response.ok) throw new Error(await response.text());",
    reading(request.answer),
  ].join("\n");
}

function fetchOptions(method: string, request: ExampleRequest): string {
  const { media, body, hasKey } = request;
  const headers = [
    hasKey ? `Authorization: \`Bearer \${process.env.${KEY}}\`` : null,
    media === null ? null : `"Content-Type": ${JSON.stringify(media)}`,
  ].filter((header) => header !== null);
  const options = [
    method === "GET" ? null : `method: ${JSON.stringify(method)},`,
    headers.length === 0 ? null : `headers: {\n${headers.map((header) => `    ${header},\n`).join("")}  },`,
    body === undefined ? null : `body: JSON.stringify(${indented(body)}),`,
    sendsFile(request) ? `body: await readFile(${JSON.stringify(fileOf(media ?? ""))}),` : null,
  ].filter((option) => option !== null);
  return options.length === 0 ? "" : `, {\n${options.map((option) => `  ${option}\n`).join("")}}`;
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

const sendsFile = ({ media, body }: ExampleRequest): boolean => media !== null && body === undefined;

/** Reads the answer. */
function reading(answer: string): string {
  if (answer === EVENTS) {
    return [
      'if (!response.body) throw new Error("No stream");',
      "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);",
    ].join("\n");
  }
  if (answer === JSON_MEDIA) return "console.log(await response.json());";
  return `await writeFile(${JSON.stringify(fileOf(answer))}, new Uint8Array(await response.arrayBuffer()));`;
}

const isText = (media: string): boolean => media === JSON_MEDIA || media === EVENTS;

const fileOf = (media: string): string => (media === "message/rfc822" ? "message.eml" : "file.bin");

/** Quotes a word for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
