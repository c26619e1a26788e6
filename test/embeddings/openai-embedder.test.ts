import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAiEmbedder } from "../../src/embeddings/openai-embedder.ts";

interface Asked {
  path: string;
  authorization: string | undefined;
  body: { model: string; input: string[] };
}

let server: Server;
let asked: Asked[] = [];
/** The model's answer; undefined = it never answers. */
let answer: (input: string[]) => { status?: number; body: string } | undefined;

beforeEach(async () => {
  asked = [];
  answer = (input) => ({
    body: JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, 1] })) }),
  });
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked["body"];
      asked.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
      const told = answer(body.input);
      if (told !== undefined)
        response.writeHead(told.status ?? 200, { Location: "/elsewhere" }).end(told.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function embed(texts: readonly string[], more: { key?: string; signal?: AbortSignal } = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const embedder = new OpenAiEmbedder({ url, model: "tiny", key: more.key ?? null }, fetch);
  return embedder.embed(texts, more.signal ?? AbortSignal.timeout(20_000));
}

describe("an endpoint that is compatible with OpenAI's", () => {
  it("is asked for all texts at once, and answers a vector for each", async () => {
    expect(await embed(["a", "bcd"])).toEqual([Float32Array.of(1, 1), Float32Array.of(3, 1)]);
    expect(asked).toEqual([
      {
        path: "/v1/embeddings",
        authorization: undefined,
        body: { model: "tiny", input: ["a", "bcd"], encoding_format: "float" },
      },
    ]);
  });

  it("gets the credential if there is one", async () => {
    await embed(["a"], { key: "sk-1" });
    expect(asked[0]?.authorization).toBe("Bearer sk-1");
  });

  it("may answer in any order", async () => {
    answer = () => ({
      body: JSON.stringify({
        data: [
          { index: 1, embedding: [2] },
          { index: 0, embedding: [1] },
        ],
      }),
    });
    expect(await embed(["a", "b"])).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  });

  it.each([
    [400, true],
    [413, true],
    [422, true],
    [302, false],
    [401, false],
    [404, false],
    [429, false],
    [500, false],
  ])("that answers %d is at fault, or the texts are", async (status, isOfTexts) => {
    answer = () => ({ status, body: "no" });
    await expect(embed(["a"])).rejects.toMatchObject({ message: `The model answered ${status}`, isOfTexts });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["no JSON", "<html>"],
    ["nothing", "null"],
    ["another shape", '{"embeddings":[[1]]}'],
    ["too few", '{"data":[{"index":0,"embedding":[1]}]}'],
    ["too many", '{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}'],
    ["one twice", '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}'],
    ["an index out of range", '{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}'],
    ["no index", '{"data":[{"index":"x","embedding":[1]},{"index":1,"embedding":[1]}]}'],
    ["several lengths", '{"data":[{"embedding":[1]},{"embedding":[1,2]}]}'],
    ["empty vectors", '{"data":[{"embedding":[]},{"embedding":[]}]}'],
    ["no vectors", '{"data":[{"embedding":"x"},{"embedding":"y"}]}'],
    ["no numbers", '{"data":[{"embedding":[null,"x"]},{"embedding":[1,2]}]}'],
    ["infinity", '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}'],
    ["a vector without end", `{"data":[{"embedding":[${"1,".repeat(9_000)}1]},{"embedding":[1]}]}`],
    ["an answer without end", `{"data":"${"x".repeat(5_000_000)}"}`],
  ])("that answers with %s is refused", async (_, body) => {
    answer = () => ({ body });
    await expect(embed(["a", "b"])).rejects.toMatchObject({
      message: expect.stringMatching(/^The model answered|^The model did not/) as string,
      isOfTexts: false,
    });
  });

  it("is abandoned when its time is over", async () => {
    answer = () => undefined;
    const over = new AbortController();
    const waiting = embed(["a"], { signal: over.signal });
    await expect.poll(() => asked.length).toBe(1);
    over.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
