import { beforeAll, describe, expect, it } from "vitest";
import { api, ask, bootstrap, createMailbox, deliver, message, type TestMailbox } from "../harness.ts";

let temporary: TestMailbox;
let permanent: TestMailbox;
let email: string;
let attachment: string;

const WITH_FILE = message(
  ["Subject: File", "Content-Type: multipart/mixed; boundary=x"],
  '--x\nContent-Disposition: attachment; filename="a.txt"\n\nA\n--x--',
);

beforeAll(async () => {
  temporary = await bootstrap();
  permanent = await createMailbox();
  email = (await deliver(temporary.mailbox, WITH_FILE)).body.id;
  const read = await ask<{ attachments: { id: string }[] }>(`/v1/emails/${email}`, {
    key: temporary.api_key,
  });
  attachment = read.body.attachments[0]?.id ?? "";
});

const OWNERS_ONLY = [
  ["GET", "/v1/keys"],
  ["POST", "/v1/keys"],
  ["DELETE", "/v1/keys/some-id"],
  ["GET", "/v1/mailbox"],
  ["PATCH", "/v1/mailbox"],
  ["PATCH", "/v1/mailbox/pause"],
  ["GET", "/v1/mailbox/routes"],
  ["PUT", "/v1/mailbox/routes"],
  ["DELETE", "/v1/mailbox/routes?label=x"],
  ["GET", "/v1/webhook/deliveries"],
  ["POST", "/v1/webhook/deliveries/EMAIL/redeliver"],
  ["POST", "/v1/webhook/replay"],
  ["POST", "/v1/webhook/test"],
  ["PATCH", "/v1/emails/EMAIL"],
  ["DELETE", "/v1/emails/EMAIL"],
  ["DELETE", "/v1/email?id=EMAIL"],
  ["GET", "/v1/attachments/ATTACHMENT"],
  ["GET", "/v1/attachment?id=ATTACHMENT"],
  ["POST", "/v1/attachments?filename=a.txt"],
  ["POST", "/v1/attachments"],
  ["POST", "/v1/send"],
  ["POST", "/v1/emails/EMAIL/reply"],
  ["POST", "/v1/emails/EMAIL/forward"],
  ["POST", "/v1/domains"],
  ["GET", "/v1/domains"],
  ["GET", "/v1/domains/some-id"],
  ["POST", "/v1/domains/some-id/verify"],
  ["DELETE", "/v1/domains/some-id"],
  ["GET", "/v1/suppressions"],
  ["DELETE", "/v1/suppressions/ann@example.net"],
] as const;

const OPERATORS_ONLY = [
  ["POST", "/v1/mailboxes"],
  ["POST", "/v1/claim/auto"],
  ["GET", "/v1/mailboxes"],
  ["GET", "/v1/mailboxes/MAILBOX"],
  ["DELETE", "/v1/mailboxes/MAILBOX"],
  ["PATCH", "/v1/mailboxes/MAILBOX/pause"],
  ["PATCH", "/v1/mailboxes/MAILBOX/resume"],
  ["POST", "/v1/inbound?to=MAILBOX"],
  ["GET", "/metrics"],
  ["GET", "/v1/doctor"],
  ["PUT", "/v1/doctor"],
] as const;

const filled = (path: string, own: TestMailbox) =>
  path.replace("EMAIL", email).replace("ATTACHMENT", attachment).replace("MAILBOX", own.mailbox);

const isOperators = (method: string, path: string) =>
  OPERATORS_ONLY.some(([its, place]) => its === method && place === path);

describe("a provisional key", () => {
  it.each([...OWNERS_ONLY, ...OPERATORS_ONLY])(
    "may not %s %s, and the error says how to get a permanent mailbox",
    async (method, path) => {
      const refused = await ask(filled(path, temporary), { key: temporary.api_key, method });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({
        error: "forbidden",
        code: "insufficient_scope",
        message: expect.stringContaining("provisional") as string,
        upgrade: "https://api.example/claim",
        fix: expect.stringContaining(
          isOperators(method, path) ? "operator's key" : "/v1/claim/start",
        ) as string,
        retryable: false,
      });
    },
  );

  it.each([
    "me",
    "inbox",
    "search?q=file",
    "emails/EMAIL",
    "emails/EMAIL/raw",
    "code?timeout=1",
    "threads",
    "stats",
  ])("may read its own mailbox: %s", async (path) => {
    const response = await api(filled(`/v1/${path}`, temporary), { key: temporary.api_key });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it("sees attachments, and that it may not download them", async () => {
    const { body } = await ask(`/v1/emails/${email}`, { key: temporary.api_key });
    expect(body).toMatchObject({ has_attachments: true, attachments: [{ downloadable: false }] });
  });

  it("gains nothing by HEAD, by OPTIONS, or by naming another method", async () => {
    const key = temporary.api_key;
    const head = await api(`/v1/attachments/${attachment}`, { key, method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([403, ""]);
    const options = await api(`/v1/attachments/${attachment}`, { key, method: "OPTIONS" });
    expect([options.status, await options.text()]).toEqual([204, ""]);
    const overridden = await api(`/v1/emails/${email}`, {
      key,
      headers: { "X-HTTP-Method-Override": "DELETE", "X-Method-Override": "DELETE" },
    });
    expect(overridden.status).toBe(200);
    expect((await api(`/v1/emails/${email}?_method=DELETE`, { key })).status).toBe(200);
    expect((await api(`/v1/emails/${email}`, { key })).status).toBe(200);
  });

  it("may delete its own mailbox", async () => {
    const own = await bootstrap();
    const gone = await ask("/v1/mailbox", { key: own.api_key, method: "DELETE" });
    expect(gone.status).toBe(200);
    expect(gone.body).toEqual({ ok: true, deleted: own.mailbox, r2_blobs_deleted: 0 });
    expect((await api("/v1/me", { key: own.api_key })).status).toBe(401);
  });
});

describe("a mailbox key", () => {
  it.each(OPERATORS_ONLY)("may not %s %s, and gets no upgrade URL", async (method, path) => {
    const refused = await ask(filled(path, permanent), { key: permanent.api_key, method });
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: "forbidden",
      code: "insufficient_scope",
      message: expect.stringContaining("mailbox") as string,
      fix: expect.stringContaining("operator's key") as string,
      retryable: false,
    });
  });

  it("creates keys of its own scope only", async () => {
    const made = await ask<{ api_key: string }>("/v1/keys", { key: permanent.api_key, method: "POST" });
    expect(made.body).toMatchObject({ scope: "mailbox", mailbox: permanent.mailbox });
    const created = await ask("/v1/keys", { key: permanent.api_key, json: { scope: "operator" } });
    expect(created).toMatchObject({ status: 201, body: { scope: "mailbox" } });
    expect(created.headers.get("Mailkeep-Ignored")).toBe("scope");
  });
});
