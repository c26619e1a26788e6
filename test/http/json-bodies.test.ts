import { beforeAll, describe, expect, it } from "vitest";
import { problemBody } from "../../src/contract/problem.ts";
import { NOT_JSON } from "../../src/http/request-input.ts";
import { api, ask, createMailbox, deliver, OPERATOR, plainMessage, type TestMailbox } from "../harness.ts";

interface Refusal {
  error: string;
  code: string;
  details?: { path: string; message: string }[];
}

let box: TestMailbox;
let email: string;

beforeAll(async () => {
  box = await createMailbox();
  email = (await deliver(box.mailbox, plainMessage())).body.id;
});

const JSON_TYPE = { "Content-Type": "application/json" };
const patch = (body: BodyInit, headers: Record<string, string> = JSON_TYPE) =>
  ask<Refusal>("/v1/mailbox", { key: box.api_key, method: "PATCH", body, headers });

describe("a route that needs no body", () => {
  it.each([
    ["PATCH", "/v1/mailbox/resume"],
    ["PATCH", "/v1/mailbox"],
    ["PATCH", "/v1/emails/EMAIL"],
    ["POST", "/v1/keys"],
  ])("takes none, without a Content-Type: %s %s", async (method, path) => {
    const response = await api(path.replace("EMAIL", email), { key: box.api_key, method });
    expect(response.status).toBeLessThan(300);
  });

  it("accepts an empty body of any type, and an empty object", async () => {
    expect((await patch("", { "Content-Type": "text/plain" })).status).toBe(200);
    expect((await patch("{}")).status).toBe(200);
  });
});

describe("a JSON body", () => {
  it.each(["{", "nonsense", "{'a':1}", '{"a":1,}', "{}{}", "\u0000", '{"display_name":"\u0001"}'])(
    "that is malformed is refused without being said back: %j",
    async (body) => {
      const { status, body: refusal } = await patch(body);
      expect(status).toBe(400);
      expect(refusal).toEqual(problemBody(NOT_JSON));
    },
  );

  it("is never repeated in the answer, because it may contain a secret", async () => {
    const { body } = await patch('{"display_name": "hunter2-secret" "x"');
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("may begin with a BOM", async () => {
    const { status, body } = await patch('\ufeff{"display_name":"With BOM"}');
    expect(status).toBe(200);
    expect(body).toMatchObject({ display_name: "With BOM" });
  });

  it("that is not UTF-8 is refused", async () => {
    for (const bytes of [
      [0xff, 0xfe],
      [0x22, 0xc3, 0x28, 0x22],
      [0xed, 0xa0, 0x80],
      [0xc0, 0xaf],
    ]) {
      const head = new TextEncoder().encode('{"display_name":"');
      const body = new Uint8Array([...head, ...bytes, 0x22, 0x7d]);
      expect((await patch(body)).status).toBe(400);
    }
  });

  it.each([100_000, 10_000, 2_000])("nested %i deep is refused", async (depth) => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const inner = open === "[" ? "" : "1";
      const body = open.repeat(depth) + inner + close.repeat(depth);
      const { status } = await patch(body);
      expect([400, 413]).toContain(status);
    }
  });

  it("is read up to 262,144 bytes and not one more", async () => {
    const padded = (bytes: number) => `{"display_name":"x"${" ".repeat(bytes - 20)}}`;
    expect(padded(262_144).length - 1).toBe(262_143);
    const fits = `{"display_name":"x"}${" ".repeat(262_144 - 20)}`;
    expect(fits.length).toBe(262_144);
    expect((await patch(fits)).status).toBe(200);
    const over = await patch(`${fits} `);
    expect(over.status).toBe(413);
    expect(over.body).toMatchObject({ code: "too_large" });
    expect(over.body.error).toContain("262144");
  });

  it("is refused by its announced length without being read", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error("The body was read");
      },
    });
    const headers = { ...JSON_TYPE, "Content-Length": "200000000" };
    const { status } = await patch(body, headers);
    expect(status).toBe(413);
  });

  it("without a length is read up to the limit", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await patch(body)).status).toBe(413);
    expect(sent).toBeLessThan(1_000_000);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "json"])(
    "of another type is 415: %j",
    async (type) => {
      const { status, body } = await patch('{"display_name":"x"}', { "Content-Type": type });
      expect(status).toBe(415);
      expect(body).toMatchObject({ code: "unsupported_media_type" });
    },
  );

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/merge-patch+json",
  ])("is taken as %s", async (type) => {
    expect((await patch('{"display_name":"x"}', { "Content-Type": type })).status).toBe(200);
  });

  it("that is compressed is 415", async () => {
    const gzip = new Blob(['{"display_name":"x"}']).stream().pipeThrough(new CompressionStream("gzip"));
    const body = await new Response(gzip).arrayBuffer();
    const { status } = await patch(body, { ...JSON_TYPE, "Content-Encoding": "gzip" });
    expect(status).toBe(415);
  });

  it.each(["[]", "null", "1", '"text"', "true"])("that is no object is refused: %s", async (text) => {
    const { status, body } = await patch(text);
    expect([status, body.error]).toEqual([400, "Request body must be a JSON object"]);
  });

  it.each<[string, string, unknown, string]>([
    [
      "POST",
      "/v1/extract",
      { email_id: "x", type: "poem" },
      "type: must be one of order, shipping, calendar, receipt, code",
    ],
    [
      "POST",
      "/v1/extract",
      { email_id: "x" },
      "type: must be one of order, shipping, calendar, receipt, code",
    ],
    ["POST", "/v1/extract", { type: "order" }, "email_id: is required"],
    ["POST", "/v1/extract", { type: "order", email_id: 5 }, "email_id: must be a string"],
    ["PATCH", "/v1/mailbox", { display_name: {} }, "display_name: must be a string"],
    ["PATCH", "/v1/emails/x", { add_labels: "a" }, "add_labels: must be an array"],
    ["PATCH", "/v1/emails/x", { add_labels: ["a", null] }, "add_labels.1: must be a string"],
    ["POST", "/v1/webhook/replay", { from_seq: "1" }, "from_seq: must be a whole number"],
    ["POST", "/v1/claim/start", { name: "a-name", keep_mail: "yes" }, "keep_mail: must be true or false"],
  ])("with a wrong field is refused by its name and rule: %s %s %j", async (method, path, json, error) => {
    const { status, body } = await ask<Refusal>(path, { key: box.api_key, method, json });
    expect([status, body.error]).toEqual([400, error]);
  });

  it("with an unknown member is read without it, and the answer names that member", async () => {
    const { status, headers } = await patch('{"display_nam":"x"}');
    expect([status, headers.get("Mailkeep-Ignored")]).toEqual([200, "display_nam"]);
  });

  it("with __proto__ or constructor does not change any prototype", async () => {
    for (const body of [
      '{"__proto__":{"display_name":"polluted"}}',
      '{"constructor":{"prototype":{"display_name":"polluted"}}}',
    ]) {
      await patch(body);
      expect(({} as Record<string, unknown>)["display_name"]).toBeUndefined();
      const { body: info } = await ask("/v1/mailbox", { key: box.api_key });
      expect(info).not.toMatchObject({ display_name: "polluted" });
    }
  });

  it("with the same key twice takes the last, as JSON.parse does", async () => {
    const { body } = await patch('{"display_name":"first","display_name":"last"}');
    expect(body).toMatchObject({ display_name: "last" });
  });

  it("gets an error that names every field of a wrong type", async () => {
    const { status, body } = await ask<Refusal>("/v1/mailboxes", {
      key: OPERATOR,
      json: { name: 1, kind: "eternal" },
    });
    expect(status).toBe(400);
    expect(body.details?.map((detail) => detail.path).toSorted()).toEqual(["kind", "name"]);
    expect(body.error).toMatch(/^(name|kind): /);
  });
});

describe("settings", () => {
  it("keep a display name of 200 characters, and refuse 201 or a control character", async () => {
    const name = "é".repeat(200);
    expect((await patch(JSON.stringify({ display_name: name }))).body).toMatchObject({ display_name: name });
    expect((await patch(JSON.stringify({ display_name: `${name}x` }))).status).toBe(400);
    expect((await patch(JSON.stringify({ display_name: "a\r\nb" }))).status).toBe(400);
    expect((await patch(JSON.stringify({ display_name: 7 }))).status).toBe(400);
  });

  it("are cleared by null and by the empty text, and unchanged if not given", async () => {
    for (const cleared of [null, ""]) {
      await patch('{"display_name":"Agent"}');
      expect((await patch("{}")).body).toMatchObject({ display_name: "Agent" });
      expect((await patch(JSON.stringify({ display_name: cleared }))).body).toMatchObject({
        display_name: null,
      });
    }
  });

  it("show the whole shape of the mailbox", async () => {
    const { body } = await ask("/v1/mailbox", { key: box.api_key });
    expect(body).toEqual({
      mailbox: box.mailbox,
      address: box.mailbox,
      status: "active",
      webhook_url: null,
      webhook_status: null,
      webhook_recovery: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      expires_at: null,
      display_name: null,
      full: false,
    });
  });
});
