import type { LookUps } from "../../../lib/dns/limited-dns.ts";
import {
  canonicalField,
  valueOf,
  withoutSignature,
  type Canonicalization,
  type RawField,
} from "./header-fields.ts";
import { fetchKey, isKey, type DkimKey, type NoKey } from "./key-record.ts";
import type { HashedBody } from "./message-stream.ts";
import { isBroken, readArcSignature, readSeal, type Seal, type Signature } from "./signature.ts";
import { readTags } from "./tag-list.ts";
import { isSignedBy, verifySignature } from "./verify-signature.ts";
import type { Findings } from "./findings.ts";

type ArcFinding = NonNullable<Findings["arc"]>;

/** Sets that are verified. RFC 8617 §4.2.1 allows 50, of which each makes the next one dearer; honest mail has one to four. */
const MAX_SETS = 10;

const NAMES = ["arc-authentication-results", "arc-message-signature", "arc-seal"] as const;

/** The fields that one forwarding host added (RFC 8617 §4.2.1). */
interface ArcSet {
  results: RawField;
  message: Signature;
  seal: Seal;
}

/** A chain that can be verified; `fault`: why it cannot. */
type Chain = { sets: ArcSet[] } | { fault: string; domain: string };

/** The look-ups for the ARC sets of a header, under way from the moment when the header is there. */
export class ArcCheck {
  readonly #chain: Chain | null;
  readonly #sealKeys: readonly Promise<DkimKey | NoKey>[];
  readonly #messageKey: Promise<DkimKey | NoKey> | null;

  constructor(fields: readonly RawField[], { dns, signal }: LookUps) {
    this.#chain = chainOf(fields);
    const sets = this.#chain !== null && "sets" in this.#chain ? this.#chain.sets : [];
    const latest = sets.at(-1);
    this.#sealKeys = sets.map(({ seal }) => fetchKey(seal, dns, signal));
    this.#messageKey = latest === undefined ? null : fetchKey(latest.message, dns, signal);
  }

  /** The forms of the body that are hashed. */
  forms(): Canonicalization[] {
    const latest = this.#chain !== null && "sets" in this.#chain ? this.#chain.sets.at(-1) : undefined;
    return latest === undefined ? [] : [latest.message.body];
  }

  /** Whether the chain is whole (RFC 8617 §5.2); null for a message without ARC. */
  async result(evidence: {
    fields: readonly RawField[];
    bodies: ReadonlyMap<Canonicalization, HashedBody>;
    now: number;
  }): Promise<ArcFinding | null> {
    const chain = this.#chain;
    if (chain === null) return null;
    if ("fault" in chain) return { result: "fail", domain: chain.domain };
    const latest = chain.sets.at(-1);
    const keys = await Promise.all(this.#sealKeys);
    const messageKey = await this.#messageKey;
    const body = latest === undefined ? undefined : evidence.bodies.get(latest.message.body);
    if (latest === undefined || messageKey === null || body === undefined) return null;
    const { domain } = latest.seal;
    const message = verifySignature(latest.message, { ...evidence, body, key: messageKey });
    const results = [
      message.result,
      ...chain.sets.map((_, index) => sealResult(chain.sets, index, keys[index])),
    ];
    if (results.every((result) => result === "pass")) return { result: "pass", domain };
    // RFC 8617 §5.2: a seal that cannot be verified for now is no failure.
    const isFail = results.some((result) => result !== "pass" && result !== "temperror");
    return { result: isFail ? "fail" : "temperror", domain };
  }
}

/** A seal signs all sets up to its own, which counts without its signature (RFC 8617 §5.1.1). */
function sealResult(sets: readonly ArcSet[], index: number, key: DkimKey | NoKey | undefined) {
  const set = sets[index];
  if (set === undefined || key === undefined) return "fail";
  if (!isKey(key)) return key.result;
  const before = sets
    .slice(0, index)
    .flatMap(({ results, message, seal }) => [results, message.field, seal.field]);
  const signed = [...before, set.results, set.message.field, withoutSignature(set.seal.field)];
  const input = signed.map((field) => canonicalField(field, "relaxed")).join("\r\n");
  return isSignedBy(key, input, set.seal) ? "pass" : "fail";
}

function chainOf(fields: readonly RawField[]): Chain | null {
  const own = fields.filter(({ name }) => NAMES.some((one) => one === name));
  if (own.length === 0) return null;
  const numbered = new Map<string, RawField>();
  for (const field of own.slice(0, MAX_SETS * NAMES.length))
    numbered.set(`${field.name} ${instanceOf(field)}`, field);
  const count = numbered.size / NAMES.length;
  const domain = sealedBy(numbered.get(`arc-seal ${count}`));
  if (own.length > numbered.size) return { fault: "a field stands twice, or there are too many", domain };
  const sets: ArcSet[] = [];
  for (let instance = 1; instance <= count; instance += 1) {
    const set = setOf(instance, numbered);
    if (set === null) return { fault: `set ${instance} is not whole`, domain };
    sets.push(set);
  }
  return Number.isInteger(count) ? { sets } : { fault: "a set is not whole", domain };
}

function setOf(instance: number, numbered: ReadonlyMap<string, RawField>): ArcSet | null {
  const [results, message, seal] = NAMES.map((name) => numbered.get(`${name} ${instance}`));
  if (results === undefined || message === undefined || seal === undefined) return null;
  const signature = readArcSignature(message);
  const read = readSeal(seal);
  if (isBroken(signature) || isBroken(read)) return null;
  // RFC 8617 §5.1.2: the first host sees no chain, the others a whole one.
  return read.chain === (instance === 1 ? "none" : "pass")
    ? { results, message: signature, seal: read }
    : null;
}

function sealedBy(field: RawField | undefined): string {
  const seal = field === undefined ? null : readSeal(field);
  return seal?.domain ?? "";
}

/** The number of the set that a field belongs to; "" if it names none. */
function instanceOf(field: RawField): string {
  if (field.name === "arc-authentication-results") {
    return (
      /^[ \t\r\n]{0,200}i[ \t]{0,20}=[ \t]{0,20}(\d{1,3})[ \t\r\n]{0,200};/i.exec(valueOf(field))?.[1] ?? ""
    );
  }
  const number = readTags(valueOf(field))?.get("i") ?? "";
  return /^\d{1,3}$/.test(number) ? number : "";
}
