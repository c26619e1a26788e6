import fc from "fast-check";

/** A header of the PROXY protocol, and the address that it names; null: none. */
export interface MadeHeader {
  bytes: Buffer;
  address: string | null;
}

const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");

/** A header of version 1. */
export function version1(client: string, port = 40_000): Buffer {
  const [family, server] = client.includes(":") ? ["TCP6", "2001:db8::1"] : ["TCP4", "192.0.2.1"];
  return Buffer.from(`PROXY ${family} ${client} ${server} ${port} 443\r\n`, "latin1");
}

/** A header of version 2 with these bytes after the fixed part. */
export function version2(command: number, family: number, rest: Buffer): Buffer {
  const fixed = Buffer.alloc(4);
  fixed.writeUInt8(command, 0);
  fixed.writeUInt8(family, 1);
  fixed.writeUInt16BE(rest.length, 2);
  return Buffer.concat([SIGNATURE, fixed, rest]);
}

const port = fc.integer({ min: 0, max: 65_535 });
/** Extensions, which a reader skips. */
const extensions = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }).map((values) =>
  Buffer.concat(
    values.map((value, index) => {
      const head = Buffer.alloc(3);
      head.writeUInt8(0xe0 + index, 0);
      head.writeUInt16BE(value.length, 1);
      return Buffer.concat([head, value]);
    }),
  ),
);

const lines = fc.oneof(
  fc
    .tuple(fc.constantFrom("TCP4"), fc.ipV4(), fc.ipV4(), port, port)
    .map((fields) => ({ line: fields.join(" "), address: fields[1] as string | null })),
  fc
    .tuple(fc.constantFrom("TCP6"), fc.ipV6(), fc.ipV6(), port, port)
    .filter((fields) => fields.join(" ").length <= 99)
    .map((fields) => ({ line: fields.join(" "), address: canonical(fields[1]) })),
  fc
    .constantFrom("", " ffff::1 ffff::2 1 2", " whatever")
    .map((rest) => ({ line: `UNKNOWN${rest}`, address: null })),
);

function canonical(address: string): string | null {
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high = "", low = ""] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host) ?? [];
  if (high === "") return host;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(Number.parseInt(high, 16), 0);
  bytes.writeUInt16BE(Number.parseInt(low, 16), 2);
  return [...bytes].join(".");
}

const firsts = lines.map(({ line, address }): MadeHeader => ({
  bytes: Buffer.from(`PROXY ${line}\r\n`, "latin1"),
  address,
}));

const four = fc.uint8Array({ minLength: 12, maxLength: 12 });
const six = fc.uint8Array({ minLength: 36, maxLength: 36 });
const unix = fc.uint8Array({ minLength: 216, maxLength: 216 });

const seconds = fc.oneof(
  fc.tuple(four, extensions).map(([addresses, rest]): MadeHeader => ({
    bytes: version2(0x21, 0x11, Buffer.concat([addresses, rest])),
    address: [...addresses.subarray(0, 4)].join("."),
  })),
  fc.tuple(six, extensions).map(([addresses, rest]): MadeHeader => ({
    bytes: version2(0x21, 0x21, Buffer.concat([addresses, rest])),
    address: canonical(
      Array.from({ length: 8 }, (_, at) =>
        Buffer.from(addresses)
          .readUInt16BE(2 * at)
          .toString(16),
      ).join(":"),
    ),
  })),
  // Unix sockets, no address at all, and what the proxy says for itself.
  fc.tuple(unix, extensions).map(([addresses, rest]): MadeHeader => ({
    bytes: version2(0x21, 0x31, Buffer.concat([addresses, rest])),
    address: null,
  })),
  extensions.map((rest): MadeHeader => ({ bytes: version2(0x21, 0x00, rest), address: null })),
  extensions.map((rest): MadeHeader => ({ bytes: version2(0x20, 0x00, rest), address: null })),
  fc.tuple(four, extensions).map(([addresses, rest]): MadeHeader => ({
    bytes: version2(0x20, 0x11, Buffer.concat([addresses, rest])),
    address: null,
  })),
);

/** Right headers of both versions. */
export const madeHeaders = fc.oneof(firsts, seconds);
