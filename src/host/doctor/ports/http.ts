import http from "node:http";
import type { Socket } from "node:net";
import { secure, type CertificateFault } from "./tls.ts";
import type { World } from "./world.ts";

/** An answer over HTTP; redirects are not followed. */
export interface HttpAnswer {
  status: number;
  /** The header fields that the doctor reads. */
  date: string | null;
  /** At most 64 KiB of it. */
  body: string;
  /** Null: the certificate has no fault, or there is no TLS. */
  fault: CertificateFault | null;
  endsAt: number | null;
}

const MAX_BODY_BYTES = 65_536;
const DEFAULT_PORT: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** A request. */
export interface HttpRequest {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** No address of a host could be connected to. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Connects to the first address of a host that takes the connection; rejects with {@link Unreachable}. */
export async function reach(
  world: World,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  const addresses = await world.addresses(name);
  if (addresses.length === 0) throw new Unreachable(`${name} has no address`);
  let reason = "";
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
      return await world.dial({ address, port }, limit);
    } catch (error) {
      reason = `${address} port ${port}: ${reasonOf(error)}`;
    }
    signal.throwIfAborted();
  }
  throw new Unreachable(`no connection to ${reason}`);
}

const MAX_ADDRESSES = 4;
const CONNECT_MS = 6_000;

/** An error of the network in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : error.name;
  return WORDS[code] ?? error.message;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ETIMEDOUT: "no answer in time",
  ABORT_ERR: "no answer in time",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "no way to that address",
  ENETUNREACH: "no way to that address",
};

/** Sends one request. Rejects with {@link Unreachable}, or where no complete answer comes. */
export async function request(
  world: World,
  url: URL,
  signal: AbortSignal,
  asked: HttpRequest = {},
): Promise<HttpAnswer> {
  const port = url.port === "" ? (DEFAULT_PORT[url.protocol] ?? 80) : Number(url.port);
  const plain = await reach(world, { host: url.hostname, port }, signal);
  if (url.protocol === "http:") {
    return { ...(await exchange(plain, url, { ...asked, signal })), fault: null, endsAt: null };
  }
  const { socket, fault, endsAt } = await secure(plain, url.hostname, world.authorities, signal);
  return { ...(await exchange(socket, url, { ...asked, signal })), fault, endsAt };
}

function exchange(
  socket: Socket,
  url: URL,
  { body, ...options }: HttpRequest & { signal: AbortSignal },
): Promise<Pick<HttpAnswer, "status" | "date" | "body">> {
  return new Promise((resolve, reject) => {
    const sent = http.request({
      ...options,
      // Only path and host come from the URL, because the connection exists already.
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, ...options.headers },
      // With this option Node uses no agent, which could reuse the connection for another host.
      createConnection: () => socket,
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          date: response.headers.date ?? null,
          body: Buffer.concat(chunks).toString("utf8", 0, MAX_BODY_BYTES),
        });
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes < MAX_BODY_BYTES) return;
        done();
        sent.destroy();
      });
      response.once("end", done);
      response.once("error", reject);
    });
    sent.once("close", () => socket.destroy());
    sent.end(body);
  });
}
