import { beforeAll, describe, expect, it } from "vitest";
import {
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  inject,
  OPERATOR,
  plainMessage,
  type TestMailbox,
} from "../harness.ts";

const PAUSED = [403, '{"error":"Mailbox is paused"}'];

let box: TestMailbox;
let email: string;

beforeAll(async () => {
  box = await createMailbox();
  email = (await deliver(box.mailbox, plainMessage({ subject: "Before the pause" }))).body.id;
  await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH", json: { reason: "Holiday" } });
});

const toldOf = async (response: Response) => [response.status, await response.text()];

const EVERYTHING = [
  ["GET", "/v1/me"],
  ["GET", "/v1/inbox"],
  ["GET", "/v1/search?q=pause"],
  ["GET", "/v1/email?id=EMAIL"],
  ["GET", "/v1/emails/EMAIL"],
  ["GET", "/v1/emails/EMAIL/raw"],
  ["PATCH", "/v1/emails/EMAIL"],
  ["DELETE", "/v1/emails/EMAIL"],
  ["DELETE", "/v1/email?id=EMAIL"],
  ["GET", "/v1/attachments/EMAIL"],
  ["GET", "/v1/attachment?id=EMAIL"],
  ["POST", "/v1/attachments?filename=a.txt"],
  ["POST", "/v1/attachments"],
  ["POST", "/v1/send"],
  ["POST", "/v1/emails/EMAIL/reply"],
  ["POST", "/v1/emails/EMAIL/forward"],
  ["GET", "/v1/mailbox/seen"],
  ["PATCH", "/v1/mailbox/seen"],
  ["GET", "/v1/mailbox/rules"],
  ["PUT", "/v1/mailbox/rules"],
  ["GET", "/v1/refused"],
  ["POST", "/v1/refused/some-id/release"],
  ["DELETE", "/v1/refused/some-id"],
  ["GET", "/v1/suppressions"],
  ["DELETE", "/v1/suppressions/ann@example.net"],
  ["GET", "/v1/code?timeout=1"],
  ["GET", "/v1/threads"],
  ["GET", "/v1/threads/EMAIL"],
  ["GET", "/v1/thread?id=EMAIL"],
  ["GET", "/v1/stats"],
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
  ["DELETE", "/v1/mailbox"],
] as const;

describe("a paused mailbox", () => {
  it.each(EVERYTHING)("refuses %s %s with the exact body", async (method, path) => {
    expect(await toldOf(await api(path.replace("EMAIL", email), { key: box.api_key, method }))).toEqual(
      PAUSED,
    );
  });

  it.each(["/v1/inbox", "/v1/me", "/v1/stats", "/v1/code"])(
    "refuses the operator who names it, too: %s",
    async (path) => {
      expect(await toldOf(await api(`${path}?mailbox=${box.mailbox}`, { key: OPERATOR }))).toEqual(PAUSED);
    },
  );

  it("answers 401 and 403 for another mailbox before it answers paused, and paused before 400", async () => {
    const wrong = `${box.api_key.slice(0, 35)}${"0".repeat(32)}`;
    expect((await api("/v1/inbox", { key: wrong })).status).toBe(401);
    const foreign = await ask("/v1/inbox?mailbox=x@elsewhere.example", { key: box.api_key });
    expect(foreign.body).toMatchObject({ message: "Key not authorized for this mailbox" });
    expect(await toldOf(await api("/v1/inbox?limit=0", { key: box.api_key }))).toEqual(PAUSED);
  });

  it("still receives mail, over HTTP and by the email handler", async () => {
    expect((await deliver(box.mailbox, plainMessage())).status).toBe(202);
    expect(await inject(plainMessage(), "sender@example.com", box.mailbox)).toEqual({ rejected: null });
  });

  it("is still shown to the operator", async () => {
    const { body } = await ask(`/v1/mailboxes/${box.mailbox}`, { key: OPERATOR });
    expect(body).toMatchObject({ mailbox: box.mailbox, status: "paused" });
  });

  it("works again once its own key resumes it, with the mail that arrived meanwhile", async () => {
    const own = await createMailbox();
    const paused = await ask("/v1/mailbox/pause", { key: own.api_key, method: "PATCH" });
    expect(paused.body).toMatchObject({ mailbox: own.mailbox, status: "paused", reason: null });
    await deliver(own.mailbox, plainMessage({ subject: "Meanwhile" }));
    const resumed = await ask("/v1/mailbox/resume", { key: own.api_key, method: "PATCH" });
    expect([resumed.status, resumed.body]).toEqual([200, { mailbox: own.mailbox, status: "active" }]);
    const { body } = await ask("/v1/inbox", { key: own.api_key });
    expect(body).toMatchObject({ emails: [{ subject: "Meanwhile" }] });
  });

  it("answers the first reason and time if the operator pauses it twice", async () => {
    const own = await createMailbox();
    const path = `/v1/mailboxes/${own.mailbox}/pause`;
    const first = await ask<{ paused_at: string }>(path, {
      key: OPERATOR,
      method: "PATCH",
      json: { reason: "Abuse" },
    });
    expect(first.body).toMatchObject({ status: "paused", reason: "Abuse" });
    const second = await ask(path, { key: OPERATOR, method: "PATCH" });
    expect(second.body).toMatchObject({ reason: "Abuse", paused_at: first.body.paused_at });
  });

  it("may be temporary, and its provisional key can resume it", async () => {
    const own = await bootstrap();
    await ask(`/v1/mailboxes/${own.mailbox}/pause`, { key: OPERATOR, method: "PATCH" });
    expect(await toldOf(await api("/v1/inbox", { key: own.api_key }))).toEqual(PAUSED);
    expect((await ask("/v1/mailbox/resume", { key: own.api_key, method: "PATCH" })).status).toBe(200);
    expect((await api("/v1/inbox", { key: own.api_key })).status).toBe(200);
  });
});
