import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { WebhookRoute } from "../../src/contract/webhook.ts";
import { api, ask, bootstrap, createMailbox, OPERATOR, rowsOf, type TestMailbox } from "../harness.ts";
import { HOSTILE } from "../lib/hostile-urls.ts";
import { configure, endOutside, HOOK, LETTERS, outside, route, withVariables } from "../webhook-target.ts";

const NO_SECRET = { WEBHOOK_SECRET: "" };

let box: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
});
afterEach(endOutside);

const patch = (json: unknown, vars: Record<string, unknown> = {}, key = box.api_key) =>
  ask<{ error: string; details?: unknown }>("/v1/mailbox", { key, method: "PATCH", json, vars });
const put = (json: unknown, vars: Record<string, unknown> = {}) =>
  ask<{ error: string }>("/v1/mailbox/routes", { key: box.api_key, method: "PUT", json, vars });
const settings = async (own = box) => (await ask("/v1/mailbox", { key: own.api_key })).body;

describe("a URL that no webhook may go to", () => {
  /** "" is how a client clears the URL. */
  const refused = HOSTILE.filter(([url]) => url !== "");

  it("is one of at least 60 kinds", () => {
    expect(refused.length).toBeGreaterThanOrEqual(60);
  });

  it.each(refused)("is refused with its reason: %j", async (webhook_url, reason) => {
    const answer = await patch({ webhook_url });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(/^webhook_url: must /);
    expect(answer.body.error).toContain(reason);
    expect(answer.body.details).toEqual([{ path: "webhook_url", message: answer.body.error.slice(13) }]);
  });

  it("is refused for a label in the same words, and not stored", async () => {
    for (const [webhook_url, reason] of HOSTILE) {
      const answer = await put({ label: "x", webhook_url });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    }
    expect(await rowsOf(box.mailbox, "SELECT * FROM webhook_target")).toEqual([]);
    expect(await settings()).toMatchObject({ webhook_url: null, webhook_status: null });
  });

  it.each([42, true, ["https://a.example.com"], { url: "https://a.example.com" }])(
    "is no text: %j",
    async (webhook_url) => {
      const answer = await patch({ webhook_url });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^webhook_url: /)]);
    },
  );

  it("includes this service's own, by the host of the request and by its public one", async () => {
    for (const webhook_url of ["https://api.example/v1/inbound", "https://api.example:8443/"]) {
      const answer = await patch({ webhook_url });
      expect([answer.status, answer.body.error]).toEqual([
        400,
        "webhook_url: must not lead back to this service",
      ]);
    }
    const named = await patch(
      { webhook_url: "https://mail.example.com/x" },
      { PUBLIC_URL: "https://mail.example.com" },
    );
    expect(named.body.error).toContain("must not lead back");
  });

  it("is checked only after the caller is authorized", async () => {
    const change = { webhook_url: "http://127.0.0.1/" };
    const wrong = `${box.api_key.slice(0, 35)}${"0".repeat(32)}`;
    expect((await patch(change, {}, wrong)).status).toBe(401);
    const temporary = await bootstrap();
    expect((await patch(change, {}, temporary.api_key)).body).toMatchObject({ code: "insufficient_scope" });
    const foreign = await ask("/v1/mailbox?mailbox=x@elsewhere.example", {
      key: box.api_key,
      method: "PATCH",
      json: change,
    });
    expect(foreign.body).toMatchObject({ message: "Key not authorized for this mailbox" });
    const paused = await createMailbox();
    await ask("/v1/mailbox/pause", { key: paused.api_key, method: "PATCH" });
    expect((await patch(change, {}, paused.api_key)).body).toEqual({ error: "Mailbox is paused" });
  });
});

describe("ALLOW_PRIVATE_WEBHOOKS", () => {
  it.each(["http://127.0.0.1:9000/x", "http://localhost:3000/", "https://sink/"])(
    "lets local work go to %j",
    async (webhook_url) => {
      const own = await createMailbox();
      const answer = await patch({ webhook_url }, { ALLOW_PRIVATE_WEBHOOKS: "true" }, own.api_key);
      expect([answer.status, answer.body]).toMatchObject([200, { webhook_url }]);
    },
  );

  it("still refuses invalid URLs, and this service itself", async () => {
    const vars = { ALLOW_PRIVATE_WEBHOOKS: "true" };
    for (const webhook_url of ["ftp://localhost/", "http://user@localhost/", "https://api.example/x"]) {
      expect((await patch({ webhook_url }, vars)).status).toBe(400);
    }
  });
});

describe("a URL that a setting would allow", () => {
  const local = "http://127.0.0.1:9000/hook";
  const SETTING = { fix: expect.stringContaining("ALLOW_PRIVATE_WEBHOOKS=true") as string };
  /** `npm start` adds this binding. */
  const ONE_MACHINE = { OPERATOR_NETWORK: {} };

  it("is refused on one machine with the name of the setting, for the mailbox and for a label", async () => {
    for (const webhook_url of [local, "https://sink/", "https://hooks.example.com:9443/"]) {
      for (const answer of [
        await patch({ webhook_url }, ONE_MACHINE),
        await put({ label: "x", webhook_url }, ONE_MACHINE),
      ])
        expect(answer).toMatchObject({ status: 400, body: SETTING });
    }
  });

  it("is refused without that name on Cloudflare, and if the setting would not help", async () => {
    const unnamed = { fix: expect.not.stringContaining("ALLOW_PRIVATE_WEBHOOKS") as string };
    expect((await patch({ webhook_url: local })).body).toMatchObject(unnamed);
    for (const webhook_url of [
      "ftp://127.0.0.1/",
      "http://user@localhost/",
      "https://api.example/v1/inbound",
    ]) {
      const { status, body } = await patch({ webhook_url }, ONE_MACHINE);
      expect([webhook_url, status]).toEqual([webhook_url, 400]);
      expect(body).toMatchObject(unnamed);
    }
  });
});

describe("a name", () => {
  const DOH = { DOH_URL: "https://doh.example/dns-query" };
  const leadsTo = (answer: object) => outside(() => Response.json(answer));

  it("is looked up when a URL is set, and refused if it resolves to a private address", async () => {
    leadsTo({ Status: 0, Answer: [{ type: 1, data: "169.254.169.254" }] });
    expect((await patch({ webhook_url: HOOK }, DOH)).body.error).toBe(
      "webhook_url: must name a public host: its name leads to an address that is not public",
    );
    expect((await put({ label: "x", webhook_url: HOOK }, DOH)).status).toBe(400);
  });

  it("that does not resolve is refused, too", async () => {
    leadsTo({ Status: 3 });
    expect((await patch({ webhook_url: HOOK }, DOH)).body.error).toContain("has no address");
  });

  it("that resolves to a public address is accepted", async () => {
    const world = leadsTo({ Status: 0, Answer: [{ type: 1, data: "8.8.8.8" }] });
    const own = await createMailbox();
    expect((await patch({ webhook_url: HOOK }, DOH, own.api_key)).status).toBe(200);
    expect(world.sent).toHaveLength(2);
  });

  it("is looked up only after the caller is authorized", async () => {
    const world = leadsTo({ Status: 3 });
    const wrong = `${box.api_key.slice(0, 35)}${"0".repeat(32)}`;
    expect((await patch({ webhook_url: HOOK }, DOH, wrong)).status).toBe(401);
    expect((await patch({ webhook_url: HOOK }, DOH, (await bootstrap()).api_key)).status).toBe(403);
    expect(world.sent).toEqual([]);
  });
});

describe("the settings of webhooks", () => {
  it("are shown, without the secret", async () => {
    const own = await createMailbox();
    const secret = "a secret of the mailbox's own";
    await configure(own, { webhook_url: HOOK, webhook_secret: secret });
    const shown = await Promise.all(
      ["/v1/mailbox", "/v1/mailbox/routes", "/v1/webhook/deliveries", "/v1/me", "/v1/stats"].map(
        async (path) => (await api(path, { key: own.api_key })).text(),
      ),
    );
    expect(shown[0]).toContain(HOOK);
    expect(shown.join("")).not.toContain("a secret of");
  });

  it("change all together or not at all", async () => {
    const own = await createMailbox();
    const wishes = [
      { display_name: "New", webhook_url: "https://localhost/" },
      { display_name: "New", webhook_secret: "short" },
      { display_name: "New", webhook_secret: "x".repeat(257) },
      { display_name: "New", webhook_secret: "grüße an alle Empfänger" },
      { webhook_url: HOOK, display_name: "x".repeat(201) },
      { webhook_url: HOOK, display_name: 1 },
    ];
    for (const change of wishes) expect((await patch(change, {}, own.api_key)).status).toBe(400);
    expect(await settings(own)).toMatchObject({ display_name: null, webhook_url: null });
    await configure(own, { display_name: "New", webhook_url: HOOK, webhook_secret: "x".repeat(256) });
    expect(await settings(own)).toMatchObject({
      display_name: "New",
      webhook_url: HOOK,
      webhook_status: "active",
    });
  });

  it("take webhook_recovery as true or false only, off unless set", async () => {
    const own = await createMailbox();
    expect(await settings(own)).toMatchObject({ webhook_recovery: false });
    for (const webhook_recovery of ["yes", 1, null]) {
      expect((await patch({ webhook_recovery }, {}, own.api_key)).status).toBe(400);
    }
    await configure(own, { webhook_recovery: true });
    await configure(own, { display_name: "Name" });
    expect(await settings(own)).toMatchObject({ webhook_recovery: true });
  });

  it("that are not given stay unchanged", async () => {
    const own = await createMailbox();
    await configure(own, { webhook_url: HOOK });
    await configure(own, { display_name: "Name" });
    expect(await settings(own)).toMatchObject({ webhook_url: HOOK, display_name: "Name" });
  });

  it("show a URL exactly as it was set", async () => {
    const own = await createMailbox();
    for (const url of ["https://hooks.example.com", "https://Hooks.example.com:443/a?b=c"]) {
      await configure(own, { webhook_url: url });
      expect(await settings(own)).toMatchObject({ webhook_url: url });
    }
  });
});

describe("a deployment without WEBHOOK_SECRET", () => {
  /** A mailbox whose actor has no WEBHOOK_SECRET: the actor checks with its own variables. */
  async function withoutSecret(): Promise<TestMailbox> {
    const own = await createMailbox();
    await withVariables(own, NO_SECRET);
    return own;
  }

  it("refuses a URL with the reason, unless the call or the mailbox has a secret", async () => {
    const own = await withoutSecret();
    const refused = await patch({ webhook_url: HOOK }, {}, own.api_key);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringMatching(/^webhook_url: needs a secret to sign with/),
    ]);
    const routed = await ask("/v1/mailbox/routes", {
      key: own.api_key,
      method: "PUT",
      json: { label: "x", webhook_url: HOOK },
    });
    expect(routed.status).toBe(400);
    expect((await patch({ webhook_url: HOOK, webhook_secret: "x".repeat(16) }, {}, own.api_key)).status).toBe(
      200,
    );
    expect((await patch({ webhook_url: LETTERS }, {}, own.api_key)).status).toBe(200);
  });

  it("refuses to clear the last secret while a URL is set, the mailbox's or a label's", async () => {
    const own = await withoutSecret();
    await configure(own, { webhook_url: HOOK, webhook_secret: "x".repeat(16) });
    await route(own, "newsletter", LETTERS);
    const clear = (json: object) => patch({ webhook_secret: null, ...json }, {}, own.api_key);
    expect((await clear({})).body.error).toContain("webhook_secret: must not be cleared");
    expect((await clear({ webhook_url: null })).status).toBe(400);
    expect(await settings(own)).toMatchObject({ webhook_url: HOOK });
    await api("/v1/mailbox/routes?label=newsletter", { key: own.api_key, method: "DELETE" });
    expect((await clear({})).status).toBe(400);
    expect((await clear({ webhook_url: null })).status).toBe(200);
  });
});

describe("the routes of labels", () => {
  it("are set, listed by label, and removed", async () => {
    const own = await createMailbox();
    const key = own.api_key;
    expect((await ask("/v1/mailbox/routes", { key })).body).toEqual({ mailbox: own.mailbox, routes: [] });
    for (const label of ["zebra", "Größe", "code"]) {
      const made = await ask("/v1/mailbox/routes", {
        key,
        method: "PUT",
        json: { label, webhook_url: HOOK },
      });
      expect(made.status).toBe(200);
      expect(WebhookRoute.strict().parse(made.body)).toMatchObject({
        label,
        webhook_url: HOOK,
        status: "active",
      });
    }
    await route(own, "code", LETTERS);
    const { body } = await ask<{ routes: WebhookRoute[] }>("/v1/mailbox/routes", { key });
    expect(body.routes.map(({ label, webhook_url }) => [label, webhook_url])).toEqual([
      ["Größe", HOOK],
      ["code", LETTERS],
      ["zebra", HOOK],
    ]);
    const gone = await ask(`/v1/mailbox/routes?label=${encodeURIComponent("Größe")}`, {
      key,
      method: "DELETE",
    });
    expect([gone.status, gone.body]).toEqual([200, { ok: true, deleted: "Größe" }]);
    expect((await ask("/v1/mailbox/routes?label=none", { key, method: "DELETE" })).body).toEqual(
      problemBody(notFound("Route")),
    );
    expect((await ask("/v1/stats", { key })).body).toMatchObject({ webhook_routes: 2 });
    expect(await settings(own)).toMatchObject({ webhook_url: null });
  });

  it.each([
    [{ label: "", webhook_url: HOOK }, "label"],
    [{ label: "x".repeat(65), webhook_url: HOOK }, "label"],
    [{ label: "a\nb", webhook_url: HOOK }, "label"],
    [{ webhook_url: HOOK }, "label"],
    [{ label: "x" }, "webhook_url"],
    [{ label: "x", webhook_url: null }, "webhook_url"],
  ])("refuse %j by %s", async (json, field) => {
    const answer = await put(json);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)]);
  });

  it("are limited to 50, and existing ones can still be changed", async () => {
    const own = await createMailbox();
    for (let count = 0; count < 50; count += 1) await route(own, `label-${count}`, HOOK);
    const over = await ask("/v1/mailbox/routes", {
      key: own.api_key,
      method: "PUT",
      json: { label: "one-more", webhook_url: HOOK },
    });
    expect([over.status, over.body]).toMatchObject([409, { code: "conflict" }]);
    await route(own, "label-7", LETTERS);
    await configure(own, { webhook_url: HOOK });
  });
});

describe("permission", () => {
  it("to use webhooks needs a permanent mailbox, and `capabilities` shows it", async () => {
    const temporary = await bootstrap();
    const capabilities = async (key: string) =>
      (await ask<{ capabilities: string[] }>("/v1/me", { key })).body.capabilities;
    expect(await capabilities(temporary.api_key)).not.toContain("webhooks");
    expect(await capabilities(box.api_key)).toContain("webhooks");
    expect(await capabilities(OPERATOR)).toContain("webhooks");
  });
});
