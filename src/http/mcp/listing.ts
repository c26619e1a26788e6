import * as z from "zod";
import type { ListedSpec } from "./tool.ts";
import type { ListedTool, ObjectSchema } from "./types.ts";

/** The description of each tool for models. */
const ABOUT: Readonly<Record<string, string>> = {
  get_attachment:
    "Describes a file of an email. as=text or base64 adds its content; url downloads it with the same key.",
  organize:
    "Adds and removes labels of emails, or erases the emails for good (delete: true). Ids that name no email are skipped.",
  extract: "Reads an order, a parcel, an appointment, a receipt or a code out of an email, as data.",
  mailbox_status:
    "Tells your own email address, what your key can do, today's sends, and whether the mailbox is paused.",
  create_mailbox: "Creates a mailbox by name or address. api_key is shown only now.",
  list_mailboxes: "Lists the mailboxes of the deployment.",
  pause_mailbox: "Pauses a mailbox: its keys are refused, mail still arrives. paused: false ends the pause.",
  deployment_status: "Version, mail domain and switched-on features of the deployment.",
  check_mail: "Lists received mail, newest first, without bodies. Call it to see what arrived.",
  search_mail: "Searches received and sent mail, best match first.",
  read_mail:
    "Reads one email: its visible text without quotes, within a budget of tokens; its links by number; its files; counts of hidden text. include adds quoted or hidden text, or the URLs of links.",
  read_thread:
    "Reads a conversation, oldest first, each email's new text once. It shows the newest 30; the budget goes to the newest first.",
  send_mail:
    "Sends an email. A repeat with the same idempotency_key sends nothing and answers the same. status queued: it is on its way.",
  reply: "Answers an email in its conversation; its sender gets it, with reply_all all recipients.",
  wait_for_code:
    "Waits for a verification code or sign-in link and returns it as soon as it arrives. For a sign-up, first call it with from_domain alone: it returns `expect` and `address` at once. Sign up with that address, then call it with that `expect`. Without `email_id` none came in time.",
  wait_for_mail:
    "Waits for an email and returns its summary; email null: none came in time. Mail of the last minute counts, or with `after` all mail since.",
};

/** A tool as clients list it. Only the build calls it: a deployment has the list as a static asset. */
export function listedTool(spec: ListedSpec): ListedTool {
  const about = ABOUT[spec.name];
  if (about === undefined) throw new Error(`${spec.name} needs a description in ABOUT`);
  const { reads = false, destroys = false, repeatable = reads, reachesOthers = false } = spec;
  return {
    name: spec.name,
    description: about,
    inputSchema: schemaOf(spec.input),
    outputSchema: schemaOf(spec.output),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: destroys,
      idempotentHint: repeatable,
      openWorldHint: reachesOthers,
    },
  };
}

/** The JSON Schema of a shape in as few words as it takes: a model reads it with every request. Further members are allowed. */
function schemaOf(shape: z.ZodType): ObjectSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => shorten(jsonSchema),
  });
  return { ...schema, type: "object" } as ObjectSchema;
}

function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const [one, none, ...others] = schema.anyOf ?? [];
  const isNullable = typeof one === "object" && typeof none === "object" && others.length === 0;
  if (!isNullable || none.type !== "null" || typeof one.type !== "string" || one.enum !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, one, { type: [one.type, "null"] });
}
