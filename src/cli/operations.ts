// The endpoints, their parameters and their texts, as the command line needs them. The bundle holds the result of this module
// in its place (scripts/bundle-cli.ts), so that no schema is loaded to print a help text.
import * as z from "zod";
import { EVENT_KINDS as ALL_KINDS, type EventKind } from "../contract/event.ts";
import type { RouteSpec } from "../contract/route.ts";
import { routes, type RouteId } from "../contract/routes.ts";
import { WEBHOOK_KINDS as DELIVERED_KINDS } from "../contract/webhook.ts";

/** The names of events. */
export const EVENT_KINDS: readonly EventKind[] = ALL_KINDS;
/** The events that webhooks deliver. */
export const WEBHOOK_KINDS: readonly EventKind[] = DELIVERED_KINDS;

/** How the value of a flag is written: a text, a number, present or not, or a text that may be repeated. */
export type FieldType = "text" | "integer" | "number" | "switch" | "list" | "json";

/** A parameter of the query, or a member of the body. */
export interface Field {
  type: FieldType;
  about: string;
  /** The values that it may have; none = any. */
  choices?: readonly string[];
}

/** An endpoint, as far as the command line knows it. */
export interface Operation {
  summary: string;
  query: Readonly<Record<string, Field>>;
  body: Readonly<Record<string, Field>>;
}

interface Schema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
}

/** The endpoints whose texts and parameters commands take from the table. One that is missing here does not compile there. */
const NAMED = [
  "addDomain",
  "addTotp",
  "cancelExpectation",
  "changes",
  "claimStart",
  "code",
  "createExpectation",
  "createKey",
  "deleteDomain",
  "deleteEmail",
  "deleteRefused",
  "deleteTotp",
  "emailLink",
  "emailView",
  "extract",
  "forward",
  "getDomain",
  "getRules",
  "haltSending",
  "inbox",
  "labelEmail",
  "listDomains",
  "listKeys",
  "listRefused",
  "pauseMailbox",
  "rawEmail",
  "redeliverWebhook",
  "releaseRefused",
  "replayWebhooks",
  "reply",
  "resumeMailbox",
  "resumeSending",
  "revokeKey",
  "search",
  "send",
  "sendingState",
  "testWebhook",
  "threads",
  "updateMailbox",
  "upload",
  "verifyDomain",
  "webhookDeliveries",
] as const satisfies readonly RouteId[];
export type NamedRoute = (typeof NAMED)[number];

/** These endpoints by their operationId. */
export const OPERATIONS = Object.fromEntries(
  NAMED.map((id) => {
    const { summary, query, body }: RouteSpec = routes[id];
    return [id, { summary, query: fieldsOf(query), body: body === null ? {} : fieldsOf(body) }];
  }),
) as Readonly<Record<NamedRoute, Operation>>;

function fieldsOf(shape: z.ZodType): Record<string, Field> {
  const schema = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" }) as Schema;
  // A shape with a name of its own is a reference to its definition.
  const named = schema.$defs?.[schema.$ref?.split("/").at(-1) ?? ""];
  const members = Object.entries((named ?? schema).properties ?? {});
  // `?mailbox=` is a flag of every command.
  return Object.fromEntries(
    members.filter(([name]) => name !== "mailbox").map(([name, member]) => [name, fieldOf(member)]),
  );
}

function fieldOf(schema: Schema): Field {
  const { description = "" } = schema;
  const options = optionsOf(schema);
  const choices = options.flatMap((option) => option.enum ?? []).filter((choice) => choice !== "");
  const type = typeOf(options);
  const isChoice = type === "text" && choices.length > 0;
  return { type, about: description, ...(isChoice ? { choices: choices.map(String) } : {}) };
}

/** A schema and the schemas that it is a choice of, at any depth. */
function optionsOf(schema: Schema): Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(optionsOf)];
}

function typeOf(options: readonly Schema[]): FieldType {
  const types = new Set(options.flatMap(({ type = [] }) => type));
  if (types.has("boolean")) return "switch";
  if (types.has("integer")) return "integer";
  if (types.has("number")) return "number";
  if (types.has("array")) return "list";
  if (types.has("object")) return "json";
  return "text";
}
