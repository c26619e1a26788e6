import http from "node:http";
import type { AddressInfo } from "node:net";
import { URL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { callBatch, type BatchEntry } from "../../../src/host/smtp/batch-call.ts";

const lookUp: BatchEntry = { item: { lookUp: "ann@mailkeep.test" }, bytes: null };

describe("a batch", () => {
  it("of look-ups alone that nobody answers closes its connection when they are given up", async () => {
    const asked = Promise.withResolvers<http.IncomingMessage>();
    const server = http.createServer((request) => asked.resolve(request));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const agent = new http.Agent({ keepAlive: true });
    const { port } = server.address() as AddressInfo;
    const place = { agent, url: new URL(`http://127.0.0.1:${port}/v1/inbound/batch`), token: "t" };
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answered = vi.fn<(index: number, outcomes: unknown) => void>();
    const call = callBatch(place, [lookUp], answered);
    const closed = asked.promise.then(
      (request) => new Promise((resolve) => request.socket.once("close", resolve)),
    );
    const failure = call.then(
      () => null,
      (error: unknown) => error,
    );
    await asked.promise;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await failure).toEqual(new Error("no answer in time"));
    await closed;
    expect(answered.mock.calls).toEqual([[0, null]]);
  });
});
