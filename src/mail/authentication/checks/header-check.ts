import type { LookUps } from "../../../lib/dns/limited-dns.ts";
import { ArcCheck } from "./arc.ts";
import { isAligned } from "../alignment.ts";
import { coveredBy } from "../covered-fields.ts";
import { authorOf, type Author } from "../author.ts";
import { governingRecord, type Governing } from "./dmarc.ts";
import type { SignatureFinding } from "./findings.ts";
import { readFields, type Canonicalization, type RawField } from "./header-fields.ts";
import { fetchKey, type DkimKey, type NoKey } from "./key-record.ts";
import type { HashedBody } from "./message-stream.ts";
import { isBroken, readSignature, type BrokenSignature, type Signature } from "./signature.ts";
import { verifySignature, type Verified } from "./verify-signature.ts";

/** Signatures that are verified, those aligned with From first; honest mail has one to four. */
const MAX_SIGNATURES = 10;
/** DKIM-Signature fields that are read to choose among them, the topmost. */
const MAX_READ = 100;

interface Pending {
  signature: Signature | BrokenSignature;
  key: Promise<DkimKey | NoKey>;
}

/** The rest, which is known when the whole message was there. */
export interface Hashed {
  bodies: ReadonlyMap<Canonicalization, HashedBody>;
  /** Seconds since 1970. */
  now: number;
}

/** The look-ups for what a header says, under way from the moment when the header is there. */
export class HeaderCheck {
  readonly author: Author;
  readonly #fields: readonly RawField[];
  readonly #governing: Promise<Governing>;
  readonly #pending: readonly Pending[];
  readonly #arc: ArcCheck;

  /** @param header its bytes, with the line that ends it if there is one */
  constructor(header: Buffer, lookUps: LookUps) {
    const fields = readFields(header.toString("latin1"));
    this.#fields = fields;
    this.author = authorOf(header);
    const { domain } = this.author;
    this.#governing =
      domain === null
        ? Promise.resolve({ kind: "none" })
        : governingRecord(domain, lookUps.dns, lookUps.signal);
    this.#pending = chosen(fields, domain).map((signature) => ({
      signature,
      key: keyOf(signature, lookUps),
    }));
    this.#arc = new ArcCheck(fields, lookUps);
  }

  /** The forms of the body that signatures hash. */
  forms(): Set<Canonicalization> {
    const forms = this.#pending.flatMap(({ signature }) => (isBroken(signature) ? [] : signature.body));
    return new Set([...forms, ...this.#arc.forms()]);
  }

  /** Whether the chain of ARC is whole; null for a message without ARC. */
  arc(evidence: Hashed): ReturnType<ArcCheck["result"]> {
    return this.#arc.result({ ...evidence, fields: this.#fields });
  }

  governing(): Promise<Governing> {
    return this.#governing;
  }

  /** The result of each signature. */
  async signatures(hashed: Hashed): Promise<Omit<SignatureFinding, "aligned">[]> {
    const found: Omit<SignatureFinding, "aligned">[] = [];
    for (const { signature, key: fetching } of this.#pending) {
      const { domain, selector, algorithm } = signature;
      const key = await fetching;
      const verified = this.#verified(signature, key, hashed);
      const covers = verified.result === "pass" ? coveredBy(signature, this.#fields) : [];
      found.push({ domain, selector, algorithm, bits: key.bits, covers, ...verified });
    }
    return found;
  }

  #verified(signature: Signature | BrokenSignature, key: DkimKey | NoKey, { bodies, now }: Hashed): Verified {
    if (isBroken(signature)) return { result: "permerror", reason: signature.fault };
    const body = bodies.get(signature.body);
    if (body === undefined) throw new Error("the body was not hashed in a form that forms() named");
    const verified = verifySignature(signature, { fields: this.#fields, body, key, now });
    const unsigned = verified.result === "pass" ? this.#unsignedIn(signature) : null;
    return unsigned === null ? verified : { result: "fail", reason: unsigned };
  }

  /** Why what is shown is not what a valid signature covers (RFC 6376 §8.15); null if it is. */
  #unsignedIn({ signed }: Signature): string | null {
    // A From that was added above would be shown in the place of the signed one.
    if (this.author.fromFields > 1) return "the message has several From fields";
    // Anybody could replace a Subject that is not signed.
    const isOpen = !signed.includes("subject") && this.#fields.some(({ name }) => name === "subject");
    return isOpen ? "h= does not name Subject" : null;
  }
}

/** The signatures to verify, in the order of the header: those that could prove From before others. */
function chosen(fields: readonly RawField[], fromDomain: string | null): (Signature | BrokenSignature)[] {
  const found = fields.filter(({ name }) => name === "dkim-signature").slice(0, MAX_READ);
  const read = found.map(readSignature);
  if (read.length <= MAX_SIGNATURES) return read;
  const couldProve = ({ domain }: { domain: string }): boolean =>
    fromDomain !== null && isAligned(domain, fromDomain, "relaxed");
  const first = new Set(
    [...read.filter(couldProve), ...read.filter((one) => !couldProve(one))].slice(0, MAX_SIGNATURES),
  );
  return read.filter((signature) => first.has(signature));
}

async function keyOf(
  signature: Signature | BrokenSignature,
  { dns, signal }: LookUps,
): Promise<DkimKey | NoKey> {
  if (isBroken(signature)) return { result: "permerror", reason: signature.fault, bits: 0 };
  return fetchKey(signature, dns, signal);
}
