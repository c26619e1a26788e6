import { expect, it } from "vitest";
import type { Access } from "../../src/mailbox/account/access.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

/** The key with which `NodeMailbox` creates the mailbox. */
const FIRST_KEY: Access = { ...OPERATOR, credential: { kind: "key", secretHash: "0".repeat(64) } };

it("A revoked key stays revoked, although its last use waits to be written and a transaction was undone", async () => {
  const mailbox = await NodeMailbox.create({ later: () => undefined });
  const { settings, context } = mailbox.life;
  const used = settings.me(FIRST_KEY);
  expect(used.ok).toBe(true);
  const broken = () =>
    context.commit(() => {
      throw new Error("broken");
    });
  expect(broken).toThrow("broken");
  const [id = ""] = mailbox.account.keyRecords().map((key) => key.id);
  expect(settings.revokeKey(OPERATOR, id)).toMatchObject({ ok: true });
  context.late.flush();
  await context.arm();
  mailbox.die();
  expect(mailbox.life.settings.me(FIRST_KEY)).toMatchObject({ ok: false, error: { code: "unauthorized" } });
  expect(mailbox.account.keyRecords()).toEqual([]);
});

it("The last use of a key is written by the next transaction, also after one that was undone", async () => {
  const mailbox = await NodeMailbox.create({ later: () => undefined });
  const { settings, context } = mailbox.life;
  settings.me(FIRST_KEY);
  const broken = () =>
    context.commit(() => {
      throw new Error("broken");
    });
  expect(broken).toThrow("broken");
  settings.me(FIRST_KEY);
  context.commit(() => undefined);
  await context.arm();
  mailbox.die();
  const [key] = mailbox.account.keyRecords();
  expect(key?.last_used_at).toBe(new Date(mailbox.nowMs).toISOString());
});
