import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import type { Email, EmailPage, EmailSummary } from "../../src/contract/message.ts";
import {
  actorOf,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  deliver,
  evict,
  message,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

const vars = { CLAIM_APPROVAL: "open" };
const headers = () => ({ "CF-Connecting-IP": clientAddress(), Origin: "https://api.example" });

afterEach(resetClock);

/** An approved claim that takes over the mail of `box`. */
async function claimed({ api_key }: TestMailbox): Promise<StartedClaim> {
  const name = `kept-${Math.random().toString(36).slice(2, 10)}`;
  const json = { name, keep_mail: true };
  const claim = await ask<StartedClaim>("/v1/claim/start", { key: api_key, json, headers: headers(), vars });
  expect(claim.status).toBe(201);
  const { device_code } = claim.body;
  const told = await ask("/v1/claim/confirm", { json: { device_code }, headers: headers(), vars });
  expect(told.body).toEqual({ mailbox: claim.body.mailbox, status: "complete" });
  return claim.body;
}

const poll = async ({ session_id }: StartedClaim) =>
  (await ask<PolledClaim>(`/v1/claim/poll?session=${session_id}`, { headers: headers(), vars })).body;

/** The claimed mailbox, once all mail is copied. */
async function arrived(claim: StartedClaim): Promise<TestMailbox> {
  const polled = await vi.waitUntil(
    async () => {
      const answer = await poll(claim);
      return answer.kept_mail?.done === true ? answer : null;
    },
    { timeout: 20_000, interval: 20 },
  );
  return { mailbox: claim.mailbox, api_key: polled.api_key ?? "" };
}

const HOUR_MS = 3_600_000;

const giveQuota = (address: string, bytes: number) =>
  setVariables(address, { MAILBOX_QUOTA_BYTES: String(bytes) });
const giveLimit = (address: string, limit: string) => setVariables(address, { REQUEST_LIMIT: limit });

/** As `claimed`, for a permanent mailbox with this quota from its creation. */
async function claimedWithQuota({ api_key }: TestMailbox, bytes: number): Promise<StartedClaim> {
  const name = `kept-${Math.random().toString(36).slice(2, 10)}`;
  const json = { name, keep_mail: true };
  const claim = await ask<StartedClaim>("/v1/claim/start", { key: api_key, json, headers: headers(), vars });
  await giveQuota(claim.body.mailbox, bytes);
  const { device_code } = claim.body;
  await ask("/v1/claim/confirm", { json: { device_code }, headers: headers(), vars });
  return claim.body;
}

const takeOverOf = async ({ mailbox }: StartedClaim) =>
  (await rowsOf<{ due_at: number | null }>(mailbox, "SELECT due_at FROM take_over"))[0]?.due_at ?? null;
const isDone = async (claim: StartedClaim) => (await takeOverOf(claim)) === null;
/** Whether a copy found no room and waits for the next attempt. */
const isWaiting = async (claim: StartedClaim) => ((await takeOverOf(claim)) ?? 0) >= Date.now() + 300_000;

async function expiryOf({ mailbox }: TestMailbox): Promise<number> {
  const [row] = await rowsOf<{ expires_at: number }>(mailbox, "SELECT expires_at FROM account");
  return row?.expires_at ?? 0;
}

const inbox = async ({ api_key }: TestMailbox) =>
  (await ask<{ emails: EmailSummary[] }>("/v1/inbox?limit=100", { key: api_key })).body.emails;

describe("a mailbox that takes over a temporary one", () => {
  it("has every message as it arrived: time, bytes, recipient, attachments and thread", async () => {
    setClock(Date.now() - 3_600_000);
    const box = await bootstrap();
    await deliver(`${box.mailbox.replace("@", "+tag@")}`, plainMessage({ subject: "Plain" }));
    const first = message(
      ["From: ann@example.com", "Subject: Talk", `Message-ID: <talk-${box.mailbox}>`],
      "Hello",
    );
    await deliver(box.mailbox, first);
    const file = btoa("papers ".repeat(150_000));
    const parts = ["--b", "Content-Type: text/plain", "", "See file", "--b", "Content-Type: application/pdf"];
    const disposition = "Content-Disposition: attachment; filename=papers.pdf";
    const large = message(
      [
        "From: ann@example.com",
        "Subject: Re: Talk",
        `In-Reply-To: <talk-${box.mailbox}>`,
        "MIME-Version: 1.0",
        "Content-Type: multipart/mixed; boundary=b",
      ],
      [
        ...parts,
        "Content-Transfer-Encoding: base64",
        disposition,
        "",
        ...(file.match(/.{1,76}/g) ?? []),
        "--b--",
      ].join("\n"),
    );
    expect(large.length).toBeGreaterThan(600_000);
    await deliver(box.mailbox, large);
    const before = await inbox(box);
    resetClock();

    const kept = await arrived(await claimed(box));
    const after = await inbox(kept);
    const told = (emails: EmailSummary[]) =>
      emails.map(({ subject, from_address, to_address, received_at, snippet, labels }) => ({
        subject,
        from_address,
        to_address,
        received_at,
        snippet,
        labels,
      }));
    expect(told(after)).toEqual(told(before));
    expect(after.map(({ mailbox }) => mailbox)).toEqual(Array(3).fill(kept.mailbox));
    expect(after[0]?.thread_id).toBe(after[1]?.thread_id);
    for (const [index, { id }] of after.entries()) {
      const raw = async (key: string, email = "") => (await api(`/v1/emails/${email}/raw`, { key })).text();
      expect(await raw(kept.api_key, id)).toBe(await raw(box.api_key, before[index]?.id));
    }
    const { body } = await ask<Email>(`/v1/emails/${after[0]?.id}`, { key: kept.api_key });
    const attachment = await api(`/v1/attachments/${body.attachments[0]?.id}`, { key: kept.api_key });
    expect(await attachment.text()).toBe("papers ".repeat(150_000));
  });

  it("has the secrets of second factors, under the same ids, encrypted for itself", async () => {
    setClock(Date.now());
    const box = await bootstrap();
    const json = { label: "Brand", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
    const { id } = (await ask<{ id: string }>("/v1/totp", { key: box.api_key, json })).body;
    await deliver(box.mailbox, plainMessage());
    const claim = await claimed(box);
    const permanent = await arrived(claim);
    const codes = [box, permanent].map(
      async ({ api_key: key }) => (await ask(`/v1/totp/${id}/code`, { key })).body,
    );
    const [before, after] = await Promise.all(codes);
    expect(after).toEqual(before);
    expect(after?.["code"]).toMatch(/^\d{6}$/);
    const [own] = await rowsOf<{ sealed: ArrayBuffer }>(permanent.mailbox, "SELECT sealed FROM totp");
    const [earlier] = await rowsOf<{ sealed: ArrayBuffer }>(box.mailbox, "SELECT sealed FROM totp");
    expect(Buffer.from(own?.sealed ?? [])).not.toEqual(Buffer.from(earlier?.sealed ?? []));
    // A secret that is deleted here does not come back by another copy.
    await ask(`/v1/totp/${id}`, { key: permanent.api_key, method: "DELETE" });
    await evict(permanent.mailbox);
    await ringAlarm(permanent.mailbox);
    expect((await ask(`/v1/totp/${id}/code`, { key: permanent.api_key })).status).toBe(404);
  });

  it("hands out no code that the temporary mailbox handed out", async () => {
    const box = await bootstrap();
    await deliver(box.mailbox, plainMessage({ subject: "Your code is 111222" }));
    await deliver(box.mailbox, plainMessage({ subject: "Your code is 333444" }));
    await ask("/v1/code?consume=true&timeout=1", { key: box.api_key });
    const kept = await arrived(await claimed(box));
    const told = await ask("/v1/code?consume=true&timeout=1", { key: kept.api_key });
    expect(told.body).toMatchObject({ code: "111222" });
    const next = await ask("/v1/code?consume=true&timeout=1", { key: kept.api_key });
    expect(next.body).toEqual({ code: null });
  });

  it("does not hand out such a code to a waiting call, either", async () => {
    const [box, kept] = [await createMailbox(), await createMailbox()];
    const receive = await runInDurableObject(actorOf(box.mailbox), ({ life }) =>
      vi.spyOn(life.receiving, "receive"),
    );
    await deliver(box.mailbox, plainMessage({ subject: "Your code is 111222" }));
    const mail = receive.mock.calls[0]?.[0];
    receive.mockRestore();
    const waiting = ask("/v1/code?consume=true&timeout=1", { key: kept.api_key });
    await runInDurableObject(actorOf(kept.mailbox), async ({ life }) => {
      await vi.waitFor(() => expect(life.codes.waiting).toBe(1));
      life.takeover.begin({ from: "", secretHash: "" }, Number.MAX_SAFE_INTEGER);
      const taken = { position: 1, receivedAt: Date.now(), codeTaken: true };
      if (mail !== undefined) await life.receiving.receive(mail, taken);
    });
    expect((await waiting).body).toEqual({ code: null });
    expect((await ask<EmailPage>("/v1/inbox", { key: kept.api_key })).body.emails).toHaveLength(1);
  });

  it("logs each message, oldest first", async () => {
    const box = await bootstrap();
    for (const subject of ["One", "Two", "Three"]) await deliver(box.mailbox, plainMessage({ subject }));
    const kept = await arrived(await claimed(box));
    const changes = await ask<{ events: { seq: number; data: { subject: string } }[] }>(
      "/v1/changes?after=0",
      {
        key: kept.api_key,
      },
    );
    expect(changes.body.events.map(({ seq, data }) => [seq, data.subject])).toEqual([
      [1, "One"],
      [2, "Two"],
      [3, "Three"],
    ]);
  });

  it("shows its progress, and does not change the temporary mailbox", async () => {
    const box = await bootstrap();
    await deliver(box.mailbox, plainMessage());
    const claim = await claimed(box);
    await arrived(claim);
    expect((await poll(claim)).kept_mail).toEqual({ from: box.mailbox, messages: 1, done: true });
    await deliver(box.mailbox, plainMessage({ subject: "Later" }));
    expect(await inbox(box)).toHaveLength(2);
  });

  it("continues after the process died, and has no message twice", async () => {
    const box = await bootstrap();
    // Without a Message-ID, a repeat would be stored as another mail.
    const subjects = Array.from({ length: 7 }, (_, index) => `Mail ${index}`);
    for (const subject of subjects)
      await deliver(box.mailbox, message(["From: a@example.com", `Subject: ${subject}`]));
    const claim = await claimed(box);
    const kept = await arrived(claim);
    // The state after a crash between the third message and the fourth.
    const [third] = await rowsOf<{ seq: number }>(
      box.mailbox,
      "SELECT seq FROM message ORDER BY seq LIMIT 1 OFFSET 2",
    );
    await runInDurableObject(actorOf(kept.mailbox), (_, { storage }) => {
      const later = storage.sql
        .exec<{ seq: number }>("SELECT seq FROM message ORDER BY seq LIMIT 10 OFFSET 3")
        .toArray();
      for (const { seq } of later) {
        for (const table of ["message", "content"])
          storage.sql.exec(`DELETE FROM ${table} WHERE seq = ?`, seq);
      }
      storage.sql.exec(
        "UPDATE take_over SET position = ?, messages = 3, due_at = ?",
        third?.seq ?? 0,
        Date.now(),
      );
    });
    await evict(kept.mailbox);
    await ringAlarm(kept.mailbox);
    await arrived(claim);
    await ringAlarm(kept.mailbox);
    expect((await inbox(kept)).map(({ subject }) => subject).toReversed()).toEqual(subjects);
    expect((await poll(claim)).kept_mail?.messages).toBe(7);
  });

  it("answers other calls meanwhile, and the alarm starts no second copy", async () => {
    const box = await bootstrap();
    const count = 200;
    for (let index = 0; index < count; index += 1) await deliver(box.mailbox, plainMessage());
    const claim = await claimed(box);
    const under = await vi.waitUntil(
      async () => {
        const { kept_mail } = await poll(claim);
        return kept_mail?.done === false && kept_mail.messages === 0 ? null : kept_mail;
      },
      { timeout: 20_000, interval: 1 },
    );
    expect(under).toMatchObject({ done: false });
    expect(under.messages).toBeLessThan(count);
    const later = Date.now() + 45_000;
    setClock(later);
    const dueAt = await runInDurableObject(actorOf(claim.mailbox), async (mailbox, { storage }) => {
      await mailbox.alarm();
      return storage.sql.exec<{ due_at: number }>("SELECT due_at FROM take_over").one().due_at;
    });
    expect(dueAt).toBeGreaterThan(later);
    expect(await inbox(await arrived(claim))).toHaveLength(100);
  });

  it("waits while it is full, says so, keeps the temporary mailbox alive, and has all mail in the end", async () => {
    const start = Date.now();
    const box = await bootstrap();
    for (const subject of ["One", "Two", "Three"]) await deliver(box.mailbox, plainMessage({ subject }));
    // Room for the first message only.
    const [{ size_bytes: size } = { size_bytes: 0 }] = await rowsOf<{ size_bytes: number }>(
      box.mailbox,
      "SELECT size_bytes FROM message ORDER BY seq LIMIT 1",
    );
    const claim = await claimedWithQuota(box, size + 10);
    await vi.waitUntil(async () => (await poll(claim)).kept_mail?.error, { timeout: 20_000, interval: 20 });
    const { kept_mail } = await poll(claim);
    expect(kept_mail).toMatchObject({ from: box.mailbox, messages: 1, done: false });
    expect(kept_mail?.error).toMatch(/^Mailbox is full/);
    // A day before it expires, its life is extended repeatedly.
    setClock(start + 71 * HOUR_MS);
    await ringAlarm(claim.mailbox);
    await vi.waitUntil(async () => (await expiryOf(box)) > start + 90 * HOUR_MS, { timeout: 20_000 });
    setClock(start + 90 * HOUR_MS);
    expect(await inbox(box)).toHaveLength(3);
    await giveQuota(claim.mailbox, 1_000_000_000);
    await ringAlarm(claim.mailbox);
    const kept = await arrived(claim);
    const polled = (await poll(claim)).kept_mail;
    expect(polled).toEqual({ from: box.mailbox, messages: 3, done: true });
    expect(await rowsOf(kept.mailbox, "SELECT seq FROM message")).toHaveLength(3);
  });

  it("continues later if the temporary mailbox's call limit is reached, and has all mail in the end", async () => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    setClock(Date.now());
    const box = await bootstrap();
    for (const subject of ["One", "Two", "Three", "Four"])
      await deliver(box.mailbox, plainMessage({ subject }));
    const messages = async () =>
      (await rowsOf<{ messages: number }>(claim.mailbox, "SELECT messages FROM take_over"))[0]?.messages;
    await giveLimit(box.mailbox, "4");
    const claim = await claimed(box);
    await vi.waitUntil(async () => ((await messages()) ?? 0) > 0, { timeout: 20_000, interval: 20 });
    await vi.waitUntil(
      async () => {
        setClock(Date.now() + 60_000);
        await ringAlarm(claim.mailbox);
        return isDone(claim);
      },
      { timeout: 20_000, interval: 20 },
    );
    expect(await messages()).toBe(4);
  });

  it("keeps the temporary mailbox alive for 30 days at most", async () => {
    const start = Date.now();
    const box = await bootstrap();
    await deliver(box.mailbox, plainMessage());
    const claim = await claimedWithQuota(box, 10);
    await vi.waitUntil(async () => (await poll(claim)).kept_mail?.error, { timeout: 20_000, interval: 20 });
    for (let day = 2; day < 33; day += 0.9) {
      setClock(start + day * 24 * HOUR_MS);
      await ringAlarm(claim.mailbox);
      await vi.waitUntil(async () => (await isWaiting(claim)) || (await isDone(claim)), { timeout: 20_000 });
    }
    expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(401);
    const [row] = await rowsOf(claim.mailbox, "SELECT messages, due_at, problem FROM take_over");
    expect(row).toMatchObject({
      messages: 0,
      due_at: null,
      problem: expect.stringMatching(/^Mailbox is full/),
    });
  });

  it("works even if the temporary mailbox no longer exists", async () => {
    const box = await bootstrap();
    await deliver(box.mailbox, plainMessage());
    const name = `kept-${Math.random().toString(36).slice(2, 10)}`;
    const json = { name, keep_mail: true };
    const claim = await ask<StartedClaim>("/v1/claim/start", {
      key: box.api_key,
      json,
      headers: headers(),
      vars,
    });
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    const { device_code } = claim.body;
    await ask("/v1/claim/confirm", { json: { device_code }, headers: headers(), vars });
    const kept = await arrived(claim.body);
    expect(await inbox(kept)).toEqual([]);
    expect((await poll(claim.body)).kept_mail).toEqual({ from: box.mailbox, messages: 0, done: true });
    await deliver(kept.mailbox, plainMessage({ subject: "New" }));
    expect(await inbox(kept)).toHaveLength(1);
  });
});
