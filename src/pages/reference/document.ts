import * as z from "zod";

/** JSON Schema 2020-12, as far as our OpenAPI document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

const SchemaObject = z.custom<Schema>((value) => typeof value === "object" && value !== null);
/** Examples by media type or parameter, in either of OpenAPI's spellings. */
const Exemplified = {
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
};
const Content = z.record(z.string(), z.object({ schema: SchemaObject, ...Exemplified }));

const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: SchemaObject,
  ...Exemplified,
});

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  security: z.array(z.unknown()).default([]),
  "x-scopes": z.array(z.string()).default([]),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content, required: z.boolean().optional() }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content.optional() })),
});

/** The parts of an OpenAPI document that the reference page shows. */
export const OpenApiDocument = z.object({
  servers: z.array(z.object({ url: z.string() })).min(1),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), SchemaObject) }),
});

/** The document, read. */
export type OpenApi = z.output<typeof OpenApiDocument>;
/** A query, path or header parameter. */
export type ParameterSpec = z.output<typeof Parameter>;
/** Bodies by media type. */
export type ContentSpec = z.output<typeof Content>;

/** An operation with the place where the document keeps it. */
export interface OperationSpec extends z.output<typeof Operation> {
  /** In capitals. */
  method: string;
  /** With parameters in braces. */
  path: string;
}

/** Lists all operations in the order of the document. */
export function operationsOf(document: Pick<OpenApi, "paths">): OperationSpec[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Returns the name of the shape that a schema refers to; null for an inline schema. */
export function shapeName({ $ref }: Schema): string | null {
  return $ref?.replace("#/components/schemas/", "") ?? null;
}

/** Returns the alternatives that a schema allows; itself where there are none. */
export function variantsOf(schema: Schema): Schema[] {
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return variants === undefined ? [schema] : variants.flatMap(variantsOf);
}
