import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

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

/** Queries the resolvers of this system, or `server` (`host`, `host:port` or `[host]:port`). Each query is sent once. */
export function systemDns(server: string | null): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (server !== null) resolver.setServers([server]);
  const asked = new Map<string, Promise<unknown>>();
  return {
    look<Type extends RecordType>(type: Type, name: string): Promise<Answers[Type]> {
      const key = `${type} ${name.toLowerCase()}`;
      const answer = asked.get(key) ?? ASK[type](resolver, name).catch((error) => nothing(error, name));
      asked.set(key, answer);
      return answer as Promise<Answers[Type]>;
    },
  };
}

const first = <T>(records: readonly T[]): T[] => records.slice(0, MAX_RECORDS);

const ASK: { [Type in RecordType]: (resolver: Resolver, name: string) => Promise<Answers[Type]> } = {
  A: async (resolver, name) => first(await resolver.resolve4(name)),
  AAAA: async (resolver, name) => first(await resolver.resolve6(name)),
  NS: async (resolver, name) => first(await resolver.resolveNs(name)),
  CNAME: async (resolver, name) => first(await resolver.resolveCname(name)),
  PTR: async (resolver, name) => first(await resolver.resolvePtr(name)),
  MX: async (resolver, name) =>
    first(await resolver.resolveMx(name))
      .map(({ priority, exchange }) => ({ priority, exchange: exchange.replace(/\.$/, "").toLowerCase() }))
      .sort((a, b) => a.priority - b.priority),
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
