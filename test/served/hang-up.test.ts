import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAIR, pem, Wire } from "../host/front/rig.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";

/** The longest time that a call outlives its client, in ms: two blanks and some seconds for a busy machine. */
const NOTICED_MS = 9_000;
/** Less than the time for which the end of an answer with a code is withheld, in ms. */
const MAX_AGO_MS = 150;
const AUTHORITY = path.resolve(import.meta.dirname, "../transport/certificates/authority.pem");

const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-hang-up-"));
const hasCurl = (() => {
  try {
    execFileSync("curl", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Told {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A server, asked on connections of their own. */
class Door {
  readonly server: Server;
  readonly isTls: boolean;
  readonly port: number;

  constructor(server: Server) {
    this.server = server;
    const { protocol, port } = new URL(server.url);
    this.isTls = protocol === "https:";
    this.port = Number(port);
  }

  get trusted() {
    return { ca: pem("authority"), servername: "localhost" };
  }

  ask(route: string, { key = this.server.token, method, body, headers }: Asked = {}): Promise<Told> {
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.port, path: route, method, agent: false as const };
      const sent = { Host: `localhost:${this.port}`, Authorization: `Bearer ${key}`, ...headers };
      const request = (this.isTls ? https : http).request({
        ...options,
        ...(this.isTls ? this.trusted : {}),
        headers: sent,
      });
      request.on("error", reject);
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      request.end(body);
    });
  }

  async json<Body>(route: string, asked: Asked = {}): Promise<Body> {
    const { text } = await this.ask(route, asked);
    return JSON.parse(text) as Body;
  }

  async createMailbox(): Promise<{ mailbox: string; api_key: string }> {
    const name = `box-${Math.random().toString(36).slice(2, 10)}`;
    const body = JSON.stringify({ name, kind: "permanent" });
    return this.json("/v1/mailboxes", { method: "POST", body, headers: JSON_TYPE });
  }

  async receive(mailbox: string, code: string): Promise<void> {
    const bytes = message({
      from: "Acme <no-reply@acme.example>",
      subject: "Your verification code",
      body: `Your verification code is ${code}.\n`,
    });
    const route = `/v1/inbound?from=no-reply@acme.example&to=${encodeURIComponent(mailbox)}`;
    const { status } = await this.ask(route, {
      method: "POST",
      body: bytes,
      headers: { "Content-Type": "message/rfc822" },
    });
    if (status !== 202) throw new Error(`A mail was answered ${status}`);
  }

  /** Waits until so many calls wait, streams among them. */
  async untilWaiting(wanted: number, timeoutMs: number): Promise<number> {
    for (const deadline = Date.now() + timeoutMs; ; await pause(200)) {
      const { text } = await this.ask("/metrics");
      let waiting = 0;
      for (const [, count] of text.matchAll(/^mailkeep_listeners\{kind="\w+"\} (\d+)/gm))
        waiting += Number(count);
      if (waiting === wanted || Date.now() > deadline) return waiting;
    }
  }

  /** Expects a code of any sender that calls itself acme.example, and answers the id. */
  async expectCode(key: string): Promise<string> {
    const body = JSON.stringify({ from_domain: "acme.example", strict: false });
    const made = await this.json<{ id: string }>("/v1/expect", {
      key,
      method: "POST",
      body,
      headers: JSON_TYPE,
    });
    return made.id;
  }

  /** Sends a request that is not read, and returns what ends its client. */
  async begin(route: string, how: How, { key, method = "GET", body, headers }: Asked): Promise<() => void> {
    const fields = { Host: `localhost:${this.port}`, Authorization: `Bearer ${key}`, ...headers };
    if (how === "kill") return this.#beginCurl(route, { method, body, headers: fields });
    const raw = connect({ host: "127.0.0.1", port: this.port });
    raw.on("error", () => {});
    await once(raw, "connect");
    const socket: Socket = this.isTls ? connectTls({ socket: raw, ...this.trusted }) : raw;
    socket.on("error", () => {});
    const length = body === undefined ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${route} HTTP/1.1\r\n${lines.join("")}${length}\r\n`);
    if (body !== undefined) socket.write(body);
    return () => (how === "FIN" ? raw.destroy() : raw.resetAndDestroy());
  }

  #beginCurl(route: string, { method, body, headers }: Asked & { method: string }): () => void {
    const url = `${this.isTls ? "https" : "http"}://localhost:${this.port}${route}`;
    const fields = Object.entries(headers ?? {}).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const sent = body === undefined ? [] : ["--data-binary", String(body)];
    const curl = spawn("curl", ["-s", "-4", "--cacert", AUTHORITY, "-X", method, ...fields, ...sent, url], {
      stdio: "ignore",
    });
    return () => void curl.kill("SIGKILL");
  }
}

type How = "FIN" | "RST" | "kill";
interface Asked {
  key?: string;
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}
const JSON_TYPE = { "Content-Type": "application/json" };

/** A call of the tool that waits for a code. */
function toolCall(asked: object, accept: string): Asked {
  const params = { name: "wait_for_code", arguments: asked };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { ...JSON_TYPE, "MCP-Protocol-Version": "2025-11-25", Accept: accept };
  return { method: "POST", body, headers };
}

const HOWS: readonly How[] = hasCurl ? ["FIN", "RST", "kill"] : ["FIN", "RST"];

/** A relay that never greets. */
const relay = createServer();
const doors: Door[] = [];
beforeAll(async () => {
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const SMTP_URL = `smtp://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const files = { TLS_CERT: path.join(folder, "cert.pem"), TLS_KEY: path.join(folder, "key.pem") };
  writeFileSync(files.TLS_CERT, PAIR.cert);
  writeFileSync(files.TLS_KEY, PAIR.key);
  for (const env of [{}, files]) doors.push(new Door(await Server.start({ env: { ...env, SMTP_URL } })));
}, 240_000);
afterAll(async () => {
  for (const { server } of doors) await server.stop();
  relay.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ["plain HTTP", 0],
  ["TLS", 1],
] as const)("over %s, a client that hangs up while it waits", (_, at) => {
  const door = (): Door => doors[at] as Door;

  it.each(HOWS)("by %s consumes no code: the next call gets it", async (how) => {
    const rounds = [20, 500, 1_500, 3_500];
    await Promise.all(
      rounds.map(async (ms) => {
        const box = await door().createMailbox();
        const end = await door().begin("/v1/code?consume=true&timeout=55", how, { key: box.api_key });
        await pause(700 + ms);
        end();
        await pause(how === "kill" ? 50 : 0);
        await door().receive(box.mailbox, "482913");
        // The answer may be on its way to the dead client for a moment.
        const route = "/v1/code?consume=true&timeout=20";
        expect(await door().json(route, { key: box.api_key })).toMatchObject({ code: "482913" });
        expect(await door().json("/v1/code?consume=true&timeout=1", { key: box.api_key })).toEqual({
          code: null,
        });
      }),
    );
  });

  it.each(HOWS)("by %s is not the first to get the code that it expects, by HTTP or MCP", async (how) => {
    const calls = [
      (id: string) => ({ route: `/v1/expect/${id}?wait=55` }),
      (id: string) => ({ route: "/mcp", ...toolCall({ expect: id }, "application/json") }),
      (id: string) => ({ route: "/mcp", ...toolCall({ expect: id }, "application/json, text/event-stream") }),
    ];
    await Promise.all(
      calls.map(async (call) => {
        const { mailbox, api_key: key } = await door().createMailbox();
        const id = await door().expectCode(key);
        const { route, ...asked } = call(id);
        const end = await door().begin(route, how, { key, ...asked });
        await pause(900);
        end();
        await pause(how === "kill" ? 50 : 0);
        await door().receive(mailbox, "482913");
        await pause(1_000);
        expect(releasedAt(door().server.dataDir, id)).toBeNull();
        const answer = await door().json<{ code: string | null }>(`/v1/expect/${id}`, { key });
        expect(answer.code).toBe("482913");
        await pause(500);
        expect(releasedAt(door().server.dataDir, id)).toEqual(expect.any(Number));
      }),
    );
  });

  it.each(HOWS)("by %s ends every kind of wait within seconds", async (how) => {
    const { api_key: key } = await door().createMailbox();
    const id = await door().expectCode(key);
    const mail = JSON.stringify({ to: "ann@elsewhere.example", subject: "Hello", text: "Hello" });
    const calls: [string, Asked][] = [
      ["/v1/code?timeout=55", {}],
      ["/v1/changes?after=0&types=message.received&wait=25", {}],
      [`/v1/expect/${id}?wait=55`, {}],
      ["/v1/events", {}],
      ["/v1/send?wait=30", { method: "POST", body: mail, headers: JSON_TYPE }],
      ["/mcp", toolCall({ timeout_seconds: 60 }, "application/json")],
      ["/mcp", toolCall({ timeout_seconds: 60 }, "application/json, text/event-stream")],
    ];
    const ends = await Promise.all(
      calls.map(([route, asked]) => door().begin(route, how, { ...asked, key })),
    );
    expect(await door().untilWaiting(calls.length, 15_000)).toBe(calls.length);
    for (const end of ends) end();
    expect(await door().untilWaiting(0, NOTICED_MS)).toBe(0);
  });

  it("six hundred times leaves room for as many more, and no descriptor", async () => {
    const box = await door().createMailbox();
    const pid = await door().server.workerdPid();
    const open = (): number => readdirSync(`/proc/${pid}/fd`).length;
    const before = open();
    for (let round = 0; round < 2; round += 1) {
      const ends: (() => void)[] = [];
      for (let count = 0; count < 600; count += 1) {
        ends.push(await door().begin("/v1/code?consume=true&timeout=55", "FIN", { key: box.api_key }));
      }
      expect(await door().untilWaiting(600, 30_000)).toBe(600);
      for (const end of ends) end();
      expect(await door().untilWaiting(0, 2 * NOTICED_MS)).toBe(0);
    }
    await pause(500);
    expect(open() - before).toBeLessThan(50);
    const waiting = door().ask("/v1/code?timeout=20", { key: box.api_key });
    await door().untilWaiting(1, 10_000);
    await door().receive(box.mailbox, "482913");
    expect((await waiting).status).toBe(200);
  }, 120_000);
});

describe("an answer that is awaited", () => {
  const door = (): Door => doors[0] as Door;

  it("consumes no code if its client hangs up when it has read the code, but not the end", async () => {
    for (let rounds = 0, tries = 0; rounds < 5 && tries < 20; tries += 1) {
      const { mailbox, api_key: key } = await door().createMailbox();
      const wire = Wire.plain(door().port).send(
        `GET /v1/code?consume=true&timeout=55 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      await door().untilWaiting(1, 10_000);
      const received = door().receive(mailbox, "482913");
      const text = await wire.heard(/482913.*"received_at":"[^"]+Z/s);
      wire.socket.destroy();
      const agoMs = Date.now() - Date.parse(/"received_at":"([^"]+Z)/.exec(text)?.[1] ?? "");
      await received;
      // On a busy machine, the whole answer may have come before its beginning was read.
      if (agoMs > MAX_AGO_MS) continue;
      rounds += 1;
      const route = "/v1/code?consume=true&timeout=20";
      expect(await door().json(route, { key })).toMatchObject({ code: "482913" });
    }
  });

  it("is JSON with a length as long as it comes soon, also when it hands a code out", async () => {
    const box = await door().createMailbox();
    await door().receive(box.mailbox, "482913");
    for (const query of ["", "&consume=true"]) {
      const { headers, text } = await door().ask(`/v1/code?timeout=5${query}`, { key: box.api_key });
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
      expect(text).toMatch(/^\{.*"482913".*\}$/s);
    }
  });

  it("begins with blanks when it comes late, and is read by every JSON parser", async () => {
    const box = await door().createMailbox();
    const waiting = door().ask("/v1/code?consume=true&timeout=20", { key: box.api_key });
    await pause(5_000);
    await door().receive(box.mailbox, "482913");
    const { status, headers, text } = await waiting;
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(text).toMatch(/^ {2,}\{.*\}$/s);
    expect(JSON.parse(text)).toMatchObject({ code: "482913" });
  });

  it("ends as if its time was over when its key is revoked late: the next call says why", async () => {
    const box = await door().createMailbox();
    const key = box.api_key;
    const routes = ["/v1/code?timeout=50", "/v1/changes?after=0&wait=25"];
    const waiting = routes.map((route) => door().ask(route, { key }));
    await pause(5_000);
    await door().ask("/v1/mailbox/pause", { key, method: "PATCH" });
    const [code, changes] = (await Promise.all(waiting)).map(({ status, text }) => ({
      status,
      body: JSON.parse(text) as unknown,
    }));
    expect(code).toEqual({ status: 200, body: { code: null } });
    expect(changes).toEqual({ status: 200, body: { events: [], last_seq: 0, oldest_seq: 0 } });
    for (const route of routes) expect((await door().ask(route, { key })).status).toBe(403);
  });
});

/** When an expectation's code was first released, as the mailbox has stored it. */
function releasedAt(dataDir: string, id: string): number | null {
  for (const file of readdirSync(path.join(dataDir, "do"), { recursive: true, encoding: "utf8" })) {
    const whole = path.join(dataDir, "do", file);
    if (!file.endsWith(".sqlite") || !holds(whole, id)) continue;
    using db = new DatabaseSync(whole, { readOnly: true });
    const row = db.prepare("SELECT released_at FROM expectation WHERE id = ?").get(id);
    if (row !== undefined) return row["released_at"] as number | null;
  }
  throw new Error(`No mailbox has the expectation ${id}`);
}

function holds(file: string, id: string): boolean {
  return [file, `${file}-wal`].some((part) => {
    try {
      return readFileSync(part).includes(id);
    } catch {
      return false;
    }
  });
}
