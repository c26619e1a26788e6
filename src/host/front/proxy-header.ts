import { isIPv4, isIPv6 } from "node:net";

/** The client that a header of the PROXY protocol names. */
export interface ProxiedClient {
  /** An IP address; IPv4 is never written as mapped IPv6. */
  address: string;
  port: number;
}

/** A header of the PROXY protocol, as far as it has come. */
export type ProxyHeader =
  /** The bytes are valid so far, and more must follow. */
  | { kind: "incomplete" }
  /** `bytes` is its length. `client` null: the proxy connects on its own behalf (a health check), or names no IP address. */
  | { kind: "complete"; bytes: number; client: ProxiedClient | null }
  /** `reason` completes the sentence "the header …". */
  | { kind: "wrong"; reason: string };

/** The longest header of version 1, with its line end. */
export const MAX_V1_BYTES = 107;
/** The longest header of version 2: it may name 64 KiB of extensions, and proxies write less than 1 KiB. */
export const MAX_V2_BYTES = 4_096;

const V1_START = Buffer.from("PROXY ", "latin1");
const V2_SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const V2_FIXED_BYTES = 16;
const V1_PORT = /^(?:0|[1-9]\d{0,4})$/;
const MAX_PORT = 65_535;

const INCOMPLETE: ProxyHeader = { kind: "incomplete" };

/**
 * Reads a header of the PROXY protocol, version 1 or 2 (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt), from the
 * first bytes of a connection. The beginning of a valid header is `incomplete`; bytes that cannot become one are `wrong` at once.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsLike(bytes, V2_SIGNATURE)) return bytes.length < V2_FIXED_BYTES ? early(bytes) : version2(bytes);
  if (startsLike(bytes, V1_START)) return version1(bytes);
  return wrong("is missing");
}

/** Whether one of the two is the beginning of the other. */
function startsLike(bytes: Buffer, whole: Buffer): boolean {
  const length = Math.min(bytes.length, whole.length);
  return bytes.subarray(0, length).equals(whole.subarray(0, length));
}

function version1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_V1_BYTES).indexOf("\r\n", 0, "latin1");
  if (end === -1) {
    return bytes.length < MAX_V1_BYTES ? INCOMPLETE : wrong(`is longer than ${MAX_V1_BYTES} bytes`);
  }
  const fields = bytes.toString("latin1", 0, end).split(" ");
  const header = { kind: "complete", bytes: end + 2 } as const;
  // A receiver ignores everything after UNKNOWN.
  if (fields[1] === "UNKNOWN") return { ...header, client: null };
  const client = clientOf(fields);
  return client === null ? wrong("has a line that is not valid in version 1") : { ...header, client };
}

/** The client of the fields `PROXY TCP4 <client> <server> <port> <port>`; null if one of them is wrong. */
function clientOf(fields: readonly string[]): ProxiedClient | null {
  const [, family, client = "", server = "", port = "", serverPort = ""] = fields;
  const isAddress = family === "TCP4" ? isIPv4 : family === "TCP6" ? isPlainIPv6 : () => false;
  const isRight =
    fields.length === 6 && isAddress(client) && isAddress(server) && isPort(port) && isPort(serverPort);
  return isRight ? { address: withoutMapping(client), port: Number(port) } : null;
}

/** An IPv6 address without a zone (`%eth0`): Node accepts zones, but one means nothing on another machine. */
const isPlainIPv6 = (text: string): boolean => isIPv6(text) && !text.includes("%");
const isPort = (text: string): boolean => V1_PORT.test(text) && Number(text) <= MAX_PORT;

/** Judges a header of version 2 whose length has not arrived yet: it may be wrong already. */
function early(bytes: Buffer): ProxyHeader {
  const version = bytes[12];
  const family = bytes[13];
  if (version !== undefined && !COMMANDS.has(version)) return wrong("has an unknown version or command");
  if (family !== undefined && !ADDRESS_BYTES.has(family)) return wrong("has an unknown address family");
  return INCOMPLETE;
}

/** The 13th byte of version 2: the version and the command, LOCAL or PROXY. */
const LOCAL = 0x20;
const COMMANDS: ReadonlySet<number> = new Set([LOCAL, 0x21]);
const TCP4 = 0x11;
const TCP6 = 0x21;
/** Bytes of the addresses of each family: unspecified, TCP and UDP over IPv4, over IPv6, and Unix sockets. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [0x00, 0],
  [TCP4, 12],
  [0x12, 12],
  [TCP6, 36],
  [0x22, 36],
  [0x31, 216],
  [0x32, 216],
]);

function version2(bytes: Buffer): ProxyHeader {
  const fixed = early(bytes);
  if (fixed.kind === "wrong") return fixed;
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const length = V2_FIXED_BYTES + bytes.readUInt16BE(14);
  if (length > MAX_V2_BYTES) return wrong(`is longer than ${MAX_V2_BYTES} bytes`);
  // The addresses of LOCAL are ignored, so any length is valid.
  if (command !== LOCAL && length - V2_FIXED_BYTES < (ADDRESS_BYTES.get(family) ?? 0)) {
    return wrong("is too short for its addresses");
  }
  if (bytes.length < length) return INCOMPLETE;
  // Extensions (TLVs) follow the addresses; they are skipped.
  const client = command === LOCAL ? null : binaryClient(bytes, family);
  return { kind: "complete", bytes: length, client };
}

function binaryClient(bytes: Buffer, family: number): ProxiedClient | null {
  if (family === TCP4) {
    return { address: bytes.subarray(16, 20).join("."), port: bytes.readUInt16BE(24) };
  }
  if (family !== TCP6) return null;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(16 + 2 * index).toString(16));
  return { address: withoutMapping(groups.join(":")), port: bytes.readUInt16BE(48) };
}

/** An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. Other addresses in the form of URLs. */
export function withoutMapping(address: string): string {
  if (!isPlainIPv6(address)) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [one, other] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 255, other >> 8, other & 255].join(".");
}

function wrong(reason: string): ProxyHeader {
  return { kind: "wrong", reason };
}
