import { beforeAll, describe, expect, it } from "vitest";
import {
  api,
  ask,
  clientAddress,
  createMailbox,
  deliver,
  OPERATOR,
  plainMessage,
  type TestMailbox,
} from "../harness.ts";

let box: TestMailbox;
let email: string;

beforeAll(async () => {
  box = await createMailbox();
  email = (await deliver(box.mailbox, plainMessage({ subject: "An invoice" }))).body.id;
});

const ignoredBy = async (path: string, json?: unknown, more: object = {}) => {
  const answer = await ask<{ error: string; fix: string; hint?: string }>(path, {
    key: box.api_key,
    ...(json === undefined ? {} : { json }),
    ...more,
  });
  return { ...answer, ignored: answer.headers.get("Mailkeep-Ignored") };
};

describe("an unknown parameter or member of a request", () => {
  it.each<[string, unknown, number, string]>([
    ["/v1/inbox?limt=10&api_key=secret", undefined, 200, "limt, api_key"],
    ["/v1/keys", { expires_at: null, note: "x" }, 201, "note"],
    ["/v1/send", { to: "a@example.net", subject: "x", text: "y", tracking: true }, 200, "tracking"],
    [
      "/v1/send",
      {
        to: "a@example.net",
        subject: "x",
        text: "y",
        attachments: [{ filename: "a", content: "", size: 0 }],
      },
      200,
      "attachments.0.size",
    ],
    ["/v1/extract", { email_id: "EMAIL", type: "order", lang: "en" }, 200, "lang"],
  ])("is ignored, and named: %s %j", async (path, json, status, ignored) => {
    const body =
      json === undefined ? undefined : (JSON.parse(JSON.stringify(json).replace("EMAIL", email)) as unknown);
    expect(await ignoredBy(path, body)).toMatchObject({ status, ignored });
  });

  it("is also listed as ignored on routes without a key", async () => {
    const headers = { "CF-Connecting-IP": clientAddress() };
    const started = await ignoredBy("/v1/claim/start", { name: "somebody-new", source: "cli" }, { headers });
    expect(started).toMatchObject({ status: 201, ignored: "source" });
    expect(await ignoredBy("/v1/mailboxes?page=2", undefined, { key: OPERATOR })).toMatchObject({
      status: 200,
      ignored: "page",
    });
  });

  it("is not listed if all are known", async () => {
    for (const path of ["/v1/inbox?limit=1", "/v1/search?q=x", "/v1/me"]) {
      expect((await ignoredBy(path)).ignored).toBeNull();
    }
  });

  it("cannot inject header fields, or make them long", async () => {
    const names = ["a\r\nSet-Cookie: b=c", "ü, x", "", "__proto__", "l".repeat(5_000)];
    const members = names.map((name) => `${JSON.stringify(name)}:1`).join(",");
    const headers = { "Content-Type": "application/json" };
    const told = await api("/v1/keys", { key: box.api_key, method: "POST", body: `{${members}}`, headers });
    expect(told.status).toBe(201);
    expect(told.headers.get("Set-Cookie")).toBeNull();
    expect(told.headers.get("Mailkeep-Ignored")).toMatch(/^[\w?.-]+(, [\w?.-]+)*$/);
    const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`member${index}`, 1]));
    const { status, ignored } = await ignoredBy("/v1/keys", many);
    expect([status, (ignored ?? "").length < 500, ignored?.endsWith("...")]).toEqual([201, true, true]);
  });

  it("does not weaken the check of the mailbox that a key may use", async () => {
    const foreign = { to: "a@example.net", subject: "x", text: "y", mailbox: "other@mailkeep.test" };
    expect((await ignoredBy("/v1/send", foreign)).status).toBe(403);
  });

  it("is also named in the hint of a page", async () => {
    const hint = "Unknown parameters were ignored: limt";
    for (const path of ["/v1/inbox?limt=10", "/v1/inbox?query=invoice&limt=10"]) {
      expect((await ignoredBy(path)).body.hint).toBe(hint);
    }
    expect((await ignoredBy("/v1/search?q=invoice&mode=keyword&limt=10")).body.hint).toBe(hint);
  });
});

describe("a misspelled member", () => {
  it("is suggested in the error about a missing one", async () => {
    const sent = await ignoredBy("/v1/send", { to: "a@example.net", subject: "x", txt: "y" });
    expect(sent).toMatchObject({ status: 400, ignored: "txt" });
    expect(sent.body.error).toBe("Either text or html body is required");
    expect(sent.body.fix).toBe("`txt` is not known here: did you mean `text`?");
    expect(sent.headers.get("Mailkeep-Fix")).toBe(sent.body.fix);
    expect((await ignoredBy("/v1/claim/poll?sesion=x")).body.fix).toContain("`session`");
  });

  it("does not hide other missing fields", async () => {
    const sent = await ignoredBy("/v1/send", { to: "a@example.net", txt: "y" });
    expect(sent.body.error).toBe("Missing required fields: to, subject");
    expect(sent.body.fix).toBe(
      'Add "subject": "Hello" to the request body. `txt` is not known here: did you mean `text`?',
    );
  });

  it("is not suggested if no name is similar, or the member is present", async () => {
    const far = await ignoredBy("/v1/send", { to: "a@example.net", subject: "x", body_markdown: "y" });
    expect(far.body.fix).not.toContain("did you mean");
  });
});

describe("unknown operators of a search", () => {
  it.each([
    ["is:unread", "is:unread"],
    ["before:tomorrow", "before:tomorrow"],
    ["invoice has:stars in:spam", "has:stars, in:spam"],
  ])("are named in the hint: %s", async (query, named) => {
    const { body } = await ignoredBy(`/v1/search?mode=keyword&q=${encodeURIComponent(query)}`);
    expect(body.hint).toBe(
      `Taken as words: ${named}. Operators are from: to: subject: label: has:attachment, and before: after: with a date such as 2026-11-21`,
    );
  });

  it.each(["re:invoice", "10:30", "https://example.com/a", '"is:unread"', "from:ann before:2026-01-01"])(
    "are not seen in what is none: %s",
    async (query) => {
      const { body } = await ignoredBy(`/v1/search?mode=keyword&q=${encodeURIComponent(query)}`);
      expect(body.hint).toBeUndefined();
    },
  );
});

describe("the advice what to do next", () => {
  it("is in a header if the body must have exactly the documented text", async () => {
    const refused = await api("/v1/inbox?mailbox=other@mailkeep.test", { key: box.api_key });
    expect(await refused.text()).toBe(
      '{"error":"forbidden","message":"Key not authorized for this mailbox"}',
    );
    expect(refused.headers.get("Mailkeep-Fix")).toContain("key of the mailbox");
    expect(refused.headers.get("Access-Control-Expose-Headers")).toMatch(/Mailkeep-Fix, Mailkeep-Ignored/);
  });
});
