import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MailboxKey } from "../../served/client.ts";
import { Server } from "../../served/server.ts";
import { sendMail } from "../../served/smtp.ts";
import { linesOf, Program } from "../program.ts";

let server: Server;
let program: Program;
let box: MailboxKey;

beforeAll(async () => {
  server = await Server.start();
  [program, box] = await Promise.all([
    Program.build({ MAILKEEP_URL: server.url }),
    server.service.createMailbox(),
  ]);
}, 180_000);

afterAll(async () => {
  await server.stop();
  await program.remove();
});

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** A host that started `mailkeep mcp`. */
class Host {
  readonly #child: ChildProcess;
  #printed = "";
  #id = 0;

  constructor(key = box.api_key) {
    this.#child = program.start(["mcp"], { env: { MAILKEEP_KEY: key } });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => void (this.#printed += text));
  }

  /** Every message so far. */
  get heard(): Message[] {
    return linesOf<Message>(this.#printed.slice(0, this.#printed.lastIndexOf("\n") + 1));
  }

  notify(method: string, params: object = {}): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Sends a request and returns its id. */
  send(method: string, params: object = {}): number {
    this.#id += 1;
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`);
    return this.#id;
  }

  answer(id: number): Message | undefined {
    return this.heard.find((message) => message.id === id);
  }

  /** Ends the conversation; resolves to the exit code. */
  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => void this.#child.once("close", resolve));
    this.#child.stdin?.end();
    return ended;
  }
}

const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

it("lets a host of 2025 shake hands, list the tools and wait for a code", async () => {
  const host = new Host();
  const clientInfo = { name: "test", version: "1" };
  const hello = host.send("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await expect.poll(() => host.answer(hello)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  host.notify("notifications/initialized");
  const list = host.send("tools/list");
  await expect.poll(() => host.answer(list)).toBeDefined();
  const tools = host.answer(list)?.result?.["tools"] as { name: string }[];
  expect(tools.map(({ name }) => name)).toContain("wait_for_code");
  const waiting = host.send("tools/call", { name: "wait_for_code", arguments: { timeout_seconds: 60 } });
  const mail = { from: "login@shop.example", to: box.mailbox, subject: "Code" };
  await sendMail(server.smtpPort, { ...mail, text: "Your verification code is 482913." });
  await expect.poll(() => host.answer(waiting)).toBeDefined();
  expect(host.answer(waiting)).toMatchObject({ result: { structuredContent: { code: "482913" } } });
  expect(await host.end()).toBe(0);
});

it("passes on messages of 2026, and waits for every answer before it ends", async () => {
  const host = new Host();
  const [discover, list] = [host.send("server/discover", MODERN), host.send("tools/list", MODERN)];
  const status = host.send("tools/call", { name: "mailbox_status", arguments: {}, ...MODERN });
  expect(await host.end()).toBe(0);
  expect(host.answer(discover)).toMatchObject({ result: expect.any(Object) });
  expect(host.answer(list)).toMatchObject({ result: { tools: expect.any(Array) } });
  expect(host.answer(status)).toMatchObject({ result: { structuredContent: { mailbox: box.mailbox } } });
});

it("ends the wait of a cancelled call, which gets no answer", async () => {
  const host = new Host();
  const call = { name: "wait_for_mail", arguments: { subject: "never", timeout_seconds: 300 }, ...MODERN };
  const waiting = host.send("tools/call", call);
  const status = host.send("tools/call", { name: "mailbox_status", arguments: {}, ...MODERN });
  await expect.poll(() => host.answer(status)).toBeDefined();
  host.notify("notifications/cancelled", { requestId: waiting, ...MODERN });
  // It would last for five minutes.
  expect(await host.end()).toBe(0);
  expect(host.answer(waiting)).toBeUndefined();
});

it("says why the deployment refuses a message of megabytes before it has read it", async () => {
  const host = new Host("mk_wrong");
  const call = { name: "send_mail", arguments: { text: "x".repeat(8_000_000) }, ...MODERN };
  const sent = [host.send("tools/call", call), host.send("tools/call", call)];
  expect(await host.end()).toBe(0);
  for (const id of sent)
    expect(host.answer(id)?.error?.message).toBe(
      "Unauthorized. Next: run `mailkeep signup`, or set MAILKEEP_KEY",
    );
});

it("refuses to start without a key, and names the command that gets one", async () => {
  const ended = await program.run(["mcp"]);
  expect(ended).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("mailkeep signup") });
});
