import * as z from "zod";
import { done, refused } from "../../lib/outcome.ts";
import type { Message, MessageFault } from "./message.ts";
import { RPC_CODE } from "./rpc-error.ts";

/** The revision whose requests each name it, and the client, in `_meta`. */
export const STATELESS_REVISION = "2026-07-28";
/** The revisions that begin with the request `initialize`, the newest first. */
export const HANDSHAKE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** Members of `_meta` in requests and results of 2026-07-28. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;

const REQUIRED = [META.version, META.capabilities];

/** The kind of revision whose rules a message follows. */
export type Era = "stateless" | "handshake";

/** Judges which rules a message follows, and whether its header fields and its `_meta` follow them. */
export function eraOf(
  { headers }: Request,
  message: Message,
): { ok: true; value: Era } | { ok: false; error: MessageFault } {
  const fields: Fields = {
    version: headers.get("MCP-Protocol-Version"),
    method: headers.get("Mcp-Method"),
    name: headers.get("Mcp-Name"),
  };
  const era = namedEra(fields, message);
  const fault = era === "stateless" ? statelessFault(fields, message) : handshakeFault(fields, message);
  return fault === null ? done(era) : refused(fault);
}

/** The header fields of the protocol. */
interface Fields {
  version: string | null;
  method: string | null;
  name: string | null;
}

/** Revisions are dates: those from 2026-07-28 on follow its rules. */
function isStateless(version: unknown): boolean {
  return typeof version === "string" && version >= STATELESS_REVISION;
}

type Meta = Record<string, unknown>;

function metaOf({ params }: Message): Meta | null {
  const meta = params?._meta;
  return meta !== undefined && Object.hasOwn(meta, META.version) ? meta : null;
}

/** A message that names its revision in `_meta`, or by its header field a new one, is of the new kind. */
function namedEra({ version }: Fields, message: Message): Era {
  const meta = metaOf(message);
  if (message.method === undefined) return "handshake";
  if (!beginsHandshake(message)) {
    return meta !== null || isStateless(version) ? "stateless" : "handshake";
  }
  return meta !== null && isStateless(meta[META.version]) && metaFault(meta) === null
    ? "stateless"
    : "handshake";
}

function beginsHandshake({ id, method }: Message): boolean {
  return method === "initialize" && id !== undefined;
}

function handshakeFault({ version }: Fields, message: Message): MessageFault | null {
  if (beginsHandshake(message)) {
    if (!isStateless(version)) return null;
    return mismatch(
      version,
      "an initialize request (legacy handshake) was sent with a modern MCP-Protocol-Version header",
    );
  }
  if (message.method === undefined || version === null || HANDSHAKE_REVISIONS.includes(version)) return null;
  const fault = `Bad Request: Unsupported protocol version: ${quoted(version)} (supported versions: ${HANDSHAKE_REVISIONS.join(", ")})`;
  return { status: 400, rpcCode: RPC_CODE.serverError, message: fault };
}

/** The most characters of a wrong value that an error repeats. */
const MAX_QUOTED = 64;

function statelessFault(fields: Fields, message: Message): MessageFault | null {
  const meta = metaOf(message);
  const isRequest = message.id !== undefined;
  if (meta === null) {
    return isRequest
      ? missingMeta(fields, message)
      : (methodMismatch(fields, message) ?? unsupported(fields.version));
  }
  // The field Mcp-Method of a notification is a rule of the new revisions only.
  const mustNameMethod = isRequest || isStateless(meta[META.version]);
  return (
    (isRequest ? metaFault(meta) : versionFault(meta)) ??
    versionMismatch(fields, meta) ??
    (mustNameMethod ? methodMismatch(fields, message) : null) ??
    unsupported(meta[META.version]) ??
    (isRequest ? absentHeader(fields, message, meta) : null)
  );
}

/** A request whose header field names a new revision, and whose `_meta` does not. */
function missingMeta({ version }: Fields, { params }: Message): MessageFault {
  const meta = params?._meta;
  const missing = meta === undefined ? ["_meta"] : REQUIRED.filter((name) => !Object.hasOwn(meta, name));
  return metaRefusal(
    `Invalid params: the MCP-Protocol-Version header names protocol revision ${quoted(version)}, but the request is missing the required per-request envelope key(s): ${missing.join(", ")}`,
    { missing },
  );
}

function versionMismatch({ version }: Fields, meta: Meta): MessageFault | null {
  const named = meta[META.version];
  if (version === null || version === named) return null;
  return mismatch(
    version,
    `the body envelope names protocol version ${quoted(named)} but the MCP-Protocol-Version header names ${quoted(version)}`,
  );
}

function methodMismatch({ method: field }: Fields, { method }: Message): MessageFault | null {
  if (field === null || field === method) return null;
  return mismatch(
    field,
    `the body names method ${quoted(method)} but the Mcp-Method header names ${quoted(field)}`,
  );
}

function unsupported(requested: unknown): MessageFault | null {
  if (requested === STATELESS_REVISION) return null;
  const data = { supported: [STATELESS_REVISION], requested: quoted(requested) };
  const message = `Unsupported protocol version: ${data.requested}`;
  return { status: 400, rpcCode: RPC_CODE.unsupportedVersion, message, data };
}

/** Which member of `params` the header field Mcp-Name repeats. */
const NAMED_BY = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** A request repeats its revision, its method and the name of what it asks for in header fields. */
function absentHeader({ version, method: field, name }: Fields, message: Message, meta: Meta) {
  const { method = "", params } = message;
  if (version === null) {
    return mismatch(
      null,
      `the body envelope names protocol version ${quoted(meta[META.version])} but the required MCP-Protocol-Version header is absent`,
    );
  }
  if (field === null) {
    return mismatch(
      null,
      `the body names method ${quoted(method)} but the required Mcp-Method header is absent`,
    );
  }
  const member = NAMED_BY.get(method);
  return member === undefined ? null : nameFault(name, member, params?.[member]);
}

function nameFault(field: string | null, member: string, value: unknown): MessageFault | null {
  const named = typeof value === "string" ? value : null;
  if (field === null) {
    return named === null
      ? null
      : mismatch(
          null,
          `the body carries params.${member}="${quoted(named)}" but the required Mcp-Name header is absent`,
        );
  }
  const decoded = decodedField(field);
  if (decoded === null)
    return mismatch(field, "the Mcp-Name header carries an invalid Base64 sentinel value");
  if (named === null || decoded === named) return null;
  return mismatch(
    field,
    `the body carries params.${member}="${quoted(named)}" but the Mcp-Name header names "${quoted(decoded)}"`,
  );
}

/** A header field carries a text that is not plain ASCII in base64 between these marks. */
const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** The text of a header field; null if its base64 is wrong or is no UTF-8. */
function decodedField(field: string): string | null {
  if (!field.startsWith("=?base64?") || !field.endsWith("?=")) return field;
  const encoded = ENCODED.exec(field)?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  return Buffer.from(text, "utf8").toString("base64") === encoded ? text : null;
}

function mismatch(header: string | null, body: string): MessageFault {
  return {
    status: 400,
    rpcCode: RPC_CODE.headerMismatch,
    message: `Bad Request: the request headers and body disagree: ${body}`,
    data: { mismatch: { header: header === null ? "(missing)" : quoted(header), body } },
  };
}

const quoted = (value: unknown): string => String(value).slice(0, MAX_QUOTED);

const members = z.looseObject({}).optional();

/** The `_meta` of a request. */
const Envelope = z.looseObject({
  [META.version]: z.string(),
  [META.clientInfo]: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  [META.capabilities]: z.looseObject({
    experimental: members,
    sampling: members,
    elicitation: members,
    roots: members,
    extensions: members,
  }),
  [META.logLevel]: z
    .enum(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
    .optional(),
});

function metaFault(meta: Meta): MessageFault | null {
  const missing = REQUIRED.find((name) => !Object.hasOwn(meta, name));
  if (missing !== undefined) return memberFault(missing, "missing");
  const issue = Envelope.safeParse(meta).error?.issues[0];
  return issue === undefined ? null : memberFault(issue.path.join("."), issue.message);
}

/** A notification need not name the client. */
function versionFault(meta: Meta): MessageFault | null {
  if (typeof meta[META.version] === "string") return null;
  return memberFault(META.version, "expected a protocol version string");
}

function memberFault(key: string, problem: string): MessageFault {
  return metaRefusal(
    `Invalid _meta envelope for protocol revision ${STATELESS_REVISION}: ${key}: ${problem}`,
    {
      key,
      problem,
    },
  );
}

function metaRefusal(message: string, envelope: object): MessageFault {
  return { status: 400, rpcCode: RPC_CODE.invalidParams, message, data: { envelope } };
}
