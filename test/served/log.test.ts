import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filler, message } from "./messages.ts";
import { Server } from "./server.ts";

let server: Server;

beforeAll(async () => {
  server = await Server.start();
}, 180_000);
afterAll(() => server.stop());

/** Sends part of a request, or reads part of an answer, and closes; resolves when the connection is closed. */
function hangUp(path: string, options: { key: string; body?: Buffer }): Promise<void> {
  const { key, body } = options;
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}`, ...(body && { "Content-Length": 5_000_000 }) };
    const sent = request({ hostname, port, path, method: body ? "POST" : "GET", headers });
    sent.on("error", () => {});
    sent.on("close", () => resolve());
    sent.on("response", (response) => response.once("data", () => sent.destroy()));
    if (body === undefined) sent.end();
    else sent.write(body, () => void setTimeout(() => sent.destroy(), 100));
  });
}

it("contains nothing about clients that disconnect during a request or an answer", async () => {
  const { mailbox, api_key } = await server.service.createMailbox();
  const bytes = message({ body: filler(5_000_000) });
  const { body } = await server.service.handOver(mailbox, bytes);
  for (let time = 0; time < 3; time += 1) {
    await hangUp(`/v1/emails/${body.id}/raw`, { key: api_key });
    await hangUp(`/v1/inbound?to=${mailbox}`, { key: server.token, body: Buffer.alloc(100_000) });
    await hangUp("/v1/send", { key: api_key, body: Buffer.alloc(1_000, "x") });
  }
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(server.process.stderr).toBe("Stopping (again to force)\n");
});
