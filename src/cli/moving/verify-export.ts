import { createHash, createPublicKey, verify, type Hash, type JsonWebKey } from "node:crypto";
import { BadArchive, readTarEntry, type TarEntry } from "../../lib/archive/tar-reader.ts";
import { BLOCK_BYTES } from "../../lib/archive/tar-writer.ts";
import type { Window } from "../../lib/archive/window.ts";
import { bytesIn, END_BYTES, type ArchiveBytes } from "./archive-bytes.ts";
import { membersOf, textOf, type Members } from "../profile/json.ts";

/** A key of a deployment as a JSON Web Key; nothing of it is known to be right. */
type Key = Members;

/** Bytes that are hashed at once. */
const PIECE_BYTES = 65_536;
const MAX_MANIFEST_BYTES = 1_000_000;
const MAX_SIGNATURE_BYTES = 4_096;
/** Changed files that an error names. */
const MAX_NAMED = 10;

const MANIFEST = "manifest.json";
const SIGNATURE = "manifest.json.jws";
const SUMS = "sha256sums.txt";

/** An export that is not what its deployment signed. */
export class BadExport extends Error {
  override readonly name = "BadExport";
  /** Whether its end is missing, and the id of the last message that is whole in it; null if none is. */
  readonly cut: { lastId: string | null } | null;

  constructor(message: string, cut: BadExport["cut"] = null) {
    super(message);
    this.cut = cut;
  }
}

/** The values that a manifest states, once its signature is known to be right. */
export interface Manifest {
  mailbox: string;
  deployment: string;
  created_at: string;
  after: string | null;
  last_email_id: string | null;
  messages: number;
  sent: number;
  erased: number;
  kid: string;
}

/** The parts of an archive that tell whether the rest is unchanged. */
interface Survey {
  /** SHA-256 of the bytes before the manifest, in hex. */
  sha256: string;
  /** Where the manifest begins. */
  bytes: number;
  manifest: string;
  signature: string;
}

/**
 * Checks an export: that a key of the deployment signed its manifest, and that every byte before it is the one that was
 * signed. Throws BadExport, which names the files that were changed.
 * @param keys the JWK set of the deployment (`/.well-known/mailkeep-keys.json`), parsed.
 */
export function verifyExport(window: Window, keys: unknown): Promise<Manifest> {
  return verified(bytesIn(window), keys, (said) => changesOf(window, said));
}

/** The same for an export whose bytes are read once. The error does not name the files that were changed. */
export function verifyPassing(bytes: ArchiveBytes, keys: unknown): Promise<Manifest> {
  return verified(bytes, keys, async () => "its bytes are not those that were signed");
}

async function verified(
  archive: ArchiveBytes,
  keys: unknown,
  changes: (said: Members) => Promise<string>,
): Promise<Manifest> {
  const { manifest, signature, bytes, sha256 } = await surveyed(archive);
  const kid = checkSignature(manifest, signature, keys);
  const said = manifestOf(manifest);
  if (said["archive_bytes"] !== bytes || said["archive_sha256"] !== sha256) {
    throw new BadExport(await changes(said));
  }
  const count = (name: string): number => (typeof said[name] === "number" ? said[name] : 0);
  return {
    mailbox: textOf(said, "mailbox") ?? "",
    deployment: textOf(said, "deployment") ?? "",
    created_at: textOf(said, "created_at") ?? "",
    after: textOf(said, "after"),
    last_email_id: textOf(said, "last_email_id"),
    messages: count("messages"),
    sent: count("sent"),
    erased: count("erased"),
    kid,
  };
}

/** Reads the whole archive once. */
async function surveyed(archive: ArchiveBytes): Promise<Survey> {
  const whole = createHash("sha256");
  let last = { name: "the beginning", id: null as string | null };
  let at = 0;
  try {
    for (;;) {
      const entry = await readTarEntry(archive, at);
      if (entry === null) throw new BadArchive("It ends too early");
      if (entry.name === MANIFEST) return await endOf(archive, entry, { at, sha256: whole.digest("hex") });
      await hashRange(archive, at, entry.next, whole);
      last = { name: entry.name, id: idIn(entry.name) ?? last.id };
      at = entry.next;
    }
  } catch (error) {
    if (!(error instanceof BadArchive)) throw error;
    if (at === 0 && (await isFilled(archive))) throw new BadExport("it is no export of a mailbox");
    if (await isEnded(archive)) throw new BadExport(`what follows ${last.name} in the archive was changed`);
    throw new BadExport("it has no signature: its end is missing", { lastId: last.id });
  }
}

/** The manifest and its signature, after which nothing may follow. */
async function endOf(
  archive: ArchiveBytes,
  entry: TarEntry,
  { at, sha256 }: { at: number; sha256: string },
): Promise<Survey> {
  const manifest = await smallFile(archive, entry, MAX_MANIFEST_BYTES);
  const signed = await readTarEntry(archive, entry.next);
  if (signed?.name !== SIGNATURE) throw new BadArchive("There is no signature");
  const signature = await smallFile(archive, signed, MAX_SIGNATURE_BYTES);
  if (!(await isZero(archive, signed.next))) throw new BadExport("the archive goes on after its signature");
  return { sha256, bytes: at, manifest, signature };
}

async function smallFile(
  archive: ArchiveBytes,
  { start, sizeBytes, name }: TarEntry,
  maxBytes: number,
): Promise<string> {
  if (sizeBytes > maxBytes) throw new BadExport(`${name} is too large to be that of an export`);
  const bytes = await archive.at(start, sizeBytes);
  if (bytes.length < sizeBytes) throw new BadArchive("It ends within a file");
  return Buffer.from(bytes).toString("utf8");
}

/** Checks the signature of a manifest, a JWS without its payload (RFC 7515, appendix F). Returns the name of its key. */
function checkSignature(manifest: string, signature: string, keys: unknown): string {
  const [head = "", payload, signed = ""] = signature.trim().split(".");
  const { alg, kid } = membersOf(jsonOf(Buffer.from(head, "base64url").toString("utf8")));
  if (alg !== "EdDSA" || typeof kid !== "string" || payload !== "") {
    throw new BadExport(`${SIGNATURE} was changed`);
  }
  const known = membersOf(keys)["keys"];
  const key = (Array.isArray(known) ? known : []).map(membersOf).find((one) => one["kid"] === kid);
  if (key === undefined) {
    throw new BadExport(`it is signed with the key ${kid}, which is none of this deployment`);
  }
  const input = Buffer.from(`${head}.${Buffer.from(manifest).toString("base64url")}`);
  if (!isSigned(input, key, Buffer.from(signed, "base64url"))) {
    throw new BadExport(`${MANIFEST} or its signature was changed`);
  }
  return kid;
}

function isSigned(input: Uint8Array, { kty, crv, x }: Key, signature: Uint8Array): boolean {
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string") return false;
  const jwk: JsonWebKey = { kty, crv, x };
  try {
    return verify(null, input, createPublicKey({ key: jwk, format: "jwk" }), signature);
  } catch {
    // The key is none.
    return false;
  }
}

function manifestOf(text: string): Members {
  const said = membersOf(jsonOf(text));
  if (said["format"] === "mailkeep-export" && said["version"] === 1) return said;
  throw new BadExport("it is an export of a later version, which this program cannot check");
}

/** Names the files of an archive that are not those that were signed. */
async function changesOf(window: Window, said: Members): Promise<string> {
  const sums = await sumsOf(window, said["sha256sums"]);
  if (sums === null) return `${SUMS} was changed`;
  const changed: string[] = [];
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at);
    if (entry === null || entry.name === SUMS) break;
    at = entry.next;
    if (!entry.isFile) continue;
    const hash = createHash("sha256");
    await hashRange(bytesIn(window), entry.start, entry.start + entry.sizeBytes, hash);
    if (sums.get(entry.name) !== hash.digest("hex")) changed.push(entry.name);
    sums.delete(entry.name);
  }
  const missing = [...sums.keys()].map((name) => `${name} (missing)`);
  const all = [...changed, ...missing];
  if (all.length === 0) return "the headers of its files were changed; the files themselves were not";
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : "";
  return `changed: ${all.slice(0, MAX_NAMED).join(", ")}${more}`;
}

/** The checksums by name, if they are those that were signed; else null. */
async function sumsOf(window: Window, expected: unknown): Promise<Map<string, string> | null> {
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at);
    if (entry === null) return null;
    at = entry.next;
    if (entry.name !== SUMS) continue;
    const hash = createHash("sha256");
    await hashRange(bytesIn(window), entry.start, entry.start + entry.sizeBytes, hash);
    if (hash.digest("hex") !== expected) return null;
    const bytes = await window.at(entry.start, entry.sizeBytes);
    const lines: string[] = Buffer.from(bytes).toString("utf8").trimEnd().split("\n");
    return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  }
}

/** Hashes the bytes from `from` to `to`. Throws BadArchive if the archive ends before. */
async function hashRange(archive: ArchiveBytes, from: number, to: number, hash: Hash): Promise<void> {
  for (let at = from; at < to;) {
    const bytes = await archive.at(at, Math.min(PIECE_BYTES, to - at));
    if (bytes.length === 0) throw new BadArchive("It ends too early");
    hash.update(bytes);
    at += bytes.length;
    archive.forget(at);
  }
}

/** Whether there is more than the smallest archive has. */
async function isFilled(archive: ArchiveBytes): Promise<boolean> {
  return (await archive.at(0, BLOCK_BYTES)).length === BLOCK_BYTES;
}

/** Whether the archive ends as archives do. */
async function isEnded(archive: ArchiveBytes): Promise<boolean> {
  const bytes = await archive.end();
  return bytes.length === END_BYTES && bytes.every((byte) => byte === 0);
}

/** Whether from `offset` on there are enough zeros for the end of an archive, and nothing else. */
async function isZero(archive: ArchiveBytes, offset: number): Promise<boolean> {
  for (let at = offset; ;) {
    const bytes = await archive.at(at, PIECE_BYTES);
    if (bytes.length === 0) return at - offset >= END_BYTES;
    if (bytes.some((byte) => byte !== 0)) return false;
    at += bytes.length;
    archive.forget(at);
  }
}

/** The id of the message in a file of the archive; null for other files. */
function idIn(name: string): string | null {
  return /(?:^|\/)cur\/\d+\.([\w-]+)\.mailkeep:2,\w*$/.exec(name)?.[1] ?? null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
