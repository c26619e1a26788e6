import { spawn } from "node:child_process";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Diagnosis } from "../../src/host/doctor/finding.ts";
import { DnsServer } from "../dns-server.ts";
import { bareEnvironment, Server } from "./server.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const DOMAIN = "agents.example.org";
const ADDRESS = "93.184.215.14";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `mailkeep-server doctor` from the sources, as `npm run server` does. */
function doctor(words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, ["scripts/server.ts", "doctor", ...words], {
    cwd: ROOT,
    env: bareEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended: Ended = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (ended.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (ended.stderr += text));
  return new Promise((resolve) => void child.once("close", (code) => resolve({ ...ended, code })));
}

describe("mailkeep-server doctor against a served server", () => {
  let server: Server;
  let dns: DnsServer;
  let folder: string;
  let envFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "mailkeep-doctor-"));
    [server, dns] = await Promise.all([Server.start({ env: { MAIL_DOMAIN: DOMAIN } }), DnsServer.start()]);
    envFile = path.join(folder, "mailkeep.env");
    const settings = {
      MAIL_DOMAIN: DOMAIN,
      DATA_DIR: server.dataDir,
      PORT: new URL(server.url).port,
      SMTP_PORT: String(server.smtpPort),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(envFile, lines.join(""), { mode: 0o600 });
    dns.zone.set("NS", "example.org", "ns1.example.net.");
    dns.zone.set("MX", DOMAIN, "10 mail.example.org.");
    dns.zone.set("A", "mail.example.org", ADDRESS);
    dns.zone.set("PTR", "14.215.184.93.in-addr.arpa", "mail.example.org.");
  });
  afterAll(async () => {
    dns.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("sees the server, its listener and its own mail arrive; a missing certificate is a warning", async () => {
    const detour = `${ADDRESS}:25:127.0.0.1:${server.smtpPort}`;
    const words = ["--json", "--env-file", envFile, "--address", ADDRESS, "--connect-to", detour, "--probe"];
    const { code, stdout, stderr } = await doctor(words, { DOCTOR_RESOLVER: dns.place });
    expect(stderr).toBe("");
    const told: Diagnosis = JSON.parse(stdout);
    expect(Object.keys(told)).toEqual(["version", "findings"]);
    expect(told.version).toBe(1);
    const wrong = told.findings.filter(({ level }) => level !== "ok");
    expect(wrong).toEqual([
      {
        id: "inbound.no-tls",
        level: "warning",
        title: "mail.example.org does not offer STARTTLS",
        cost: expect.stringContaining("unencrypted"),
        fix: expect.stringContaining("certbot certonly --standalone -d mail.example.org"),
      },
    ]);
    expect(code).toBe(8);
    const fine = told.findings.filter(({ level }) => level === "ok");
    expect(fine.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["server", "secrets", "data", "mx", "mailboxes", "probe"]),
    );
    const listed = await server.service.ask("/v1/mailboxes", { key: server.token });
    expect(listed).toMatchObject({ status: 200, body: { mailboxes: [] } });
  });

  it("sends its findings to the server where it is asked to, and says why the server does not take them", async () => {
    const kept = async (): Promise<{ diagnosis: (Diagnosis & { at: string }) | null }> =>
      server.service.get("/v1/doctor", server.token);
    const words = ["--json", "--env-file", envFile, "--address", ADDRESS, "--report"];
    const env = { DOCTOR_RESOLVER: dns.place };
    expect(await kept()).toEqual({ diagnosis: null });
    const reported = await doctor(words, env);
    expect(reported.stderr).toBe("");
    const { diagnosis: first } = await kept();
    expect(first).toEqual({ ...JSON.parse(reported.stdout), at: expect.stringMatching(/^20.*Z$/) });
    // The settings name a key that is not the server's.
    await appendFile(envFile, `AUTH_TOKEN=${"x".repeat(32)}\n`);
    const refused = await doctor(words, env);
    expect(refused.stderr).toBe(
      "The findings were not sent to the server: it has another operator key than these settings\n",
    );
    expect(JSON.parse(refused.stdout)).toMatchObject({ version: 1 });
    expect((await kept()).diagnosis).toEqual(first);
  });

  it("refuses options that it does not know, and those with a wrong value, without looking at anything", async () => {
    for (const words of [
      ["--frobnicate"],
      ["--resolver", "dns.example.org"],
      ["--outward", "mx.example.org"],
    ]) {
      const { code, stdout, stderr } = await doctor([...words, "--env-file", envFile]);
      expect([words, code, stdout, stderr.split("\n").length]).toEqual([words, 2, "", 2]);
    }
  });
});
