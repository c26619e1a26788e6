import { createHash, createHmac } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { BackupError, broken } from "./format.ts";

const pack = promisify(gzip);
const unpack = promisify(gunzip);
/** The fastest level: mail shrinks to a third with it, and little more with the others. */
const LEVEL = 1;

/** Compresses, and encrypts where it must, what a backup stores. */
export interface Sealer {
  /** The suffix of file names: `.gz`, or `.gz.age` if they are encrypted. */
  readonly suffix: string;
  /** The secret of the names of chunks, in hex; null: names are the SHA-256 of the contents. */
  readonly nameKey: string | null;
  nameOf(content: Uint8Array): string;
  seal(content: Uint8Array): Promise<Uint8Array>;
}

/** Reads what a {@link Sealer} wrote. */
export interface Opener {
  /** Decrypts if the file is encrypted, and unpacks. Throws a {@link BackupError} that names `where` for a damaged file, or above `maxBytes`. */
  open(sealed: Uint8Array, maxBytes: number, where: string): Promise<Uint8Array>;
}

/** The name of a chunk: its SHA-256; with a key its HMAC-SHA-256, so that nobody without the key can test for known contents. */
export function chunkName(content: Uint8Array, nameKey: string | null): string {
  const hash = nameKey === null ? createHash("sha256") : createHmac("sha256", Buffer.from(nameKey, "hex"));
  return hash.update(content).digest("hex");
}

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** A sealer without encryption. */
export function plainSealer(): Sealer {
  return {
    suffix: ".gz",
    nameKey: null,
    nameOf: (content) => chunkName(content, null),
    seal: (content) => pack(content, { level: LEVEL }),
  };
}

/** A sealer that encrypts to age recipients. Throws a {@link BackupError} for one that age does not know. */
export function ageSealer(recipients: readonly string[], nameKey: string): Sealer {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new BackupError(
        "usage",
        `--recipient ${recipient}: must be an age recipient; age-keygen makes one`,
      );
    }
  }
  return {
    suffix: ".gz.age",
    nameKey,
    nameOf: (content) => chunkName(content, nameKey),
    seal: async (content) => encrypter.encrypt(await pack(content, { level: LEVEL })),
  };
}

async function unpacked(packed: Uint8Array, maxBytes: number, where: string): Promise<Uint8Array> {
  try {
    return await unpack(packed, { maxOutputLength: maxBytes });
  } catch {
    throw broken(where, "it is damaged, or larger than the format allows");
  }
}

export const PLAIN_OPENER: Opener = { open: unpacked };

/** An opener with the text of an identity file: lines that begin with `AGE-SECRET-KEY-`. Throws a {@link BackupError}. */
export function ageOpener(identities: string, file: string): Opener {
  const decrypter = new Decrypter();
  const keys = identities.split("\n").map((line) => line.trim());
  try {
    for (const key of keys) if (key !== "" && !key.startsWith("#")) decrypter.addIdentity(key);
  } catch {
    throw new BackupError(
      "usage",
      `--identity ${file}: a line is not an age identity; give the file that age-keygen wrote`,
    );
  }
  return {
    async open(sealed, maxBytes, where) {
      let packed: Uint8Array;
      try {
        packed = await decrypter.decrypt(sealed);
      } catch (error) {
        if (error instanceof Error && error.message.includes("no identity matched"))
          throw new BackupError(
            "usage",
            `${where}: no identity in ${file} decrypts it; give the identity file of one of its recipients`,
          );
        throw broken(where, "it is damaged: age cannot decrypt it");
      }
      return unpacked(packed, maxBytes, where);
    },
  };
}
