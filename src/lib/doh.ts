import * as z from "zod";
import type { Resolve } from "./public-url.ts";

/** Response codes (RFC 1035 §4.1.1, RFC 2308): the name is there, or is not. */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** Record types by name and number (RFC 1035 §3.2.2, RFC 3596): all the ways a connection may go. */
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

/** As much of `application/dns-json` as is needed. */
const DnsAnswer = z.object({
  Status: z.number(),
  TC: z.boolean().optional(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

type DnsRecord = { type: number; data: string };

/**
 * A resolver that asks `url` in `application/dns-json`, for IPv4 and IPv6. Rejects when either answer fails: half an answer
 * would let the other half be anything. Whoever waits for it sets the time limit.
 */
export function dohResolver(url: string, send: typeof fetch): Resolve {
  return async (name) => {
    const answers = await Promise.all(
      ADDRESS_TYPES.map(async ([type, code]) => dataOf(await ask(url, send, { name, type }), code)),
    );
    return answers.flat();
  };
}

/** Looks up what a domain says of its mail. */
export interface Lookup {
  /** Mail hosts as `<preference> <host>` (RFC 1035 §3.3.9). */
  (name: string, type: "MX"): Promise<string[]>;
  /** Texts, the strings of each joined (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
  (name: string, type: "TXT"): Promise<string[]>;
}

/**
 * A look-up that asks `url` in `application/dns-json`. Empty = there certainly is no such record. Rejects when that cannot be
 * known: no answer in time, a failure of the resolver or of the servers behind it.
 */
export function dohLookup(url: string, send: typeof fetch, timeoutMs: number = LOOKUP_TIMEOUT_MS): Lookup {
  return async (name, type) => {
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    // Not AbortSignal.timeout: its timer outlives the look-up and keeps the actor in memory.
    const timer = setTimeout(() => {
      controller.abort();
      late.reject(new Error("The resolver did not answer in time"));
    }, timeoutMs);
    try {
      const question = { name, type, signal: controller.signal };
      const data = await Promise.race([follow(url, send, question), late.promise]);
      return type === "TXT" ? data.map(joinedStrings) : data;
    } finally {
      clearTimeout(timer);
    }
  };
}

interface Question {
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

async function ask(url: string, send: typeof fetch, question: Question): Promise<DnsRecord[]> {
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
  const answer = DnsAnswer.parse(JSON.parse(text));
  if (answer.TC === true) throw new Error("The resolver cut its answer off");
  if (answer.Status === NO_SUCH_NAME) return [];
  if (answer.Status !== NO_ERROR) throw new Error(`The resolver failed with code ${answer.Status}`);
  return answer.Answer ?? [];
}

/** Aliases on the way (CNAME) come along; what is asked for is of one type. */
function dataOf(records: readonly DnsRecord[], code: number): string[] {
  return records.filter(({ type }) => type === code).map(({ data }) => data);
}

/**
 * The text of a TXT record: its strings in quotes as in a zone file (RFC 1035 §5.1), or, as some resolvers write it, plain.
 */
function joinedStrings(data: string): string {
  if (!data.startsWith('"')) return data;
  const strings = data.matchAll(/"((?:[^"\\]|\\.)*)"/gs);
  return Array.from(strings, ([, inner = ""]) => unescaped(inner)).join("");
}

function unescaped(text: string): string {
  return text.replace(/\\(\d{3}|.)/gs, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number(what) & 255) : what,
  );
}
