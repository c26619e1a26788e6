import { generateKeyPairSync } from "node:crypto";
import { DnsFailure, NO_SUCH_NAME, type Dns, type DnsAnswer } from "../src/lib/dns/dns.ts";
import { dkimSignature } from "../src/outbound/dkim.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** The text of the DNS record of the key that `signed` uses, at `s1._domainkey.<domain>`. */
export const KEY_RECORD = `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`;

/** A message with a DKIM signature of `domain` above it. */
export async function signed(message: string, domain: string): Promise<string> {
  const bytes = Buffer.from(message);
  const key = { domain, selector: "s1", privateKey };
  return `${await dkimSignature(stream(bytes), key)}${message}`;
}

async function* stream(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

/** TXT records by name, as a resolver that knows no others. */
export function dnsOf(texts: Readonly<Record<string, string>>): Dns {
  return {
    look: (name, type): Promise<DnsAnswer> => {
      const text = type === "TXT" ? texts[name] : undefined;
      return Promise.resolve(text === undefined ? NO_SUCH_NAME : { records: [text], exists: true });
    },
  };
}

/** A resolver that does not answer: each question waits until its asker gives up, or until `release`. */
export function deadDns(): Dns & { release: () => void } {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  return {
    release: () => over.reject(new DnsFailure("The resolver is down")),
    look: (_name, _type, signal) =>
      Promise.race([
        over.promise,
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new DnsFailure("given up")), { once: true });
        }),
      ]),
  };
}
