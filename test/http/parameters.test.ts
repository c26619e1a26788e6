import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import {
  actorOf,
  ask,
  createMailbox,
  deliver,
  OPERATOR,
  plainMessage,
  type TestMailbox,
} from "../harness.ts";

let box: TestMailbox;

interface Page {
  emails: { subject: string; received_at: string }[];
  next_cursor: string | null;
}
interface Refusal {
  error: string;
  code: string;
  details: { path: string; message: string }[];
}

beforeAll(async () => {
  box = await createMailbox();
  for (let count = 1; count <= 102; count += 1) {
    await deliver(box.mailbox, plainMessage({ subject: `Mail ${count}` }));
  }
});

const get = <Body = Page>(path: string) => ask<Body>(path, { key: box.api_key });

/** The fields that a 400 names, both in its text and in its details; none for any other answer. */
async function refusedFields(path: string): Promise<string[]> {
  const { status, body } = await get<Refusal>(path);
  if (status !== 400 || body.code !== "invalid") return [`not refused: ${status}`];
  return body.details
    .map((detail) => detail.path)
    .filter((_, index) => index > 0 || body.error.includes(body.details[0]?.path ?? "?"));
}

describe("limit", () => {
  it.each([
    ["", 20],
    ["?limit=", 20],
    ["?limit=1", 1],
    ["?limit=99", 99],
    ["?limit=100", 100],
    ["?limit=101", 100],
    ["?limit=999999999", 100],
  ])("%s gives %i emails", async (query, count) => {
    const { body } = await get(`/v1/inbox${query}`);
    expect(body.emails.length).toBe(count);
    expect(body.next_cursor).not.toBeNull();
  });

  it.each(["0", "-1", "NaN", "1.5", "1e3", "0x10", "ten", "%00", "9".repeat(30)])(
    "%s is refused by every listing",
    async (value) => {
      for (const path of ["inbox", "search", "threads", "threads/x", "thread"]) {
        expect(await refusedFields(`/v1/${path}?query=mail&id=x&limit=${value}`)).toContain("limit");
      }
    },
  );
});

describe("offset", () => {
  it("skips the newest emails, and finds nothing past the end", async () => {
    expect((await get("/v1/inbox?offset=0&limit=1")).body.emails[0]?.subject).toBe("Mail 102");
    expect((await get("/v1/inbox?offset=1&limit=1")).body.emails[0]?.subject).toBe("Mail 101");
    const last = await get("/v1/inbox?offset=101&limit=1");
    expect(last.body.emails[0]?.subject).toBe("Mail 1");
    expect(last.body.next_cursor).toBeNull();
    expect((await get("/v1/inbox?offset=102")).body).toMatchObject({ emails: [], next_cursor: null });
    expect((await get("/v1/inbox?offset=1000000000")).body.emails).toEqual([]);
  });

  it.each(["-1", "NaN", "1.5", "x"])("%s is refused", async (value) => {
    expect(await refusedFields(`/v1/inbox?offset=${value}`)).toContain("offset");
    expect(await refusedFields(`/v1/search?q=x&offset=${value}`)).toContain("offset");
  });
});

describe("timeout", () => {
  it.each(["0", "-1", "NaN", "0.5", "soon"])("%s is refused", async (value) => {
    expect(await refusedFields(`/v1/code?timeout=${value}`)).toContain("timeout");
  });

  it("is at least one second", async () => {
    const { status, body } = await get<{ code: null }>("/v1/code?timeout=1");
    expect([status, body]).toEqual([200, { code: null }]);
  });
});

describe("since and until", () => {
  it.each([
    "yesterday",
    "2026-13-01",
    "2026-01-32",
    "2026-01-01T25:00:00Z",
    "2026-01-01T00:00:00+99:99",
    "1700000000",
    "-1",
    "2026-01-01T00:00:00 Z",
    "+275761-01-01T00:00:00Z",
    "'; DROP TABLE message--",
  ])("%s is refused", async (value) => {
    const time = encodeURIComponent(value);
    expect(await refusedFields(`/v1/inbox?since=${time}`)).toContain("since");
    expect(await refusedFields(`/v1/inbox?until=${time}`)).toContain("until");
    expect(await refusedFields(`/v1/code?since=${time}`)).toContain("since");
  });

  it.each([
    "2026-01-01",
    "2026-01-01T00:00",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00.123456Z",
    "2026-01-01T00:00:00+02:00",
    "2026-01-01T00:00:00-0230",
    "0001-01-01",
    "9999-12-31T23:59:59.999Z",
  ])("%s is understood", async (value) => {
    expect((await get(`/v1/inbox?limit=1&since=${encodeURIComponent(value)}`)).status).toBe(200);
  });

  it("include mail of exactly that millisecond, and none outside", async () => {
    const { body } = await get("/v1/inbox?limit=1&offset=50");
    const at = Date.parse(body.emails[0]?.received_at ?? "");
    const iso = (ms: number) => new Date(ms).toISOString();
    const between = async (since: number, until: number) =>
      (await get(`/v1/inbox?limit=100&since=${iso(since)}&until=${iso(until)}`)).body.emails;
    const exact = await between(at, at);
    expect(exact.length).toBeGreaterThan(0);
    expect(exact.every((email) => Date.parse(email.received_at) === at)).toBe(true);
    expect((await between(at + 1, at + 1)).every((email) => Date.parse(email.received_at) === at + 1)).toBe(
      true,
    );
    expect(await between(at, at - 1)).toEqual([]);
  });
});

describe("cursor", () => {
  it.each(["x!", "-", "1-2", "1-2-3", "zzzzzzzzzzzz", "%00", "undefined!", "../..", "\u{1f600}"])(
    "%s that no page gave is refused",
    async (value) => {
      const cursor = encodeURIComponent(value);
      expect(await refusedFields(`/v1/inbox?cursor=${cursor}`)).toContain("cursor");
    },
  );

  it("of another listing is refused", async () => {
    const inbox = (await get("/v1/inbox?limit=1")).body.next_cursor;
    const threads = (await get("/v1/threads?limit=1")).body.next_cursor;
    expect(await refusedFields(`/v1/threads?cursor=${inbox}`)).toContain("cursor");
    expect(await refusedFields(`/v1/inbox?cursor=${threads}`)).toContain("cursor");
    expect(await refusedFields(`/v1/search?q=mail&cursor=${inbox}`)).toContain("cursor");
  });

  it.each([
    "/v1/inbox?limit=1",
    "/v1/search?q=mail&limit=1",
    "/v1/threads?limit=1",
    "/v1/suppressions?limit=1",
    "/v1/mailboxes?limit=1",
  ])("that was cut or altered is refused, and never an empty page: %s", async (listing) => {
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => {
      for (const address of ["someone@a.example", "someone@b.example"]) {
        life.outbox.suppress(address, "bounce", { seq: 0, nowMs: 0 });
      }
    });
    const key = listing.startsWith("/v1/mailboxes") ? OPERATOR : box.api_key;
    await createMailbox();
    const { body } = await ask<{ next_cursor: string }>(listing, { key });
    const whole = body.next_cursor;
    expect((await ask(`${listing}&cursor=${whole}`, { key })).status).toBe(200);
    const cuts = Array.from(whole, (_, length) => whole.slice(0, length)).slice(1);
    const altered = Array.from(whole, (letter, at) => {
      return `${whole.slice(0, at)}${letter === "1" ? "2" : "1"}${whole.slice(at + 1)}`;
    });
    for (const cursor of [...cuts, ...altered, `${whole}0`, "zzz"]) {
      const refused = await ask<Refusal>(`${listing}&cursor=${cursor}`, { key });
      expect([cursor, refused.status]).toEqual([cursor, 400]);
      expect(refused.body.error).toBe(
        "cursor: must be a next_cursor of this listing, whole; without one it begins again",
      );
    }
  });

  it("may have 512 characters and not one more", async () => {
    expect(await refusedFields(`/v1/inbox?cursor=${"a".repeat(512)}`)).toContain("cursor");
    const { body } = await get<Refusal>(`/v1/inbox?cursor=${"a".repeat(513)}`);
    expect(body.error).toContain("512");
  });
});

describe("texts and choices", () => {
  it.each([
    ["direction", "sideways"],
    ["mode", "magic"],
    ["has_attachment", "perhaps"],
    ["from", "a".repeat(321)],
    ["query", "a".repeat(10_241)],
  ])("refuse what they do not know: %s", async (field, value) => {
    const query = `${field}=${value}`;
    expect(await refusedFields(`/v1/inbox?${query}`)).toContain(field);
  });

  it("are accepted at their limit", async () => {
    expect((await get(`/v1/inbox?from=${"a".repeat(320)}`)).status).toBe(200);
    expect((await get(`/v1/inbox?query=${"a".repeat(10_240)}`)).status).toBe(200);
  });

  it("count as absent if empty", async () => {
    const empty =
      "direction=&label=&query=&mode=&from=&to=&subject=&has_attachment=&since=&until=&cursor=&mailbox=";
    expect((await get(`/v1/inbox?${empty}&offset=`)).body.emails.length).toBe(20);
  });

  it("are refused if given twice with different values", async () => {
    expect(await refusedFields("/v1/inbox?limit=1&limit=2")).toContain("limit");
    expect(await refusedFields("/v1/inbox?label=a&label=b")).toContain("label");
  });

  it("get one error that names all faults", async () => {
    const { body } = await get<Refusal>("/v1/inbox?limit=0&offset=-1&since=x&direction=y");
    expect(body.details.map((detail) => detail.path).toSorted()).toEqual([
      "direction",
      "limit",
      "offset",
      "since",
    ]);
  });

  it.each([
    ["/v1/inbox?direction=up", "direction: must be one of inbound, outbound"],
    ["/v1/inbox?mode=magic", "mode: must be one of keyword, semantic, hybrid"],
    ["/v1/inbox?has_attachment=yes", "has_attachment: must be one of 0, 1, true, false"],
    ["/v1/code?kind=CODE", "kind: must be one of code, link, any"],
    ["/v1/webhook/deliveries?state=x", "state: must be one of pending, delivered, failed, cancelled"],
    ["/v1/email", "id: is required"],
  ])("say the words that are allowed, in ours: %s", async (path, error) => {
    const { status, body } = await get<Refusal>(path);
    expect([status, body.error]).toEqual([400, error]);
    const [detail, ...others] = body.details;
    expect([`${detail?.path}: ${detail?.message}`, others]).toEqual([error, []]);
  });

  it("that the route does not know are ignored", async () => {
    expect((await get("/v1/inbox?utm_source=x&__proto__=y&constructor=z&limit=1")).status).toBe(200);
  });

  it.each(["from", "to", "subject", "label", "query"])("are data, never SQL: %s", async (name) => {
    const hostile = encodeURIComponent("' OR 1=1; DROP TABLE message; --\u0000\\%_");
    const { status, body } = await get(`/v1/inbox?${name}=${hostile}`);
    expect([status, body.emails]).toEqual([200, []]);
    expect((await get("/v1/inbox?limit=1")).body.emails.length).toBe(1);
  });

  it("get an error that names the missing one: id, query, to", async () => {
    expect(await refusedFields("/v1/email")).toContain("id");
    expect(await refusedFields("/v1/email?id=")).toContain("id");
    expect(await refusedFields("/v1/thread")).toContain("id");
    expect(await refusedFields("/v1/attachment")).toContain("id");
    expect(await refusedFields("/v1/search")).toContain("query");
    expect(await refusedFields(`/v1/email?id=${"a".repeat(65)}`)).toContain("id");
    const inbound = await ask<Refusal>("/v1/inbound", { key: OPERATOR, body: plainMessage() });
    expect(inbound.status).toBe(400);
    expect(inbound.body.details).toEqual([{ path: "to", message: expect.any(String) as string }]);
  });
});
