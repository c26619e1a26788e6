/** Hop-by-hop header fields, which hold for one connection only (RFC 9110 §7.6.1), in lower case. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Fields that `Connection` cannot declare hop-by-hop, because a message without them would mean something else. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(["host", "content-length", "authorization", "cookie"]);
/** The header by which the worker knows a request of this server's own front; its value is a secret. */
export const FRONT_HEADER = "Mailkeep-Front";
/** The header from which the worker reads the client's address. */
export const CLIENT_HEADER = "CF-Connecting-IP";

/** Names and values in turn, as Node's `rawHeaders`. */
export type RawHeaders = readonly string[];

/** Facts that the front states about a request. */
export interface FrontFacts {
  /** The `Host` for the worker. */
  host: string;
  /** The client's address; null: the header of the request is kept, because the client is a trusted proxy. */
  client: string | null;
  /** The value of {@link FRONT_HEADER}. */
  secret: string;
  /** The length of the body in bytes; `unknown`: it is sent in chunks; null: there is none. */
  body: number | "unknown" | null;
}

/** The header of a request as the worker gets it. */
export function requestHeaders(raw: RawHeaders, facts: FrontFacts): string[] {
  const dropped = droppedOf(raw);
  const headers = ["Host", facts.host, FRONT_HEADER, facts.secret];
  if (facts.client !== null) headers.push(CLIENT_HEADER, facts.client);
  const cookies: string[] = [];
  for (const [name, value] of pairsOf(raw)) {
    const key = name.toLowerCase();
    if (key === "cookie") cookies.push(value);
    else if (!dropped.has(key) && !isOurs(key, facts)) headers.push(name, value);
  }
  // HTTP/2 may send each cookie in a field of its own (RFC 9113 §8.2.3).
  if (cookies.length > 0) headers.push("Cookie", cookies.join("; "));
  if (facts.body === "unknown") headers.push("Transfer-Encoding", "chunked");
  else if (facts.body !== null) headers.push("Content-Length", String(facts.body));
  return headers;
}

/** The header of an answer as the client gets it. */
export function responseHeaders(raw: RawHeaders): string[] {
  const dropped = droppedOf(raw);
  const headers: string[] = [];
  for (const [name, value] of pairsOf(raw)) if (!dropped.has(name.toLowerCase())) headers.push(name, value);
  return headers;
}

/** Fields that the front sets itself, or that control the runtime (`MF-…`). */
function isOurs(key: string, { client }: FrontFacts): boolean {
  if (key === CLIENT_HEADER.toLowerCase()) return client !== null;
  return (
    key === "host" ||
    key === "content-length" ||
    key === "expect" ||
    key === FRONT_HEADER.toLowerCase() ||
    key.startsWith("mf-") ||
    // Pseudo-header fields of HTTP/2, such as `:path`.
    key.startsWith(":")
  );
}

/** The names of the fields that are not forwarded, in lower case. */
function droppedOf(raw: RawHeaders): ReadonlySet<string> {
  const dropped = new Set(HOP_BY_HOP);
  for (const [name, value] of pairsOf(raw)) {
    if (name.toLowerCase() !== "connection") continue;
    for (const option of value.toLowerCase().split(",")) {
      if (!NEVER_DROPPED.has(option.trim())) dropped.add(option.trim());
    }
  }
  return dropped;
}

function* pairsOf(raw: RawHeaders): Generator<readonly [string, string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? "", raw[index + 1] ?? ""];
}
