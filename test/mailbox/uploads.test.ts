import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { PART_BYTES } from "../../src/blobs/r2.ts";
import { OWNERS } from "../../src/contract/scope.ts";
import type { Access } from "../../src/mailbox/account/access.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  resetClock,
  ringAlarm,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";

const DAY_MS = 24 * 3_600_000;

afterEach(() => {
  resetClock();
});

describe("the uploads of a mailbox", () => {
  const access = (scope = OWNERS): Access => ({
    credential: { kind: "operator" },
    scopes: scope,
    foreign: false,
    whilePaused: false,
    fault: null,
    upgradeUrl: "",
  });
  const upload = async (own: TestMailbox, bytes: Uint8Array) =>
    (
      await ask<{ id: string; sha256: string; expires_at: string }>("/v1/attachments?filename=a.bin", {
        key: own.api_key,
        body: bytes,
      })
    ).body;

  it("are found by id with name, type and size", async () => {
    const own = await createMailbox();
    const actor = actorOf(own.mailbox);
    for (const bytes of [10, PART_BYTES + 1]) {
      const { id } = await upload(own, new Uint8Array(bytes));
      const rows = await rowsOf<{ id: string; key: string }>(own.mailbox, "SELECT id, key FROM upload");
      expect(await actor.attachment(access(), id)).toMatchObject({
        ok: true,
        value: {
          upload: id,
          partsKey: rows.find((row) => row.id === id)?.key,
          stored: { filename: "a.bin", contentType: "application/octet-stream", sizeBytes: bytes, offset: 0 },
        },
      });
      expect(await actor.attachment(access([]), id)).toMatchObject({ ok: false });
    }
    expect(await actor.attachment(access(), "unknown")).toMatchObject({ error: { code: "not_found" } });
  });

  it("survive every alarm as long as a message uses them, and are erased with the mailbox", async () => {
    const own = await createMailbox();
    const before = (await env.BLOBS.list()).objects.length;
    const { id } = await upload(own, new Uint8Array(PART_BYTES));
    await runInDurableObject(actorOf(own.mailbox), ({ life }) => {
      expect(life.uploads.use(7, [id]).ok).toBe(true);
    });
    advance(3 * DAY_MS);
    await ringAlarm(own.mailbox);
    expect((await api(`/v1/attachments/${id}`, { key: own.api_key })).status).toBe(200);
    expect(await alarmOf(own.mailbox)).toBeNull();
    const { body } = await ask("/v1/mailbox", { key: own.api_key, method: "DELETE" });
    expect(body).toMatchObject({ ok: true, r2_blobs_deleted: 1 });
    expect((await env.BLOBS.list()).objects.length).toBe(before);
  });
});
