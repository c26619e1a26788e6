import { describe, expect, it } from "vitest";
import { guideText, skillText } from "../../src/contract/guide.ts";
import { api, ask, createMailbox } from "../harness.ts";

const OFFER = {
  url: "https://api.example",
  mailDomain: "mailkeep.test",
  temporary: true,
  claims: true,
  sending: "local",
  dailySendLimit: 100,
  meaning: false,
  proves: true,
} as const;

const FORMS = [
  { path: "/llms.txt", type: "text/plain; charset=utf-8", write: guideText },
  { path: "/skill.md", type: "text/markdown; charset=utf-8", write: skillText },
] as const;

describe.each(FORMS)("GET $path", ({ path, type, write }) => {
  it("needs no key, and is written with the address of the request and the settings of the deployment", async () => {
    const response = await api(path);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
    expect(await response.text()).toBe(write(OFFER));
    const there = await api(`https://other.example${path}`);
    expect(await there.text()).toBe(write({ ...OFFER, url: "https://other.example" }));
    const named = await api(path, { vars: { PUBLIC_URL: "https://mail.agents.example" } });
    expect(await named.text()).toBe(write({ ...OFFER, url: "https://mail.agents.example" }));
  });

  it.each([
    [{ OUTBOUND: "none" }, { sending: "off" }],
    [{ DAILY_SEND_LIMIT: "0" }, { sending: "off", dailySendLimit: 0 }],
    [
      { SMTP_URL: "smtp://127.0.0.1:25", DAILY_SEND_LIMIT: "7" },
      { sending: "on", dailySendLimit: 7 },
    ],
    [{ BOOTSTRAP: "false" }, { temporary: false }],
    [{ SMTP_CHECKS: "off", DOH_URL: "", AUTHSERV_ID: "" }, { proves: false }],
    [{ SMTP_CHECKS: "on" }, { proves: true }],
    [{ SMTP_CHECKS: "off", AUTHSERV_ID: "mx.example" }, { proves: true }],
    [{ KEY_SECRET: "" }, { claims: false }],
    [{ AUTH_TOKEN: "" }, { claims: false }],
    [{ AUTH_TOKEN: "", CLAIM_APPROVAL: "open" }, { claims: true }],
    [{ EMBEDDINGS_MODEL: "m", EMBEDDINGS_URL: "http://127.0.0.1:1/v1" }, { meaning: true }],
  ] as const)("follows the settings %j", async (vars, offered) => {
    const response = await api(path, { vars });
    expect(await response.text()).toBe(write({ ...OFFER, ...offered }));
  });

  it("answers 304 if the ETag matches", async () => {
    const first = await api(path);
    const tag = first.headers.get("ETag") ?? "";
    expect([tag, first.headers.get("Cache-Control")]).toEqual([
      expect.stringMatching(/^"[0-9a-f]{32}"$/),
      "no-cache",
    ]);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const again = await api(path, { headers: { "If-None-Match": known } });
      expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, tag, ""]);
    }
    const elsewhere = await api(`https://other.example${path}`, { headers: { "If-None-Match": tag } });
    expect(elsewhere.status).toBe(200);
    const settings = { headers: { "If-None-Match": tag }, vars: { OUTBOUND: "none" } };
    expect((await api(path, settings)).status).toBe(200);
  });

  it("answers HEAD without a body, and 405 to anything else", async () => {
    const head = await api(path, { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Type"), await head.text()]).toEqual([200, type, ""]);
    const post = await ask(path, { method: "POST" });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET"]);
  });

  it("is the same for a client that shows a key, a wrong one too", async () => {
    const { api_key } = await createMailbox();
    for (const key of [api_key, `mk_${"0".repeat(64)}`]) {
      expect(await (await api(path, { key })).text()).toBe(write(OFFER));
    }
  });

  it("stays right for one host after many others asked", async () => {
    for (let index = 0; index < 40; index += 1) await (await api(`https://h${index}.example${path}`)).text();
    expect(await (await api(path)).text()).toBe(write(OFFER));
  });

  it("keeps a hostile host from leaving the quotes of a command", async () => {
    const text = await (await api(`https://a$(id)'.example${path}`)).text();
    expect(text).toContain("export MAILKEEP_URL='https://a$(id)'\\''.example'\n");
  });
});

describe("another answer of the API", () => {
  it("has no ETag, and is answered whatever the client has", async () => {
    const { api_key } = await createMailbox();
    const response = await api("/v1/me", { key: api_key, headers: { "If-None-Match": "*" } });
    expect([response.status, response.headers.get("ETag")]).toEqual([200, null]);
  });
});
