import type { RecipientField } from "../../contract/message.ts";
import { latin1 } from "../../lib/latin1.ts";
import { readHeaderBlock } from "../mime/header-block.ts";
import { isAligned } from "./alignment.ts";
import { readFields, type RawField } from "./checks/header-fields.ts";
import { isBroken, readSignature, type BrokenSignature, type Signature } from "./checks/signature.ts";

/** The fields that name the recipients of a message. */
export const RECIPIENT_FIELDS: readonly RecipientField[] = ["to", "cc"];

/** Honest mail has one to four signatures. */
const MAX_SIGNATURES = 100;

/**
 * Which of To and Cc a signature signs: those that stand in the header, and stand there no more often than `h=` names them. One
 * that stands more often has a copy that anyone can have added (RFC 6376 §5.4.2, §8.15).
 */
export function coveredBy(
  signature: Signature | BrokenSignature,
  fields: readonly RawField[],
): RecipientField[] {
  if (isBroken(signature)) return [];
  return RECIPIENT_FIELDS.filter((name) => {
    const copies = fields.filter((field) => field.name === name).length;
    return copies > 0 && signature.signed.filter((one) => one === name).length >= copies;
  });
}

/**
 * Which of To and Cc the domain of From wrote in a message that another server found proven, without a word about what proves it:
 * those that each signature signs that it can have meant. Without any, it can only have meant SPF, which proves them all.
 */
export function coveredByAll(raw: Uint8Array, fromDomain: string | null): RecipientField[] {
  if (fromDomain === null) return [];
  const fields = readFields(latin1(raw.subarray(0, readHeaderBlock(raw).bodyStart)));
  const signatures = fields.filter(({ name }) => name === "dkim-signature").map(readSignature);
  if (signatures.length > MAX_SIGNATURES) return [];
  const aligned = signatures.filter(({ domain }) => isAligned(domain, fromDomain, "relaxed"));
  const covers = aligned.map((signature) => coveredBy(signature, fields));
  return RECIPIENT_FIELDS.filter((name) => covers.every((covered) => covered.includes(name)));
}
