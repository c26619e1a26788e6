import * as z from "zod";
import { exampleOf } from "../contract/examples.ts";
import { invalid, problemBody, ProblemBody, UNAUTHORIZED, type Problem } from "../contract/problem.ts";
import { PRODUCT, VERSION } from "../contract/product.ts";
import { TAGS, type ResponseSpec, type RouteSpec } from "../contract/route.ts";
import { routes } from "../contract/routes.ts";

type Json = Record<string, unknown>;

/** The named shapes, filled while the routes are described. */
const schemas: Json = {};
let document: Json | null = null;

/** The OpenAPI 3.1 description of every route, generated from the table. */
export function openApi(origin: string): Json {
  document ??= describeAll();
  const contact = { name: "Whoever runs this deployment", url: origin };
  return { ...document, info: { ...INFO, contact }, servers: [{ url: origin }] };
}

const INFO = {
  title: "Mailkeep",
  version: VERSION,
  description: `Real mailboxes for software agents (${PRODUCT}).`,
  license: { name: "MIT", identifier: "MIT" },
};

function describeAll(): Json {
  const paths: Record<string, Json> = {};
  for (const [id, spec] of Object.entries<RouteSpec>(routes)) {
    const path = spec.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operation(id, spec) };
  }
  return {
    openapi: "3.1.0",
    info: INFO,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "mk_ and 64 hex digits, or the operator's token",
        },
      },
    },
  };
}

function operation(id: string, spec: RouteSpec): Json {
  const open = spec.target === "public";
  return {
    operationId: id,
    summary: spec.summary,
    description: callersOf(spec),
    tags: [spec.tag],
    ...(open ? { security: [] } : { security: [{ key: [] }], "x-scopes": spec.scopes }),
    parameters: [
      ...parameters(spec.params, "path"),
      ...parameters(spec.query, "query"),
      ...headerParameters(spec),
    ],
    ...requestBody(spec),
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.responses).map(([status, answer]) => [status, response(answer)]),
      ),
      "4XX": refusals("The request is refused.", open ? invalid("name", "is required") : UNAUTHORIZED),
      "5XX": refusals("The service cannot answer now.", UNAVAILABLE),
    },
  };
}

/** Who may call a route, and when. */
function callersOf({ target, scopes, whilePaused = false }: RouteSpec): string {
  if (target === "public") return "Needs no key.";
  const sentences = [
    `Needs a key with the scope ${scopes.join(" or ")}.`,
    ...(target === "mailbox" && scopes.length > 1
      ? ["With the scope operator, `mailbox` names the mailbox."]
      : []),
    ...(whilePaused ? ["Works while the mailbox is paused."] : []),
  ];
  return sentences.join(" ");
}

const UNAVAILABLE: Problem = {
  code: "unavailable",
  error: "The stored message cannot be read now; try again",
};

function refusals(description: string, problem: Problem): Json {
  const content = {
    "application/json": { schema: schemaOf(ProblemBody, "output"), example: problemBody(problem) },
  };
  return { description, content };
}

function requestBody(spec: RouteSpec): Json {
  if (spec.rawBody !== undefined) {
    const { media, example } = spec.rawBody;
    return { requestBody: { required: true, content: { [media]: bytes(media, example) } } };
  }
  if (spec.body === null) return {};
  // A body without a required member may be left out.
  const required = !spec.body.safeParse({}).success;
  const content = { "application/json": withExample(schemaOf(spec.body, "input")) };
  return { requestBody: { required, content } };
}

function response(answer: ResponseSpec): Json {
  const content =
    "json" in answer
      ? { "application/json": withExample(schemaOf(answer.json, "output")) }
      : { [answer.media]: bytes(answer.media, answer.example) };
  return { description: answer.about, content };
}

function withExample(schema: Json): Json {
  return { schema, example: exampleOf(schema, schemas) };
}

function bytes(media: string, example: string): Json {
  const isText = media.startsWith("text/") && media !== "text/event-stream";
  return { schema: { type: "string", ...(isText ? {} : { format: "binary" }) }, example };
}

function parameters(shape: z.ZodObject, place: "path" | "query"): Json[] {
  const { properties = {}, required = [] } = schemaOf(shape, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
    // A cursor is opaque, and comes from a page before.
    ...(name === "cursor" ? {} : { example: exampleOf(schema, schemas, name) }),
  }));
}

function headerParameters({ headers = {} }: RouteSpec): Json[] {
  return Object.entries(headers).map(([name, { about, pattern, example }]) => ({
    name,
    in: "header",
    required: false,
    description: about,
    schema: { type: "string", pattern },
    example,
  }));
}

/** The JSON Schema (2020-12, as OpenAPI 3.1 uses it) of a shape. Named shapes go to the components, once each. */
function schemaOf(shape: z.ZodType, io: "input" | "output"): Json {
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = z.toJSONSchema(shape, {
    io,
    unrepresentable: "any",
    // A parameter that is true or false is read from text.
    override: ({ jsonSchema }) => void (jsonSchema.type === "boolean" && delete jsonSchema.enum),
  }) as Json;
  Object.assign(schemas, located($defs));
  return located(schema) as Json;
}

/** Points references to the components of the OpenAPI description. */
function located(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
