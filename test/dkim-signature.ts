import { createHash, createPublicKey, createVerify, type KeyObject } from "node:crypto";

/** Whether the first signature of `raw` is `key`'s: RFC 6376 §3.7 with relaxed/relaxed, for fields that stand once each. */
export function isSignedWith(raw: Buffer, key: KeyObject): boolean {
  const text = raw.toString("latin1");
  const split = text.indexOf("\r\n\r\n");
  const lines = text
    .slice(0, split)
    .split(/\r\n(?![ \t])/)
    .map(relaxedField);
  const fields = new Map(lines.map((line) => [line.split(":")[0], line]));
  const signature = fields.get("dkim-signature") ?? "";
  const tag = (name: string): string =>
    new RegExp(`[:;] ?${name}=([^;]*)`).exec(signature)?.[1]?.replace(/\s/g, "") ?? "";
  const body = relaxedBody(text.slice(split + 4));
  if (createHash("sha256").update(body, "latin1").digest("base64") !== tag("bh")) return false;
  const covered = tag("h")
    .split(":")
    .map((name) => `${fields.get(name) ?? ""}\r\n`);
  const input = `${covered.join("")}${signature.replace(/([:;] ?b=)[^;]*/, "$1")}`;
  return createVerify("sha256").update(input, "latin1").verify(key, tag("b"), "base64");
}

/** The public key that a DKIM record names (RFC 6376 §3.6.1); throws where it names none. */
export function keyOfRecord(record: string): KeyObject {
  const bytes = Buffer.from(/p=(.*)$/.exec(record)?.[1] ?? "", "base64");
  return createPublicKey({ key: bytes, format: "der", type: "spki" });
}

/** RFC 6376 §3.4.2, without the line end. */
function relaxedField(line: string): string {
  const colon = line.indexOf(":");
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ")
    .trim();
  return `${line.slice(0, colon).toLowerCase()}:${value}`;
}

/** RFC 6376 §3.4.4, for a body that is not empty. */
function relaxedBody(body: string): string {
  const blanks = body.replace(/[ \t]+\r\n/g, "\r\n").replace(/[ \t]+/g, " ");
  return `${blanks.replace(/(?:\r\n)+$/, "")}\r\n`;
}
