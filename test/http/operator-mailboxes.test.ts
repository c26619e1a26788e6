import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { directoryShard } from "../../src/contract/directory.ts";
import {
  api,
  ask,
  createMailbox,
  deliver,
  DOMAIN,
  evict,
  OPERATOR,
  plainMessage,
  rowsOf,
  tablesOf,
} from "../harness.ts";

const unique = () => `op-${Math.random().toString(36).slice(2, 12)}`;
const create = (json: object) =>
  ask<{ mailbox: string; api_key: string }>("/v1/mailboxes", { key: OPERATOR, json });
const entryOf = async (address: string) => {
  const entries = await env.DIRECTORY.getByName(directoryShard(address)).list({
    after: "",
    status: null,
    limit: 1_000,
  });
  return entries.find((entry) => entry.address === address) ?? null;
};

describe("POST /v1/mailboxes", () => {
  it("creates a mailbox by name or by address, and its key works", async () => {
    for (const key of ["name", "address"]) {
      const name = unique();
      const address = `${name}@${DOMAIN}`;
      const made = await create({ [key]: key === "name" ? name : address });
      expect([made.status, made.body.mailbox]).toEqual([201, address]);
      expect((await ask("/v1/me", { key: made.body.api_key })).body).toMatchObject({ scope: "mailbox" });
    }
  });

  it("creates a temporary mailbox that ends after 72 hours", async () => {
    const made = await create({ name: unique(), kind: "temporary" });
    const { body } = await ask<{ scope: string; expires_at: string }>("/v1/me", { key: made.body.api_key });
    expect(body.scope).toBe("provisional");
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000);
  });

  it("is POST /v1/claim/auto as well", async () => {
    const name = unique();
    const made = await ask("/v1/claim/auto", { key: OPERATOR, json: { name } });
    expect([made.status, made.body]).toEqual([
      201,
      { mailbox: `${name}@${DOMAIN}`, api_key: expect.any(String) as string },
    ]);
  });

  it("answers 409 for a taken name in any spelling, and the owner's key stays valid", async () => {
    const { mailbox, api_key } = await createMailbox();
    const [name = ""] = mailbox.split("@");
    for (const json of [
      { name },
      { name: name.toUpperCase() },
      { address: mailbox },
      { name: ` ${name} ` },
    ]) {
      const taken = await create(json);
      expect(taken.status).toBe(409);
      expect(taken.body).toMatchObject({ code: "conflict", error: `${mailbox} is taken` });
    }
    expect((await api("/v1/me", { key: api_key })).status).toBe(200);
  });

  it("succeeds for one of twenty simultaneous calls with the same name", async () => {
    const name = unique();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
  });

  it.each([
    ["a reserved name", { name: "postmaster" }],
    ["a reserved name in capitals", { name: "Admin" }],
    ["41 characters", { name: "a".repeat(41) }],
    ["no characters", { name: "" }],
    ["a leading dot", { name: ".abc" }],
    ["a trailing dot", { name: "abc." }],
    ["two dots", { name: "a..b" }],
    ["a plus tag", { name: "a+b" }],
    ["an @", { name: "a@b" }],
    ["a Cyrillic letter", { name: "p\u0430ypal" }],
    ["a blank", { name: "a b" }],
    ["markup", { name: "<script>" }],
    ["an address elsewhere", { address: "someone@elsewhere.example" }],
    ["an address of a subdomain", { address: `a@sub.${DOMAIN}` }],
    ["name and address", { name: "abc", address: `abc@${DOMAIN}` }],
    ["neither", {}],
    ["an unknown kind", { name: "abc", kind: "eternal" }],
  ])("refuses %s with 400", async (_, json) => {
    const { status, body } = await create(json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "invalid" });
  });

  it("says that a reserved name is reserved, and not that its characters are wrong", async () => {
    for (const json of [{ name: "Admin" }, { address: `admin@${DOMAIN}` }]) {
      const { status, body } = await create(json);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: `${Object.keys(json)[0]}: admin is reserved for the mail system itself: take another name`,
      });
    }
  });

  it.each(["a", "9", "a".repeat(40), "a.b_c-d", "0x"])("accepts a name at the limits: %s", async (name) => {
    const made = await create({ name });
    expect([201, 409]).toContain(made.status);
    expect(made.status === 201 || made.body).toBeTruthy();
    await ask(`/v1/mailboxes/${name}@${DOMAIN}`, { key: OPERATOR, method: "DELETE" });
  });
});

describe("the operator's mailboxes", () => {
  it("can be paused, resumed and deleted, and the directory shows it at once", async () => {
    const { mailbox, api_key } = await createMailbox();
    expect(await entryOf(mailbox)).toMatchObject({ kind: "permanent", status: "active", expires_at: null });
    await ask(`/v1/mailboxes/${mailbox}/pause`, { key: OPERATOR, method: "PATCH" });
    expect(await entryOf(mailbox)).toMatchObject({ status: "paused" });
    expect((await api("/v1/inbox", { key: api_key })).status).toBe(403);
    const resumed = await ask(`/v1/mailboxes/${mailbox}/resume`, { key: OPERATOR, method: "PATCH" });
    expect(resumed.body).toEqual({ mailbox, status: "active" });
    expect(await entryOf(mailbox)).toMatchObject({ status: "active" });
    const gone = await ask(`/v1/mailboxes/${mailbox}`, { key: OPERATOR, method: "DELETE" });
    expect(gone.body).toEqual({ ok: true, deleted: mailbox, r2_blobs_deleted: 0 });
    expect(await entryOf(mailbox)).toBeNull();
    expect((await api("/v1/inbox", { key: api_key })).status).toBe(401);
    expect(await tablesOf(mailbox)).toEqual([]);
  });

  it("show when a client paused or deleted its own", async () => {
    const { mailbox, api_key } = await createMailbox();
    await ask("/v1/mailbox/pause", { key: api_key, method: "PATCH" });
    expect(await entryOf(mailbox)).toMatchObject({ status: "paused" });
    await ask("/v1/mailbox/resume", { key: api_key, method: "PATCH" });
    await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
    expect(await entryOf(mailbox)).toBeNull();
  });

  it("stay paused across a restart", async () => {
    const { mailbox, api_key } = await createMailbox();
    await ask(`/v1/mailboxes/${mailbox}/pause`, { key: OPERATOR, method: "PATCH" });
    await evict(mailbox);
    expect((await ask("/v1/inbox", { key: api_key })).body).toEqual({ error: "Mailbox is paused" });
  });

  it("can be deleted while paused", async () => {
    const { mailbox } = await createMailbox();
    await ask(`/v1/mailboxes/${mailbox}/pause`, { key: OPERATOR, method: "PATCH" });
    expect((await ask(`/v1/mailboxes/${mailbox}`, { key: OPERATOR, method: "DELETE" })).status).toBe(200);
  });

  it("answer 404 for an address without a mailbox, and the call creates nothing", async () => {
    const address = `${unique()}@${DOMAIN}`;
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["PATCH", "/pause"],
      ["PATCH", "/resume"],
    ] as const) {
      const { status, body } = await ask(`/v1/mailboxes/${address}${path}`, { key: OPERATOR, method });
      expect([status, body]).toEqual([404, problemBody(notFound("Mailbox"))]);
    }
    expect((await ask("/v1/mailboxes/nonsense", { key: OPERATOR })).status).toBe(404);
    expect(await tablesOf(address)).toEqual([]);
  });

  it("can be named in any spelling of the address", async () => {
    const { mailbox } = await createMailbox();
    for (const spelling of [mailbox.toUpperCase(), mailbox.replace("@", "%40"), `%20${mailbox}`]) {
      expect((await ask(`/v1/mailboxes/${spelling}`, { key: OPERATOR })).body).toMatchObject({ mailbox });
    }
  });

  it("accept a reason for a pause of 500 characters and not one more", async () => {
    const { mailbox } = await createMailbox();
    const pause = (reason: unknown) =>
      ask(`/v1/mailboxes/${mailbox}/pause`, { key: OPERATOR, method: "PATCH", json: { reason } });
    expect((await pause("x".repeat(501))).status).toBe(400);
    expect((await pause(7)).status).toBe(400);
    expect((await pause("x".repeat(500))).status).toBe(200);
  });
});

describe("reading all mail again from its raw bytes", () => {
  const reindex = async (mailbox: string) => {
    let count = 0;
    for (let cursor: string | null = ""; cursor !== null;) {
      const { status, body }: { status: number; body: { reindexed: number; next_cursor: string | null } } =
        await ask(`/v1/mailboxes/${mailbox}/reindex?limit=2&cursor=${cursor}`, {
          key: OPERATOR,
          method: "POST",
        });
      expect(status).toBe(200);
      count += body.reindexed;
      cursor = body.next_cursor;
    }
    return count;
  };

  it("gives the same answers after the derived tables are lost, large mail and labels included", async () => {
    const { mailbox, api_key } = await createMailbox();
    const ids: string[] = [];
    for (const raw of [
      plainMessage({ subject: "Invoice", body: "Your verification code is 482913" }),
      plainMessage({ subject: "Large", body: "needle ".repeat(100_000) }),
      plainMessage({ subject: "Weekly", headers: ["List-Id: <l.example>"] }),
      "",
    ]) {
      ids.push((await deliver(mailbox, raw)).body.id);
    }
    await ask(`/v1/emails/${ids[0]}`, { key: api_key, method: "PATCH", json: { add_labels: ["mine"] } });
    const paths = [
      "inbox",
      "threads",
      "search?q=invoice",
      "search?q=needle",
      "inbox?label=mine",
      "inbox?label=newsletter",
      "code",
      "stats",
      ...ids.map((id) => `emails/${id}`),
    ];
    const readAll = async () =>
      Promise.all(paths.map(async (path) => (await ask(`/v1/${path}`, { key: api_key })).body));
    const before = await readAll();
    for (const table of ["search", "message_label"]) await rowsOf(mailbox, `DROP TABLE ${table}`);
    await evict(mailbox);
    expect(await reindex(mailbox)).toBe(4);
    expect(await readAll()).toEqual(before);
    // Reindexes again, over the complete index. Scores may differ, because they count deleted rows too.
    expect(await reindex(mailbox)).toBe(4);
    const unscored = (answers: unknown) => JSON.stringify(answers).replace(/"score":[\d.]+/g, "");
    expect(unscored(await readAll())).toBe(unscored(before));
  });
});
