import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { banner, readyLine } from "../../src/host/banner.ts";
import { bindingsOf } from "../../src/host/bindings.ts";
import { lockDataDir } from "../../src/host/lock.ts";
import { claimPorts } from "../../src/host/ports.ts";
import { Refusal } from "../../src/host/refusal.ts";
import { loadSecrets, secretsPath } from "../../src/host/secrets.ts";
import { readSettings } from "../../src/host/settings.ts";

const NONE = { authToken: null, webhookSecret: null, keySecret: null };

let dir: string;
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), "mailkeep-settings-")), "data");
});
afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

describe("settings", () => {
  it("take a model with its endpoint, and no credential in its URL", () => {
    const model = { EMBEDDINGS_URL: "http://127.0.0.1:11434/v1", EMBEDDINGS_MODEL: "tiny" };
    expect(readSettings(model).embeddings).toEqual(model);
    expect(() => readSettings({ ...model, EMBEDDINGS_URL: "https://me:secret@x.example/v1" })).toThrow(
      /^EMBEDDINGS_URL must hold no credential: set EMBEDDINGS_KEY$/,
    );
    expect(() => readSettings({ ...model, EMBEDDINGS_MODEL: "" })).toThrow("must be set together");
  });

  it("have defaults for one machine", () => {
    expect(readSettings({})).toMatchObject({
      dataDir: path.resolve("data"),
      host: "127.0.0.1",
      port: 8787,
      smtpHost: "127.0.0.1",
      smtpPort: 2525,
      mailDomain: "mailkeep.test",
      authToken: null,
      tls: null,
      relayAuthorities: [],
      workerVars: {},
      readyJson: false,
    });
  });

  it.each([
    ["Example.COM.", "example.com"],
    [" bücher.example", "xn--bcher-kva.example"],
    ["", "mailkeep.test"],
  ])("bring the mail domain into its one form: %j", (written, domain) => {
    expect(readSettings({ MAIL_DOMAIN: written }).mailDomain).toBe(domain);
  });

  it("bring the domain that signs into its one form too, and refuse what is none", () => {
    const key = { DKIM_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----", DKIM_SELECTOR: "s1" };
    expect(readSettings({ ...key, DKIM_DOMAIN: "Bücher.example." }).dkim).toEqual({
      ...key,
      DKIM_DOMAIN: "xn--bcher-kva.example",
    });
    expect(readSettings(key).dkim).toEqual(key);
    expect(() => readSettings({ ...key, DKIM_DOMAIN: "_x.example" })).toThrow(
      /^DKIM_DOMAIN must be a domain/,
    );
  });

  it("let SMTP listen where HTTP does, unless told otherwise", () => {
    expect(readSettings({ HOST: "0.0.0.0" }).smtpHost).toBe("0.0.0.0");
    expect(readSettings({ HOST: "0.0.0.0", SMTP_HOST: "127.0.0.1" }).smtpHost).toBe("127.0.0.1");
  });

  it("pass variables of the worker on, and no others", () => {
    const { workerVars } = readSettings({
      BOOTSTRAP: "off",
      BAD_KEY_LIMIT: "5",
      PATH: "/bin",
      ALLOW_HTTP: "",
    });
    expect(workerVars).toEqual({ BOOTSTRAP: "off", BAD_KEY_LIMIT: "5" });
  });

  it("take an operator key of 32 characters and refuse one of 31", () => {
    expect(readSettings({ AUTH_TOKEN: "x".repeat(32) }).authToken).toBe("x".repeat(32));
    expect(() => readSettings({ AUTH_TOKEN: "x".repeat(31) })).toThrow(/^AUTH_TOKEN must have at least 32/);
    expect(() => readSettings({ AUTH_TOKEN: "" })).toThrow(Refusal);
  });

  it("take a webhook secret of 16 characters and refuse one of 15", () => {
    expect(readSettings({ WEBHOOK_SECRET: "x".repeat(16) }).webhookSecret).toBe("x".repeat(16));
    expect(() => readSettings({ WEBHOOK_SECRET: "x".repeat(15) })).toThrow(/^WEBHOOK_SECRET must have/);
  });

  it("take the webhook secret of before by the same rule, and pass it on only where there is one", () => {
    const secrets = { authToken: "one", webhookSecret: "two", keySecret: "three" };
    const previous = "p".repeat(16);
    const told = readSettings({ WEBHOOK_SECRET_PREVIOUS: previous });
    expect(bindingsOf(told, secrets)).toMatchObject({
      WEBHOOK_SECRET: "two",
      WEBHOOK_SECRET_PREVIOUS: previous,
    });
    expect(bindingsOf(readSettings({}), secrets)).not.toHaveProperty("WEBHOOK_SECRET_PREVIOUS");
    const short = { WEBHOOK_SECRET_PREVIOUS: previous.slice(1) };
    expect(() => readSettings(short)).toThrow(/^WEBHOOK_SECRET_PREVIOUS must have at least 16/);
    expect(() => readSettings(short)).not.toThrow(/ppp/);
  });

  it("pass on what concerns events and webhooks", () => {
    const told = {
      ALLOW_PRIVATE_WEBHOOKS: "true",
      EVENT_RETENTION_DAYS: "7",
      DOH_URL: "https://resolver.example.com/dns-query",
    };
    expect(readSettings(told).workerVars).toEqual(told);
  });

  it("pass on what concerns domains", () => {
    const told = {
      MAIL_HOST: "mx1.example.com, mx2.example.com",
      SPF_MECHANISMS: "include:_spf.example.com ip4:192.0.2.1",
    };
    expect(readSettings(told).workerVars).toEqual(told);
  });

  it("take a key secret of 32 characters and refuse one of 31", () => {
    expect(readSettings({}).keySecret).toBe(null);
    expect(readSettings({ KEY_SECRET: "x".repeat(32) }).keySecret).toBe("x".repeat(32));
    expect(() => readSettings({ KEY_SECRET: "x".repeat(31) })).toThrow(/^KEY_SECRET must have at least 32/);
    expect(() => readSettings({ KEY_SECRET: "" })).toThrow(Refusal);
  });

  it.each(["true", "false"])("say that a proxy vouches for client addresses only when told: %s", (value) => {
    expect(readSettings({}).workerVars).not.toHaveProperty("TRUST_CLIENT_ADDRESS");
    expect(readSettings({ TRUST_CLIENT_ADDRESS: value }).workerVars).toEqual({ TRUST_CLIENT_ADDRESS: value });
  });

  it("reach the worker with all three secrets, and clients' addresses believed only when told", () => {
    const secrets = { authToken: "one", webhookSecret: "two", keySecret: "three" };
    const byDefault = {
      MAIL_DOMAIN: "a.test",
      TRUST_CLIENT_ADDRESS: "false",
      CLAIM_APPROVAL: "open",
      BOOTSTRAP_PER_HOUR: "1000",
      AUTH_TOKEN: "one",
      WEBHOOK_SECRET: "two",
      KEY_SECRET: "three",
    };
    expect(bindingsOf(readSettings({ MAIL_DOMAIN: "a.test" }), secrets)).toEqual(byDefault);
    const told = readSettings({ MAIL_DOMAIN: "a.test", TRUST_CLIENT_ADDRESS: "true" });
    expect(bindingsOf(told, secrets)).toMatchObject({ TRUST_CLIENT_ADDRESS: "true" });
    const strict = readSettings({ MAIL_DOMAIN: "a.test", CLAIM_APPROVAL: "operator" });
    expect(bindingsOf(strict, secrets)).toEqual({ ...byDefault, CLAIM_APPROVAL: "operator" });
  });

  it.each([
    ["PORT", "65536"],
    ["PORT", "http"],
    ["SMTP_PORT", "-1"],
    ["MAIL_DOMAIN", "no domain"],
    ["MAIL_DOMAIN", "-x.test"],
    ["MAIL_DOMAIN", "127.0.0.1"],
    ["MAIL_DOMAIN", "me@agents.example"],
    ["MAIL_DOMAIN", " "],
    ["AUTH_TOKEN", `${"x".repeat(40)}\n`],
    ["BOOTSTRAP", "yes"],
    ["ALLOW_HTTP", "1"],
    ["TRUST_CLIENT_ADDRESS", "1"],
    ["BAD_KEY_LIMIT", "many"],
    ["DEFAULT_MAILBOX", "me"],
    ["PUBLIC_URL", "ftp://example.com"],
    ["ALLOW_PRIVATE_WEBHOOKS", "yes"],
    ["EVENT_RETENTION_DAYS", "a week"],
    ["DOH_URL", "dns.example.com"],
    ["MAIL_HOST", "mx1.example.com mx2.example.com"],
    ["SPF_MECHANISMS", 'include:"x"'],
    ["SMTP_TLS_CERT", "/nowhere/cert.pem"],
    ["NODE_EXTRA_CA_CERTS", "/nowhere/authority.pem"],
    ["NODE_EXTRA_CA_CERTS", import.meta.filename],
    ["NODE_EXTRA_CA_CERTS", import.meta.dirname],
  ])("name the variable in one line: %s=%j", (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^(${name}|SMTP_TLS_KEY) [^\n]+$`));
  });

  it("refuse files that hold no certificate and its key", () => {
    const file = (name: string) => path.resolve(import.meta.dirname, "../transport/certificates", name);
    const told = { SMTP_TLS_CERT: file("localhost.pem"), SMTP_TLS_KEY: file("key.pem") };
    expect(readSettings(told).tls).not.toBeNull();
    for (const wrong of [
      { ...told, SMTP_TLS_KEY: import.meta.filename },
      { ...told, SMTP_TLS_CERT: import.meta.filename },
      { SMTP_TLS_CERT: told.SMTP_TLS_KEY, SMTP_TLS_KEY: told.SMTP_TLS_CERT },
    ]) {
      expect(() => readSettings(wrong)).toThrow(
        /^SMTP_TLS_CERT and SMTP_TLS_KEY must name the PEM files [^\n]+$/,
      );
    }
    const noKey = {
      DKIM_SELECTOR: "s1",
      DKIM_PRIVATE_KEY: path.resolve(import.meta.dirname, "../../LICENSE"),
    };
    expect(() => readSettings(noKey)).toThrow(/^DKIM_PRIVATE_KEY names a file without a private key in PEM$/);
  });

  it("never show a wrong key", () => {
    expect(() => readSettings({ AUTH_TOKEN: "hunter2" })).not.toThrow(/hunter2/);
  });
});

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

describe("data folder", () => {
  it("that is none is told in one line that names the setting", async () => {
    const [file, dangling, loop] = ["file", "dangling", "loop"].map((name) =>
      path.join(path.dirname(dir), name),
    );
    await writeFile(file ?? "", "not a folder");
    await symlink(path.join(path.dirname(dir), "nowhere", "deep"), dangling ?? "");
    await symlink(loop ?? "", loop ?? "");
    for (const wrong of [
      file,
      path.join(file ?? "", "data"),
      dangling,
      loop,
      "/proc/mailkeep",
      "/dev/null",
    ]) {
      expect(() => lockDataDir(wrong ?? "")).toThrow(
        /^DATA_DIR must be a folder that can be written to, but [^\n]+$/,
      );
      expect(() => lockDataDir(wrong ?? "")).toThrow(Refusal);
    }
  });

  it("is held by one server, and free again afterwards", () => {
    const lock = lockDataDir(dir);
    expect(() => lockDataDir(dir)).toThrow(`Another server (pid ${process.pid}) uses ${dir}`);
    lock.note(process.pid);
    expect(() => lockDataDir(dir)).toThrow(Refusal);
    lock.release();
    lockDataDir(dir).release();
  });

  it.each([
    ["a process that is gone", '{"pid":4194304,"started":"x","runtime":null}'],
    ["another process that got its number", `{"pid":${process.pid},"started":"before","runtime":null}`],
    ["nobody, cut off", '{"pid'],
  ])("is taken over from %s", async (_who, lock) => {
    lockDataDir(dir).release();
    await writeFile(path.join(dir, "serve.lock"), lock);
    lockDataDir(dir).release();
    expect(await readdir(dir)).toEqual([]);
  });
});

describe("ports", () => {
  it("are chosen free and distinct for 0", async () => {
    const place = { host: "127.0.0.1", port: 0 };
    const [http, smtp] = await claimPorts([
      { ...place, protocol: "HTTP", variable: "PORT" },
      { ...place, protocol: "SMTP", variable: "SMTP_PORT" },
    ]);
    expect(http).toBeGreaterThan(0);
    expect(smtp).not.toBe(http);
  });

  it("say in one line which one is busy and which variable changes it", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const claim = claimPorts([{ protocol: "SMTP", host: "127.0.0.1", port, variable: "SMTP_PORT" }]);
    await expect(claim).rejects.toThrow(
      `SMTP port ${port} on 127.0.0.1 is busy: stop what listens there, or set SMTP_PORT`,
    );
    await new Promise((resolve) => void other.close(resolve));
  });
});

describe("screen", () => {
  const ready = {
    http: "http://127.0.0.1:8787",
    smtp: { host: "::", port: 2525, tls: false },
    mailDomain: "mailkeep.test",
    outbound: "local",
    dataDir: "/data",
    keySource: "/data/secrets.json",
    workerdPid: 7,
    startMs: 900,
  };

  it("fits on one, and shows addresses that can be reached", () => {
    const screen = banner(ready);
    expect(screen.split("\n").length).toBeLessThanOrEqual(24);
    expect(screen).toContain("smtp://[::1]:2525");
  });

  it("says whether mail to other domains is kept here, and which setting changes that", () => {
    expect(banner(ready)).toMatch(
      /Mail out +kept here, not sent to other domains \(OUTBOUND=local\); set SMTP_URL to send it/,
    );
    const relayed = banner({ ...ready, outbound: "smtp" });
    expect(relayed).toMatch(/Mail out +by the relay of SMTP_URL/);
    expect(relayed).not.toContain("kept here");
    expect(banner({ ...ready, outbound: "none" })).toMatch(/Mail out +sending is off \(OUTBOUND=none\)/);
  });

  it("is one line of JSON for programs", () => {
    expect(readyLine(ready)).not.toContain("\n");
    expect(JSON.parse(readyLine(ready))).toMatchObject({
      ready: true,
      http: ready.http,
      smtp: { host: "::", port: 2525 },
      data_dir: "/data",
      workerd_pid: 7,
    });
  });
});
