import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_V1_BYTES,
  MAX_V2_BYTES,
  readProxyHeader,
  type ProxyHeader,
} from "../../../src/host/front/proxy-header.ts";
import { madeHeaders, version1, version2 } from "./proxy-headers.ts";

const FIXED = 16;
const sizeOf = (header: ProxyHeader) => (header.kind === "complete" ? { complete: header.bytes } : {});
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

describe("a header of the PROXY protocol", () => {
  it("is read to its last byte and no further, whatever follows it", () => {
    fc.assert(
      fc.property(madeHeaders, fc.uint8Array({ maxLength: 64 }), ({ bytes, address }, rest) => {
        const header = readProxyHeader(Buffer.concat([bytes, rest]));
        expect(header).toMatchObject({ kind: "complete", bytes: bytes.length });
        expect(header.kind === "complete" ? (header.client?.address ?? null) : undefined).toBe(address);
      }),
      { numRuns: 500 },
    );
  });

  it("is incomplete wherever it is cut before its end", () => {
    fc.assert(
      fc.property(madeHeaders, ({ bytes }) => {
        for (let length = 0; length < bytes.length; length += 1) {
          expect(readProxyHeader(bytes.subarray(0, length)).kind).toBe("incomplete");
        }
      }),
      { numRuns: 100 },
    );
  });

  it("never passes its limit, and is never misread where a byte of it is wrong", () => {
    const changed = fc
      .tuple(madeHeaders, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 5_000 }))
      .map(([{ bytes }, at, byte, rest]) => {
        const all = Buffer.concat([bytes, rest]);
        all[at % bytes.length] = byte;
        return all;
      });
    fc.assert(
      fc.property(changed, (bytes) => {
        const header = readProxyHeader(bytes);
        // So many bytes were taken for a header, or may still become one.
        const taken = { wrong: 0, incomplete: bytes.length, complete: 0, ...sizeOf(header) }[header.kind];
        expect(taken).toBeLessThanOrEqual(bytes[0] === 13 ? MAX_V2_BYTES : MAX_V1_BYTES);
        const client = header.kind === "complete" ? header.client : null;
        expect(client?.address ?? "::").toMatch(/^[0-9a-f.:]{2,45}$/);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["something else", latin1("GET / HTTP/1.1\r\n")],
    ["lower case", latin1("proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n")],
    ["two blanks", latin1("PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n")],
    ["a bare line feed", latin1(`PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n${"x".repeat(100)}`)],
    ["a missing port", latin1("PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n")],
    ["a port that is too large", latin1("PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n")],
    ["a port with a zero in front", latin1("PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n")],
    ["an octet with a zero in front", latin1("PROXY TCP4 192.0.2.01 192.0.2.2 1 2\r\n")],
    ["IPv6 that is said to be IPv4", latin1("PROXY TCP4 ::1 192.0.2.2 1 2\r\n")],
    ["a zone", latin1("PROXY TCP6 fe80::1%eth0 ::2 1 2\r\n")],
    ["a host name", latin1("PROXY TCP4 localhost 192.0.2.2 1 2\r\n")],
    ["another family", latin1("PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n")],
    ["a line without end", latin1(`PROXY UNKNOWN ${"x".repeat(MAX_V1_BYTES)}`)],
    ["version 1 in binary form", version2(0x11, 0x11, Buffer.alloc(12))],
    ["an unknown command", version2(0x22, 0x11, Buffer.alloc(12))],
    ["an unknown family", version2(0x21, 0x41, Buffer.alloc(12))],
    ["too few bytes for IPv4", version2(0x21, 0x11, Buffer.alloc(11))],
    ["too few bytes for IPv6", version2(0x21, 0x21, Buffer.alloc(35))],
    ["too few bytes for a Unix socket", version2(0x21, 0x31, Buffer.alloc(215))],
    ["more than 4 KiB", version2(0x21, 0x11, Buffer.alloc(MAX_V2_BYTES - FIXED + 1))],
  ])("is wrong with %s", (_, bytes) => {
    expect(readProxyHeader(bytes)).toMatchObject({ kind: "wrong" });
  });

  it("may have as many bytes as its limit", () => {
    expect(readProxyHeader(version2(0x21, 0x11, Buffer.alloc(MAX_V2_BYTES - FIXED)))).toMatchObject({
      kind: "complete",
      bytes: MAX_V2_BYTES,
    });
    const longest = `PROXY UNKNOWN ${"f".repeat(MAX_V1_BYTES - 16)}\r\n`;
    expect(longest).toHaveLength(MAX_V1_BYTES);
    expect(readProxyHeader(latin1(longest))).toMatchObject({ kind: "complete", bytes: MAX_V1_BYTES });
  });

  it("names an IPv4 client in its own form where IPv6 carries it", () => {
    expect(readProxyHeader(version1("::ffff:192.0.2.7"))).toMatchObject({
      client: { address: "192.0.2.7", port: 40_000 },
    });
  });
});
