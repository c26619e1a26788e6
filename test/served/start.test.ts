import { execFile } from "node:child_process";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Server as NetServer } from "node:net";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { UNAUTHORIZED, problemBody } from "../../src/contract/problem.ts";
import { routes } from "../../src/contract/routes.ts";
import { Service } from "./client.ts";
import { message } from "./messages.ts";
import { ServeProcess, Server, isRunning, makeDataDir, readSecrets, removeDataDir } from "./server.ts";
import type { Exit, ServerOptions } from "./server.ts";
import { SmtpConnection, deliver } from "./smtp.ts";

const CLEAN: Exit = { code: 0, signal: null };
const REFUSED: Exit = { code: 1, signal: null };
/** Lines of a small terminal. */
const SCREEN_LINES = 24;

let dataDir: string;

beforeEach(async () => {
  dataDir = await makeDataDir();
});

afterEach(() => removeDataDir(dataDir));

/** Starts a server that is ended after the test, even if the test fails. */
async function start(options: ServerOptions): Promise<Server> {
  const server = await Server.start(options);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

/** The status of a call that every key is allowed to make. */
async function statusFor(server: Server, key: string): Promise<number> {
  return (await server.service.call("/v1/me", { key })).status;
}

/** Starts a server that is expected to refuse, and returns its output. */
async function refusal(options: ServerOptions): Promise<{ exit: Exit; lines: string[]; stdout: string }> {
  const refusing = new ServeProcess({ dataDir, ...options });
  const exit = await refusing.exited;
  return { exit, lines: refusing.stderr.split("\n").filter((line) => line !== ""), stdout: refusing.stdout };
}

function listen(port = 0): Promise<NetServer> {
  return new Promise((resolve) => {
    const taken = createServer().listen(port, "127.0.0.1", () => resolve(taken));
  });
}

const portOf = (taken: NetServer): string => String((taken.address() as AddressInfo).port);

const close = (taken: NetServer): Promise<void> =>
  new Promise((resolve) => void taken.close(() => resolve()));

describe("the first start", () => {
  it("creates secrets that only the owner can read, and later starts use them again", async () => {
    const first = await start({ dataDir });
    const box = await first.service.createMailbox();
    const bytes = message({ subject: "Before" });
    await deliver(first.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes });
    const before = await first.service.inbox(box.api_key);
    const secrets = await readSecrets(dataDir);
    expect((await stat(path.join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(secrets.auth_token.length).toBeGreaterThanOrEqual(32);
    expect(secrets.webhook_secret).toMatch(/^whsec_/);
    expect((await first.service.ask("/v1/me", { key: secrets.auth_token })).body.scope).toBe("operator");
    expect(await first.stop()).toEqual(CLEAN);

    const second = await start({ dataDir });
    expect(await readSecrets(dataDir)).toEqual(secrets);
    expect(await statusFor(second, secrets.auth_token)).toBe(200);
    expect(await second.service.inbox(box.api_key)).toEqual(before);
    expect((await second.service.raw(box.api_key, before[0]?.id ?? "")).equals(bytes)).toBe(true);
    const more = { from: "a@b.example", to: [box.mailbox], bytes: message({ subject: "After" }) };
    expect((await deliver(second.smtpPort, more)).data).toMatch(/^250 /);
    expect((await second.service.inbox(box.api_key)).map((one) => one.subject)).toEqual(["After", "Before"]);
    expect(await second.stop()).toEqual(CLEAN);
  });

  it("prefers AUTH_TOKEN of the environment, and never stores it", async () => {
    const own = "operator-token-of-the-environment-0123456789";
    const server = await start({ dataDir, env: { AUTH_TOKEN: own } });
    const kept = await readSecrets(dataDir);
    expect(await statusFor(server, own)).toBe(200);
    expect(await statusFor(server, kept.auth_token)).toBe(401);
    const box = await server.service.createMailbox();
    const replies = await deliver(server.smtpPort, {
      from: "a@b.example",
      to: [box.mailbox],
      bytes: message(),
    });
    expect(replies.data).toMatch(/^250 /);
    expect(await server.stop()).toEqual(CLEAN);
    expect(await filesHolding(own)).toEqual([]);
  });
});

/** Files of the data folder that contain a text. */
async function filesHolding(text: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return files.filter((_, index) => contents[index]?.includes(text));
}

it("reads the settings of --env-file, which win over the environment, and refuses a file that is missing", async () => {
  const file = path.join(dataDir, "..", `${path.basename(dataDir)}.env`);
  await writeFile(file, "# a comment\nMAIL_DOMAIN='file.example'\nBAD_KEY_LIMIT=7\n");
  onTestFinished(() => rm(file));
  const server = await start({ args: ["--env-file", file], env: { MAIL_DOMAIN: "environment.example" } });
  const { mailbox } = await server.service.createMailbox();
  expect(mailbox).toMatch(/@file\.example$/);
  const { exit, lines } = await refusal({ args: ["--env-file", `${file}.missing`] });
  expect(exit).toEqual(REFUSED);
  expect(lines).toEqual([`--env-file ${file}.missing: there is no such file`]);
});

describe("a start that is refused", () => {
  it("with an AUTH_TOKEN that is too short is one line that does not show it, and exit code 1", async () => {
    const { exit, lines, stdout } = await refusal({ env: { AUTH_TOKEN: "tooshort-secret" } });
    expect(exit).toEqual(REFUSED);
    expect(lines).toEqual([expect.stringMatching(/^AUTH_TOKEN must have at least 32 characters/)]);
    expect(lines.join() + stdout).not.toContain("tooshort-secret");
  });

  it("with several wrong settings names each in a line, and does not touch the data folder", async () => {
    const missing = path.join(dataDir, "not-made");
    const { exit, lines, stdout } = await refusal({
      dataDir: missing,
      env: { CLAIM_TTL_SECONDS: "5", ALLOW_HTTP: "perhaps", CLAIM_TTL_SECOND: "60" },
    });
    expect(exit).toEqual(REFUSED);
    expect(lines).toEqual([
      "Warning: CLAIM_TTL_SECOND is not a setting and has no effect: did you mean CLAIM_TTL_SECONDS?",
      expect.stringMatching(/^ALLOW_HTTP must be true or false .*, not "perhaps"\./),
      'CLAIM_TTL_SECONDS must be a whole number from 30 to 3600, not "5". Change it, or remove it to use 600',
    ]);
    expect(stdout).toBe("");
    await expect(stat(missing)).rejects.toThrow("ENOENT");
  });

  it.each(["HTTP", "SMTP"] as const)(
    "because the %s port is busy is one line and exit code 1",
    async (protocol) => {
      const taken = await listen();
      const port = portOf(taken);
      const variable = protocol === "HTTP" ? "PORT" : "SMTP_PORT";
      const { exit, lines, stdout } = await refusal({ env: { [variable]: port } });
      await close(taken);
      expect(exit).toEqual(REFUSED);
      expect(lines).toEqual([
        `${protocol} port ${port} on 127.0.0.1 is busy: stop the program that listens there, or set ${variable} to another port, such as ${variable}=${Number(port) + 1}`,
      ]);
      expect(stdout).toBe("");
    },
  );

  it("because another server uses the data folder is one line, and the other server continues", async () => {
    const server = await start({ dataDir });
    const { exit, lines } = await refusal({});
    expect(exit).toEqual(REFUSED);
    expect(lines).toEqual([expect.stringContaining(`(pid ${server.process.child.pid}) uses ${dataDir}`)]);
    expect((await server.service.call("/health")).status).toBe(200);
    expect(await server.stop()).toEqual(CLEAN);
  });
});

describe("the end", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s is clean, with clients still connected", async (signal) => {
    const server = await start({ dataDir });
    const workerd = await server.workerdPid();
    const idle = await SmtpConnection.open(server.smtpPort);
    const box = await server.service.createMailbox();
    const waiting = server.service.code(box.api_key);
    // The call has reached the mailbox when a later one is answered.
    await server.service.inbox(box.api_key);
    expect(await server.stop(signal)).toEqual(CLEAN);
    expect(await waiting).toEqual({ code: null });
    await idle.closed();
    expect(() => process.kill(workerd, 0)).toThrow("ESRCH");
    expect(server.process.stderr).toBe("Stopping (again to force)\n");
    // Both ports are free again.
    for (const port of [Number(new URL(server.url).port), server.smtpPort]) await close(await listen(port));
  });

  it("of a killed server leaves nothing behind that prevents the next start", async () => {
    const killed = await start({ dataDir });
    const box = await killed.service.createMailbox();
    await deliver(killed.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes: message() });
    const orphan = await killed.abandon();
    expect(isRunning(orphan)).toBe(true);
    const next = await start({ dataDir });
    expect(isRunning(orphan)).toBe(false);
    expect(await next.service.inbox(box.api_key)).toHaveLength(1);
    expect(await next.stop()).toEqual(CLEAN);
  });
});

describe("the screen of npm start", () => {
  it("shows the addresses and the file of the key, and its three commands work when pasted", async () => {
    const { process: started } = await ServeProcess.launch({ dataDir, throughRunner: true }, /\/llms\.txt\n/);
    onTestFinished(async () => void (await started.end("SIGTERM")));
    const screen = started.stdout;
    expect(screen.trim().split("\n").length).toBeLessThanOrEqual(SCREEN_LINES);
    expect(screen).toMatch(/^ +HTTP +http:\/\/127\.0\.0\.1:\d+$/m);
    expect(screen).toMatch(/^ +SMTP +127\.0\.0\.1:\d+$/m);
    expect(screen).toContain(path.join(dataDir, "secrets.json"));
    expect(screen).not.toContain((await readSecrets(dataDir)).auth_token);

    const [, invited = ""] = screen.split(/Try it[^\n]*\n/);
    const [pasted = "", doors = ""] = invited.split("\n\n");
    expect(doors).toContain(`${/HTTP +(\S+)/.exec(screen)?.[1]}/mcp`);
    const commands = pasted.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(commands).toHaveLength(3);
    const printed = await bash(pasted);
    expect(printed).toMatch(/^\S+@mailkeep\.test\n/);
    expect(JSON.parse(printed.slice(printed.indexOf("{")))).toMatchObject({
      code: "482913",
      from: "shop@example.com",
    });
    expect(await started.end("SIGINT")).toEqual(CLEAN);
  });
});

/** The output of commands that run in one shell. */
function bash(commands: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("bash", ["-c", commands], (error, stdout, stderr) => {
      if (error) reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
}

describe("what needs no key", () => {
  let server: Server;

  beforeAll(async () => {
    server = await Server.start();
  }, 180_000);

  afterAll(() => server.stop());

  it("is /health", async () => {
    const health = await server.service.ask("/health");
    expect(health).toMatchObject({ status: 200, body: { status: "ok", worker: "mailkeep" } });
    expect(health.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(health.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is a reference page that loads nothing from elsewhere", async () => {
    const page = await server.service.call("/docs");
    const html = page.bytes.toString("utf8");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none';/);
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = ""]) => url);
    expect(links.filter((url) => !/^(?:#|\/(?!\/))/.test(url))).toEqual([]);
    const assets = links.filter((url) => url.startsWith("/assets/"));
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) {
      const file = await server.service.call(asset, { headers: { "Accept-Encoding": "gzip" } });
      expect([asset, file.status]).toEqual([asset, 200]);
      expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(file.headers["content-encoding"]).toBe("gzip");
      const text = gunzipSync(file.bytes).toString("utf8");
      expect(text.length).toBeGreaterThan(50);
      // Style sheets must not load anything either; the policy above forbids the rest.
      expect(text).not.toMatch(/@import ["'u]|url\(["']?(?:https?:)?\/\//);
    }
    expect((await server.service.call("/docs/none.js")).status).toBe(404);
  });

  it("is a description of every route, each with its operationId, and of no other", async () => {
    const { status, body } = await server.service.ask<OpenApi>("/openapi.json");
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.servers).toEqual([{ url: server.url }]);
    const described = Object.entries(body.paths).flatMap(([at, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${at}`),
    );
    const served = Object.entries(routes).map(
      ([id, route]) => `${id} ${route.method} ${route.path.replace(/:(\w+)/g, "{$1}")}`,
    );
    expect(described.toSorted()).toEqual(served.toSorted());
    for (const [at, item] of Object.entries(body.paths)) {
      for (const operation of Object.values(item)) expectWellFormed(at, operation);
    }
    const names = new Set(Object.keys(body.components.schemas));
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = ""]) => to);
    for (const to of references) expect(names).toContain(to.replace("#/components/schemas/", ""));
  });

  it("is nothing else: every other described operation answers 401", async () => {
    const { body } = await server.service.ask<OpenApi>("/openapi.json");
    for (const [at, item] of Object.entries(body.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (operation.security.length === 0) continue;
        const answer = await server.service.ask(at.replace(/\{\w+\}/g, "x"), {
          method: method.toUpperCase(),
        });
        expect([operation.operationId, answer.status, answer.body]).toEqual([
          operation.operationId,
          401,
          problemBody(UNAUTHORIZED),
        ]);
        expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
      }
    }
  });

  it("is refused over plain http for any host name but this machine's", async () => {
    const foreign = await server.service.ask("/health", { headers: { Host: "mail.example.com" } });
    expect([foreign.status, foreign.body.code]).toEqual([403, "https_required"]);
    expect((await server.service.call("/health", { headers: { Host: "localhost" } })).status).toBe(200);
  });

  it("is refused for an invalid host name, without a server error", async () => {
    const before = server.process.stderr;
    for (const host of ["/", "//mail.example.com", "\\mail.example.com", "127.0.0.1:99999", "[::1", "a b"]) {
      const { status, body } = await server.service.ask("/health", { headers: { Host: host } });
      expect([host, status, body.code]).toEqual([host, 400, "invalid"]);
      expect(body.error).toMatch(/^Host: /);
    }
    expect(server.process.stderr).toBe(before);
  });
});

interface Operation {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: "path" | "query"; required: boolean; schema: object }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/** Expects the members that a client generator needs (OpenAPI 3.1 §4.8.10). */
function expectWellFormed(at: string, operation: Operation): void {
  const inPath = operation.parameters.filter((one) => one.in === "path");
  const templated = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  expect(inPath.map((one) => one.name)).toEqual(templated);
  expect(inPath.every((one) => one.required)).toBe(true);
  for (const parameter of operation.parameters) {
    expect(parameter.in).toMatch(/^(path|query|header)$/);
    expect(Object.keys(parameter.schema)).not.toEqual([]);
  }
  expect(Object.keys(operation.responses).some((status) => /^2\d\d$/.test(status))).toBe(true);
  for (const response of Object.values(operation.responses)) {
    expect(response.description).not.toBe("");
    for (const { schema } of Object.values(response.content ?? {}))
      expect(Object.keys(schema)).not.toEqual([]);
  }
}

describe("a server behind a TLS proxy", () => {
  it("accepts plain http under every name with ALLOW_HTTP", async () => {
    const server = await start({ dataDir, env: { ALLOW_HTTP: "1" } });
    const named = new Service(server.url, server.token);
    const answer = await named.call("/v1/me", { key: server.token, headers: { Host: "mail.example.com" } });
    expect(answer.status).toBe(200);
    named.close();
    expect(await server.stop()).toEqual(CLEAN);
  });
});
