import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../src/host/refusal.ts";
import { loadSecrets, secretsPath } from "../../src/host/secrets.ts";

const NONE = { authToken: null, webhookSecret: null, keySecret: null };

let dir: string;
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), "mailkeep-secrets-")), "data");
});
afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

describe("secrets", () => {
  it("are made once, readable by the owner only, and used again", async () => {
    const first = await loadSecrets(dir, NONE);
    expect(first.authToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(first.keySecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.keySecret).not.toBe(first.authToken);
    expect((await stat(secretsPath(dir))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await loadSecrets(dir, NONE)).toEqual(first);
    expect(await readdir(dir)).toEqual(["secrets.json"]);
  });

  it("give way to the environment, which never reaches the disk", async () => {
    const given = { authToken: "e".repeat(32), webhookSecret: null, keySecret: "k".repeat(32) };
    const { authToken, webhookSecret, keySecret } = await loadSecrets(dir, given);
    expect({ authToken, keySecret }).toEqual({ authToken: given.authToken, keySecret: given.keySecret });
    const text = await readFile(secretsPath(dir), "utf8");
    expect(text).not.toContain(given.authToken);
    expect(text).not.toContain(given.keySecret);
    const kept = await loadSecrets(dir, NONE);
    expect(kept.authToken).not.toBe(given.authToken);
    expect(kept.keySecret).not.toBe(given.keySecret);
    expect(kept.webhookSecret).toBe(webhookSecret);
  });

  it("get the key secret that an earlier version did not make, and keep the others", async () => {
    const earlier = { auth_token: "a".repeat(43), webhook_secret: "whsec_w" };
    await mkdir(dir);
    await writeFile(secretsPath(dir), JSON.stringify(earlier), { mode: 0o644 });
    const given = { ...NONE, keySecret: "k".repeat(32) };
    expect((await loadSecrets(dir, given)).keySecret).toBe(given.keySecret);
    const upgraded = await loadSecrets(dir, NONE);
    expect(upgraded).toMatchObject({ authToken: "a".repeat(43), webhookSecret: "whsec_w" });
    expect(upgraded.keySecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await stat(secretsPath(dir))).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(["secrets.json"]);
    expect(await loadSecrets(dir, NONE)).toEqual(upgraded);
  });

  it("get their mode back when a copy lost it", async () => {
    await loadSecrets(dir, NONE);
    await chmod(secretsPath(dir), 0o644);
    await loadSecrets(dir, NONE);
    expect((await stat(secretsPath(dir))).mode & 0o777).toBe(0o600);
  });

  it.each([
    "",
    "{",
    "[]",
    '{"auth_token":"short","webhook_secret":"x"}',
    `{"auth_token":"${"a".repeat(43)}","webhook_secret":"x","key_secret":"short"}`,
    `{"auth_token":"${"a".repeat(43)}","webhook_secret":"x","key_secret":null}`,
  ])("are not replaced when the file is damaged: %j", async (text) => {
    await loadSecrets(dir, NONE);
    await writeFile(secretsPath(dir), text);
    await expect(loadSecrets(dir, NONE)).rejects.toThrow(Refusal);
    expect(await readFile(secretsPath(dir), "utf8")).toBe(text);
  });
});
