import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import keys from "./keys.json" with { type: "json" };

/** The private keys of the tests, by name. */
export type KeyName = keyof typeof keys;

const privateKeys = new Map<string, KeyObject>();

function privateKey(name: KeyName): KeyObject {
  const known = privateKeys.get(name);
  if (known !== undefined) return known;
  const key = createPrivateKey({ key: Buffer.from(keys[name], "base64"), format: "der", type: "pkcs8" });
  privateKeys.set(name, key);
  return key;
}

/** The value of `p=` in a key's record. */
export function publicKey(name: KeyName, type: "spki" | "pkcs1" = "spki"): string {
  const bytes = createPublicKey(privateKey(name)).export({ format: "der", type });
  // RFC 8463 §4.2: of an Ed25519 key only its 32 bytes.
  return (name === "ed25519" ? bytes.subarray(-32) : bytes).toString("base64");
}

/** The usual record of a key. */
export function keyRecord(name: KeyName): string {
  return `v=DKIM1; k=${name === "ed25519" ? "ed25519" : "rsa"}; p=${publicKey(name)}`;
}

export interface SignOptions {
  key: KeyName;
  /** Default: `relaxed/relaxed`. */
  c?: string;
  d?: string;
  s?: string;
  /** Names of the signed fields. */
  h?: string;
  /** Further tags, and those to replace; null leaves one out. */
  tags?: Record<string, string | null>;
  /** Bytes of the canonical body that are signed; default: all. */
  bodyLength?: number;
  /** The field's name. */
  field?: string;
  /** The hash that is signed with; sha1 only to be refused. */
  hash?: "sha256" | "sha1";
}

/** Signs a message as RFC 6376 §3.7 and §5 say. The code is the test's own and shares nothing with the verifier. */
export function signed(message: string, options: SignOptions): string {
  const { key, c = "relaxed/relaxed", d = "example.org", s = key, h = "from:to:subject:date" } = options;
  const { field = "DKIM-Signature", bodyLength, hash = "sha256" } = options;
  const [headerForm = "simple", bodyForm = "simple"] = c.split("/");
  const { header, rest } = halves(message);
  const body = Buffer.from(canonicalBody(rest, bodyForm), "latin1").subarray(0, bodyLength);
  // dkimpy finds a set of ARC only where `i=` stands behind a blank.
  const instance: Record<string, string | null> = field === "DKIM-Signature" ? {} : { i: null };
  const tags: Record<string, string | null> = {
    ...instance,
    v: "1",
    a: `${key === "ed25519" ? "ed25519" : "rsa"}-${hash}`,
    c,
    d,
    s,
    h,
    bh: createHash(hash).update(body).digest("base64"),
    ...options.tags,
  };
  const written = Object.entries(tags).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${value}`],
  );
  const own = `${field}: ${written.join(";\r\n\t")};\r\n\tb=`;
  const lines = lowestFirst(header, tags.h ?? "");
  const input = [...lines, own].map((line) => canonicalLine(line, headerForm)).join("\r\n");
  return `${own}${signature(input, key, hash).replace(/.{64}/g, "$&\r\n\t ")}\r\n${message}`;
}

function halves(message: string): { header: string; rest: string } {
  const split = message.indexOf("\r\n\r\n");
  if (split === -1) return { header: message, rest: "" };
  return { header: message.slice(0, split + 2), rest: message.slice(split + 4) };
}

/** The fields that `names` lists: of those with one name the lowest first, each once. */
function lowestFirst(header: string, names: string): string[] {
  const left = header.split(/\r\n(?![ \t])/).filter((line) => line !== "");
  return names.split(":").flatMap((name) => {
    const wanted = name.trim().toLowerCase();
    const at = left.findLastIndex((line) => line.slice(0, line.indexOf(":")).trim().toLowerCase() === wanted);
    return at === -1 ? [] : left.splice(at, 1);
  });
}

/** The signature of an input, in base64. */
export function signature(input: string, key: KeyName, hash: "sha256" | "sha1" = "sha256"): string {
  const bytes = Buffer.from(input, "latin1");
  const value =
    key === "ed25519"
      ? sign(null, createHash("sha256").update(bytes).digest(), privateKey(key))
      : sign(hash, bytes, privateKey(key));
  return value.toString("base64");
}

/** RFC 6376 §3.4.1 and §3.4.2. */
export function canonicalLine(line: string, form: string): string {
  if (form === "simple") return line;
  const colon = line.indexOf(":");
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ");
  return `${line.slice(0, colon).trim().toLowerCase()}:${value.trim()}`;
}

/** RFC 6376 §3.4.3 and §3.4.4. */
export function canonicalBody(body: string, form: string): string {
  const blanks = form === "simple" ? body : body.replace(/[ \t]+/g, " ").replace(/ (?=\r\n|$)/g, "");
  let content = blanks;
  while (content.endsWith("\r\n\r\n\r\n\r\n")) content = content.slice(0, -6);
  while (content.endsWith("\r\n")) content = content.slice(0, -2);
  return content === "" ? (form === "simple" ? "\r\n" : "") : `${content}\r\n`;
}

/** Adds a set of ARC (RFC 8617 §5.1) for a host that forwards a message. */
export function sealed(
  message: string,
  {
    key,
    instance,
    chain,
    d = "forward.example",
  }: { key: KeyName; instance: number; chain: string; d?: string },
): string {
  const results = `ARC-Authentication-Results: i=${instance}; ${d}; dkim=pass header.d=example.org`;
  const withMessage = signed(message, {
    key,
    d,
    field: "ARC-Message-Signature",
    tags: { v: null, i: String(instance) },
  });
  const end = withMessage.length - message.length;
  const own = withMessage.slice(0, end - 2);
  const tags = [
    `i=${instance}`,
    `a=${key === "ed25519" ? "ed25519" : "rsa"}-sha256`,
    `cv=${chain}`,
    `d=${d}`,
    `s=${key}`,
    "b=",
  ];
  const seal = `ARC-Seal: ${tags.join("; ")}`;
  const before = setsBelow(message, instance);
  const input = [...before, results, own, seal].map((line) => canonicalLine(line, "relaxed")).join("\r\n");
  return `${seal}${signature(input, key)}\r\n${own}\r\n${results}\r\n${message}`;
}

/** The fields of the sets so far, in the order that a seal signs them. */
function setsBelow(message: string, instance: number): string[] {
  const lines = message.slice(0, message.indexOf("\r\n\r\n")).split(/\r\n(?![ \t])/);
  const own = (name: string, of: number): string[] =>
    lines
      .filter(
        (line) =>
          line.toLowerCase().startsWith(`${name}:`) && new RegExp(`[: \\t\\n;]i=${of}[ ;]`).test(line),
      )
      .slice(0, 1);
  return Array.from({ length: instance - 1 }, (_, index) =>
    ["arc-authentication-results", "arc-message-signature", "arc-seal"].flatMap((name) =>
      own(name, index + 1),
    ),
  ).flat();
}
