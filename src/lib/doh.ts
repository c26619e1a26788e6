import { z } from "zod";
import type { Resolve } from "./public-url.ts";

/** Response codes (RFC 1035 §4.1.1, RFC 2308): the name is there, or is not. */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** Record types by name and number (RFC 1035 §3.2.2, RFC 3596): all the ways a connection may go. */
const ADDRESS_TYPES = [
  ["A", 1],
  ["AAAA", 28],
] as const;

/** A DNS answer is a few hundred bytes; over TCP at most this many. */
const MAX_ANSWER_CHARS = 65_536;

/** As much of `application/dns-json` as is needed. */
const DnsAnswer = z.object({
  Status: z.number(),
  TC: z.boolean().optional(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/**
 * A resolver that asks `url` in `application/dns-json`, for IPv4 and IPv6. Rejects when either answer fails: half an answer
 * would let the other half be anything. Whoever waits for it sets the time limit.
 */
export function dohResolver(url: string, send: typeof fetch): Resolve {
  return async (name) => {
    const answers = await Promise.all(
      ADDRESS_TYPES.map(([type, code]) => ask(url, send, { name, type, code })),
    );
    return answers.flat();
  };
}

async function ask(
  url: string,
  send: typeof fetch,
  question: { name: string; type: string; code: number },
): Promise<string[]> {
  const query = new URL(url);
  query.searchParams.set("name", question.name);
  query.searchParams.set("type", question.type);
  const response = await send(query, { headers: { Accept: "application/dns-json" }, redirect: "manual" });
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
  // Aliases on the way (CNAME) come along; addresses are what a connection goes to.
  return (answer.Answer ?? []).filter(({ type }) => type === question.code).map(({ data }) => data);
}
