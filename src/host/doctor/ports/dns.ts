import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { ResolverPlace } from "../../../config/kinds.ts";
import { askJson, joinedStrings } from "../../../lib/doh.ts";

/** The kinds of records that the doctor reads. */
export interface Answers {
  A: string[];
  AAAA: string[];
  NS: string[];
  CNAME: string[];
  PTR: string[];
  /** Sorted by preference. `exchange` without a dot at its end; "" is the null MX (RFC 7505). */
  MX: { priority: number; exchange: string }[];
  /** The strings of each record joined. */
  TXT: string[];
}

export type RecordType = keyof Answers;

/** A DNS resolver. */
export interface Dns {
  /** The records of one type; empty where the name or the type does not exist. Rejects with {@link NoAnswer} where that cannot be known. */
  look<Type extends RecordType>(type: Type, name: string): Promise<Answers[Type]>;
}

/** The resolver did not answer, or failed. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  /** Whether no answer came at all; else it was a failure of the servers behind the resolver. */
  readonly isSilent: boolean;

  constructor(message: string, isSilent: boolean) {
    super(message);
    this.isSilent = isSilent;
  }
}

/** Limits of one answer. A hostile server can send 64 KB of records. */
const MAX_RECORDS = 50;
const MAX_TEXT_CHARS = 4_096;
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** The name or the type does not exist. */
const NOTHING: readonly string[] = ["ENODATA", "ENOTFOUND"];
const SILENCE: readonly string[] = ["ETIMEOUT", "ECONNREFUSED", "ECANCELLED"];

/** Queries a resolver, or those of this system. Each query is sent once. */
export function dnsOf(place: ResolverPlace | null): Dns {
  const ask = place !== null && "url" in place ? overHttps(place.url) : overUdp(place?.servers ?? null);
  const asked = new Map<string, Promise<unknown>>();
  return {
    look<Type extends RecordType>(type: Type, name: string): Promise<Answers[Type]> {
      const key = `${type} ${name.toLowerCase()}`;
      const answer = asked.get(key) ?? ask(type, name);
      asked.set(key, answer);
      return answer as Promise<Answers[Type]>;
    },
  };
}

type AskOne = (type: RecordType, name: string) => Promise<unknown>;

function overUdp(servers: readonly string[] | null): AskOne {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== null) resolver.setServers(servers);
  return (type, name) => ASK[type](resolver, name).catch((error) => nothing(error, name));
}

/** RFC 1035 §3.2.2, RFC 3596. */
const CODES: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
};

/** Asks in `application/dns-json`. */
function overHttps(url: string): AskOne {
  return async (type, name) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS * TRIES);
    const { answer } = await askJson(url, fetch, { name, type, signal }).catch((error: Error) => {
      // fetch says in its cause why it failed.
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      const isSilent = error.name === "TimeoutError" || error.cause !== undefined;
      throw new NoAnswer(`DNS does not answer for ${name} (${why})`, isSilent);
    });
    const data = first(answer.filter((record) => record.type === CODES[type])).map((record) => record.data);
    if (type === "TXT") return data.map((text) => joinedStrings(text).slice(0, MAX_TEXT_CHARS));
    if (type !== "MX") return data.map((text) => text.replace(/\.$/, ""));
    return byPriority(
      data.map((text) => {
        const [priority = "", exchange = ""] = text.split(" ");
        return { priority: Number(priority), exchange };
      }),
    );
  };
}

function byPriority(records: Answers["MX"]): Answers["MX"] {
  return records
    .map(({ priority, exchange }) => ({ priority, exchange: exchange.replace(/\.$/, "").toLowerCase() }))
    .sort((a, b) => a.priority - b.priority);
}

const first = <T>(records: readonly T[]): T[] => records.slice(0, MAX_RECORDS);

const ASK: { [Type in RecordType]: (resolver: Resolver, name: string) => Promise<Answers[Type]> } = {
  A: async (resolver, name) => first(await resolver.resolve4(name)),
  AAAA: async (resolver, name) => first(await resolver.resolve6(name)),
  NS: async (resolver, name) => first(await resolver.resolveNs(name)),
  CNAME: async (resolver, name) => first(await resolver.resolveCname(name)),
  PTR: async (resolver, name) => first(await resolver.resolvePtr(name)),
  MX: async (resolver, name) => byPriority(first(await resolver.resolveMx(name))),
  TXT: async (resolver, name) =>
    first(await resolver.resolveTxt(name)).map((strings) => strings.join("").slice(0, MAX_TEXT_CHARS)),
};

function nothing(error: unknown, name: string): never[] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (NOTHING.includes(code)) return [];
  // An invalid name, such as one with an empty label, has no records.
  if (code === "EBADNAME") return [];
  throw new NoAnswer(`DNS does not answer for ${name} (${code || String(error)})`, SILENCE.includes(code));
}

/** The addresses of a host; an IP address is its own address. */
export async function addressesOf(dns: Dns, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const [four, six] = await Promise.all([dns.look("A", host), dns.look("AAAA", host)]);
  return [...four, ...six];
}
