import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EmailPage } from "../../src/contract/message.ts";
import type { Stats } from "../../src/contract/mailbox.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";

/** The vocabulary of the test's model: words of one line have the same meaning. */
const MEANINGS = [
  ["invoice", "bill", "payment"],
  ["flight", "plane", "boarding"],
];

/** How the model behaves from now on. */
const model = { status: 200, hangs: false, dimensions: MEANINGS.length + 1, asked: 0 };
let endpoint: HttpServer;
let server: Server;
let box: MailboxKey;

function vectorOf(text: string): number[] {
  const near = MEANINGS.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length);
  return [...near, 0.1, 0, 0, 0].slice(0, model.dimensions);
}

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      model.asked += 1;
      if (model.hangs) return;
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.writeHead(model.status, { "Content-Type": "application/json" }).end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const { port } = endpoint.address() as AddressInfo;
  server = await Server.start({
    env: { EMBEDDINGS_URL: `http://127.0.0.1:${port}/v1`, EMBEDDINGS_MODEL: "tiny" },
  });
  box = await server.service.createMailbox();
}, 120_000);

afterAll(async () => {
  await server.stop();
  endpoint.closeAllConnections();
  endpoint.close();
});

const search = (query: string) =>
  server.service.get<EmailPage>(`/v1/search?mode=semantic&q=${encodeURIComponent(query)}`, box.api_key);

const progress = async () => (await server.service.get<Stats>("/v1/stats", box.api_key)).embeddings;

async function receive(subject: string): Promise<void> {
  const { status } = await server.service.handOver(box.mailbox, message({ subject }));
  expect(status).toBe(202);
}

describe("a model on this machine", () => {
  it("embeds mail that arrives, and finds it by its meaning", async () => {
    await receive("Your invoice for May");
    await receive("Boarding at nine");
    await expect.poll(async () => (await progress())?.pending, { timeout: 20_000 }).toBe(0);
    const { emails, search_mode } = await search("plane");
    expect([search_mode, emails[0]?.subject]).toEqual(["semantic", "Boarding at nine"]);
  });

  it("needs to embed nothing again after the server was killed", async () => {
    await server.killWorkerd();
    await server.answers();
    expect((await search("bill")).emails[0]?.subject).toBe("Your invoice for May");
    expect(await progress()).toMatchObject({ embedded: 2, pending: 0 });
  });

  it.each([
    ["fails", { status: 500 }],
    ["answers with the wrong dimension", { dimensions: 2 }],
    ["hangs", { hangs: true }],
  ])("that %s delays no receipt, and words answer", async (what, behaviour) => {
    Object.assign(model, behaviour);
    await receive(`Payment due (${what})`);
    // Each case uses other words, because vectors of known texts are cached.
    const { search_mode, hint, emails } = await search(`payment "${what}"`);
    expect([search_mode, hint]).toEqual([
      "keyword",
      "The embedding model does not answer, so results come from keywords",
    ]);
    expect(emails.map(({ subject }) => subject)).toEqual([`Payment due (${what})`]);
    Object.assign(model, { status: 200, hangs: false, dimensions: MEANINGS.length + 1 });
  });
});
