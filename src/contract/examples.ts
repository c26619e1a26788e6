/** Values of members by name, for the examples of the API reference, where a shape states none itself. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  address: "agent@mail.example",
  algorithm: "rsa-sha256",
  aligned: true,
  aligned_domain: "example.com",
  answer: "ok",
  api_key: "mk_4f1c0c9b6b5a4d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6",
  attachment_count: 1,
  attachment_names: "invoice.pdf",
  attachment_search_text: "Invoice 1234",
  arc: null,
  attendees: ["ann@example.com"],
  bits: 2_048,
  body_html: "<p>Your order 1234 has shipped.</p>",
  body_text: "Your order 1234 has shipped.",
  client: "192.0.2.1",
  capabilities: ["read", "search", "code"],
  cc_address: "",
  code: "482913",
  command:
    "curl -X POST https://mail.example/v1/claim/start -H 'Content-Type: application/json' -d '{\"name\":\"<name>\"}'",
  confidence: 0.9,
  conflict: false,
  content_disposition: "attachment",
  content_id: null,
  content_type: "application/pdf",
  daily_send_limit: 1_000,
  deleted: "agent@mail.example",
  device_code: "BCDF-GHJK",
  diagnostic: "250 2.0.0 OK",
  display_name: "Agent",
  dkim: "pass",
  dmarc: "pass",
  domain: "agents.example.org",
  email_id: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  envelope_from: "ann@example.com",
  envelope_to: "agent@mail.example",
  error: null,
  event_id: "msg_019aa6e27c317d059f2e6b1c0a4d5e6f",
  expected: "10 mail.example",
  expires_in: 600,
  extractor: 2,
  filename: "invoice.pdf",
  found: ["10 mail.example"],
  from: "ann@example.com",
  from_address: "ann@example.com",
  from_name: "Ann",
  has_attachments: true,
  headers: { Subject: "Your order 1234" },
  helo: "mx.example.com",
  highlights: ["Your <mark>order</mark> 1234"],
  host: "agents.example.org",
  id: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  in_reply_to: "<1233@example.com>",
  instructions: "Set these records at your DNS provider, then call POST /v1/domains/<id>/verify.",
  interval: 2,
  label: "orders",
  labels: ["orders"],
  latest_email_id: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  link: null,
  location: "Room 2",
  mailbox: "agent@mail.example",
  merchant: "Example Store",
  message: "Waiting for the records to be seen.",
  message_count: 2,
  message_id: "<1234@example.com>",
  mime_part_index: 0,
  min_confidence: 0.9,
  model: "text-embedding-3-small",
  name: "agent",
  next_cursor: null,
  order_id: "1234",
  parse_faults: [],
  participants: ["ann@example.com", "agent@mail.example"],
  price: "12.50",
  provider_id: "<1234@mail.example>",
  purpose: "Mail to the domain reaches the mailbox.",
  q: "invoice from:ann@example.com",
  quantity: "1",
  query: "invoice",
  reason: "On holiday",
  recipient: "ann@example.com",
  references: "<1233@example.com>",
  reply: "554 5.7.1 Relay access denied",
  result: "pass",
  resume: "eyJ2IjoxLCJzZXEiOjQyfQ.9f86d081884c7d65",
  score: 0.83,
  seen: [],
  selector: "s1",
  send: true,
  sender_verified: true,
  session: "0b9c5f2e-3a41-4d57-8c60-9e1f2a3b4c5d",
  session_id: "0b9c5f2e-3a41-4d57-8c60-9e1f2a3b4c5d",
  sha256: "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969",
  since: "2026-11-01T08:30:00.000Z",
  size_bytes: 2_048,
  snippet: "Your order 1234 has shipped.",
  spf: "pass",
  storage_bytes: 52_428,
  subject: "Your order 1234",
  text_content: "",
  text_new: "Your order 1234 has shipped.",
  thread_id: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  title: "Review",
  to: "agent@mail.example",
  to_address: "agent@mail.example",
  tracking_number: "1Z999AA10123456784",
  types: "message.received,message.bounced",
  unseen: [],
  until: "2099-12-31T00:00:00.000Z",
  up_to: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  url: "https://mail.example/claim",
  value: "mail.example",
  verdict: "pass",
  verification_uri: "https://mail.example/claim",
  verification_uri_complete: "https://mail.example/claim?code=BCDF-GHJK",
  version: "1.0.0",
  webhook_url: "https://agent.example/hooks/mail",
  worker: "mailkeep",
};

/** A JSON Schema, as far as examples are made of one. */
interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: readonly unknown[];
  example?: unknown;
  examples?: readonly unknown[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  minimum?: number;
}

/**
 * An example of a JSON Schema, for a member called `name`; its references are in `shapes`. A member that is optional is left
 * out, unless its schema states an example. Throws for a text that has none.
 */
export function exampleOf(schema: Schema, shapes: Record<string, unknown>, name = ""): unknown {
  // zod drops `examples` from the input of what it transforms: such schemas state an `example`.
  const { $ref, example, examples = [example], properties, required = [] } = schema;
  if (examples[0] !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(Object(shapes[$ref.split("/").at(-1) ?? ""]), shapes, name);
  if (properties === undefined) return simpleExample(schema, shapes, name);
  const members = Object.entries(properties).filter(
    ([member, shape]) => required.includes(member) || shape.examples !== undefined,
  );
  return Object.fromEntries(members.map(([member, shape]) => [member, exampleOf(shape, shapes, member)]));
}

/** The value of a name; in a list where its schema is one. */
function namedExample({ type }: Schema, name: string): unknown {
  const value = EXAMPLES[name];
  return type === "array" && !Array.isArray(value) ? [value] : value;
}

function simpleExample(schema: Schema, shapes: Record<string, unknown>, name: string): unknown {
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (Object.hasOwn(EXAMPLES, name)) return namedExample(schema, name);
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, shapes, name);
  if (schema.items !== undefined) return [exampleOf(schema.items, shapes, name)];
  if (schema.type === "boolean") return false;
  if (schema.type === "integer") return Math.max(schema.minimum ?? 0, 0);
  if (schema.type === "object") return {};
  throw new Error(`State an example of ${name}: in its schema (meta), or in contract/examples.ts`);
}
