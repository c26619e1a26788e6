import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Expectation } from "../../src/contract/expectation.ts";
import type { Totp, TotpCode, TotpList } from "../../src/contract/totp.ts";
import {
  actorOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  kill,
  mail,
  plainMessage,
  setVariables,
  type TestMailbox,
} from "../harness.ts";

const GATEWAY = "border.mailkeep.test";
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

let box: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
});

/** Mail of the service that is expected, as a gateway in front judged it. */
function codeArrives(to: string, code = "482913") {
  const headers = [`Authentication-Results: ${GATEWAY}; dmarc=pass header.from=brand.example`, `To: ${to}`];
  const parts = {
    from: "no-reply@brand.example",
    subject: "Verify",
    body: `Your verification code is ${code}.`,
  };
  const raw = plainMessage({ ...parts, headers });
  // The gateway's field stands on top of what it received.
  const lines = raw.split("\r\n");
  const field = lines.findIndex((line) => line.startsWith("Authentication-Results"));
  const topped = [lines[field] ?? "", ...lines.toSpliced(field, 1)].join("\r\n");
  return deliver(to, topped, "no-reply@brand.example", { AUTHSERV_ID: GATEWAY });
}

const expected = async (more: object = {}): Promise<Expectation> => {
  const json = { from_domain: "brand.example", exclusive: true, ...more };
  return (await ask<Expectation>("/v1/expect", { key: box.api_key, json })).body;
};
const get = (id: string, query = "", signal?: AbortSignal) =>
  ask<Expectation>(`/v1/expect/${id}${query}`, { key: box.api_key, ...(signal ? { signal } : {}) });
const waiting = () => runInDurableObject(actorOf(box.mailbox), ({ life }) => life.expectations.waiting);

describe("GET /v1/expect/:id", () => {
  it("waits for the mail, and answers with its code", async () => {
    const { id, address } = await expected();
    const waited = get(id, "?wait=55");
    await expect.poll(waiting).toBe(1);
    await codeArrives(address);
    expect((await waited).body).toMatchObject({ status: "matched", code: "482913", sender_verified: true });
  });

  it("ends with its client, and keeps the code for the next try", async () => {
    const { id, address } = await expected();
    const gone = new AbortController();
    const waited = get(id, "?wait=55", gone.signal);
    waited.catch(() => {});
    await expect.poll(waiting).toBe(1);
    gone.abort();
    await expect.poll(waiting).toBe(0);
    await codeArrives(address);
    const [row] = await runInDurableObject(actorOf(box.mailbox), ({ life }) =>
      life.context.db.all({ text: "SELECT released_at FROM expectation ORDER BY number DESC LIMIT 1" }),
    );
    expect(row).toEqual({ released_at: null });
    expect((await get(id)).body.code).toBe("482913");
  });

  it("has the code after the process was killed, before its first answer and within a minute after", async () => {
    const { id, address } = await expected();
    await codeArrives(address);
    await kill(box.mailbox);
    expect((await get(id)).body.code).toBe("482913");
    await evict(box.mailbox);
    expect((await get(id)).body.code).toBe("482913");
  });

  it("answers HEAD without a code being answered", async () => {
    const { id, address } = await expected();
    await codeArrives(address);
    const head = await api(`/v1/expect/${id}`, { key: box.api_key, method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await get(id)).body.code).toBe("482913");
  });

  it("is 404 for an id that is not there, and for one of another mailbox", async () => {
    const { id } = await expected();
    const other = await createMailbox();
    for (const [key, named] of [
      [box.api_key, "none"],
      [other.api_key, id],
    ]) {
      const { status, body } = await ask(`/v1/expect/${named}`, { key });
      expect([status, body["error"]]).toEqual([404, "Expectation not found"]);
    }
  });

  it("ends for a mailbox that is paused, as every call does", async () => {
    const own = await createMailbox();
    const made = await ask<Expectation>("/v1/expect", {
      key: own.api_key,
      json: { from_domain: "brand.example" },
    });
    const waited = api(`/v1/expect/${made.body.id}?wait=55`, { key: own.api_key });
    const count = () => runInDurableObject(actorOf(own.mailbox), ({ life }) => life.expectations.waiting);
    await expect.poll(count).toBe(1);
    await ask("/v1/mailbox/pause", { key: own.api_key, method: "PATCH" });
    expect((await waited).status).toBe(403);
  });
});

describe("expectations.during of the SDK", () => {
  it("brings the code of a mail that comes while or after somebody signs up", async () => {
    const found = await mail(box.api_key).expectations.during(
      { from_domain: "brand.example" },
      async (made) => {
        await codeArrives(made.address, "271828");
      },
    );
    expect(found?.code).toBe("271828");
  });

  it("cancels the expectation if the sign-up fails, and tells of the failure", async () => {
    let id = "";
    const failing = mail(box.api_key).expectations.during({ from_domain: "brand.example" }, (made) => {
      id = made.id;
      throw new Error("The form is gone");
    });
    await expect(failing).rejects.toThrow("The form is gone");
    expect((await get(id)).body.status).toBe("cancelled");
  });
});

describe("the secret of a second factor", () => {
  const added = async (json: object = { label: "Brand", secret: SECRET }) =>
    (await ask<Totp>("/v1/totp", { key: box.api_key, json })).body;

  it("makes codes, and stands in no answer, no export and no row", async () => {
    const totp = await added({
      otpauth_uri: `otpauth://totp/Brand:ann?secret=${SECRET}&algorithm=SHA256&digits=8&period=60`,
    });
    expect(totp).toMatchObject({ label: "Brand: ann", algorithm: "SHA256", digits: 8, period: 60 });
    const { body } = await ask<TotpCode>(`/v1/totp/${totp.id}/code`, { key: box.api_key });
    expect(body.code).toMatch(/^\d{8}$/);
    expect(body.valid_for_seconds).toBeGreaterThanOrEqual(1);
    const answers = await Promise.all(
      ["/v1/totp", "/v1/export", "/v1/mailbox", "/v1/changes"].map(async (path) =>
        (await api(path, { key: box.api_key })).text(),
      ),
    );
    const rows = await runInDurableObject(actorOf(box.mailbox), ({ life }) =>
      life.context.db.all<{ sealed: ArrayBuffer }, []>({ text: "SELECT sealed FROM totp" }),
    );
    const stored = rows.map(({ sealed }) => Buffer.from(sealed).toString("latin1"));
    for (const text of [JSON.stringify(totp), ...answers, ...stored]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("12345678901234567890");
    }
  });

  it("is listed with each code that was handed out, and to which key", async () => {
    const { id } = await added();
    await ask(`/v1/totp/${id}/code`, { key: box.api_key });
    await ask(`/v1/totp/${id}/code`, { key: box.api_key });
    const { body } = await ask<TotpList>("/v1/totp", { key: box.api_key });
    expect(body.totp.map((one) => one.id)).toContain(id);
    const uses = body.uses.filter((use) => use.id === id);
    expect(uses).toHaveLength(2);
    const { keys } = (await ask<{ keys: { id: string }[] }>("/v1/keys", { key: box.api_key })).body;
    expect(keys.map((key) => key.id)).toContain(uses[0]?.key_id);
  });

  it("is gone once it is deleted", async () => {
    const { id } = await added();
    expect((await api(`/v1/totp/${id}`, { key: box.api_key, method: "DELETE" })).status).toBe(200);
    const { status, body } = await ask(`/v1/totp/${id}/code`, { key: box.api_key });
    expect([status, body["error"]]).toEqual([404, "Secret not found"]);
  });

  it.each([
    [{ label: "A" }, "secret: is required, or in its place otpauth_uri"],
    [{ secret: SECRET }, "label: is required"],
    [{ label: "A", secret: "JBSWY3DP" }, "secret: must have at least 80 bits"],
    [
      { label: "A", secret: "0189" },
      'secret: must be Base32, which has the letters A to Z and the digits 2 to 7, and not "0"',
    ],
    [{ label: "A\nB", secret: SECRET }, "label: must be one line"],
    [{ label: "A", secret: SECRET, algorithm: "MD5" }, "algorithm: must be one of SHA1, SHA256, SHA512"],
    [{ label: "A", secret: SECRET, digits: 9 }, "digits: must be at most 8"],
    [{ otpauth_uri: `otpauth://totp/?secret=${SECRET}` }, "label: is required: otpauth_uri has none"],
    [
      { otpauth_uri: `otpauth://totp/a?secret=${SECRET}`, secret: SECRET },
      "secret: must be left out where otpauth_uri is given",
    ],
    [
      { otpauth_uri: `otpauth://totp/a?secret=${SECRET}`, digits: 6 },
      "digits: must be left out: otpauth_uri says it",
    ],
  ])("is refused with its fault: %j", async (json, error) => {
    const { status, body } = await ask("/v1/totp", { key: box.api_key, json });
    expect([status, body["error"]]).toEqual([400, expect.stringContaining(error)]);
  });

  it("needs the KEY_SECRET of the deployment, and the one that it was stored under", async () => {
    const own = await createMailbox();
    const json = { label: "Brand", secret: SECRET };
    const { id } = (await ask<Totp>("/v1/totp", { key: own.api_key, json })).body;
    const code = () => ask(`/v1/totp/${id}/code`, { key: own.api_key });
    await setVariables(own.mailbox, { KEY_SECRET: "another-key-secret-0123456789-012345" });
    const other = await code();
    expect([other.status, other.body["error"]]).toEqual([
      503,
      "This secret was stored under another KEY_SECRET than the one that is set on this deployment",
    ]);
    await setVariables(own.mailbox, { KEY_SECRET: "" });
    const error = "One-time passwords need KEY_SECRET to be set on this deployment";
    expect((await code()).body["error"]).toBe(error);
    expect((await ask("/v1/totp", { key: own.api_key, json })).body["error"]).toBe(error);
  });
});
