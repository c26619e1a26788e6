import { canonicalDomain } from "../../address/address.ts";
import { isFieldName, valueOf, type Canonicalization, type RawField } from "./header-fields.ts";
import { base64Bytes, readTags, trimmed, wholeNumber } from "./tag-list.ts";

/** The algorithms that can pass: RFC 8301 §3.1 forbids rsa-sha1. */
export type Algorithm = "rsa-sha256" | "ed25519-sha256";
const ALGORITHMS: readonly string[] = ["rsa-sha256", "ed25519-sha256"] satisfies Algorithm[];

/** A signature as it is verified: that of a DKIM-Signature, or of an ARC-Message-Signature. */
export interface Signature {
  field: RawField;
  domain: string;
  selector: string;
  algorithm: Algorithm;
  header: Canonicalization;
  body: Canonicalization;
  /** Names of the signed fields in lower case, in the order of `h=`. */
  signed: readonly string[];
  bodyHash: Buffer;
  value: Buffer;
  /** `l=`: bytes of the body that it covers; null: all. */
  bodyLength: number | null;
  /** The domain of `i=`. */
  identityDomain: string;
  signedAt: number | null;
  expiresAt: number | null;
}

/** A signature that cannot be verified: its tags, as far as they can be read, and the reason. */
export interface BrokenSignature {
  domain: string;
  selector: string;
  algorithm: string;
  fault: string;
}

/** A DKIM-Signature has about a kilobyte, one that names a hundred fields three. */
const MAX_FIELD_CHARS = 32_768;
/** Fields that one signature names; honest ones name up to some fifty. */
const MAX_SIGNED_FIELDS = 256;
/** Characters of an unknown algorithm that are shown. */
const MAX_ALGORITHM_CHARS = 32;

/** Characters of a name in DNS (RFC 1035 §2.3.4). */
const MAX_SELECTOR_CHARS = 253;

/** Labels of letters, digits and hyphens; selectors in use also have underscores. */
const SELECTOR = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Reads a DKIM-Signature field (RFC 6376 §3.5, §6.1.1). */
export function readSignature(field: RawField): Signature | BrokenSignature {
  return read(field, (tags) => (tags.get("v") === "1" ? identityOf(tags) : "it has no v=1"));
}

/** Reads an ARC-Message-Signature field: `i=` is the number of its set, and there is no `v=` (RFC 8617 §4.1.2). */
export function readArcSignature(field: RawField): Signature | BrokenSignature {
  return read(field, (tags) => {
    if ((tags.get("h") ?? "").toLowerCase().includes("arc-seal")) return "h= names ARC-Seal";
    return { identityDomain: domainIn(tags, "d") ?? "" };
  });
}

/** The seal of one host over the chain so far (RFC 8617 §4.1.3). */
export type Seal = Pick<Signature, "field" | "domain" | "selector" | "algorithm" | "value"> & {
  /** `cv=`: how the chain was when it came to the host. */
  chain: string;
};

/** Reads an ARC-Seal field. It signs no body, and always the same fields. */
export function readSeal(field: RawField): Seal | BrokenSignature {
  const tags = tagsOf(field);
  if (tags === null) return MALFORMED;
  const named = namesIn(tags);
  const value = base64Bytes(tags.get("b") ?? "");
  const key = keyOf(named);
  if (typeof key === "string") return { ...named, fault: key };
  if (value === null || tags.has("h")) return { ...named, fault: "b= is no base64, or there is an h=" };
  return { field, ...key, value, chain: (tags.get("cv") ?? "").toLowerCase() };
}

export function isBroken<T extends object>(signature: T | BrokenSignature): signature is BrokenSignature {
  return "fault" in signature;
}

type Tags = ReadonlyMap<string, string>;
type Part<T> = T | string;

function read(
  field: RawField,
  own: (tags: Tags) => Part<Pick<Signature, "identityDomain">>,
): Signature | BrokenSignature {
  const tags = tagsOf(field);
  if (tags === null) return MALFORMED;
  const named = namesIn(tags);
  const parts = [own(tags), keyOf(named), formOf(tags), coverOf(tags), timesOf(tags)];
  const fault = parts.find((part) => typeof part === "string");
  if (fault !== undefined) return { ...named, fault };
  return Object.assign({ field }, ...parts);
}

const MALFORMED: BrokenSignature = {
  domain: "",
  selector: "",
  algorithm: "",
  fault: "the field is malformed",
};

function tagsOf(field: RawField): Tags | null {
  return field.text.length > MAX_FIELD_CHARS ? null : readTags(valueOf(field));
}

function namesIn(tags: Tags): Omit<BrokenSignature, "fault"> {
  const selector = (tags.get("s") ?? "").toLowerCase();
  return {
    domain: domainIn(tags, "d") ?? "",
    selector: selector.length <= MAX_SELECTOR_CHARS && SELECTOR.test(selector) ? selector : "",
    algorithm: (tags.get("a") ?? "")
      .toLowerCase()
      .slice(0, MAX_ALGORITHM_CHARS)
      .replace(/[^!-~]/g, "?"),
  };
}

function keyOf(
  named: Omit<BrokenSignature, "fault">,
): Part<Pick<Signature, "domain" | "selector" | "algorithm">> {
  const { domain, selector, algorithm } = named;
  if (domain === "") return "d= is no domain";
  if (selector === "") return "s= is no selector";
  if (!isAlgorithm(algorithm)) return "the algorithm is not one that may be verified";
  return { domain, selector, algorithm };
}

function isAlgorithm(text: string): text is Algorithm {
  return ALGORITHMS.includes(text);
}

function formOf(tags: Tags): Part<Pick<Signature, "header" | "body">> {
  const methods = (tags.get("q") ?? "dns/txt").toLowerCase().split(":").map(trimmed);
  if (!methods.includes("dns/txt")) return "q= names no way to fetch the key that is known here";
  const [header = "simple", body = "simple", ...rest] = (tags.get("c") ?? "").toLowerCase().split("/");
  const canonicalization = { header: header === "" ? "simple" : header, body };
  if (rest.length > 0 || !isForm(canonicalization.header) || !isForm(body)) {
    return "c= names an unknown canonical form";
  }
  return { header: canonicalization.header, body };
}

const isForm = (text: string): text is Canonicalization => text === "simple" || text === "relaxed";

function coverOf(tags: Tags): Part<Pick<Signature, "signed" | "bodyHash" | "value" | "bodyLength">> {
  const signed = (tags.get("h") ?? "").toLowerCase().split(":").map(trimmed);
  if (!signed.includes("from")) return "h= does not name From";
  if (!signed.every((name) => isFieldName(name))) return "h= names something that is no field";
  if (signed.length > MAX_SIGNED_FIELDS) return `h= names more than ${MAX_SIGNED_FIELDS} fields`;
  const bodyHash = base64Bytes(tags.get("bh") ?? "");
  const value = base64Bytes(tags.get("b") ?? "");
  if (bodyHash === null || value === null) return "bh= or b= is no base64";
  const length = tags.get("l");
  const bodyLength = length === undefined ? null : wholeNumber(length);
  if (length !== undefined && bodyLength === null) return "l= is no number";
  return { signed, bodyHash, value, bodyLength };
}

function timesOf(tags: Tags): Part<Pick<Signature, "signedAt" | "expiresAt">> {
  const [signedAt, expiresAt] = ["t", "x"].map((name) => {
    const text = tags.get(name);
    return text === undefined ? null : wholeNumber(text);
  });
  if ((tags.has("t") && signedAt === null) || (tags.has("x") && expiresAt === null)) {
    return "t= or x= is no time";
  }
  if (signedAt != null && expiresAt != null && expiresAt <= signedAt) return "x= is not after t=";
  return { signedAt: signedAt ?? null, expiresAt: expiresAt ?? null };
}

/** `i=` must lie in the domain that signs (RFC 6376 §3.5); its local part may be quoted-printable. */
function identityOf(tags: Tags): Part<Pick<Signature, "identityDomain">> {
  const domain = domainIn(tags, "d") ?? "";
  const identity = tags.get("i");
  if (identity === undefined) return { identityDomain: domain };
  const at = identity.lastIndexOf("@");
  const identityDomain = at === -1 ? null : domainFrom(identity.slice(at + 1));
  if (identityDomain === null || !isWithin(identityDomain, domain)) return "i= does not lie within d=";
  return { identityDomain };
}

const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.endsWith(`.${outer}`);

const domainIn = (tags: Tags, name: string): string | null => domainFrom(tags.get(name) ?? "");

/** A domain in A-labels; it may stand as UTF-8 (RFC 8616). */
function domainFrom(text: string): string | null {
  return canonicalDomain(Buffer.from(text, "latin1").toString("utf8"));
}
