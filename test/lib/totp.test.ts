import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBase32 } from "../../src/lib/base32.ts";
import { readKeyUri, readTotpSecret } from "../../src/lib/otpauth.ts";
import { openBytes, sealBytes } from "../../src/lib/secret-box.ts";
import { totpCode, totpSecondsLeft, type TotpAlgorithm } from "../../src/lib/totp.ts";

const text = (value: string) => new TextEncoder().encode(value);

/** The secrets of RFC 6238, appendix B. */
const SECRETS: Readonly<Record<TotpAlgorithm, Uint8Array>> = {
  SHA1: text("12345678901234567890"),
  SHA256: text("12345678901234567890123456789012"),
  SHA512: text("1234567890123456789012345678901234567890123456789012345678901234"),
};
/** All test vectors of RFC 6238, appendix B: seconds since 1970, and the codes of eight digits. */
const VECTORS: readonly [seconds: number, sha1: string, sha256: string, sha512: string][] = [
  [59, "94287082", "46119246", "90693936"],
  [1111111109, "07081804", "68084774", "25091201"],
  [1111111111, "14050471", "67062674", "99943326"],
  [1234567890, "89005924", "91819424", "93441116"],
  [2000000000, "69279037", "90698825", "38618901"],
  [20000000000, "65353130", "77737706", "47863826"],
];
const EVERY_VECTOR = VECTORS.flatMap(([seconds, SHA1, SHA256, SHA512]) =>
  Object.entries({ SHA1, SHA256, SHA512 }).map(
    ([algorithm, code]) => [seconds, algorithm as TotpAlgorithm, code] as const,
  ),
);

describe("a one-time password", () => {
  it.each(EVERY_VECTOR)("is that of RFC 6238 at %i s with %s: %s", async (seconds, algorithm, code) => {
    const rule = (digits: number) => ({ algorithm, digits, period: 30 });
    for (const digits of [6, 7, 8])
      expect(await totpCode(SECRETS[algorithm], rule(digits), seconds * 1_000)).toBe(code.slice(-digits));
  });

  it("is that of RFC 4226, appendix D, for its first ten counts", async () => {
    const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
    const rule = { algorithm: "SHA1", digits: 6, period: 30 } as const;
    for (const [count, code] of codes.entries())
      expect(await totpCode(SECRETS.SHA1, rule, count * 30_000)).toBe(code);
  });

  it("stays for its period, and says how long it is still valid", async () => {
    const rule = { algorithm: "SHA1", digits: 6, period: 60 } as const;
    expect(await totpCode(SECRETS.SHA1, rule, 119_999)).toBe("287082");
    expect(await totpCode(SECRETS.SHA1, rule, 120_000)).toBe("359152");
    expect([60_000, 60_001, 119_001, 119_999].map((ms) => totpSecondsLeft(rule, ms))).toEqual([60, 60, 1, 1]);
  });
});

describe("Base32", () => {
  it.each([
    ["", ""],
    ["MY======", "f"],
    ["MZXQ====", "fo"],
    ["MZXW6===", "foo"],
    ["MZXW6YQ=", "foob"],
    ["MZXW6YTB", "fooba"],
    ["MZXW6YTBOI======", "foobar"],
    ["mzxw 6ytb-oi", "foobar"],
    [" MZXW\n6YTB\tOI = = ", "foobar"],
  ])("reads %j, with the test vectors of RFC 4648", (written, plain) => {
    const read = readBase32(written);
    expect(read.ok && new TextDecoder().decode(read.value)).toBe(plain);
  });

  it.each(["MZXW0", "MZXW1", "MZXW8", "MZ=XW", "МZXW", "MZXẞ", "M", "MZX", "MZXW6Y", "💥"])(
    "refuses %j",
    (written) => {
      expect(readBase32(written).ok).toBe(false);
    },
  );
});

describe("a key URI", () => {
  const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DP";

  it.each([
    [`otpauth://totp/Brand:ann@example.com?secret=${SECRET}&issuer=Brand`, "Brand: ann@example.com", 6, 30],
    [`otpauth://totp/Brand%3A%20ann?secret=${SECRET}`, "Brand: ann", 6, 30],
    [`otpauth://totp/ann?secret=${SECRET}&issuer=Big%20Brand`, "Big Brand: ann", 6, 30],
    [`otpauth://totp/ann?secret=${SECRET}&digits=8&period=60`, "ann", 8, 60],
    [`OTPAUTH://TOTP/?secret=${SECRET.toLowerCase()}`, "", 6, 30],
    [`otpauth://totp/ann?secret=JBSW%20Y3DP-EHPK3PXPJBSWY3DP%3D&image=x`, "ann", 6, 30],
  ])("is read: %s", (uri, label, digits, period) => {
    const read = readKeyUri(uri);
    expect(read).toMatchObject({ ok: true, value: { label, digits, period, algorithm: "SHA1" } });
    expect(read.ok && read.value.secret.byteLength).toBe(15);
  });

  it.each([
    ["SHA256", "SHA256"],
    ["sha512", "SHA512"],
    ["HmacSHA1", "SHA1"],
    ["SHA-256", "SHA256"],
  ])("names the algorithm as services do: %s", (written, algorithm) => {
    const read = readKeyUri(`otpauth://totp/a?secret=${SECRET}&algorithm=${written}`);
    expect(read).toMatchObject({ ok: true, value: { algorithm } });
  });

  it.each([
    ["https://brand.example/", "must begin with otpauth://totp/"],
    [`otpauth://hotp/a?secret=${SECRET}&counter=1`, "must be of type totp"],
    [`otpauth://steam/a?secret=${SECRET}`, "must begin with otpauth://totp/"],
    ["otpauth://totp/a", "must have a secret"],
    ["otpauth://totp/a?secret=", "must have a secret"],
    ["otpauth://totp/a?secret=JBSW1", 'and not "1"'],
    ["otpauth://totp/a?secret=JBSWY3DPEHPK3PX", "at least 80 bits"],
    [`otpauth://totp/a?secret=${SECRET}&secret=${SECRET}`, "must have secret once"],
    [`otpauth://totp/a?secret=${SECRET}&algorithm=MD5`, "must have an algorithm of SHA1, SHA256, SHA512"],
    [`otpauth://totp/a?secret=${SECRET}&digits=5`, "must have digits from 6 to 8"],
    [`otpauth://totp/a?secret=${SECRET}&digits=06x`, "must have digits from 6 to 8"],
    [`otpauth://totp/a?secret=${SECRET}&period=0`, "must have a period from 10 to 300"],
    [`otpauth://totp/%E0%A4%A?secret=${SECRET}`, "must have a label in UTF-8"],
  ])("is refused with its fault: %s", (uri, fault) => {
    const read = readKeyUri(uri);
    expect(read.ok ? "" : read.error).toContain(fault);
  });

  it("never throws, whatever is written", () => {
    const part = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(part, part, (one, two) => {
        const uris = [one, `otpauth://totp/${one}?${two}`, `otpauth://totp/${one}?secret=${two}`];
        expect(uris.map((uri) => typeof readKeyUri(uri).ok)).toEqual(["boolean", "boolean", "boolean"]);
      }),
    );
  });

  it("holds a secret of 80 bits to 128 bytes", () => {
    const ofBytes = (bytes: number) => readTotpSecret("A".repeat(Math.ceil((bytes * 8) / 5))).ok;
    expect([9, 10, 128, 130].map(ofBytes)).toEqual([false, true, true, false]);
  });
});

describe("a sealed secret", () => {
  const KEY = "key-secret-for-tests-0123456789-0123";
  const BOUND = ["purpose", "box@mailkeep.test", "id-1"];

  it("opens under the same secret for the same purpose, mailbox and id, and for nothing else", async () => {
    const sealed = await sealBytes(KEY, BOUND, text("12345678901234567890"));
    expect(await openBytes(KEY, BOUND, sealed)).toEqual(text("12345678901234567890"));
    expect(await openBytes(`${KEY}x`, BOUND, sealed)).toBeNull();
    for (const at of [0, 1, 2]) expect(await openBytes(KEY, BOUND.with(at, "other"), sealed)).toBeNull();
  });

  it("does not open once a byte of it was changed, and is another each time", async () => {
    const sealed = await sealBytes(KEY, BOUND, text("12345678901234567890"));
    for (const at of [0, 12, sealed.length - 1])
      expect(await openBytes(KEY, BOUND, sealed.with(at, (sealed[at] ?? 0) ^ 1))).toBeNull();
    expect(await openBytes(KEY, BOUND, sealed.subarray(0, 5))).toBeNull();
    expect(await sealBytes(KEY, BOUND, text("12345678901234567890"))).not.toEqual(sealed);
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("1234567890");
  });
});
