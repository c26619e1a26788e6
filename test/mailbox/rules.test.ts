import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import type { Email, EmailPage } from "../../src/contract/message.ts";
import { MAX_RULE_ENTRIES, type MailboxRules, type RefusedPage } from "../../src/contract/rules.ts";
import { keysOf } from "../bucket.ts";
import {
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  deliver,
  DOMAIN,
  evict,
  inject,
  mail,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setVariables,
  tablesOf,
  type TestMailbox,
} from "../harness.ts";
import { configure, endOutside, HOOK, outside } from "../webhook-target.ts";

const DAY_MS = 86_400_000;
/** Too large for a row of the mailbox. */
const LARGE_BYTES = 600_000;
const PROVEN = ["Authentication-Results: mx.test; dmarc=pass header.from=example.com"];
const vars = { AUTHSERV_ID: "mx.test" };

let box: TestMailbox;

beforeEach(async () => {
  box = await createMailbox();
});
afterEach(endOutside);

const put = (receive: unknown, { api_key: key } = box) =>
  ask<MailboxRules>("/v1/mailbox/rules", { key, method: "PUT", json: { receive } });
const rules = async ({ api_key: key } = box) => (await ask<MailboxRules>("/v1/mailbox/rules", { key })).body;
const listed = async ({ api_key: key } = box) => (await ask<RefusedPage>("/v1/refused", { key })).body;
const inbox = async ({ api_key: key } = box) => (await ask<EmailPage>("/v1/inbox", { key })).body.emails;
const from = (sender: string, more: { subject?: string; body?: string; headers?: string[] } = {}) =>
  plainMessage({ from: sender, ...more });
const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code ?? null;
const release = (id: string, { api_key: key } = box) =>
  ask<Email>(`/v1/refused/${id}/release`, { key, method: "POST" });

async function refuse(raw = from("ann@example.com")): Promise<string> {
  await put({ mode: "listed" });
  expect((await deliver(box.mailbox, raw)).status).toBe(422);
  return (await listed()).refused[0]?.id ?? "";
}

describe("the rules of a mailbox", () => {
  it("let everyone write until somebody says otherwise, and cost no row until then", async () => {
    expect(await rules()).toEqual({ receive: { mode: "everyone", allow: [], block: [] }, changes: [] });
    expect((await deliver(box.mailbox, plainMessage())).status).toBe(202);
    expect((await tablesOf(box.mailbox)).filter((name) => /rule|refused/.test(name))).toEqual([]);
  });

  it("are answered in canonical form, with their changes; put again, they change nothing", async () => {
    const stated = {
      mode: "listed",
      allow: [{ match: "Ann@Bücher.Example", unverified: true }, { match: "*.Example.COM" }],
      block: [{ match: "spam@example.com" }],
    };
    const { body } = await put(stated);
    expect(body.receive).toEqual({
      mode: "listed",
      allow: [{ match: "*.example.com" }, { match: "ann@xn--bcher-kva.example", unverified: true }],
      block: [{ match: "spam@example.com" }],
    });
    expect(body.changes).toEqual([
      { at: expect.any(String) as string, mode: "listed", added: 3, removed: 0 },
    ]);
    expect((await put(body.receive)).body).toEqual(body);
    await put({ mode: "everyone", block: [{ match: "spam@example.com" }] });
    await evict(box.mailbox);
    const { receive, changes } = await rules();
    expect(receive).toEqual({ mode: "everyone", allow: [], block: [{ match: "spam@example.com" }] });
    expect(changes.map(({ added, removed }) => [added, removed])).toEqual([
      [0, 2],
      [3, 0],
    ]);
  });

  it("are refused as a whole if an entry is wrong, and each wrong one is named", async () => {
    await put({ mode: "verified" });
    const block = [{ match: "example.com" }, { match: "not a domain" }, { match: "a@b@c" }];
    const { status, body } = await put({ mode: "everyone", block });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: "receive.block[1].match: must be an address, a domain, or *. and a domain",
      details: [{ path: "receive.block[1].match" }, { path: "receive.block[2].match" }],
    });
    expect((await rules()).receive.mode).toBe("verified");
  });

  it("hold 5,000 entries in both lists together, and not one more", async () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ match: `d${at}.example` }));
    const half = entries(MAX_RULE_ENTRIES / 2);
    expect(await put({ mode: "everyone", allow: half, block: half })).toMatchObject({ status: 200 });
    const more = entries(MAX_RULE_ENTRIES / 2 + 1);
    for (const stated of [{ allow: more, block: half }, { block: entries(MAX_RULE_ENTRIES + 1) }]) {
      const { status, body } = await put({ mode: "everyone", ...stated });
      expect([status, (body as unknown as { error: string }).error]).toEqual([
        400,
        expect.stringContaining("must hold at most 5000 entries"),
      ]);
    }
    expect((await deliver(box.mailbox, from("a@d7.example"))).status).toBe(422);
    expect((await deliver(box.mailbox, from("a@e7.example"))).status).toBe(202);
  });

  it("believe an allowed name only if it is proven, or if the entry says that it need not be", async () => {
    await put({
      mode: "listed",
      allow: [{ match: "example.com" }, { match: "open.example", unverified: true }],
    });
    const told = async (raw: string) => codeOf(await deliver(box.mailbox, raw, "", vars));
    expect(await told(from("ann@example.com"))).toBe("sender_not_verified");
    expect(await told(from("ann@example.com", { headers: PROVEN }))).toBeNull();
    expect(await told(from("ann@open.example"))).toBeNull();
    expect(await told(from("ann@other.example"))).toBe("sender_not_listed");
    // Proven is example.com; the other author is anybody.
    expect(await told(from("ann@example.com, eve@example.com", { headers: PROVEN }))).toBe(
      "sender_not_verified",
    );
    expect(await told(from("ann@open.example, eve@other.example"))).toBe("sender_not_listed");
    expect((await listed()).refused.map(({ reason }) => reason)).toEqual([
      "not_listed",
      "not_verified",
      "not_listed",
      "not_verified",
    ]);
  });

  it("do not keep the operator's mailbox from its role addresses", async () => {
    await ask(`/v1/inbound?to=postmaster@${DOMAIN}`, { key: OPERATOR, body: plainMessage() });
    const role = `/v1/mailbox/rules?mailbox=postmaster@${DOMAIN}`;
    await ask(role, { key: OPERATOR, method: "PUT", json: { receive: { mode: "listed" } } });
    for (const name of ["postmaster", "Abuse+urgent"]) {
      expect((await deliver(`${name}@${DOMAIN}`, plainMessage())).status).toBe(202);
    }
  });

  it("count mail of another mailbox of this deployment as proven, and tell its sender of a refusal", async () => {
    const other = await createMailbox();
    const send = async (subject: string) => {
      const { id } = await mail(other.api_key).send(
        { to: box.mailbox, subject, text: "Hello." },
        { wait: 10 },
      );
      const { status, delivery } = await mail(other.api_key).emails.get(id);
      return [status, delivery[0]?.diagnostic];
    };
    await put({ mode: "listed", allow: [{ match: other.mailbox }] });
    expect(await send("Welcome")).toEqual(["delivered", expect.stringContaining("250") as string]);
    await put({ mode: "everyone", block: [{ match: other.mailbox }] });
    const told =
      "550 5.7.1 The mailbox accepts no mail from this sender, or only if its domain is proven (DMARC)";
    expect(await send("Not welcome")).toEqual(["bounced", told]);
    // The address is good for others, and for this sender when the rules change.
    expect((await mail(other.api_key).suppressions.list()).suppressions).toEqual([]);
    expect((await inbox()).map(({ subject }) => subject)).toEqual(["Welcome"]);
  });

  it("move to the permanent mailbox with the mail of a temporary one", async () => {
    const temporary = await bootstrap();
    const receive = { mode: "listed", allow: [{ match: "example.com", unverified: true }] };
    await put(receive, temporary);
    await deliver(temporary.mailbox, plainMessage({ subject: "Kept" }));
    const headers = { "CF-Connecting-IP": clientAddress(), Origin: "https://api.example" };
    const open = { headers, vars: { CLAIM_APPROVAL: "open" } };
    const json = { name: `ruled-${Math.random().toString(36).slice(2, 8)}`, keep_mail: true };
    const claim = await ask<StartedClaim>("/v1/claim/start", { key: temporary.api_key, json, ...open });
    await ask("/v1/claim/confirm", { json: { device_code: claim.body.device_code }, ...open });
    const claimed = await vi.waitUntil(
      async () => {
        const { body } = await ask<PolledClaim>(`/v1/claim/poll?session=${claim.body.session_id}`, open);
        return body.kept_mail?.done === true ? body : null;
      },
      { timeout: 20_000, interval: 20 },
    );
    const permanent = { mailbox: claim.body.mailbox, api_key: claimed.api_key ?? "" };
    expect((await rules(permanent)).receive).toEqual({ block: [], ...receive });
    expect(await inbox(permanent)).toHaveLength(1);
    expect((await deliver(permanent.mailbox, from("x@y.example"))).status).toBe(422);
  });
});

describe("a refused mail", () => {
  it("is listed with its reason, and is nowhere else: no email, event, code, thread, search result or count", async () => {
    await put({ mode: "everyone", block: [{ match: "example.com" }] });
    const raw = from("Ann <ann@example.com>", { subject: "Your code is 482913", headers: PROVEN });
    const answer = await deliver(box.mailbox, raw, "", vars);
    expect([answer.status, codeOf(answer)]).toEqual([422, "sender_blocked"]);
    const { refused, kept, next_cursor } = await listed();
    expect(refused).toEqual([
      {
        id: expect.any(String) as string,
        from_address: "ann@example.com",
        from_name: "Ann",
        subject: "Your code is 482913",
        received_at: expect.any(String) as string,
        reason: "blocked",
        sender_verified: true,
        size_bytes: raw.length,
        expires_at: expect.any(String) as string,
      },
    ]);
    const [one] = refused;
    expect(Date.parse(one?.expires_at ?? "") - Date.parse(one?.received_at ?? "")).toBe(7 * DAY_MS);
    expect(kept).toMatchObject({ emails: 1, size_bytes: raw.length, dropped: 0 });
    expect(next_cursor).toBeNull();
    const key = box.api_key;
    expect(await inbox()).toEqual([]);
    for (const path of ["/v1/search?q=482913", "/v1/threads", "/v1/changes", "/v1/code?timeout=1&kind=any"]) {
      expect(JSON.stringify((await ask(path, { key })).body)).not.toContain("482913");
    }
    expect((await ask(`/v1/emails/${one?.id}`, { key })).status).toBe(404);
    expect((await ask("/v1/stats", { key })).body).toMatchObject({ inbound: 0, storage_bytes: 0 });
  });

  it("is kept once if its sender repeats it, and no longer once it is received after all", async () => {
    const raw = from("ann@example.com");
    await refuse(raw);
    for (let repeat = 0; repeat < 3; repeat += 1) await deliver(box.mailbox, raw);
    expect((await listed()).kept.emails).toBe(1);
    await put({ mode: "everyone" });
    expect((await deliver(box.mailbox, raw)).status).toBe(202);
    expect(await listed()).toMatchObject({ refused: [], kept: { emails: 0, size_bytes: 0, dropped: 0 } });
    // A repeat of a stored mail is a duplicate, whatever the rules say by now.
    await put({ mode: "listed" });
    expect((await deliver(box.mailbox, raw)).body).toMatchObject({ duplicate: true });
  });

  it("is received now when it is released: one email, one event, its code, its webhook; a repeat answers the same", async () => {
    const world = outside();
    await configure(box, { webhook_url: HOOK });
    advance(-3_600_000);
    const raw = from("ann@example.com", { subject: "Your code is 482913", body: "Your code is 482913." });
    const id = await refuse(raw);
    resetClock();
    const releasedAt = Date.now();
    const [first, second] = await Promise.all([release(id), release(id)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.id).toBe(first.body.id);
    expect((await release(id)).body).toEqual(first.body);
    expect(Date.parse(first.body.received_at)).toBeGreaterThanOrEqual(releasedAt);
    expect(first.body).toMatchObject({ code: "482913", status: "received", sender_verified: false });
    expect((await inbox()).map((email) => email.id)).toEqual([first.body.id]);
    const { body } = await ask<{ events: { event: string }[] }>("/v1/changes", { key: box.api_key });
    expect(body.events.map(({ event }) => event)).toEqual(["message.received"]);
    await vi.waitFor(() => expect(world.to(HOOK)).toHaveLength(1));
    expect((await ask("/v1/code?timeout=1", { key: box.api_key })).body).toMatchObject({ code: "482913" });
    expect(await (await api(`/v1/emails/${first.body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
    expect((await listed()).refused).toEqual([]);
    const gone = await ask(`/v1/refused/${id}`, { key: box.api_key, method: "DELETE" });
    expect(gone.status).toBe(404);
  });

  it("keeps the envelope and the verdict of its arrival through a release", async () => {
    await put({ mode: "everyone", block: [{ match: "example.com" }] });
    const raw = from("ann@example.com", { headers: PROVEN });
    const tagged = box.mailbox.replace("@", "+tag@");
    await deliver(tagged, raw, "bounce@example.com", vars);
    await evict(box.mailbox);
    const { body } = await release((await listed()).refused[0]?.id ?? "");
    expect(body).toMatchObject({
      sender_verified: true,
      to_address: tagged,
      authentication: { verdict: "pass", aligned_domain: "example.com" },
      metadata: { envelope_from: "bounce@example.com", received_via: "http" },
    });
  });

  it("lies in the blob store if it is large, and leaves nothing there when it is released, deleted or erased", async () => {
    const before = await keysOf();
    const large = () => from("ann@example.com", { body: "x".repeat(LARGE_BYTES) });
    const raw = large();
    const id = await refuse(raw);
    await deliver(box.mailbox, raw);
    await ringAlarm(box.mailbox);
    expect(await keysOf()).toHaveLength(before.length + 1);
    const { body } = await release(id);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
    await ask(`/v1/emails/${body.id}`, { key: box.api_key, method: "DELETE" });
    const second = await refuse(large());
    expect((await ask(`/v1/refused/${second}`, { key: box.api_key, method: "DELETE" })).status).toBe(200);
    await ringAlarm(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT * FROM chunk")).toEqual([]);
    expect(await keysOf()).toEqual(before);
    await refuse(large());
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(await keysOf()).toEqual(before);
  });

  it("is erased after 7 days, by the alarm", async () => {
    const id = await refuse();
    advance(7 * DAY_MS - 1_000);
    await deliver(box.mailbox, from("bob@example.com"));
    advance(2_000);
    expect((await listed()).refused.map(({ from_address }) => from_address)).toEqual(["bob@example.com"]);
    expect((await release(id)).status).toBe(404);
    await ringAlarm(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT id FROM refused_mail")).toHaveLength(1);
    expect((await listed()).kept).toMatchObject({ emails: 1, dropped: 0 });
    expect(await alarmOf(box.mailbox)).toBeGreaterThan(Date.now());
  });

  it("takes no room from other mail: beyond its own limit the oldest is removed, and the answer says how many", async () => {
    await put({ mode: "everyone", block: [{ match: "example.com" }] });
    const quota = 270_000_000;
    await setVariables(box.mailbox, { MAILBOX_QUOTA_BYTES: String(quota) });
    const raws = Array.from({ length: 4 }, (_, at) =>
      from("ann@example.com", { subject: `Large ${at}`, body: "x".repeat(8_000_000) }),
    );
    for (const raw of raws) await deliver(box.mailbox, raw);
    const { refused, kept } = await listed();
    expect(refused.map(({ subject }) => subject)).toEqual(["Large 3", "Large 2", "Large 1"]);
    expect(kept).toMatchObject({ emails: 3, max_emails: 1_000, max_bytes: quota / 10, dropped: 1 });
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ storage_bytes: 0 });
  });

  it("is tried again by its sender if DNS did not say who that is, and can be released meanwhile", async () => {
    await put({ mode: "verified" });
    const raw = from("ann@example.com", { headers: ["Authentication-Results: mx.test; dmarc=temperror"] });
    const answer = await deliver(box.mailbox, raw, "", vars);
    expect([answer.status, codeOf(answer)]).toEqual([503, "sender_not_checked"]);
    expect((await listed()).refused).toMatchObject([{ reason: "not_verified", sender_verified: false }]);
    await deliver(box.mailbox, raw, "", vars);
    const { refused, kept } = await listed();
    expect([refused.length, kept.emails]).toEqual([1, 1]);
    // Else the answers would tell whom a list names.
    await put({ mode: "listed", allow: [{ match: "bob@example.com" }] });
    expect(codeOf(await deliver(box.mailbox, raw, "", vars))).toBe("sender_not_checked");
    expect((await release(refused[0]?.id ?? "")).body).toMatchObject({
      authentication: { verdict: "temperror" },
    });
  });

  it("is told to Cloudflare's Email Routing as 550 5.7.1", async () => {
    await put({ mode: "verified" });
    const { rejected } = await inject(from("ann@example.com"), "ann@example.com", box.mailbox);
    expect(rejected).toBe(
      "550 5.7.1 The mailbox accepts no mail from this sender, or only if its domain is proven (DMARC)",
    );
  });
});
