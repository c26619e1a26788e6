import dgram from "node:dgram";
import net from "node:net";
import packet from "dns-packet";
import { Zone } from "./dns-zone.ts";

/** The largest datagram that every path of the internet carries (DNS flag day 2020). */
const MAX_UDP_BYTES = 1_232;
const REFUSALS = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** A DNS server on this machine, over UDP and TCP, that answers from a zone. */
export class DnsServer {
  readonly zone: Zone;
  readonly #udp = dgram.createSocket("udp4");
  readonly #tcp = net.createServer((socket) => this.#converse(socket));
  readonly #sockets = new Set<net.Socket>();
  port = 0;

  private constructor(zone: Zone) {
    this.zone = zone;
    this.#udp.on("message", (message, from) => {
      const answer = packet.encode(this.#answer(packet.decode(message)));
      const sent = answer.length > MAX_UDP_BYTES ? packet.encode(cutOff(packet.decode(message))) : answer;
      this.#udp.send(sent, from.port, from.address);
    });
  }

  static async start(zone = new Zone()): Promise<DnsServer> {
    const server = new DnsServer(zone);
    // The same port for both: UDP takes the one that TCP was given.
    await new Promise<void>((listening) => server.#tcp.listen(0, "127.0.0.1", listening));
    const address = server.#tcp.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    server.port = address.port;
    await new Promise<void>((listening) => server.#udp.bind(server.port, "127.0.0.1", listening));
    return server;
  }

  /** As `--resolver` takes it. */
  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#udp.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#tcp.close();
  }

  #converse(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= received.readUInt16BE() + 2) {
        const end = received.readUInt16BE() + 2;
        const question = packet.streamDecode(received.subarray(0, end));
        received = received.subarray(end);
        if (question !== null) socket.write(packet.streamEncode(this.#answer(question)));
      }
    });
  }

  #answer(query: packet.Packet): packet.Packet {
    const { id = 0, questions = [] } = query;
    const [{ type, name: asked } = { type: "", name: "" }] = questions;
    const name = asked.toLowerCase();
    this.zone.asked.push(`${type} ${name}`);
    const answers = this.zone.broken.has(name) ? [] : found(this.zone.records(), type, name);
    const code = answers.length > 0 ? 0 : this.#codeFor(name);
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | code;
    return { type: "response", id, flags, questions, answers };
  }

  /** Why there is no answer: a name with others below it exists (RFC 8020). */
  #codeFor(name: string): number {
    if (this.zone.broken.has(name)) return REFUSALS.SERVFAIL;
    const exists = this.zone.records().some((record) => `.${record.name}`.endsWith(`.${name}`));
    return exists ? 0 : REFUSALS.NXDOMAIN;
  }
}

const cutOff = ({ id = 0, questions = [] }: packet.Packet): packet.Packet => ({
  type: "response",
  id,
  flags: packet.TRUNCATED_RESPONSE | packet.RECURSION_AVAILABLE,
  questions,
});

type Records = ReturnType<Zone["records"]>;

/** The answers to a question, with the alias that led to them. */
function found(records: Records, type: string, name: string): packet.Answer[] {
  const own = records.filter((record) => record.name === name);
  const exact = own.filter((record) => record.type === type);
  const aliases = exact.length > 0 || type === "CNAME" ? [] : own.filter((record) => record.type === "CNAME");
  return [...exact, ...aliases].flatMap((record) => [
    ...record.data.map((data) => encoded(record.type, name, data)),
    ...(record.type === "CNAME" && type !== "CNAME" ? found(records, type, bare(record.data[0] ?? "")) : []),
  ]);
}

const bare = (name: string): string => name.replace(/\.$/, "");

function encoded(type: string, name: string, data: string): packet.Answer {
  const common = { name, ttl: 60 };
  switch (type) {
    case "MX": {
      const [preference, exchange = ""] = data.split(" ");
      return { ...common, type, data: { preference: Number(preference), exchange: bare(exchange) || "." } };
    }
    case "TXT":
      return { ...common, type, data: strings(data) };
    case "A":
    case "AAAA":
      return { ...common, type, data };
    case "NS":
    case "CNAME":
    case "PTR":
      return { ...common, type, data: bare(data) };
    default:
      throw new Error(`The test's DNS server knows no ${type}`);
  }
}

/** The strings of a TXT record as a zone file has them. */
function strings(data: string): Buffer[] {
  const found = Array.from(data.matchAll(/"((?:[^"\\]|\\.)*)"/gs), ([, text = ""]) =>
    text.replaceAll(/\\(.)/gs, "$1"),
  );
  return (found.length > 0 ? found : [data]).map((text) => Buffer.from(text, "latin1"));
}
