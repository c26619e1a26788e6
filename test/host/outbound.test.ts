import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOT_PUBLIC, OUTBOUND, outboundWorker } from "../../src/host/outbound.ts";
import { isPublicAddress } from "../../src/lib/public-url.ts";
import { runs } from "../runs.ts";

const RANGES = NOT_PUBLIC.map((range) => ipaddr.parseCIDR(range));

const isDenied = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  RANGES.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

describe("the list of addresses that are not public", () => {
  const bytes = (length: number) =>
    fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length });
  /** Anywhere, and more often at the edges of a range or one beside them. */
  const addresses = (length: 4 | 16) => {
    const bases = RANGES.filter(([base]) => base.toByteArray().length === length);
    const edge = fc
      .tuple(fc.constantFrom(...bases), fc.boolean(), fc.integer({ min: -1, max: 1 }))
      .map(([[base, bits], isLast, step]) => {
        const width = BigInt(length * 8);
        const start = BigInt(`0x${Buffer.from(base.toByteArray()).toString("hex")}`);
        const end = start + (1n << (width - BigInt(bits))) - 1n;
        const value = BigInt.asUintN(length * 8, (isLast ? end : start) + BigInt(step));
        return [...Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex")];
      });
    return fc.oneof(bytes(length), edge).map((octets) => ipaddr.fromByteArray(octets));
  };

  it.each([4, 16] as const)("is what the check of URLs refuses: %i octets", (length) => {
    const same = fc.property(addresses(length), (address) => {
      expect([address.toString(), isDenied(address)]).toEqual([
        address.toString(),
        !isPublicAddress(address.toString()),
      ]);
    });
    fc.assert(same, { numRuns: runs(5_000) });
  });
});

/** Asks for a URL, as a webhook does, and tells the status, or that there was no answer. */
const PROBE = `import { connect } from "cloudflare:sockets";
export default {
  async fetch(request) {
    const target = new URL(request.url).searchParams.get("target");
    try {
      if (target.startsWith("tcp:")) {
        await connect(target.slice(4)).opened;
        return new Response("connected");
      }
      const answer = await fetch(target, { method: "POST", body: await request.text(), redirect: "manual" });
      return new Response(answer.status + " " + await answer.text());
    } catch {
      return new Response("refused");
    }
  },
};`;

function probing(allowPrivate: boolean): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      workers: [
        {
          name: "probe",
          compatibilityDate: "2026-11-01",
          outboundService: OUTBOUND,
          modulesRoot: "/",
          modules: [{ type: "ESModule", path: "/probe.js", contents: PROBE }],
        },
        outboundWorker({ allowPrivate }),
      ],
    }),
  );
}

/** A server that counts connections and answers each request with a redirect to `elsewhere`. */
async function listener(
  host: string,
  elsewhere: () => number,
): Promise<{ server: Server; port: number; connections: number }> {
  const heard = { server: createServer(), port: 0, connections: 0 };
  heard.server.on("connection", (socket) => {
    heard.connections += 1;
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.end(
        `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${elsewhere()}/\r\nContent-Length: 2\r\n\r\nno`,
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    heard.server.once("error", reject);
    heard.server.listen(0, host, resolve);
  });
  heard.port = (heard.server.address() as AddressInfo).port;
  return heard;
}

describe("the outbound network", () => {
  let v4: Awaited<ReturnType<typeof listener>>;
  let v6: Awaited<ReturnType<typeof listener>>;
  let second: Awaited<ReturnType<typeof listener>>;
  let shut: Miniflare;
  let open: Miniflare;

  beforeAll(async () => {
    second = await listener("127.0.0.1", () => 0);
    v4 = await listener("127.0.0.1", () => second.port);
    v6 = await listener("::1", () => second.port);
    [shut, open] = [probing(false), probing(true)];
  });
  afterAll(async () => {
    await Promise.all([shut.dispose(), open.dispose()]);
    for (const { server } of [v4, v6, second]) server.close();
  });

  const ask = async (runtime: Miniflare, target: string): Promise<string> => {
    const url = new URL(`/?target=${encodeURIComponent(target)}`, await runtime.ready);
    const answer = await fetch(url, { method: "POST", body: "hello" });
    return answer.text();
  };
  const counts = () => [v4.connections, v6.connections, second.connections];

  it("reaches this machine only where that is allowed, and follows no redirect", async () => {
    expect(await ask(open, `http://127.0.0.1:${v4.port}/`)).toBe("302 no");
    expect(await ask(open, `http://localhost:${v4.port}/`)).toBe("302 no");
    expect(await ask(open, `http://[::1]:${v6.port}/`)).toBe("302 no");
    expect(counts()).toEqual([2, 1, 0]);
  });

  it("does not connect to this machine, by whatever address or name", async () => {
    const before = counts();
    const targets = [
      `http://127.0.0.1:${v4.port}/`,
      `http://127.9.9.9:${v4.port}/`,
      `http://0.0.0.0:${v4.port}/`,
      `http://[::ffff:127.0.0.1]:${v4.port}/`,
      `http://[::]:${v6.port}/`,
      `http://[::1]:${v6.port}/`,
      // A name that resolves to loopback, as a hostile zone could: what counts is the address that is connected to.
      `http://localhost:${v4.port}/`,
      `https://localhost:${v4.port}/`,
    ];
    for (const target of targets) expect([target, await ask(shut, target)]).toEqual([target, "refused"]);
    expect(counts()).toEqual(before);
  });

  it("hands a request on as it was sent, without what the local runtime adds", async () => {
    const heard: string[] = [];
    const target = createHttpServer((request, response) => {
      heard.push(...Object.keys(request.headers).toSorted());
      response.end("heard");
    });
    await new Promise<void>((resolve) => void target.listen(0, "127.0.0.1", resolve));
    const { port } = target.address() as AddressInfo;
    expect(await ask(open, `http://127.0.0.1:${port}/`)).toBe("200 heard");
    target.close();
    expect(heard).toEqual(["content-length", "content-type", "host"]);
  });

  it("opens no bare sockets", async () => {
    const before = counts();
    for (const runtime of [shut, open])
      expect(await ask(runtime, `tcp:127.0.0.1:${v4.port}`)).toBe("refused");
    expect(counts()).toEqual(before);
  });
});
