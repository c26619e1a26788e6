/** Results of RFC 8601 §2.7 and §6 as the API gives them; `none` also where a method was not checked. */
export type Verdict =
  | "pass"
  | "fail"
  | "softfail"
  | "neutral"
  | "none"
  | "temperror"
  | "permerror"
  | "policy";

/** The results of SPF, DKIM and DMARC checks, as the mail server in front of this service reported them. */
export interface Authentication {
  spf: Verdict;
  dkim: Verdict;
  dmarc: Verdict;
}

/** Generous for a dozen signatures; a longer value is damaged or hostile. */
const MAX_HEADER_CHARS = 32_768;

/** Best first: of several DKIM results the best counts, of several others the worst. */
const PREFERENCE: readonly Verdict[] = [
  "pass",
  "policy",
  "neutral",
  "none",
  "softfail",
  "temperror",
  "permerror",
  "fail",
];

/** ASCII only: `toLowerCase` would make the Kelvin sign a "k" and so one id of two. */
const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

interface Token {
  kind: "word" | "quoted" | "mark";
  text: string;
}

/** The offset behind a comment that opens at `at` (RFC 5322 §3.2.2: nested, backslash quotes); -1 if it never closes. */
function commentEnd(value: string, at: number): number {
  let depth = 0;
  for (let i = at; i < value.length; i += 1) {
    const char = value[i];
    if (char === "\\") i += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && --depth === 0) return i + 1;
  }
  return -1;
}

/** The quoted string that opens at `at`, unquoted, and the offset behind it; null if it never closes. */
function quotedString(value: string, at: number): { text: string; end: number } | null {
  let text = "";
  for (let i = at + 1; i < value.length; i += 1) {
    const char = value[i] ?? "";
    if (char === '"') return { text, end: i + 1 };
    if (char === "\\") i += 1;
    text += char === "\\" ? (value[i] ?? "") : char;
  }
  return null;
}

/** The token at `at` (null between tokens) and the offset behind it; null if a comment or quote never closes. */
function tokenAt(value: string, at: number): { token: Token | null; end: number } | null {
  const char = value[at] ?? "";
  if (/[ \t\r\n]/.test(char)) return { token: null, end: at + 1 };
  if (/[;=/)]/.test(char)) return { token: { kind: "mark", text: char }, end: at + 1 };
  if (char === "(") {
    const end = commentEnd(value, at);
    return end < 0 ? null : { token: null, end };
  }
  if (char === '"') {
    const quoted = quotedString(value, at);
    return quoted === null ? null : { token: { kind: "quoted", text: quoted.text }, end: quoted.end };
  }
  const word = /[^ \t\r\n;=/()"]+/y;
  word.lastIndex = at;
  const text = word.exec(value)?.[0] ?? char;
  return { token: { kind: "word", text }, end: at + text.length };
}

/** A line break that folds nothing, or a control character. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const ILLEGAL = /[\r\n](?![ \t\n])|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * Null for a value that is no well-formed header: an open comment or quote, or a line break that folds nothing, could
 * each make text that the sender chose look like a result.
 */
function tokenise(value: string, upTo: "id" | "end"): Token[] | null {
  if (value.length > MAX_HEADER_CHARS || ILLEGAL.test(value)) return null;
  const tokens: Token[] = [];
  let at = 0;
  while (at < value.length) {
    const next = tokenAt(value, at);
    if (next === null) return null;
    if (upTo === "id" && next.token?.kind === "mark" && next.token.text === ";") break;
    if (next.token !== null) tokens.push(next.token);
    at = next.end;
  }
  return tokens;
}

/** The parts between semicolons: the id first, then one result each. */
function segmentsOf(tokens: readonly Token[]): Token[][] {
  const segments: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "mark" && token.text === ";") segments.push([]);
    else segments.at(-1)?.push(token);
  }
  return segments;
}

/** `authserv-id [version]`; null for anything else, so that no id is believed out of a garbled start. */
function idOf(segment: readonly Token[]): { authservId: string; version: string } | null {
  const [id, version, ...rest] = segment;
  if (id === undefined || id.kind === "mark" || rest.length > 0) return null;
  if (version !== undefined && !(version.kind === "word" && /^[0-9]+$/.test(version.text))) return null;
  return { authservId: asciiLower(id.text), version: version?.text ?? "1" };
}

/** RFC 5451 called a failing SPF check so; some servers still do. */
const OLD_RESULTS = new Map<string, Verdict>([["hardfail", "fail"]]);

/** `method [/ version] = result …`; what follows (reason, properties) is not read. Null for no result. */
function resultOf(segment: readonly Token[]): { method: string; verdict: Verdict } | null {
  const form = segment.slice(0, 6).map(({ kind, text }) => ({ word: "w", quoted: "q", mark: text })[kind]);
  // "dkim=pass=fail" and "dkim=pass/x" are no results.
  const match = /^w(\/w)?=w(?![=/)])/.exec(form.join(""));
  if (match === null) return null;
  const versioned = match[1] !== undefined;
  // RFC 8601 §2.3: another version of a method may mean something else by the same words.
  if (versioned && segment[2]?.text !== "1") return null;
  const word = asciiLower(segment[versioned ? 4 : 2]?.text ?? "");
  const verdict = PREFERENCE.find((known) => known === word) ?? OLD_RESULTS.get(word) ?? "none";
  return { method: asciiLower(segment[0]?.text ?? ""), verdict };
}

function verdictOf(verdicts: readonly Verdict[], prefer: "best" | "worst"): Verdict {
  const order = prefer === "best" ? PREFERENCE : PREFERENCE.toReversed();
  return order.find((verdict) => verdicts.includes(verdict)) ?? "none";
}

function readResults(segments: readonly Token[][]): Authentication {
  const found: Record<keyof Authentication, Verdict[]> = { spf: [], dkim: [], dmarc: [] };
  for (const segment of segments) {
    const result = resultOf(segment);
    if (result === null) continue;
    if (result.method === "spf" || result.method === "dkim" || result.method === "dmarc") {
      found[result.method].push(result.verdict);
    }
  }
  return {
    // SPF stands twice where MAIL FROM and HELO were checked; DMARC never does: the worst counts, so that nothing
    // injected beside the trusted server's result can improve it.
    spf: verdictOf(found.spf, "worst"),
    dkim: verdictOf(found.dkim, "best"),
    dmarc: verdictOf(found.dmarc, "worst"),
  };
}

/** The id of a damaged header, as far as it can be read: enough to see that nothing below it may be believed. */
function claimedId(value: string): string {
  return asciiLower(/^[\s]{0,99}([^\s;()"]{1,255})/.exec(value.slice(0, 400))?.[1] ?? "");
}

/**
 * SPF, DKIM and DMARC as the trusted mail server in front judged them (RFC 8601): read from the topmost
 * Authentication-Results header that carries the trusted authserv-id, and from no other. Null without a trusted id or
 * without such a header.
 *
 * Anyone can write this header, and the id too. The trusted server puts its own on top of what it received, so the topmost
 * one with the id is its own as long as it writes one for every mail; a server that does not, or that does not remove
 * foreign headers with its id (RFC 8601 §5), must not be configured as trusted. When the topmost one is damaged, every
 * verdict is `none`: looking further down would find one that the sender wrote.
 *
 * @param authenticationResults header values, topmost first
 */
export function authenticationFrom(
  authenticationResults: readonly string[],
  authservId: string | null,
): Authentication | null {
  const trusted = asciiLower(authservId?.trim() ?? "");
  if (trusted === "") return null;
  for (const value of authenticationResults) {
    const start = tokenise(value, "id");
    const id = start === null ? null : idOf(start);
    if ((start === null ? claimedId(value) : id?.authservId) !== trusted) continue;
    const tokens = id?.version === "1" ? tokenise(value, "end") : null;
    return readResults(tokens === null ? [] : segmentsOf(tokens).slice(1));
  }
  return null;
}
