import { createHash, generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { BadExport, verifyExport } from "../../src/cli/moving/verify-export.ts";
import { tarEnd, tarHeader, tarPadding } from "../../src/lib/archive/tar-writer.ts";
import { Window } from "../../src/lib/archive/window.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const base64Url = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url");

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const { x } = publicKey.export({ format: "jwk" });
const KEYS = { keys: [{ kty: "OKP", crv: "Ed25519", x, kid: "own", use: "sig", alg: "EdDSA" }] };

function entry(name: string, content: Uint8Array, comment = ""): Buffer {
  const header = tarHeader({ name, sizeBytes: content.length, modifiedMs: 1_600_000_000_123, comment });
  return Buffer.concat([header, content, tarPadding(content.length)]);
}

const ID = "01a202aa-8f50-7000-949b-74c43c6e0000";
const FILES = {
  [`cur/1600000000.${ID}.mailkeep:2,S`]: Buffer.from("Subject: One\n\nHello.\n"),
  "cur/1600000001.x.mailkeep:2,FS": Buffer.from(`Subject: Two\n\n${"Hello. ".repeat(100)}\n`),
  "mailbox.jsonl": Buffer.from('{"type":"mailbox"}\n'),
};

/** An export that is signed as the format says, and where its manifest begins. */
function exported(): { archive: Buffer; signedBytes: number } {
  const sums = Object.entries(FILES).map(([name, content]) => `${sha256(content)}  ${name}\n`);
  const sumsFile = Buffer.from(sums.join(""));
  const before = Buffer.concat([
    entry("cur/", Buffer.alloc(0)),
    ...Object.entries(FILES).map(([name, content]) => entry(name, content, 'mailkeep {"labels":[]}')),
    entry("sha256sums.txt", sumsFile),
  ]);
  const manifest = JSON.stringify({
    format: "mailkeep-export",
    version: 1,
    mailbox: "box@mail.example",
    deployment: "https://mail.example",
    created_at: "2026-11-22T10:00:00.000Z",
    after: null,
    last_email_id: ID,
    messages: 2,
    sha256sums: sha256(sumsFile),
    archive_bytes: before.length,
    archive_sha256: sha256(before),
  });
  const head = base64Url(JSON.stringify({ alg: "EdDSA", kid: "own" }));
  const signature = sign(null, Buffer.from(`${head}.${base64Url(manifest)}`), privateKey);
  const jws = `${head}..${base64Url(signature)}\n`;
  const end = [entry("manifest.json", Buffer.from(manifest)), entry("manifest.json.jws", Buffer.from(jws))];
  return { archive: Buffer.concat([before, ...end, tarEnd()]), signedBytes: before.length };
}

const windowOn = (bytes: Uint8Array) =>
  new Window(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));

async function faultOf(bytes: Uint8Array, keys: unknown = KEYS): Promise<BadExport> {
  const error: unknown = await verifyExport(windowOn(bytes), keys).catch((thrown: unknown) => thrown);
  if (!(error instanceof BadExport)) throw new Error(`No fault was found, but ${JSON.stringify(error)}`);
  return error;
}

describe("the check of an export", () => {
  let archive: Buffer;
  let signedBytes: number;
  beforeAll(() => {
    ({ archive, signedBytes } = exported());
  });

  const changed = (at: number, change = 1): Buffer => {
    const bytes = Buffer.from(archive);
    bytes[at] = (bytes[at] ?? 0) ^ change;
    return bytes;
  };

  it("says what the archive holds, once all of it is right", async () => {
    expect(await verifyExport(windowOn(archive), KEYS)).toMatchObject({
      mailbox: "box@mail.example",
      messages: 2,
      last_email_id: ID,
      kid: "own",
    });
  });

  it("finds every changed byte before the manifest", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(signedBytes - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        expect((await faultOf(changed(at, change))).message).not.toBe("");
      }),
    );
  });

  it("names what was changed: a message, the headers, the checksums, the manifest", async () => {
    const at = (text: string) => archive.indexOf(text);
    const faults = [
      [at("Hello. Hello."), "changed: cur/1600000001.x.mailkeep:2,FS"],
      [at('{"labels"') + 2, "the headers of its files were changed; the files themselves were not"],
      [at(sha256(FILES["mailbox.jsonl"])), "sha256sums.txt was changed"],
      [at("box@mail.example"), "manifest.json or its signature was changed"],
    ] as const;
    for (const [place, said] of faults) expect((await faultOf(changed(place))).message).toBe(said);
  });

  it("tells an archive that was cut off, and the last message that is whole in it", async () => {
    const second = archive.indexOf("Subject: Two");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: second, max: second + 700 }), async (length) => {
        expect((await faultOf(archive.subarray(0, length))).cut).toEqual({ lastId: ID });
      }),
    );
    expect((await faultOf(archive.subarray(0, archive.indexOf("Subject: One")))).cut).toEqual({
      lastId: null,
    });
    expect((await faultOf(archive.subarray(0, -512))).message).toContain("after its signature");
  });

  it("refuses another deployment's key, a key that only has the same name, and files after the signature", async () => {
    const other = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    expect((await faultOf(archive, { keys: [{ ...other, kid: "other" }] })).message).toContain(
      "signed with the key own, which is none of this deployment",
    );
    const fault = await faultOf(archive, { keys: [{ ...other, kid: "own" }] });
    expect(fault.message).toBe("manifest.json or its signature was changed");
    for (const keys of [
      null,
      [],
      { keys: "x" },
      { keys: [{ kid: "own", kty: "OKP", crv: "Ed25519", x: "!" }] },
    ]) {
      await faultOf(archive, keys);
    }
    const longer = Buffer.concat([
      archive.subarray(0, -1_024),
      entry("cur/evil", Buffer.from("x")),
      tarEnd(),
    ]);
    expect((await faultOf(longer)).message).toBe("the archive goes on after its signature");
    expect((await faultOf(Buffer.from("Subject: x\n\nx\n".padEnd(600)))).message).toBe(
      "it is no export of a mailbox",
    );
  });
});
