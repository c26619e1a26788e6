import { describe, expect, it } from "vitest";
import { otherClients } from "../../src/contract/first-minute.ts";
import { banner, readyLine } from "../../src/host/banner.ts";

describe("the screen of a start", () => {
  const ready = {
    http: "http://127.0.0.1:8787",
    publicUrl: null,
    host: "127.0.0.1",
    smtp: { host: "::", port: 2525, tls: false },
    metrics: null,
    mailDomain: "mailkeep.test",
    outbound: "local",
    dataDir: "/data",
    keySource: "/data/secrets.json",
    hasClient: true,
    workerdPid: 7,
    startMs: 900,
  };

  it("fits into 24 lines, and shows addresses that can be reached", () => {
    const screen = banner(ready);
    expect(screen.split("\n").length).toBeLessThanOrEqual(24);
    expect(screen).toContain("smtp://[::1]:2525");
    expect(screen).toMatch(/HTTP +http:\/\/127\.0\.0\.1:8787\n/);
    expect(screen).toMatch(/SMTP +\[::1\]:2525, and on every address of this machine\n/);
  });

  it("shows the other clients with the address: command line, TypeScript, MCP, and what an agent reads", () => {
    const screen = banner(ready);
    for (const { name, text } of otherClients(ready.http, true)) {
      expect(text).toContain(ready.http);
      expect(screen).toContain(`\n  ${name.padEnd(14)}${text}\n`);
    }
    expect(otherClients(ready.http, true).map(({ name }) => name)).toEqual([
      "Command line",
      "TypeScript",
      "Claude Code",
      "More",
    ]);
  });

  it("shows no command of the package mailkeep where it is not installed", () => {
    const screen = banner({ ...ready, hasClient: false });
    expect(screen).not.toMatch(/npx|TypeScript/);
    expect(screen).toContain("Claude Code");
  });

  it("says how to get other ports", () => {
    expect(banner(ready)).toMatch(/PORT and SMTP_PORT set other ports/);
  });

  it("shows commands with the address that the certificate names, where others reach the server", () => {
    const http = "https://127.0.0.1:8787";
    const screen = banner({ ...ready, http, publicUrl: "https://mail.example.org" });
    expect(screen).toMatch(/HTTP +https:\/\/127\.0\.0\.1:8787; for others: https:\/\/mail\.example\.org\n/);
    expect(screen.split(http)).toHaveLength(2);
    expect(screen).toContain("curl -sX POST https://mail.example.org/v1/bootstrap");
  });

  it("says whether mail to other domains is kept here, and which setting changes that", () => {
    expect(banner(ready)).toMatch(
      /Mail out +kept here, not sent to other domains \(OUTBOUND=local\); set SMTP_URL to send it/,
    );
    const relayed = banner({ ...ready, outbound: "smtp" });
    expect(relayed).toMatch(/Mail out +through the relay of SMTP_URL/);
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
