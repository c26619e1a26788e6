import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, Socket, type AddressInfo, type Server as TcpServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import { afterEach, beforeAll, afterAll, describe, expect, it } from "vitest";
import { Connections } from "../../../src/host/front/connections.ts";
import { startRedirect } from "../../../src/host/front/redirect.ts";
import { version1, version2 } from "./proxy-headers.ts";
import { echo, LOOPBACK, PAIR, pem, SECRET, startRig, Wire, type Rig } from "./rig.ts";

interface Echo {
  url: string;
  raw: string[];
  headers: Record<string, string>;
  body: string;
}

/** The part of a connection's last request that the runtime got. */
const echoOf = (text: string): Echo => JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4)) as Echo;
const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
const CLOSE = "Connection: close\r\n";

describe("the front", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterEach(() => {
    rig.answer = echo;
  });
  afterAll(() => rig.stop());
  const ask = (text: string): Promise<string> => Wire.plain(rig.front.port).send(text).closed();

  describe("passes on", () => {
    it("target, host, header fields and body as they were sent", async () => {
      const text = await ask(
        `POST /a//b?c=%zz&d HTTP/1.1\r\nHost: Mail.example:80\r\n${CLOSE}X-One: 1\r\nx-one: 2\r\nContent-Length: 5\r\n\r\nhello`,
      );
      const { url, raw, headers, body } = echoOf(text);
      expect(url).toBe("http://Mail.example:80/a//b?c=%zz&d");
      expect(body).toBe("hello");
      expect(headers.host).toBe("Mail.example:80");
      expect(raw.filter((_, at) => /^x-one$/i.test(raw[at - 1] ?? ""))).toEqual(["1", "2"]);
    });

    it("a body in chunks, and one of a method that seldom has one", async () => {
      const chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
      for (const method of ["POST", "DELETE"]) {
        const text = await ask(`${method} / HTTP/1.1\r\nHost: a\r\n${CLOSE}${chunked}`);
        expect(echoOf(text).body).toBe("abcde");
      }
      const empty = echoOf(await ask(`POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`));
      expect(empty.headers["content-length"]).toBe("0");
    });

    it("a body whose sender waits for 100 Continue", async () => {
      const wire = Wire.plain(rig.front.port);
      wire.send(`PUT / HTTP/1.1\r\nHost: a\r\n${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
      await wire.heard(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      expect(echoOf(await wire.send("ok").closed()).body).toBe("ok");
    });

    it("all header fields but those of one connection only", async () => {
      const hop =
        "Connection: close, X-Secret, Content-Length, authorization\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: close\r\n";
      const { headers, body } = echoOf(
        await ask(
          `POST / HTTP/1.1\r\nHost: a\r\n${hop}Authorization: Bearer x\r\nContent-Length: 2\r\n\r\nok`,
        ),
      );
      expect(Object.keys(headers).toSorted()).toEqual(
        [
          "authorization",
          "cf-connecting-ip",
          "connection",
          "content-length",
          "host",
          "mailkeep-front",
        ].toSorted(),
      );
      expect(headers.connection).toBe("keep-alive");
      expect(body).toBe("ok");
    });

    it("the address of the client, and none that the client claims", async () => {
      const claims =
        "CF-Connecting-IP: 192.0.2.9\r\ncf-connecting-ip: 192.0.2.8\r\nMailkeep-Front: x\r\nMF-CF-Blob: {}\r\n";
      const { headers } = echoOf(await ask(`GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}${claims}\r\n`));
      expect(headers).toMatchObject({ "cf-connecting-ip": "127.0.0.1", "mailkeep-front": SECRET });
      expect(headers).not.toHaveProperty("mf-cf-blob");
    });

    it("status, header fields and body of the answer, without those of one connection only", async () => {
      rig.answer = (_, response) => {
        response.writeHead(418, "Odd", [
          "Set-Cookie",
          "a=1",
          "Set-Cookie",
          "b=2",
          "Connection",
          "X-Gone",
          "X-Gone",
          "1",
        ]);
        response.end("short and stout");
      };
      const text = await ask(`GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 418 Odd\r\n/);
      expect(text).toContain("Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n");
      expect(text).not.toContain("X-Gone");
      expect(text).toMatch(/short and stout/);
    });

    it("an event at once, while the answer goes on", async () => {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      rig.answer = (_, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.flushHeaders();
        resolve(response);
      };
      const wire = Wire.plain(rig.front.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await wire.heard(/event-stream[\s\S]*\r\n\r\n/);
      const stream = await promise;
      for (const event of ["one", "two"]) {
        stream.write(`data: ${event}\n\n`);
        await wire.heard(new RegExp(`data: ${event}\n\n`));
      }
      expect(stream.writableEnded).toBe(false);
      wire.socket.destroy();
      await once(stream, "close");
    });

    it("an absolute target, whose host counts more than the field", async () => {
      const text = await ask(`GET https://b.example/x?y HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);
      expect(echoOf(text)).toMatchObject({ url: "http://b.example/x?y", headers: { host: "b.example" } });
    });
  });

  describe("refuses", () => {
    it.each([
      ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"],
      ["a length that is none", "Content-Length: +2\r\n\r\nab"],
      ["a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
      ["chunks that are not the last coding", "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"],
      ["a coding besides chunks", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
      ["a coding that only looks like chunks", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
      ["chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
      ["a field that is folded", "X-One: 1\r\n Transfer-Encoding: chunked\r\n\r\n"],
      ["a blank before a colon", "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"],
      ["a line that ends with LF alone", "X-One: 1\nContent-Length: 3\r\n\r\nabc"],
      ["a bare CR in a value", "X-One: 1\rContent-Length: 3\r\n\r\nabc"],
      ["a zero byte", "X-One: \0\r\n\r\n"],
      ["two hosts", "Host: b\r\n\r\n"],
    ])("%s, and the runtime hears of nothing", async (_, rest) => {
      let heard = 0;
      rig.answer = (request, response) => {
        heard += 1;
        echo(request, response);
      };
      const text = await ask(`POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}${rest}`);
      expect(statusOf(text)).toBe(400);
      expect(heard).toBe(0);
    });

    it.each(["a/b", "a@b", "a?b", "a#b", "a\\b", "a b", "[::1", "[x]", "a:b", "a:1:2", "é", ""])(
      "the host %j",
      async (host) => {
        const text = await ask(`GET / HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}\r\n`);
        expect(statusOf(text)).toBe(400);
      },
    );

    it("a second request that hides behind the first one's length", async () => {
      const seen: (string | undefined)[] = [];
      rig.answer = (request, response) => {
        seen.push(request.url);
        echo(request, response);
      };
      const inner = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";
      const outer = `POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}Content-Length: ${inner.length}\r\n\r\n${inner}`;
      expect(echoOf(await ask(outer)).body).toBe(inner);
      expect(seen).toEqual(["http://a/"]);
    });

    it("a header that is too long", async () => {
      const text = await ask(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}\r\n\r\n`);
      expect(statusOf(text)).toBe(431);
    });

    it("CONNECT", async () => {
      expect(await ask("CONNECT a:25 HTTP/1.1\r\nHost: a\r\n\r\n")).not.toMatch(/ 200 /);
    });
  });

  describe("when one end goes away", () => {
    it.each(["closes", "resets"] as const)(
      "resets the connection to the runtime as soon as the client %s its own, because the runtime still answers one that is closed",
      async (how) => {
        const { promise, resolve } = Promise.withResolvers<{
          request: IncomingMessage;
          response: ServerResponse;
        }>();
        rig.answer = (request, response) => resolve({ request, response });
        const wire = Wire.plain(rig.front.port).send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        const { request, response } = await promise;
        const fault = once(request.socket, "error");
        if (how === "closes") wire.socket.destroy();
        else wire.socket.resetAndDestroy();
        await once(response, "close");
        expect(response.writableFinished).toBe(false);
        expect(await fault).toEqual([expect.objectContaining({ code: "ECONNRESET" })]);
      },
    );

    it("does the same in the middle of a body", async () => {
      const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
      const { promise: gone, resolve: goes } = Promise.withResolvers<void>();
      rig.answer = (request) => {
        request.on("error", () => {}).on("close", goes);
        resolve(request.resume());
      };
      const wire = Wire.plain(rig.front.port);
      wire.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegin");
      const request = await promise;
      wire.socket.destroy();
      await gone;
      expect(request.complete).toBe(false);
    });

    it("cuts an answer off where the runtime does, so that the client sees that it is incomplete", async () => {
      rig.answer = (_, response) => {
        response.writeHead(200);
        response.write("half", () => response.destroy());
      };
      const text = await ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      expect(text).toContain("half");
      expect(text).not.toContain("\r\n0\r\n\r\n");
    });

    it("gives a refusal that comes before the body is read, however large the body is", async () => {
      rig.answer = (request, response) => {
        response.writeHead(413, { Connection: "close", "Content-Length": 3 });
        response.end("big", () => request.socket.destroy());
      };
      const wire = Wire.plain(rig.front.port);
      wire.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000000\r\n\r\n");
      const body = Buffer.alloc(256 * 1024);
      const more = (): void => {
        while (!wire.isClosed && wire.socket.write(body));
      };
      wire.socket.on("drain", more);
      more();
      expect(await wire.heard(/big$/)).toMatch(/^HTTP\/1\.1 413 /);
      await wire.closed();
    });
  });

  it("holds a body back while the runtime does not read it, and an answer while the client does not", async () => {
    const total = 100_000_000;
    const { promise, resolve } = Promise.withResolvers<{
      request: IncomingMessage;
      response: ServerResponse;
    }>();
    rig.answer = (request, response) => resolve({ request, response });
    const sent = http.request({ port: rig.front.port, host: "127.0.0.1", method: "PUT" });
    const upload = pump(sent, total);
    const { request, response } = await promise;
    expect(await upload.stalled()).toBeLessThan(total / 2);
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await once(request, "end");
    expect(bytes).toBe(total);

    const download = pump(response, total);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(await download.stalled()).toBeLessThan(total / 2);
    bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(total);
  });
});

/** Writes so many bytes as fast as they are taken. */
function pump(to: Writable, total: number): { stalled(): Promise<number> } {
  const chunk = Buffer.alloc(500_000);
  let taken = 0;
  const write = (): void => {
    if (taken >= total) return void to.end();
    to.write(chunk, () => {
      taken += chunk.length;
      write();
    });
  };
  write();
  return {
    /** Resolves to the bytes that were taken when no more are, for many turns of the event loop. */
    async stalled() {
      for (let before = -1, still = 0; still < 100; before = taken) {
        await setTimeout(1);
        still = taken === before ? still + 1 : 0;
      }
      return taken;
    },
  };
}

describe("the connection to the runtime", () => {
  /** A runtime that cuts the second request of a connection, as workerd does with one that was idle. */
  async function startCutting(): Promise<{ port: number; seen: string[]; server: TcpServer }> {
    const seen: string[] = [];
    const server = createServer((socket: Socket) => {
      let count = 0;
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        count += 1;
        seen.push(/^\S+/.exec(chunk.toString("latin1"))?.[0] ?? "");
        if (count > 1) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return { port: (server.address() as AddressInfo).port, seen, server };
  }

  it("is made anew for a GET where it turns out to be closed; a POST is never sent twice", async () => {
    const runtime = await startCutting();
    const rig = await startRig({ upstreamPort: runtime.port });
    const ask = (method: string): Promise<string> =>
      Wire.plain(rig.front.port).send(`${method} / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`).closed();
    expect(statusOf(await ask("GET"))).toBe(200);
    expect(statusOf(await ask("GET"))).toBe(200);
    expect(runtime.seen).toEqual(["GET", "GET", "GET"]);
    const refused = await ask("POST");
    expect(statusOf(refused)).toBe(503);
    expect(refused).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(echoOf(refused)).toMatchObject({ code: "unavailable", retryable: true });
    expect(runtime.seen).toEqual(["GET", "GET", "GET", "POST"]);
    await rig.stop();
    runtime.server.close();
  });
});

it("passes nothing on while the runtime does not run, because another program may have its port", async () => {
  let isRunning = false;
  const rig = await startRig({ isUpstreamRunning: async () => isRunning });
  const text = `POST / HTTP/1.1\r\nHost: a\r\n${CLOSE}Content-Length: 2\r\n\r\nok`;
  let heard = 0;
  rig.answer = (request, response) => {
    heard += 1;
    echo(request, response);
  };
  const refused = await Wire.plain(rig.front.port).send(text).closed();
  expect([statusOf(refused), heard]).toEqual([503, 0]);
  isRunning = true;
  expect(statusOf(await Wire.plain(rig.front.port).send(text).closed())).toBe(200);
  await rig.stop();
});

describe("a front that drains", () => {
  it("finishes the answers that it began, closes idle connections, and takes no new ones", async () => {
    const rig = await startRig();
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const idle = Wire.plain(rig.front.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await idle.heard(/\}$/);
    rig.answer = (_, response) => resolve(response);
    const busy = Wire.plain(rig.front.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const response = await promise;
    const drained = rig.front.drain(60_000);
    await idle.closed();
    expect(await Wire.plain(rig.front.port).closed()).toBe("");
    response.end("finished");
    expect(await busy.closed()).toMatch(/finished$/);
    await drained;
    await rig.stop();
  });

  it("cuts what is not finished in time", async () => {
    const rig = await startRig();
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.answer = () => resolve();
    const busy = Wire.plain(rig.front.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await promise;
    await rig.front.drain(1);
    expect(await busy.closed()).toBe("");
    await rig.stop();
  });
});

describe.each(["http", "https"])("a front that drains %s", (scheme) => {
  const tls = scheme === "https" ? PAIR : null;

  it("does not wait for connections that never sent a request", async () => {
    const rig = await startRig({ tls });
    const open = (): Wire => (tls === null ? Wire.plain(rig.front.port) : Wire.tls(rig.front.port));
    const raw = Wire.plain(rig.front.port);
    const half = Wire.plain(rig.front.port).send(Buffer.from("160301", "hex"));
    const silent = open();
    await once(silent.socket, tls === null ? "connect" : "secureConnect");
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    rig.answer = (_, response) => resolve(response);
    const busy = open().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const response = await promise;
    const drained = rig.front.drain(60_000);
    await Promise.all([raw.closed(), half.closed(), silent.closed()]);
    response.end("finished");
    expect(await busy.closed()).toMatch(/finished$/);
    await drained;
    await rig.stop();
  });
});

it("a front that drains closes a connection that ends its TLS handshake after that", () => {
  const server = http.createServer();
  const connections = new Connections(server);
  connections.closeUnused();
  const late = new Socket();
  server.emit("secureConnection", late);
  expect(late.destroyed).toBe(true);
});

describe.each(["http", "https"])("the PROXY protocol before %s", (scheme) => {
  let rig: Rig;
  const tls = scheme === "https" ? PAIR : null;
  beforeAll(async () => {
    rig = await startRig({ proxies: LOOPBACK, tls });
  });
  afterAll(() => rig.stop());

  /** Sends the header in two parts, and then a request, inside TLS or not. */
  async function askAfter(header: Buffer, cut: number): Promise<Echo> {
    const wire = Wire.plain(rig.front.port);
    wire.send(header.subarray(0, cut));
    await new Promise((resolve) => void setImmediate(resolve));
    const request = `GET /x HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`;
    if (tls === null)
      return echoOf(await wire.send(Buffer.concat([header.subarray(cut), Buffer.from(request)])).closed());
    wire.send(header.subarray(cut));
    wire.socket.removeAllListeners("data");
    const inner = new Wire(connect({ socket: wire.socket, ca: pem("authority"), servername: "localhost" }));
    return echoOf(await inner.send(request).closed());
  }

  it("is removed wherever the header is split, and its address counts as the client's", async () => {
    const headers = [
      version1("192.0.2.77"),
      version2(0x21, 0x11, Buffer.from([192, 0, 2, 77, 1, 1, 1, 1, 0, 1, 0, 1])),
    ];
    for (const header of headers) {
      // Over TLS each cut takes a handshake: the parser's tests have them all.
      for (let cut = 0; cut <= header.length; cut += tls === null ? 1 : 9) {
        const { url, headers: fields } = await askAfter(header, cut);
        expect(fields["cf-connecting-ip"]).toBe("192.0.2.77");
        expect(url).toBe(`${scheme}://localhost/x`);
      }
    }
  });

  it("leaves the proxy's own address where the header names none", async () => {
    for (const header of [Buffer.from("PROXY UNKNOWN\r\n"), version2(0x20, 0, Buffer.alloc(0))]) {
      expect((await askAfter(header, 3)).headers["cf-connecting-ip"]).toBe("127.0.0.1");
    }
  });

  it("is required from listed networks; a connection without it is closed, with a line in the log", async () => {
    const before = rig.lines.length;
    expect(await Wire.plain(rig.front.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").closed()).toBe("");
    const half = Wire.plain(rig.front.port);
    half.socket.end("PROXY TCP4 192.0.2");
    await half.closed();
    expect(rig.lines.slice(before)).toEqual([
      "PROXY protocol: the header of a connection from 127.0.0.1 is missing",
      "PROXY protocol: the header of a connection from 127.0.0.1 is incomplete",
    ]);
  });
});

describe("a front without networks for the PROXY protocol", () => {
  it.each([
    ["version 1", version1("192.0.2.77")],
    ["version 2", version2(0x21, 0x11, Buffer.alloc(12))],
  ])("answers nothing but an error to a header of %s", async (_, header) => {
    for (const tls of [null, PAIR]) {
      const rig = await startRig({ tls });
      let heard = 0;
      rig.answer = () => (heard += 1);
      const request = Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const text = await Wire.plain(rig.front.port)
        .send(Buffer.concat([header, request]))
        .closed();
      expect(text).toMatch(tls === null ? /^HTTP\/1\.1 400 / : /^[^H]*$/);
      expect(heard).toBe(0);
      await rig.stop();
    }
  });

  it("leaves the header of a proxy that is trusted to name the client", async () => {
    const rig = await startRig({ trustClientAddress: true });
    const request = `GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}CF-Connecting-IP: 192.0.2.5\r\n\r\n`;
    const { headers } = echoOf(await Wire.plain(rig.front.port).send(request).closed());
    expect(headers).toMatchObject({ "cf-connecting-ip": "192.0.2.5", "mailkeep-front": SECRET });
    await rig.stop();
  });
});

describe("a front with a certificate", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ tls: PAIR });
  });
  afterAll(() => rig.stop());

  it("says https to the runtime, and speaks no TLS before 1.2", async () => {
    const text = await Wire.tls(rig.front.port)
      .send(`GET / HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n`)
      .closed();
    expect(echoOf(text).url).toBe("https://localhost/");
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const wire = Wire.tls(rig.front.port, { maxVersion: version, minVersion: version });
      await once(wire.socket, "secureConnect");
      wire.socket.destroy();
    }
    const old = Wire.tls(rig.front.port, {
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const [error] = (await once(old.socket, "error")) as [Error];
    expect(error.message).toMatch(/protocol version|alert/);
  });

  it("gives new handshakes a new certificate, while open connections go on", async () => {
    const open = Wire.tls(rig.front.port).send("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await open.heard(/\}$/);
    rig.front.setKeyPair({ cert: pem("other"), key: pem("key") });
    const fresh = Wire.tls(rig.front.port, { servername: "other.example" });
    await once(fresh.socket, "secureConnect");
    open.text = "";
    expect(echoOf(await open.send("GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n").heard(/\}$/)).url).toBe(
      "https://localhost/2",
    );
    open.socket.destroy();
    fresh.socket.destroy();
    rig.front.setKeyPair(PAIR);
  });
});

const PLAIN = {
  listen: { host: "127.0.0.1", port: 0 },
  httpsPort: null,
  webroot: null,
  proxies: null,
  log: () => {},
};

describe("the port for plain http", () => {
  it("serves the challenges of ACME that lie in the folder, and no other file, also before there is HTTPS", async () => {
    const webroot = mkdtempSync(path.join(tmpdir(), "mailkeep-acme-"));
    const challenges = path.join(webroot, ".well-known/acme-challenge");
    mkdirSync(challenges, { recursive: true });
    writeFileSync(path.join(webroot, "secret"), "secret");
    writeFileSync(path.join(challenges, "to-ken_1"), "to-ken_1.thumbprint");
    writeFileSync(path.join(challenges, "large"), "x".repeat(2_000));
    symlinkSync(path.join(webroot, "secret"), path.join(challenges, "link"));
    const redirect = await startRedirect({ ...PLAIN, webroot });
    const ask = (name: string, method = "GET"): Promise<string> =>
      Wire.plain(redirect.port)
        .send(`${method} /.well-known/acme-challenge/${name} HTTP/1.1\r\nHost: mail.example\r\n${CLOSE}\r\n`)
        .closed();
    try {
      expect(await ask("to-ken_1")).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nto-ken_1\.thumbprint$/);
      expect(await ask("to-ken_1", "HEAD")).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n$/);
      for (const name of ["other", "large", "link"]) expect(statusOf(await ask(name))).toBe(404);
      for (const name of ["../../secret", "%2e%2e%2fsecret", "", "a/b", "a?b"]) {
        expect(statusOf(await ask(name))).toBe(503);
      }
      expect(statusOf(await ask("to-ken_1", "POST"))).toBe(403);
    } finally {
      await redirect.close();
      rmSync(webroot, { recursive: true });
    }
  });

  it("redirects a reader to https, and refuses requests that hold a key or change something", async () => {
    const redirect = await startRedirect({ ...PLAIN, httpsPort: 8443 });
    const ask = (text: string): Promise<string> => Wire.plain(redirect.port).send(text).closed();
    const read = await ask(`GET /a?b HTTP/1.1\r\nHost: mail.example:80\r\n${CLOSE}\r\n`);
    expect(statusOf(read)).toBe(308);
    expect(read).toContain("\r\nLocation: https://mail.example:8443/a?b\r\n");
    for (const request of [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    ]) {
      expect(statusOf(await ask(request))).toBe(403);
    }
    await redirect.close();
  });
});
