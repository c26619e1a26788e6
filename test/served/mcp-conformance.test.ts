import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config/env.ts";
import { problemResponse } from "../../src/http/answers.ts";
import { foreignSite } from "../../src/http/mcp/foreign-page.ts";
import { faultResponse, readMessage, toolCalled } from "../../src/http/mcp/message.ts";
import { serveMessage } from "../../src/http/mcp/protocol.ts";
import { eraOf } from "../../src/http/mcp/revision.ts";
import type { MailboxKey } from "./client.ts";
import { fixtureServer } from "./mcp-fixture.ts";
import { serveFetch, serveWithKey, type FetchServer } from "./mcp-http.ts";
import { Server } from "./server.ts";
import { sendMail } from "./smtp.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SUITE = path.join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const INSPECTOR = path.join(
  ROOT,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

/**
 * Scenarios of 2025-11-25 that no server without sessions can pass: in them the server asks the client something in the middle of
 * a call, keeps subscriptions, or gives an id of a session. The product's tools do none of this.
 */
const NEEDS_A_SESSION = [
  "server-sse-multiple-streams",
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-subscribe",
  "resources-unsubscribe",
];

let fixture: FetchServer;
let server: Server;
let box: MailboxKey;
let product: FetchServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "mailkeep-mcp-"));
  const served = fixtureServer();
  fixture = await serveFetch(async (request) => {
    const foreign = foreignSite(request, { publicUrl: null } as Config);
    if (foreign !== null) return problemResponse(foreign);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const read = await readMessage(request);
    if (!read.ok) return faultResponse(read.error);
    const era = eraOf(request, read.value);
    if (!era.ok) return faultResponse(era.error, read.value.id);
    // A client of 2025 hears notifications in a stream alone; newer ones get one when there is something to tell.
    const hears = era.value === "handshake" && toolCalled(read.value) !== null;
    const form = hears ? "stream" : "stream-when-told";
    return serveMessage(request, { message: read.value, era: era.value }, { server: served, form });
  });
  server = await Server.start();
  box = await server.service.createMailbox();
  product = await serveWithKey(server.url, box.api_key);
}, 180_000);

afterAll(async () => {
  await fixture.close();
  await product.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of Node to its end. */
function run(program: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, HOME: folder };
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const told = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => void (told.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => void (told.stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...told }));
  });
}

describe("the conformance suite", () => {
  it("passes for all that 2026-07-28 requires", async () => {
    const { code, stdout, stderr } = await run(SUITE, [
      "server",
      "--url",
      fixture.url,
      "--requirements",
      "2026-07-28",
    ]);
    expect(code, `${stdout}${stderr}`).toBe(0);
  });

  it("passes for all that 2025-11-25 requires of a server without sessions", async () => {
    const baseline = path.join(folder, "baseline.yml");
    writeFileSync(baseline, `server:\n${NEEDS_A_SESSION.map((name) => `  - ${name}\n`).join("")}`);
    const args = [
      "--url",
      fixture.url,
      "--requirements",
      "2025-11-25",
      "--expected-failures",
      baseline,
      "--timeout",
      "5000",
    ];
    const { code, stdout, stderr } = await run(SUITE, ["server", ...args]);
    expect(code, `${stdout}${stderr}`).toBe(0);
  });

  it.each([
    ["2026-07-28", "tools-list"],
    ["2026-07-28", "resources-list"],
    ["2026-07-28", "prompts-list"],
    ["2026-07-28", "sep-2164-resource-not-found"],
    ["2026-07-28", "caching"],
    ["2026-07-28", "http-header-validation"],
    ["2026-07-28", "dns-rebinding-protection"],
    ["2025-11-25", "server-initialize"],
    ["2025-11-25", "ping"],
    ["2025-11-25", "tools-list"],
    ["2025-11-25", "resources-list"],
    ["2025-11-25", "prompts-list"],
    ["2025-11-25", "dns-rebinding-protection"],
  ])(
    "passes for the product itself, where it needs no tool of its own: %s %s",
    async (revision, scenario) => {
      const args = ["--url", product.url, "--scenario", scenario, "--spec-version", revision];
      const { code, stdout, stderr } = await run(SUITE, ["server", ...args]);
      expect(code, `${stdout}${stderr}`).toBe(0);
    },
  );
});

describe("the Inspector", () => {
  const inspect = (...args: string[]) =>
    run(INSPECTOR, [
      "--cli",
      `${server.url}/mcp`,
      "--transport",
      "http",
      "--header",
      `Authorization: Bearer ${box.api_key}`,
      ...args,
    ]);

  it("lists the tools", async () => {
    const { code, stdout, stderr } = await inspect("--method", "tools/list");
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toContain("wait_for_code");
  });

  it("calls a tool, reads a resource and gets a prompt", async () => {
    const called = await inspect("--method", "tools/call", "--tool-name", "mailbox_status");
    expect(called.code, `${called.stdout}${called.stderr}`).toBe(0);
    expect(called.stdout).toContain(box.mailbox);
    const prompt = await inspect(
      "--method",
      "prompts/get",
      "--prompt-name",
      "sign_up_somewhere",
      "--prompt-args",
      "site=shop.example",
    );
    expect(prompt.stdout).toContain("Sign up at shop.example");
    const listed = await inspect("--method", "resources/list");
    expect(listed.code, `${listed.stdout}${listed.stderr}`).toBe(0);
  });
});

describe("a client whose connection breaks while it waits", () => {
  it("leaves no wait behind that would take the code of its next try", async () => {
    const own = await server.service.createMailbox();
    const headers = { Authorization: `Bearer ${own.api_key}` };
    const code = async () =>
      (await server.service.ask<{ code: string | null }>("/v1/code?timeout=1", { key: own.api_key })).body
        .code;
    const waiting = http.get(`${server.url}/v1/code?timeout=50&consume=true`, { agent: false, headers });
    const broken = once(waiting, "error");
    // The mailbox serves calls in order: when this one is over, it has the one before.
    expect(await code()).toBeNull();
    waiting.socket?.resetAndDestroy();
    await broken.catch(() => {});
    expect(await code()).toBeNull();
    await sendMail(server.smtpPort, {
      from: "login@shop.example",
      to: own.mailbox,
      subject: "Your code",
      text: "Your verification code is 482913.",
    });
    expect(await code()).toBe("482913");
  });
});
