import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Email, EmailPage } from "../../src/contract/message.ts";
import type { ChangePage } from "../../src/contract/event.ts";
import type { Stats } from "../../src/contract/mailbox.ts";
import type { Domain } from "../../src/contract/domain.ts";
import { inParallel } from "./client.ts";
import type { Ask, MailboxKey, Service, Told } from "./client.ts";
import { EventSocket } from "./event-socket.ts";
import { message } from "./messages.ts";
import { copies, reading, send } from "./outgoing.ts";
import { makeDataDir, removeDataDir, Server } from "./server.ts";
import { deliver } from "./smtp.ts";
import { readExpected, storedVersions, unpack } from "./stored/archive.ts";
import { lasting, readAnswer, sha256 } from "./stored/reads.ts";
import { Surroundings } from "./stored/surroundings.ts";
import { Target } from "./target.ts";

/*
 * Stored data gets older: what is true a minute after it was written may be wrong a year later. So the compared mailboxes are
 * permanent and their log is stored for ten years. For everything that expires, the expectation depends on the age of the
 * data, by the documented limits (docs/limits.md).
 */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a duplicate is recognized. */
const DUPLICATE_MS = 5 * DAY_MS;
/** How long an Idempotency-Key is valid. */
const SEND_KEY_MS = DAY_MS;
/** How long a temporary mailbox lives. */
const TEMPORARY_MS = 72 * HOUR_MS;
/** How long the address of an erased permanent mailbox cannot be claimed. */
const QUARANTINE_MS = 30 * DAY_MS;

const AT_ONCE = 8;
const WAIT_SECONDS = 30;
const PATIENCE = { timeout: 30_000, interval: 50 };

describe.each(storedVersions())("the data stored by %s", (version) => {
  const stored = readExpected(version);
  const reads = Map.groupBy(stored.reads, ({ as }) => as);
  let dataDir: string;
  let around: Surroundings;
  let hooks: Target;
  let server: Server;
  let service: Service;

  beforeAll(async () => {
    dataDir = await makeDataDir();
    unpack(version, dataDir);
    around = await Surroundings.start();
    for (const { type, name, data } of stored.dns) around.doh.zone.set(type, name, ...data);
    hooks = await Target.start();
    server = await Server.start({ dataDir, env: { ...stored.settings, ...around.env() } });
    service = server.service;
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    around.stop();
    await hooks.stop();
    await removeDataDir(dataDir);
  });

  const keyOf = (name: string): string => stored.keys[name] ?? "";
  const boxOf = (name: string): MailboxKey => ({
    mailbox: stored.mailboxes[name] ?? "",
    api_key: keyOf(name),
  });
  const isYounger = (at: string, ms: number): boolean => Date.now() - Date.parse(at) < ms;
  const ask = <Body = Record<string, unknown>>(
    as: string,
    path: string,
    rest: Ask = {},
  ): Promise<Told<Body>> => service.ask<Body>(path, { key: keyOf(as), ...rest });

  /** Ids of the emails whose events a webhook received. */
  const heardAt = (path: string): string[] => hooks.at(path).map(emailOf);

  it.each([...reads.keys()])("reads the same for %s", async (as) => {
    const recorded = reads.get(as) ?? [];
    const key = keyOf(as);
    // A release with other vectors first embeds the mail again.
    if (as !== "operator") await until(async () => (await statsOf(service, key)).embeddings?.pending === 0);
    const answers = await inParallel(recorded, AT_ONCE, (read) => readAnswer(service, key, read));
    // Every recorded member must have its value; there may be new members.
    const now = recorded.map((read, index) => lasting(read, answers[index]));
    expect(now).toMatchObject(recorded.map((read) => lasting(read, read.answer)));
  });

  it("accepts its keys, and no others", async () => {
    const me = async (key: string): Promise<[status: number, mailbox: unknown]> => {
      const { status, body } = await service.ask("/v1/me", { key });
      return [status, body.mailbox];
    };
    const names = Object.keys(stored.keys);
    const answers = await Promise.all(names.map((name) => me(keyOf(name))));
    const statuses = Object.fromEntries(names.map((name, index) => [name, answers[index]?.[0]]));
    expect(statuses).toEqual({
      ...Object.fromEntries(names.map((name) => [name, 200])),
      erased: 401,
      waiting: 403,
      temporary: isYounger(stored.stored_at, TEMPORARY_MS) ? 200 : 401,
    });
    expect(await me(stored.second_key)).toEqual([200, stored.mailboxes.reader]);
    expect((await me(stored.revoked_key))[0]).toBe(401);
    const forged = stored.second_key.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await me(forged))[0]).toBe(401);
  });

  it("is listed in the console after a new sign-in", async () => {
    const session = async (headers: Record<string, string>, init: RequestInit = {}) =>
      fetch(`${server.url}/operator/session`, { ...init, headers: { Origin: server.url, ...headers } });
    const ended = await session({ Cookie: stored.ended_cookie });
    expect(await ended.json()).toMatchObject({ signed_in: false });
    const body = JSON.stringify({ key: keyOf("operator") });
    const signedIn = await session({ "Content-Type": "application/json" }, { method: "POST", body });
    const Cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const { token } = (await signedIn.json()) as { token: string };
    const page = await (
      await fetch(`${server.url}/operator/${token}/mailboxes`, { headers: { Cookie } })
    ).text();
    for (const name of ["reader", "sender", "waiting", "claimed", "heir"]) {
      expect(page).toContain(stored.mailboxes[name]);
    }
    expect(page).not.toContain(stored.mailboxes.erased);
  });

  it("replays missed events to a stream", async () => {
    const stream = EventSocket.listen(server.url, keyOf("reader"), { lastEventId: 1 });
    onTestFinished(() => stream.drop());
    await stream.until(() => stream.frames.length >= 3);
    const path = "/v1/changes?after=1&limit=3";
    const { events } = await service.get<ChangePage>(path, keyOf("reader"));
    expect(stream.frames.slice(0, 3).map(({ id, event }) => [id, event])).toEqual(
      events.map(({ seq, event }) => [seq, event]),
    );
  });

  describe("continues", () => {
    it("with a reply to an old mail, which joins its thread", async () => {
      const { id, message_id, emails } = stored.thread;
      const bytes = message({
        subject: "Re: Plan for the garden",
        headers: [`In-Reply-To: ${message_id}`],
        body: "The plumber and the wheelbarrow come, too.\n",
      });
      const { data } = await deliver(server.smtpPort, {
        from: "ben@example.com",
        to: [boxOf("reader").mailbox],
        bytes,
      });
      expect(data).toMatch(/^250 /);
      const thread = await service.thread(keyOf("reader"), id);
      expect(thread.emails).toHaveLength(emails + 1);
      const newest = thread.emails.at(-1)?.id ?? "";
      expect(await service.raw(keyOf("reader"), newest)).toEqual(bytes);
      const found = async (words: string) => {
        const path = `/v1/search?mode=keyword&limit=100&q=${words}`;
        const { emails } = await service.get<EmailPage>(path, keyOf("reader"));
        return emails.map((email) => email.id).toSorted();
      };
      expect(await found("wheelbarrow")).toEqual([newest]);
      expect(await found(stored.search.words)).toEqual([stored.search.id, newest].toSorted());
    });

    it("with an old message that comes again: a duplicate for five days, and then a new mail", async () => {
      const { id, received_at } = stored.repeated;
      const raw = await service.raw(keyOf("reader"), id);
      const again = () => service.handOver(boxOf("reader").mailbox, raw);
      const first = await again();
      expect(first.body.duplicate).toBe(isYounger(received_at, DUPLICATE_MS));
      expect(first.body.id === id).toBe(first.body.duplicate);
      // In either case, it is a duplicate now.
      expect((await again()).body.duplicate).toBe(true);
    });

    it("with a verified domain and one that is not", async () => {
      const { data } = await deliver(server.smtpPort, {
        from: "cleo@example.com",
        to: [`orders@${stored.domain}`],
        bytes: message({ subject: "To the domain" }),
      });
      expect(data).toMatch(/^250 /);
      const mail = { from: `orders@${stored.domain}`, to: "cleo@elsewhere.example" };
      const { body } = await send(service, boxOf("reader"), mail, { wait: WAIT_SECONDS });
      expect(body.status).toBe("sent");
      const [copy] = copies(around.relay, body.message_id);
      expect(copy?.bytes.toString("latin1")).toMatch(new RegExp(`^DKIM-Signature:[^\\0]*d=${stored.domain}`));
      const { body: all } = await ask<{ domains: Domain[] }>("reader", "/v1/domains");
      const pending = all.domains.find(({ status }) => status === "pending");
      around.doh.zone.publish(pending?.dns_records ?? {});
      const path = `/v1/domains/${pending?.id}/verify`;
      expect((await ask("reader", path, { method: "POST" })).body.status).toBe("verified");
    });

    it("with a webhook that failed, once its URL is set again", async () => {
      const webhook_url = hooks.url("/mended");
      const route = { label: "notification", webhook_url };
      const set = await ask("reader", "/v1/mailbox/routes", { method: "PUT", json: route });
      expect(set.body.status).toBe("active");
      const own = { webhook_url: hooks.url("/own") };
      expect((await ask("reader", "/v1/mailbox", { method: "PATCH", json: own })).status).toBe(200);
      const bytes = message({ subject: "Built", headers: ["Auto-Submitted: auto-generated"] });
      const { body } = await service.handOver(boxOf("reader").mailbox, bytes);
      // Events that the old URL missed a moment ago may also come.
      for (const path of ["/own", "/mended"]) {
        await expect.poll(() => heardAt(path), PATIENCE).toContain(body.id);
      }
      const log = await ask<{ deliveries: { email_id: string; id: string }[] }>(
        "reader",
        "/v1/webhook/deliveries?label=notification&state=failed&limit=1",
      );
      const [failed] = log.body.deliveries;
      const again = `/v1/webhook/deliveries/${failed?.id}/redeliver`;
      expect((await ask("reader", again, { method: "POST" })).status).toBe(202);
      await expect.poll(() => heardAt("/mended"), PATIENCE).toContain(failed?.email_id);
    });

    it("after reindexing, and finds old mail as before", async () => {
      const at = `/v1/mailboxes/${boxOf("reader").mailbox}/reindex?limit=10`;
      for (let cursor: string | null = ""; cursor !== null;) {
        const next: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `${at}${next}`;
        const page: Told<{ next_cursor: string | null }> = await ask("operator", path, { method: "POST" });
        expect(page.status).toBe(200);
        cursor = page.body.next_cursor;
      }
      const found = await service.search(keyOf("reader"), stored.search.words);
      expect(found.map(({ id }) => id)).toContain(stored.search.id);
    });

    it("with sent messages: none is sent again, and nothing goes to suppressed addresses", async () => {
      const { key, body, id, at } = stored.keyed;
      const isKnown = isYounger(at, SEND_KEY_MS);
      const again = await send(service, boxOf("sender"), body, { key, wait: WAIT_SECONDS });
      expect([again.status, again.body.id === id]).toEqual([200, isKnown]);
      expect(copies(around.relay, again.body.message_id)).toHaveLength(isKnown ? 0 : 1);
      const refused = await send(service, boxOf("sender"), { to: stored.suppressed });
      expect(refused.status).toBe(400);
      const more = await send(
        service,
        boxOf("sender"),
        { to: "ann@elsewhere.example" },
        { wait: WAIT_SECONDS },
      );
      expect(more.body.status).toBe("sent");
    });

    describe("with the mailbox that was paused while work was under way, once it is resumed:", () => {
      const box = boxOf("waiting");

      it("the mailbox is active, and its webhook gets a new URL", async () => {
        expect((await ask("waiting", "/v1/mailbox/resume", { method: "PATCH" })).status).toBe(200);
        // Nothing listens at the old URL: each waiting delivery has three more attempts, the next within about a second.
        const json = { webhook_url: hooks.url("/waiting") };
        expect((await ask("waiting", "/v1/mailbox", { method: "PATCH", json })).status).toBe(200);
      });

      it.each(["queued", "handing"] as const)(
        "a message that was %s goes out, as it was written",
        async (what) => {
          const { id, message_id, raw_sha256 } = stored.waiting[what];
          // Only the number of tries counts, not their age: a message that waited a long time is not given up.
          await reading(service, box, id, ({ status }: Email) => status === "sent");
          const taken = copies(around.relay, message_id);
          expect(taken.map(({ bytes }) => sha256(bytes))).toEqual([raw_sha256]);
        },
      );

      it("a message that the relay may have accepted is not sent again", async () => {
        const { id, message_id } = stored.waiting.ending;
        const { delivery } = await reading(service, box, id, ({ status }: Email) => status === "unknown");
        expect(delivery).toMatchObject([{ next_attempt_at: null }]);
        expect(copies(around.relay, message_id)).toEqual([]);
      });

      it("every event reaches the webhook", async () => {
        const events = expect.arrayContaining(stored.waiting.webhook_events) as unknown;
        await expect.poll(() => heardAt("/waiting"), PATIENCE).toEqual(events);
      });

      it("an upload can be used for a day", async () => {
        const mail = { to: "ann@elsewhere.example", attachments: [{ attachment_id: stored.upload.id }] };
        const { status } = await send(service, box, mail);
        expect(status).toBe(Date.now() < Date.parse(stored.upload.expires_at) ? 200 : 400);
      });
    });

    it("with a claim that takes over mail: no message is lost or doubled", async () => {
      const { raw_sha256, taken } = stored.take_over;
      const heir = boxOf("heir");
      const digests = async () => {
        const emails = await service.inbox(heir.api_key);
        return inParallel(emails, AT_ONCE, async ({ id }) => sha256(await service.raw(heir.api_key, id)));
      };
      // The remaining mail exists as long as the temporary mailbox lives.
      const isAlive = isYounger(stored.stored_at, TEMPORARY_MS);
      const least = isAlive ? raw_sha256.length : taken;
      await expect.poll(async () => (await digests()).length, PATIENCE).toBeGreaterThanOrEqual(least);
      const all = await digests();
      expect(new Set(all).size).toBe(all.length);
      expect(raw_sha256).toEqual(expect.arrayContaining(all));
      const more = await service.handOver(heir.mailbox, message());
      expect(more.status).toBe(202);
    });

    it("with claims: an erased address is reserved for thirty days, and an undecided claim reserves nothing", async () => {
      const claim = (name: string) => service.ask("/v1/claim/start", { json: { name } });
      const { name, at } = stored.erased;
      expect((await claim(name)).status).toBe(isYounger(at, QUARANTINE_MS) ? 409 : 201);
      expect((await claim("claimed")).status).toBe(409);
      expect((await claim(stored.pending_claim.name)).status).toBe(201);
      const poll = await service.ask(`/v1/claim/poll?session=${stored.pending_claim.session_id}`);
      // The session is erased an hour after it expires.
      expect([200, 404]).toContain(poll.status);
    });
  });

  it("can be closed and opened again", async () => {
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    server = await Server.start({ dataDir, env: { ...stored.settings, ...around.env() } });
    service = server.service;
    const { id } = stored.search;
    expect(await service.email(keyOf("reader"), id)).toMatchObject({ id });
  });
});

const statsOf = (service: Service, key: string): Promise<Stats> => service.get<Stats>("/v1/stats", key);

async function until(holds: () => Promise<boolean>): Promise<void> {
  await expect.poll(holds, PATIENCE).toBe(true);
}

function emailOf({ body }: { body: Buffer }): string {
  return (JSON.parse(body.toString()) as { email_id: string }).email_id;
}
