import { directoryShard } from "../contract/directory.ts";
import { derivedSecret, newSecret } from "../contract/key.ts";
import { hmacHex, randomHex } from "../lib/hash.ts";
import { bootstrapName } from "../mail/address/address.ts";

/** 64 bits: no two addresses are equal by chance, and none is guessed. */
const NAME_BYTES = 8;

/** The address of a temporary mailbox that is to be created, and the secret of its key. */
export interface Identity {
  address: string;
  secret: string;
  /** Whether the directory lists its address: it was created before. */
  isListed: boolean;
}

/** A random identity. */
export function randomIdentity(mailDomain: string): Identity {
  const address = `${bootstrapName(randomHex(NAME_BYTES))}@${mailDomain}`;
  return { address, secret: newSecret(), isListed: false };
}

/**
 * Derives an identity from a client's Idempotency-Key, so that nothing is stored to repeat it; another client with the same key
 * gets another mailbox. The address of a mailbox that is gone is never given out again, so each key has a series of identities:
 * this is the first whose address was not used up.
 */
export async function derivedIdentity(
  env: Pick<Env, "DIRECTORY">,
  derivation: { keySecret: string; client: string; idempotencyKey: string; mailDomain: string },
): Promise<Identity> {
  const { keySecret, client, idempotencyKey, mailDomain } = derivation;
  const seedOf = (index: number) => `${client}\n${idempotencyKey}${index === 0 ? "" : `\n${index}`}`;
  const addressOf = (index: number) => {
    const digest = hmacHex(keySecret, `bootstrap address\n${seedOf(index)}`);
    return `${bootstrapName(digest.slice(0, NAME_BYTES * 2))}@${mailDomain}`;
  };
  const listed = new Set<number>();
  const index = await firstUnused(async (tried) => {
    const address = addressOf(tried);
    const { kind } = await env.DIRECTORY.getByName(directoryShard(address)).standing(address);
    if (kind === "listed") listed.add(tried);
    return kind === "retired";
  });
  return {
    address: addressOf(index),
    secret: derivedSecret(keySecret, `bootstrap secret\n${seedOf(index)}`),
    isListed: listed.has(index),
  };
}

/** The lowest number from 0 for which `isUsed` is false; it is true for all below. Found by a binary search. */
async function firstUnused(isUsed: (number: number) => Promise<boolean>): Promise<number> {
  let lastUsed = -1;
  let unused = 0;
  while (await isUsed(unused)) {
    lastUsed = unused;
    unused = unused * 2 + 1;
  }
  while (unused - lastUsed > 1) {
    const middle = Math.floor((lastUsed + unused) / 2);
    if (await isUsed(middle)) lastUsed = middle;
    else unused = middle;
  }
  return unused;
}
