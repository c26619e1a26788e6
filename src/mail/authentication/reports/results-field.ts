import type { MethodResult } from "../sender-facts.ts";

/** The results of one Authentication-Results field. */
export interface FieldResults {
  spf: MethodResult;
  dkim: MethodResult;
  dmarc: MethodResult;
  /** Each DKIM result with the signature it is about; "" where the field does not say. */
  signatures: { domain: string; selector: string; algorithm: string; result: MethodResult }[];
  /** The domain that the SPF result is about; "" where the field does not say. */
  spfDomain: string;
  /** Domains of From that DMARC was asked for, as the field names them. */
  authors: string[];
}

/** Generous for a dozen signatures; a longer value is damaged or hostile. */
const MAX_HEADER_CHARS = 32_768;

/** Characters of a property that are read: a domain has 253 at most. */
const MAX_PROPERTY_CHARS = 255;
/** DKIM results that are read. */
const MAX_SIGNATURES = 16;

/** Best first: of several DKIM results the best counts, of several others the worst. */
const PREFERENCE: readonly MethodResult[] = [
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
export function commentEnd(value: string, at: number): number {
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
const OLD_RESULTS = new Map<string, MethodResult>([["hardfail", "fail"]]);

/** A result of a method, and the properties that say what it is about, such as `header.d`, in lower case. */
interface Result {
  method: string;
  result: MethodResult;
  properties: ReadonlyMap<string, string>;
}

/** `method [/ version] = result …`; a reason is not read. Null for no result. */
function resultOf(segment: readonly Token[]): Result | null {
  const form = segment.slice(0, 6).map(({ kind, text }) => ({ word: "w", quoted: "q", mark: text })[kind]);
  // "dkim=pass=fail" and "dkim=pass/x" are no results.
  const match = /^w(\/w)?=w(?![=/)])/.exec(form.join(""));
  if (match === null) return null;
  const versioned = match[1] !== undefined;
  // RFC 8601 §2.3: another version of a method may mean something else by the same words.
  if (versioned && segment[2]?.text !== "1") return null;
  const [word, ...properties] = segment.slice(versioned ? 4 : 2);
  const method = asciiLower(segment[0]?.text ?? "");
  return { method, result: resultNamed(asciiLower(word?.text ?? "")), properties: propertiesOf(properties) };
}

function resultNamed(word: string): MethodResult {
  return PREFERENCE.find((known) => known === word) ?? OLD_RESULTS.get(word) ?? "none";
}

/** The properties `ptype.property=value` of a result; of a repeated one the first. */
function propertiesOf(tokens: readonly Token[]): Map<string, string> {
  const properties = new Map<string, string>();
  tokens.forEach((name, index) => {
    const [sign, value, after] = tokens.slice(index + 1, index + 4);
    const isProperty = name.kind === "word" && name.text.includes(".") && sign?.text === "=";
    if (!isProperty || value === undefined || value.kind === "mark" || after?.kind === "mark") return;
    const key = asciiLower(name.text);
    if (!properties.has(key)) properties.set(key, asciiLower(value.text).slice(0, MAX_PROPERTY_CHARS));
  });
  return properties;
}

function preferred(results: readonly MethodResult[], prefer: "best" | "worst"): MethodResult {
  const order = prefer === "best" ? PREFERENCE : PREFERENCE.toReversed();
  return order.find((result) => results.includes(result)) ?? "none";
}

function readResults(segments: readonly Token[][]): FieldResults {
  const results = segments.flatMap((segment) => resultOf(segment) ?? []);
  const of = (method: string): Result[] => results.filter((one) => one.method === method);
  const words = (method: string): MethodResult[] => of(method).map(({ result }) => result);
  const spf = preferred(words("spf"), "worst");
  return {
    // SPF stands twice where MAIL FROM and HELO were checked; DMARC never does: the worst counts, so that nothing
    // injected beside the trusted server's result can improve it.
    spf,
    dkim: preferred(words("dkim"), "best"),
    dmarc: preferred(words("dmarc"), "worst"),
    signatures: of("dkim")
      .slice(0, MAX_SIGNATURES)
      .map(({ result, properties }) => ({
        domain: properties.get("header.d") ?? "",
        selector: properties.get("header.s") ?? "",
        algorithm: properties.get("header.a") ?? "",
        result,
      })),
    spfDomain: spfDomainOf(of("spf").find(({ result }) => result === spf)),
    authors: of("dmarc").flatMap(({ properties }) => properties.get("header.from") ?? []),
  };
}

/** The domain of MAIL FROM, which some servers write as an address; for the null sender that of HELO (RFC 7208 §2.4). */
function spfDomainOf(result: Result | undefined): string {
  const sender = result?.properties.get("smtp.mailfrom") ?? "";
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  return domain === "" ? (result?.properties.get("smtp.helo") ?? "") : domain;
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
 * result is `none`: looking further down would find one that the sender wrote.
 *
 * @param authenticationResults header values, topmost first
 */
export function readResultsField(
  authenticationResults: readonly string[],
  authservId: string | null,
): FieldResults | null {
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
