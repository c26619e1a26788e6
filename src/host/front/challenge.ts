import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";

/** The path of a challenge of type http-01 (RFC 8555 §8.3). Its last part is a token in base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,128})$/;
/** Key authorizations have some 90 bytes. */
const MAX_BYTES = 1_024;

/** The token that a path asks for; null if it is the path of no challenge. */
export function challengeToken(target: string): string | null {
  return CHALLENGE.exec(target)?.[1] ?? null;
}

/** The file that an ACME client put there for a token; null if there is none. */
export async function readChallenge(webroot: string, token: string): Promise<Buffer | null> {
  const file = path.join(webroot, ".well-known/acme-challenge", token);
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      return size <= MAX_BYTES ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    // There is no such file, or it is a link or a folder.
    return null;
  }
}
