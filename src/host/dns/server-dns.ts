import { randomInt } from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import type { Ask, Fetched } from "../../lib/dns/cached-dns.ts";
import { DnsFailure, type RecordType } from "../../lib/dns/dns.ts";
import { decodeAnswer, encodeQuery, type Decoded, type DnsQuestion } from "../../lib/dns/message.ts";
import { withinTime } from "../../lib/time-limit.ts";

/** Where a resolver listens. */
export interface DnsServerPlace {
  host: string;
  port: number;
}

const DNS_PORT = 53;
/** A resolver that asks authoritative servers around the world takes a second or two. */
const TRY_MS = 2_000;
const TRIES = 2;

/** Asks DNS servers over UDP, and over TCP where an answer is too long for it; for `CachedDns`. */
export function askServers(servers: readonly DnsServerPlace[]): Ask {
  return async (name, type) => {
    for (let index = 0; index < TRIES; index += 1) {
      const server = servers[index % servers.length];
      const fetched = server === undefined ? null : await askServer(server, name, type).catch(() => null);
      if (fetched !== null) return fetched;
    }
    throw new DnsFailure(`No resolver answered for ${name}`);
  };
}

/** The resolvers that this system uses. */
export function systemServers(): DnsServerPlace[] {
  return dns.getServers().map(serverPlace);
}

/** Reads `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
export function serverPlace(text: string): DnsServerPlace {
  if (net.isIPv6(text)) return { host: text, port: DNS_PORT };
  const [, host = text, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: port === undefined ? DNS_PORT : Number(port) };
}

/** One question to one server; null if the server failed. Rejects if it does not answer in time. */
function askServer(server: DnsServerPlace, name: string, type: RecordType): Promise<Fetched | null> {
  return withinTime(TRY_MS, null, async (signal) => {
    // A number that nobody can guess, on a port that nobody can guess: answers of others are not believed (RFC 5452).
    const question = { id: randomInt(0x1_0000), name, type };
    const overUdp = await askUdp(server, question, signal);
    const decoded = overUdp.kind === "cut" ? await askTcp(server, question, signal) : overUdp;
    return decoded.kind === "answer" ? decoded.fetched : null;
  });
}

function askUdp(server: DnsServerPlace, question: DnsQuestion, signal: AbortSignal): Promise<Decoded> {
  return new Promise((resolve, reject) => {
    // Each question has a socket, and so a port, of its own.
    const socket = dgram.createSocket(net.isIPv6(server.host) ? "udp6" : "udp4");
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", giveUp);
      socket.close();
      settle();
    };
    const giveUp = (): void => end(() => reject(new DnsFailure("The resolver did not answer in time")));
    signal.addEventListener("abort", giveUp, { once: true });
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("message", (bytes) => {
      const decoded = decodeAnswer(bytes, question);
      if (decoded.kind !== "other") end(() => resolve(decoded));
    });
    // A connected socket takes datagrams of its peer only.
    socket.connect(server.port, server.host, () => socket.send(encodeQuery(question)));
  });
}

function askTcp(server: DnsServerPlace, question: DnsQuestion, signal: AbortSignal): Promise<Decoded> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ ...server, signal });
    const query = encodeQuery(question);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    let received: Buffer = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("close", () => reject(new DnsFailure("The resolver closed the connection")));
    socket.on("data", (chunk: Buffer) => {
      // At most 64 KB: the length has two bytes.
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return;
      resolve(decodeAnswer(received.subarray(2, received.readUInt16BE(0) + 2), question));
      socket.destroy();
    });
    socket.write(Buffer.concat([length, query]));
  });
}
