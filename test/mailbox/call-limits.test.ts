import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import {
  advance,
  ask,
  createMailbox,
  OPERATOR,
  resetClock,
  setClock,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

afterEach(resetClock);

/** A mailbox with its own limits, in a new environment, because the configuration is read once for each. */
async function limited(limits: Record<string, string>): Promise<TestMailbox> {
  const box = await createMailbox();
  await setVariables(box.mailbox, limits);
  return box;
}

const statuses = async (paths: string[], key: string) => {
  const found: number[] = [];
  for (const path of paths) found.push((await ask(path, { key })).status);
  return found;
};

it("limits the calls a minute of a mailbox's keys, and says when to try again", async () => {
  setClock(Date.now());
  const box = await limited({ REQUEST_LIMIT: "3" });
  expect(await statuses(["/v1/me", "/v1/inbox", "/v1/stats"], box.api_key)).toEqual([200, 200, 200]);
  const refused = await ask("/v1/me", { key: box.api_key });
  expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited", retryable: true } });
  expect(refused.headers.get("Retry-After")).toBe("20");
  expect(refused.headers.get("RateLimit-Policy")).toBe('"requests";q=3;w=60');
  advance(20_000);
  expect(await statuses(["/v1/me", "/v1/me"], box.api_key)).toEqual([200, 429]);
});

it("counts a call once, however long it waits, and also counts invalid calls", async () => {
  const box = await limited({ REQUEST_LIMIT: "3" });
  const paths = ["/v1/code?timeout=1", "/v1/inbox?limit=0", "/v1/changes?wait=1", "/v1/me"];
  expect(await statuses(paths, box.api_key)).toEqual([200, 400, 200, 429]);
});

it.each([
  ["small", 100],
  ["large", 200_000],
])("counts a send with ten %s files once, with a key and without", async (_, bytes) => {
  const box = await limited({ REQUEST_LIMIT: "2" });
  const content = Buffer.alloc(bytes).toString("base64");
  const attachments = Array.from({ length: 10 }, (_file, index) => ({ filename: `${index}`, content }));
  const json = { to: box.mailbox, subject: "Files", text: "Here they are.", attachments };
  const sent = await ask("/v1/send", { key: box.api_key, json });
  const keyed = await ask("/v1/send", { key: box.api_key, json, headers: { "Idempotency-Key": "a-key" } });
  expect([sent.status, keyed.status]).toEqual([200, 200]);
  expect(await statuses(["/v1/me"], box.api_key)).toEqual([429]);
});

it("does not limit other mailboxes' keys, nor the operator", async () => {
  const box = await limited({ REQUEST_LIMIT: "1" });
  const other = await createMailbox();
  expect(await statuses(["/v1/me", "/v1/me"], box.api_key)).toEqual([200, 429]);
  expect(await statuses(["/v1/me"], other.api_key)).toEqual([200]);
  const path = `/v1/me?mailbox=${box.mailbox}`;
  expect(await statuses([path, path, path], OPERATOR)).toEqual([200, 200, 200]);
  const wrong = `${box.api_key.slice(0, -1)}${box.api_key.endsWith("0") ? "1" : "0"}`;
  expect(await statuses(["/v1/me"], wrong)).toEqual([401]);
});

it("has no limit at 0", async () => {
  const box = await limited({ REQUEST_LIMIT: "0" });
  expect(
    await statuses(
      Array.from({ length: 20 }, () => "/v1/me"),
      box.api_key,
    ),
  ).not.toContain(429);
});

it("limits searches that call the model, and no others", async () => {
  // No model is there: each search says so.
  const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => told.mockRestore());
  const model = { EMBEDDINGS_URL: "http://127.0.0.1:9/v1", EMBEDDINGS_MODEL: "none" };
  const box = await limited({ ...model, MODEL_SEARCH_LIMIT: "1" });
  const paths = ["/v1/search?q=a+word", "/v1/search?q=a+word", "/v1/search?q=a+word&mode=keyword"];
  expect(await statuses(paths, box.api_key)).toEqual([200, 429, 200]);
});
