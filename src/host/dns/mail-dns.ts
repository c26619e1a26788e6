import type { ResolverPlace } from "../../config/kinds.ts";
import { CachedDns, type Ask } from "../../lib/dns/cached-dns.ts";
import { RECORD_CODES } from "../../lib/dns/codes.ts";
import { isAskable, type RecordType } from "../../lib/dns/dns.ts";
import { askDoh } from "../../lib/dns/doh-dns.ts";
import { askServers, serverPlace, systemServers } from "./server-dns.ts";

/** Answers kept on one machine: a busy host sees some thousand domains. At 400 characters each, 8 MB. */
const MAX_ENTRIES = 20_000;
const MAX_CHARS = 8_000_000;
/** RFC 1035 §4.1.1, RFC 2308. */
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];

/** The resolver for the checks of mail that comes by SMTP; `null` is that of the system. */
export function mailDns(resolver: ResolverPlace | null): CachedDns {
  const limits = { maxEntries: MAX_ENTRIES, maxChars: MAX_CHARS };
  if (resolver !== null && "url" in resolver) return new CachedDns(askDoh(resolver.url, fetch), limits);
  const servers = resolver === null ? systemServers() : resolver.servers.map(serverPlace);
  return new CachedDns(askServers(servers), limits);
}

/** Asks the servers of a resolver for the worker; undefined for a URL, which the worker asks itself. */
export function workerDns(resolver: ResolverPlace | null): Ask | undefined {
  if (resolver === null || "url" in resolver) return undefined;
  return askServers(resolver.servers.map(serverPlace));
}

/** Answers a question in `application/dns-json` with what DNS servers say: the worker itself can send no UDP. */
export async function jsonAnswer(ask: Ask, query: URLSearchParams): Promise<Record<string, unknown>> {
  const name = (query.get("name") ?? "").toLowerCase();
  const type = query.get("type") ?? "";
  if (!isRecordType(type) || !isAskable(name)) return { Status: SERVER_FAILURE };
  const fetched = await ask(name, type).catch(() => null);
  if (fetched === null) return { Status: SERVER_FAILURE };
  const { answer, ttlSeconds: TTL } = fetched;
  return {
    Status: answer.exists ? NO_ERROR : NO_SUCH_NAME,
    Answer: answer.records.map((record) => ({
      name,
      type: RECORD_CODES[type],
      TTL,
      data: type === "TXT" ? `"${record.replaceAll(/["\\]/g, String.raw`\$&`)}"` : record,
    })),
  };
}

function isRecordType(type: string): type is RecordType {
  return Object.hasOwn(RECORD_CODES, type);
}
