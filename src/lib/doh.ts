import * as z from "zod";
import type { Resolve } from "./public-url.ts";
import { TimeLimit } from "./time-limit.ts";

/** Response codes (RFC 1035 §4.1.1, RFC 2308): the name exists, or does not. */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** The types of address records, by name and number (RFC 1035 §3.2.2, RFC 3596): a connection may use any of them. */
const ADDRESS_TYPES = [
  ["A", 1],
  ["AAAA", 28],
] as const;

/** RFC 1035 §3.2.2. */
const RECORD_CODES = { MX: 15, TXT: 16 } as const;
const CNAME = 5;

/** A DNS answer is a few hundred bytes; over TCP at most this many. */
const MAX_ANSWER_CHARS = 65_536;

/** Aliases that are followed where the resolver itself does not; honest names have one or two. */
const MAX_ALIASES = 8;

/** A resolver that asks authoritative servers around the world takes a second or two. */
const LOOKUP_TIMEOUT_MS = 5_000;

const Records = z.array(z.object({ type: z.number(), data: z.string(), TTL: z.number().default(0) }));

/** The members of `application/dns-json` that are read here. */
const JsonAnswer = z.object({
  Status: z.number(),
  TC: z.boolean().optional(),
  Answer: Records.default([]),
  Authority: Records.default([]),
});

/** A record; `TTL` in seconds. */
export type DnsRecord = z.output<typeof Records>[number];

/** The answer of a resolver. */
export interface JsonAnswered {
  /** False if the name does not exist. */
  exists: boolean;
  /** Records of the type, and the aliases that led to them. */
  answer: readonly DnsRecord[];
  authority: readonly DnsRecord[];
}

/**
 * A resolver that asks `url` in `application/dns-json`, for IPv4 and IPv6. Rejects when either answer fails: half an answer
 * would let the other half be anything. The caller sets the time limit.
 */
export function dohResolver(url: string, send: typeof fetch): Resolve {
  return async (name) => {
    const answers = await Promise.all(
      ADDRESS_TYPES.map(async ([type, code]) => dataOf(await ask(url, send, { name, type }), code)),
    );
    return answers.flat();
  };
}

/** Looks up the mail records of a domain. */
export interface Lookup {
  /** Mail hosts as `<preference> <host>` (RFC 1035 §3.3.9). */
  (name: string, type: "MX"): Promise<string[]>;
  /** Texts, the strings of each joined (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
  (name: string, type: "TXT"): Promise<string[]>;
}

/**
 * A look-up that asks `url` in `application/dns-json`. An empty answer means that there is no such record. Rejects when that
 * cannot be known: no answer in time, or a failure of the resolver or of the servers behind it.
 */
export function dohLookup(url: string, send: typeof fetch, timeoutMs: number = LOOKUP_TIMEOUT_MS): Lookup {
  return async (name, type) => {
    const errorFor = () => new Error("The resolver did not answer in time");
    const limit = new TimeLimit({ ms: timeoutMs, errorFor });
    try {
      const question = { name, type, signal: limit.signal };
      const data = await limit.race(follow(url, send, question));
      return type === "TXT" ? data.map(joinedStrings) : data;
    } finally {
      limit.clear();
    }
  };
}

/** A question to a resolver. */
export interface Question {
  name: string;
  type: string;
  signal?: AbortSignal;
}

/** The records of a name, or of the name that it is an alias of. */
async function follow(
  url: string,
  send: typeof fetch,
  question: Question & { type: keyof typeof RECORD_CODES },
): Promise<string[]> {
  let { name } = question;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const answer = await ask(url, send, { ...question, name });
    const found = dataOf(answer, RECORD_CODES[question.type]);
    const alias = dataOf(answer, CNAME).at(-1);
    if (found.length > 0 || alias === undefined) return found;
    name = alias;
  }
  throw new Error("The name is an alias of too many others");
}

async function ask(url: string, send: typeof fetch, question: Question): Promise<readonly DnsRecord[]> {
  return (await askJson(url, send, question)).answer;
}

/** Asks one question in `application/dns-json`. Rejects where the resolver failed, answered too much or cut its answer off. */
export async function askJson(url: string, send: typeof fetch, question: Question): Promise<JsonAnswered> {
  const query = new URL(url);
  query.searchParams.set("name", question.name);
  query.searchParams.set("type", question.type);
  const response = await send(query, {
    headers: { Accept: "application/dns-json" },
    redirect: "manual",
    signal: question.signal ?? null,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The resolver answered ${response.status}`);
  }
  const text = await response.text();
  if (text.length > MAX_ANSWER_CHARS) throw new Error("The resolver answered too much");
  const { Status, TC, Answer, Authority } = JsonAnswer.parse(JSON.parse(text));
  if (TC === true) throw new Error("The resolver cut its answer off");
  if (Status !== NO_ERROR && Status !== NO_SUCH_NAME)
    throw new Error(`The resolver failed with code ${Status}`);
  const exists = Status === NO_ERROR;
  return { exists, answer: exists ? Answer : [], authority: Authority };
}

/** The data of the records of one type: an answer also holds the aliases (CNAME) that led to them. */
function dataOf(records: readonly DnsRecord[], code: number): string[] {
  return records.filter(({ type }) => type === code).map(({ data }) => data);
}

/**
 * The text of a TXT record: its strings in quotes as in a zone file (RFC 1035 §5.1), or, as some resolvers write it, plain.
 */
export function joinedStrings(data: string): string {
  if (!data.startsWith('"')) return data;
  const strings = data.matchAll(/"((?:[^"\\]|\\.)*)"/gs);
  return Array.from(strings, ([, inner = ""]) => unescaped(inner)).join("");
}

function unescaped(text: string): string {
  return text.replace(/\\(\d{3}|.)/gs, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number(what) & 255) : what,
  );
}
