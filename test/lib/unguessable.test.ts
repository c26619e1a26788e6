import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUnguessable } from "../../src/lib/unguessable.ts";

/** 128 pseudorandom bits, the same in each run. */
const SAMPLES = Array.from({ length: 3_000 }, (_, index) =>
  createHash("sha256").update(`sample ${index}`).digest().subarray(0, 16),
);

/** Digits of a number to a base, the lowest first, always `length` of them. */
function digits(bytes: Uint8Array, alphabet: string, length: number): string {
  const base = BigInt(alphabet.length);
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let count = 0; count < length; count += 1) {
    text += alphabet.charAt(Number(rest % base));
    rest /= base;
  }
  return text;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
function uuid(bytes: Uint8Array, version: string): string {
  const text = hex(bytes);
  const variant = "89ab".charAt((bytes[8] ?? 0) % 4);
  const versioned = `${text.slice(0, 12)}${version}${text.slice(13, 16)}${variant}${text.slice(17)}`;
  return [0, 8, 12, 16, 20].map((at, index) => versioned.slice(at, [8, 12, 16, 20, 32][index])).join("-");
}

const ENCODINGS: [string, (bytes: Uint8Array) => string][] = [
  ["hex", hex],
  ["hex in capitals", (bytes) => hex(bytes).toUpperCase()],
  ["base64url", (bytes) => Buffer.from(bytes).toString("base64url")],
  ["base62", (bytes) => digits(bytes, DIGITS + LOWER.toUpperCase() + LOWER, 22)],
  ["base58", (bytes) => digits(bytes, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 22)],
  ["a UUID of version 4", (bytes) => uuid(bytes, "4")],
  ["a UUID in capitals", (bytes) => uuid(bytes, "4").toUpperCase()],
  ["a UUID of version 7", (bytes) => `018f3c2a-7b1d-${uuid(bytes, "7").slice(14)}`],
  ["two UUIDs in one", (bytes) => uuid(bytes, "4") + uuid(bytes.toReversed(), "4")],
  ["two UUIDs joined", (bytes) => `${uuid(bytes, "4")}_${uuid(bytes.toReversed(), "7")}`],
  [
    "two UUIDs without hyphens",
    (bytes) => (uuid(bytes, "4") + uuid(bytes.toReversed(), "4")).replaceAll("-", ""),
  ],
  ["a UUID within a word", (bytes) => `x${uuid(bytes, "4")}x`],
  ["hex behind a prefix", (bytes) => `mailkeep-bootstrap.agent:${hex(bytes)}`],
  ["base64url behind a prefix", (bytes) => `bootstrap:${Buffer.from(bytes).toString("base64url")}`],
  ["base64url behind words", (bytes) => `My-First-Agent-Mailbox_${Buffer.from(bytes).toString("base64url")}`],
  ["256 bits in base64url", (bytes) => createHash("sha256").update(bytes).digest("base64url")],
];

describe("an unguessable key", () => {
  it.each(ENCODINGS)("is 128 random bits as %s", (_, encode) => {
    // Of random keys in base64url, one in 1,500 looks like words.
    expect(SAMPLES.map(encode).filter((key) => !isUnguessable(key)).length).toBeLessThanOrEqual(3);
  });

  it.each([
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "V1StGXR8_Z5jdHi6B-myTq",
    "e4d909c290d0fb1ca068ffaddf22cbd0",
    "mailkeep-cli:9b2e4c1a-7d3f-4e8b-a6c5-1f0d2e3b4a59",
  ])("is %s", (key) => {
    expect(isUnguessable(key)).toBe(true);
  });
});

describe("a guessable key", () => {
  it.each([
    ["a word", "test"],
    ["words", "my-first-agent-mailbox-for-testing"],
    ["words without separators", "correcthorsebatterystaplefoobar"],
    ["words in capitals here and there", "CorrectHorseBatteryStapleFooBar1"],
    ["words in capitals", "MyFirstAgentMailboxForTesting"],
    ["words in capitals, numbers and hyphens", "Agent-2026-Worker-Build-0001"],
    ["words in camel case", "thisIsMyVerySecretKey12345"],
    ["words and a date", "Test_Run_2026_11_28_Agent_01"],
    ["words and a timestamp", "Agent-1764324567890-Mailbox-Of-The-Test"],
    ["many words", "this-is-the-idempotency-key-of-my-first-agent"],
    ["names", "zebra-giraffe-elephant-hippo-rhino-tiger-lion"],
    ["words with numbers", "claude-code-session-4711-machine-worker-03"],
    ["a job of CI", "github-actions-owner-repo-1234567890-1"],
    ["a host", "worker-1.eu-west-1.compute.internal:8080:bootstrap:1"],
    ["a counter", "bootstrap-idempotency-key-0000000001"],
    ["a counter in hex", "00000000000000000000000000000001"],
    ["a date", "agent-2026-11-22T06:33:00.000Z-1"],
    ["timestamps", "1700000000000-1700000000001-1700000000002"],
    ["timestamps in a row", "17000000000001700000000001170000000000217000000000"],
    ["one character", "a".repeat(128)],
    ["two characters", "ab".repeat(64)],
    ["a repetition", "deadbeefdeadbeefdeadbeefdeadbeef"],
    ["a longer repetition", "aB3xaB3xaB3xaB3xaB3xaB3xaB3xaB3x"],
    ["all digits", "0123456789abcdef0123456789abcdef"],
    ["the alphabet", "abcdefghijklmnopqrstuvwxyz0123456789"],
    ["the alphabet in two cases", "AbCdEfGhIjKlMnOpQrStUvWxYz012345"],
    ["digits", "314159265358979323846264338327950288"],
    ["21 characters of base64url", "V1StGXR8_Z5jdHi6B-myT"],
    ["31 hex digits", "e4d909c290d0fb1ca068ffaddf22cbd"],
    ["the keyboard", "qwertyuiopasdfghjklzxcvbnm123456"],
    ["the nil UUID", "00000000-0000-0000-0000-000000000000"],
    ["the max UUID", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ["the first UUID of version 4", "00000000-0000-4000-8000-000000000001"],
    ["a UUID in rows", "01234567-89ab-4def-8123-456789abcdef"],
    ["a UUID of few digits", "11111111-2222-4333-8444-555555555555"],
    ["a UUID of a clock and an address", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    ["a UUID of a clock, sorted", "1ed0c9e4-8f7b-6b2c-ae3b-6c3b6406d754"],
    ["a UUID of a name", "2ed6657d-e927-568b-95e1-2665a8aea6a2"],
    ["a UUID of a moment and a counter", "018f3c2a-7b1d-7000-8000-000000000001"],
    ["a UUID of a clock behind a prefix", "Key-6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    ["too little", "V1StGXR8_Z5jdHi6"],
    ["half of 32 hex digits", "9f86d081884c7d65"],
  ])("is %s", (_, key) => {
    expect(isUnguessable(key)).toBe(false);
  });

  it("repeats a part of up to 16 characters", () => {
    const unit = fc.constantFrom(..."abcdef0123456789XYZ".split(""));
    const rule = fc.property(fc.string({ unit, minLength: 1, maxLength: 16 }), (part) => {
      expect(isUnguessable(part.repeat(128).slice(0, 128))).toBe(false);
    });
    fc.assert(rule);
  });

  it("counts, with any prefix", () => {
    const prefix = fc.constantFrom("", "agent-", "run:", "job_0000");
    const rule = fc.property(fc.nat(), prefix, (count, before) => {
      expect(isUnguessable(`${before}${String(count).padStart(16, "0")}`)).toBe(false);
    });
    fc.assert(rule);
  });

  it("has 17 characters or fewer", () => {
    const unit = fc.constantFrom(..."abcdefXYZ0123456789".split(""));
    const rule = fc.property(fc.string({ unit, minLength: 1, maxLength: 17 }), (key) => {
      expect(isUnguessable(key)).toBe(false);
    });
    fc.assert(rule);
  });
});
