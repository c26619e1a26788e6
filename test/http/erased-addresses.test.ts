import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { directoryShard } from "../../src/contract/directory.ts";
import { PROVISIONAL_LIFETIME_MS, QUARANTINE_MS } from "../../src/contract/limits.ts";
import { migrate } from "../../src/lib/migrate.ts";
import { Database } from "../../src/lib/sql.ts";
import { Directory } from "../../src/directory/directory.ts";
import { DIRECTORY_MIGRATIONS } from "../../src/directory/schema.ts";
import {
  actorOf,
  advance,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  DOMAIN,
  OPERATOR,
  resetClock,
  ringAlarm,
  type TestMailbox,
  withBindings,
} from "../harness.ts";

afterEach(() => {
  resetClock();
  vi.restoreAllMocks();
});

const nameOf = ({ mailbox }: Pick<TestMailbox, "mailbox">) => mailbox.split("@")[0] ?? "";

type Told = { error?: string; device_code: string; mailbox: string; api_key: string };

/** Starts a claim of a permanent mailbox as a stranger does. */
const claim = (name: string) =>
  ask<Told>("/v1/claim/start", {
    json: { name },
    headers: { "CF-Connecting-IP": clientAddress() },
    vars: { CLAIM_APPROVAL: "open" },
  });
const make = (json: object) => ask<Told>("/v1/mailboxes", { key: OPERATOR, json });
const erase = ({ api_key }: TestMailbox) => ask("/v1/mailbox", { method: "DELETE", key: api_key });

/** The answers of all routes that could give out the name. */
async function everybody(name: string): Promise<{ status: number; error?: string }[]> {
  const told = [
    await claim(name),
    await make({ name, kind: "permanent" }),
    await make({ name, kind: "temporary" }),
    await make({ address: `${name}@${DOMAIN}`, kind: "permanent" }),
    await ask<Told>("/v1/claim/auto", { key: OPERATOR, json: { name } }),
  ];
  return told.map(({ status, body }) => ({ status, error: body.error }));
}

describe("the address of a temporary mailbox", () => {
  it("that bootstrap made is never given out by name, before, during or after its life", async () => {
    const box = await bootstrap();
    const unused = "agent-0123456789abcdef";
    for (const name of [nameOf(box), unused]) {
      for (const { status, error } of await everybody(name)) {
        expect([status, error]).toEqual([400, expect.stringContaining("reserved for POST /v1/bootstrap")]);
      }
    }
    await erase(box);
    for (const { status } of await everybody(nameOf(box))) expect(status).toBe(400);
  });

  it("is recognized by its sixteen hex digits; other names are ordinary", async () => {
    for (const name of ["agent-01", "agent-0123456789abcde", "agent-0123456789abcdeg"]) {
      expect((await make({ name, kind: "permanent" })).status).toBe(201);
    }
  });

  it("is never given out again once it is erased, by any route and at any time", async () => {
    const box = await createMailbox("temporary");
    await erase(box);
    const expected = { status: 409, error: expect.stringContaining("never given out again") as string };
    for (const told of await everybody(nameOf(box))) expect(told).toEqual(expected);
    advance(10 * 365 * 86_400_000);
    for (const told of await everybody(nameOf(box))) expect(told).toEqual(expected);
  });

  it("is never given out again once it expired, even if its alarm is late", async () => {
    const [late, rung] = [await createMailbox("temporary"), await createMailbox("temporary")];
    advance(PROVISIONAL_LIFETIME_MS + 1);
    await ringAlarm(rung.mailbox);
    for (const box of [late, rung]) {
      expect(await make({ name: nameOf(box), kind: "permanent" })).toMatchObject({ status: 409 });
      expect(await claim(nameOf(box))).toMatchObject({ status: 409 });
    }
  });

  it("is stored once as a digest of sixteen bytes, and never in clear", async () => {
    const box = await createMailbox("temporary");
    await erase(box);
    const shard = env.DIRECTORY.getByName(directoryShard(box.mailbox));
    await shard.remove(box.mailbox, "temporary");
    const kept = await runInDurableObject(shard, (_, state) => ({
      sizes: state.storage.sql
        .exec<{ size: number }>("SELECT length(locator) AS size FROM retired")
        .toArray()
        .map(({ size }) => size),
      clear: JSON.stringify(
        ["entry", "quarantine"].map((table) => state.storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
      ),
    }));
    expect(new Set(kept.sizes)).toEqual(new Set([16]));
    expect(kept.clear).not.toContain(box.mailbox);
  });
});

describe("the address of an erased permanent mailbox", () => {
  it("is remembered even if the directory first hears of the mailbox when it is erased", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const name = `unheard-${Math.random().toString(36).slice(2, 8)}`;
    const address = `${name}@${DOMAIN}`;
    const directory = env.DIRECTORY;
    const real = () => directory.getByName(directoryShard(address));
    const deaf = {
      getByName: () => ({
        standing: (asked: string) => real().standing(asked),
        report: () => Promise.reject(new Error("The directory is down")),
      }),
    };
    let box: TestMailbox | null = null;
    await withBindings(address, { DIRECTORY: deaf }, async () => {
      box = await createMailbox("permanent", name);
    });
    if (box === null) throw new Error("There is no mailbox");
    await erase(box);
    expect((await claim(name)).status).toBe(409);
    advance(QUARANTINE_MS + 1_000);
    expect((await claim(name)).status).toBe(201);
  });

  it("is refused to a claim that asked at the moment of the erasure", async () => {
    const box = await createMailbox();
    const address = box.mailbox;
    const directory = env.DIRECTORY;
    const real = () => directory.getByName(directoryShard(address));
    const owner = {
      secretHash: "0".repeat(64),
      scope: "mailbox",
      kind: "permanent",
      expiresAt: null,
    } as const;
    await erase(box);
    await real().remove(address, "permanent");
    advance(QUARANTINE_MS + 1_000);
    // During the call to the directory, another call creates a mailbox at the address and erases it.
    let interrupted = false;
    const slow = {
      getByName: () => ({
        standing: async (asked: string) => {
          const standing = await real().standing(asked);
          if (!interrupted) {
            interrupted = true;
            await actorOf(address).create({ address, ...owner });
            await real().remove(address, "permanent");
            await actorOf(address).destroy({
              credential: { kind: "operator" },
              scopes: ["operator"],
              foreign: false,
              whilePaused: true,
              fault: null,
              upgradeUrl: "",
            });
          }
          return standing;
        },
        report: (entry: Parameters<ReturnType<typeof real>["report"]>[0]) => real().report(entry),
        remove: (gone: string, kind: "permanent" | "temporary") => real().remove(gone, kind),
      }),
    };
    await withBindings(address, { DIRECTORY: slow }, async () => {
      const created = await actorOf(address).create({ address, ...owner, secretHash: "1".repeat(64) });
      expect(created).toMatchObject({ ok: false, error: { code: "conflict" } });
    });
  });

  it("is not given out while the directory does not answer", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const name = `unknown-${Math.random().toString(36).slice(2, 8)}`;
    const down = {
      getByName: () => ({ standing: () => Promise.reject(new Error("The directory is down")) }),
    };
    await withBindings(`${name}@${DOMAIN}`, { DIRECTORY: down }, async () => {
      const told = await make({ name, kind: "permanent" });
      expect([told.status, told.body.error]).toEqual([503, expect.stringContaining("try again")]);
    });
    expect((await make({ name, kind: "permanent" })).status).toBe(201);
  });
});

describe("a directory of an earlier release", () => {
  it("opens, works, and remembers temporary addresses from then on", async () => {
    const shard = env.DIRECTORY.getByName(`old-${crypto.randomUUID()}`);
    const listed = `old-${Math.random().toString(36).slice(2)}@${DOMAIN}`;
    await runInDurableObject(shard, async (_, state) => {
      await state.storage.deleteAll();
      const db = new Database(state.storage);
      migrate(db, DIRECTORY_MIGRATIONS.slice(0, 4));
      state.storage.sql.exec(
        "INSERT INTO entry (address, kind, status, created_at, expires_at) VALUES (?, 'temporary', 'active', 1, NULL)",
        listed,
      );
      const opened = new Directory(state, env);
      expect(opened.standing(listed)).toEqual({ kind: "listed" });
      // A mailbox of an earlier release does not say its kind.
      opened.remove(listed);
      expect(opened.standing(listed)).toEqual({ kind: "retired" });
      expect(opened.standing(`nobody@${DOMAIN}`)).toEqual({ kind: "free" });
    });
  });
});
