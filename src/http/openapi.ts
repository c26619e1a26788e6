import * as z from "zod";
import { STATUS } from "../contract/problem.ts";
import { PRODUCT, VERSION } from "../contract/product.ts";
import type { ResponseSpec, RouteSpec } from "../contract/route.ts";
import { routes } from "../contract/routes.ts";

type Json = Record<string, unknown>;

const Problem = {
  type: "object",
  required: ["error"],
  properties: {
    error: { type: "string" },
    code: { type: "string", enum: Object.keys(STATUS) },
    fix: { type: "string", description: "What to do next; also in the header Mailkeep-Fix." },
    retryable: { type: "boolean", description: "Whether the same call may do better later." },
    message: { type: "string" },
    details: {
      type: "array",
      items: { type: "object", properties: { path: { type: "string" }, message: { type: "string" } } },
    },
  },
};

/** The named shapes, filled while the routes are described. */
const schemas: Json = { Problem };
let document: Json | null = null;

/** The OpenAPI 3.1 description of every route, generated from the table. */
export function openApi(origin: string): Json {
  document ??= describeAll();
  return { ...document, servers: [{ url: origin }] };
}

function describeAll(): Json {
  const paths: Record<string, Json> = {};
  for (const [id, spec] of Object.entries<RouteSpec>(routes)) {
    const path = spec.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operation(id, spec) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Mailkeep",
      version: VERSION,
      description: `Real mailboxes for software agents (${PRODUCT}).`,
      license: { name: "MIT", identifier: "MIT" },
    },
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
    tags: [spec.tag],
    ...(open ? { security: [] } : { security: [{ key: [] }], "x-scopes": spec.scopes }),
    parameters: [...parameters(spec.params, "path"), ...parameters(spec.query, "query")],
    ...requestBody(spec),
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.responses).map(([status, answer]) => [status, response(answer)]),
      ),
      default: {
        description: "A problem",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function requestBody(spec: RouteSpec): Json {
  if (spec.rawBody !== undefined) {
    return {
      requestBody: {
        required: true,
        content: { [spec.rawBody]: { schema: { type: "string", format: "binary" } } },
      },
    };
  }
  if (spec.body === null) return {};
  return { requestBody: { content: { "application/json": { schema: schemaOf(spec.body, "input") } } } };
}

function response(answer: ResponseSpec): Json {
  const content =
    "json" in answer
      ? { "application/json": { schema: schemaOf(answer.json, "output") } }
      : { [answer.media]: { schema: { type: "string", format: "binary" } } };
  return { description: answer.about, content };
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
  }));
}

/** JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. Named shapes are kept once, among the components. */
function schemaOf(shape: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: "any" }) as Json;
  Object.assign(schemas, located($defs));
  return located(schema) as Json;
}

/** Points references to the place where OpenAPI keeps shapes. */
function located(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
