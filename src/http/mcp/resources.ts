import type { Problem } from "../../contract/problem.ts";
import type { McpCall } from "./call.ts";
import { mailOf, shownMediaType } from "./mail-view.ts";
import { viewEmail } from "../../service/view-mail.ts";
import { invalidParams, resourceNotFound, type RpcError } from "./rpc-error.ts";
import { bytesOf, findAttachment, MAX_INLINE_BYTES, tooLargeInline } from "./tools/files.ts";
import type { ResourceContents, ResourceTemplate } from "./types.ts";

/** The addresses of all resources. */
export const RESOURCE_TEMPLATES: ResourceTemplate[] = [
  {
    uriTemplate: "mail://{id}",
    name: "email",
    description: "An email as read_mail shows it.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "mail://{id}/raw",
    name: "raw-email",
    description: "The message byte for byte as it arrived.",
    mimeType: "message/rfc822",
  },
  { uriTemplate: "attachment://{id}", name: "attachment", description: "The bytes of a file." },
];

/** Newest emails that are listed; search finds the others. */
const LISTED = 20;

/** The newest received emails. What a stranger wrote names none of them. */
export async function listedMails(
  call: McpCall,
): Promise<{ resources: { uri: string; name: string; mimeType: string }[] }> {
  if (call.mailbox === null) return { resources: [] };
  const page = await call.route("inbox", { query: { direction: "inbound", limit: LISTED } });
  if (!page.ok) throw refusalOf(page.error, "mail://");
  const resources = page.value.emails.map(({ id, received_at }) => ({
    uri: `mail://${id}`,
    name: `Email received at ${received_at}`,
    mimeType: "application/json",
  }));
  return { resources };
}

/** Tokens of an email's text as a resource. */
const RESOURCE_BUDGET = 4_000;
const ID = "[0-9a-zA-Z-]{1,64}";
const EMAIL = new RegExp(`^mail://(${ID})$`);
const RAW = new RegExp(`^mail://(${ID})/raw$`);
const ATTACHMENT = new RegExp(`^attachment://(${ID})$`);

interface ResourceResult {
  contents: ResourceContents[];
}

/** The contents of a resource. */
export async function readResource(call: McpCall, uri: string): Promise<ResourceResult> {
  const [email, raw, attachment] = [EMAIL, RAW, ATTACHMENT].map((form) => form.exec(uri)?.[1]);
  if (email !== undefined) return readEmail(call, uri, email);
  if (raw !== undefined) return readRaw(call, uri, raw);
  if (attachment !== undefined) return readAttachment(call, uri, attachment);
  throw resourceNotFound(uri);
}

async function readEmail(call: McpCall, uri: string, id: string): Promise<ResourceResult> {
  const wish = { budget: RESOURCE_BUDGET, include: [] };
  const viewed = await call.ask("emailView", (mailbox, access) =>
    viewEmail({ env: call.env, mailbox, access }, id, wish),
  );
  if (!viewed.ok) throw refusalOf(viewed.error, uri);
  const text = JSON.stringify(mailOf(viewed.value, false));
  return { contents: [{ uri, mimeType: "application/json", text }] };
}

async function readRaw(call: McpCall, uri: string, id: string): Promise<ResourceResult> {
  const raw = await call.route("rawEmail", { params: { id } });
  if (!raw.ok) throw refusalOf(raw.error, uri);
  const body = new Response(raw.value.body);
  const size = Number(raw.value.headers["Content-Length"]);
  if (size > MAX_INLINE_BYTES) {
    await body.body?.cancel();
    throw refusalOf(tooLargeInline("The email", size), uri);
  }
  return blobResult(uri, "message/rfc822", Buffer.from(await body.arrayBuffer()));
}

async function readAttachment(call: McpCall, uri: string, id: string): Promise<ResourceResult> {
  const source = await findAttachment(call, id, true);
  if (!source.ok) throw refusalOf(source.error, uri);
  const bytes = await bytesOf(call, source.value);
  if (!bytes.ok) throw refusalOf(bytes.error, uri);
  return blobResult(uri, shownMediaType(source.value.stored.contentType), bytes.value);
}

function blobResult(uri: string, mimeType: string, bytes: Buffer): ResourceResult {
  return { contents: [{ uri, mimeType, blob: bytes.toString("base64") }] };
}

/** A refusal as the protocol knows it. */
function refusalOf(problem: Problem, uri: string): RpcError {
  if (problem.code === "not_found") return resourceNotFound(uri);
  return invalidParams(problem.message ?? problem.error, { code: problem.code });
}
