import { createPublicKey, type KeyObject } from "node:crypto";
import { isAskable, type Dns } from "../../../lib/dns/dns.ts";
import type { Algorithm } from "./signature.ts";
import { base64Bytes, readTags, trimmed } from "./tag-list.ts";

/** A public key, with what its record demands of signatures. */
export interface DkimKey {
  key: KeyObject;
  bits: number;
  /** `t=s`: `i=` must name the very domain that signs. */
  isStrict: boolean;
}

/** Why there is no key. `none`: it is too short to prove anything (RFC 8301 §3.2). */
export interface NoKey {
  result: "temperror" | "permerror" | "none";
  reason: string;
  bits: number;
}

/** A record with an RSA key of 4096 bits has 750 characters. */
const MAX_RECORD_CHARS = 8_192;
/** Records at one name; more than one is a mistake already. */
const MAX_RECORDS = 16;
const MIN_RSA_BITS = 1_024;
/** Above, verifying costs more than any honest signer asks for. */
const MAX_RSA_BITS = 4_096;
/** Honest keys have 3, 17 or 65537. A huge exponent makes verifying as slow as signing. */
const MAX_RSA_EXPONENT = 0xffff_ffffn;
const ED25519_BYTES = 32;
/** Keys that stay read; the texts of all take at most 2 MB, usually 100 KB. */
const MAX_KEPT = 256;
/** RFC 8410 §4: what stands before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo. */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

const broken = (reason: string): NoKey => ({ result: "permerror", reason, bits: 0 });

/** Fetches the key of a signature (RFC 6376 §3.6.2). Never rejects. */
export async function fetchKey(
  { domain, selector, algorithm }: { domain: string; selector: string; algorithm: Algorithm },
  dns: Dns,
  signal: AbortSignal,
): Promise<DkimKey | NoKey> {
  const name = `${selector}._domainkey.${domain}`;
  if (!isAskable(name)) return broken("the name of the key is too long");
  let records: readonly string[];
  try {
    ({ records } = await dns.look(name, "TXT", signal));
  } catch {
    return { result: "temperror", reason: "DNS did not answer for the key", bits: 0 };
  }
  const keys = records.slice(0, MAX_RECORDS).flatMap((record) => keyTags(record) ?? []);
  const [tags] = keys;
  if (tags === undefined) return broken("there is no key at the name that it gives");
  // RFC 6376 §3.6.2.2: what several records mean is undefined.
  if (keys.length > 1) return broken("there are several keys at the name that it gives");
  return readKey(tags, algorithm);
}

export function isKey(key: DkimKey | NoKey): key is DkimKey {
  return "key" in key;
}

function keyTags(record: string): Map<string, string> | null {
  const tags = record.length > MAX_RECORD_CHARS ? null : readTags(record);
  if (tags === null || !tags.has("p")) return null;
  if (!tags.has("v")) return tags;
  // RFC 6376 §3.6.1: v= comes first if it is there.
  return tags.keys().next().value === "v" && tags.get("v") === "DKIM1" ? tags : null;
}

function readKey(tags: ReadonlyMap<string, string>, algorithm: Algorithm): DkimKey | NoKey {
  const type = (tags.get("k") ?? "rsa").toLowerCase();
  if (tags.get("p") === "") return broken("the key was revoked");
  if (`${type}-sha256` !== algorithm) return broken("the key is of another type");
  if (!allows(tags, "h", ["sha256"])) return broken("the key does not allow SHA-256");
  if (!allows(tags, "s", ["*", "email"])) return broken("the key is not for email");
  const key = keptKey(type, tags.get("p") ?? "");
  return isKey(key) ? { ...key, isStrict: listOf(tags, "t").includes("s") } : key;
}

/** The keys that were read last, by type and text: reading one takes longer than verifying with it. */
const kept = new Map<string, DkimKey | NoKey>();

function keptKey(type: string, text: string): DkimKey | NoKey {
  const name = `${type} ${text}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const bytes = base64Bytes(text);
  const key = bytes === null ? null : type === "rsa" ? rsaKey(bytes) : ed25519Key(bytes);
  const read = key === null ? broken("the key is malformed") : judged(key);
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(name, read);
  return read;
}

function judged(key: KeyObject): DkimKey | NoKey {
  if (key.asymmetricKeyType === "ed25519") return { key, bits: ED25519_BYTES * 8, isStrict: false };
  const { modulusLength: bits = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (bits < MIN_RSA_BITS) return { result: "none", reason: `a key of ${bits} bits proves nothing`, bits };
  if (bits > MAX_RSA_BITS || publicExponent > MAX_RSA_EXPONENT) {
    return { ...broken("the key is too large to be verified"), bits };
  }
  return { key, bits, isStrict: false };
}

/** Whether a list that limits the use of the key is not there, or names one of the uses. */
function allows(tags: ReadonlyMap<string, string>, name: string, uses: readonly string[]): boolean {
  return !tags.has(name) || listOf(tags, name).some((use) => uses.includes(use));
}

function listOf(tags: ReadonlyMap<string, string>, name: string): string[] {
  const text = tags.get(name);
  return text === undefined ? [] : text.toLowerCase().split(":").map(trimmed);
}

/** As SubjectPublicKeyInfo, as all publish it, or as RSAPublicKey, as the text of RFC 6376 §3.6.1 says. */
function rsaKey(bytes: Buffer): KeyObject | null {
  const key = keyFrom(bytes, "spki") ?? keyFrom(bytes, "pkcs1");
  return key?.asymmetricKeyType === "rsa" ? key : null;
}

function ed25519Key(bytes: Buffer): KeyObject | null {
  // RFC 8463 §4.2.
  return bytes.length === ED25519_BYTES ? keyFrom(Buffer.concat([ED25519_PREFIX, bytes]), "spki") : null;
}

/** Keys that were read last, by their bytes: reading a key takes longer than verifying a signature by it. */
const readKeys = new Map<string, KeyObject>();
/** Each takes some kilobytes. */
const MAX_READ_KEYS = 500;

function keyFrom(key: Buffer, type: "spki" | "pkcs1"): KeyObject | null {
  const name = key.toString("base64");
  const known = readKeys.get(name);
  if (known !== undefined) return known;
  try {
    const read = createPublicKey({ key, format: "der", type });
    const [oldest] = readKeys.keys();
    if (readKeys.size >= MAX_READ_KEYS && oldest !== undefined) readKeys.delete(oldest);
    readKeys.set(name, read);
    return read;
  } catch {
    return null;
  }
}
