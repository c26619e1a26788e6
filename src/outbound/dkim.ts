import { pipeline } from "node:stream/promises";
import { MessageParser, RelaxedBody, sign } from "./nodemailer-internals.ts";

const HASH = "sha256";

/** The key with which a domain signs. */
export interface DkimKey {
  /** The signing domain in A-labels: `d=`. */
  domain: string;
  /** Selector of the DNS record `<selector>._domainkey.<domain>`. */
  selector: string;
  /** RSA, as PEM. */
  privateKey: string;
}

/**
 * The DKIM-Signature field (RFC 6376: rsa-sha256, relaxed/relaxed) of a composed message, with its line end, to be written
 * before the message. Reads the message and stores none of it, so a signed message is composed twice; composing gives the
 * same bytes both times. The field contains no time: a retry signs to the same bytes.
 *
 * @throws if the key cannot sign.
 */
export async function dkimSignature(message: AsyncIterable<Uint8Array>, key: DkimKey): Promise<string> {
  const parser = new MessageParser();
  const body = new RelaxedBody({ hashAlgo: HASH });
  const headers = new Promise<Parameters<typeof sign>[0]>((resolve) => {
    parser.once("headers", resolve);
  });
  const bodyHash = new Promise<string>((resolve) => {
    body.once("hash", resolve);
  });
  await pipeline(message, parser, body, discard);
  const field = sign(await headers, HASH, await bodyHash, {
    domainName: key.domain,
    keySelector: key.selector,
    privateKey: key.privateKey,
  });
  if (field === false) throw new Error(`The DKIM key ${key.selector} of ${key.domain} cannot sign`);
  return `${field}\r\n`;
}

async function discard(chunks: AsyncIterable<unknown>): Promise<void> {
  const rest = chunks[Symbol.asyncIterator]();
  while ((await rest.next()).done !== true);
}

/** `message` with fields added before its first one, such as a signature. */
export async function* withFields(
  fields: string,
  message: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(fields);
  yield* message;
}
