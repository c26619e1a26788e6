import { execFile } from "node:child_process";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, Server } from "./server.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the demo as `npm run demo` does, against a server or without one. */
function demo(env: Record<string, string>): Promise<Ended> {
  const options = { cwd: ROOT, env: bareEnvironment(env) };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["scripts/run.mjs", "scripts/demo.ts"],
      options,
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe("npm run demo", () => {
  it("creates a mailbox, sends it a mail, and prints the code and the time of each step", async () => {
    const server = await Server.start();
    onTestFinished(async () => void (await server.stop()));
    const { code, stdout, stderr } = await demo({
      MAILKEEP_URL: server.url,
      SMTP_PORT: String(server.smtpPort),
    });
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => / {2,}\d+ ms$/.test(line))).toHaveLength(4);
    expect(stdout).toMatch(/^ {2}\S+@mailkeep\.test$/m);
    expect(stdout).toMatch(/^ {2}\d{6}, from login@shop\.example: Your verification code$/m);
  });

  it.each(["127.0.0.1", "0.0.0.0"])(
    "finds the server by the variables that started it: HOST=%s",
    async (HOST) => {
      const server = await Server.start({ env: { HOST } });
      onTestFinished(async () => void (await server.stop()));
      const PORT = new URL(server.url).port;
      const { code, stderr } = await demo({ HOST, PORT, SMTP_PORT: String(server.smtpPort) });
      expect([code, stderr]).toEqual([0, ""]);
    },
  );

  it("names the address where it looked for a server, by HOST and PORT", async () => {
    const { code, stderr } = await demo({ HOST: "::1", PORT: "9" });
    expect([code, stderr]).toEqual([1, expect.stringContaining("no server answers at http://[::1]:9:")]);
    const wrong = await demo({ PORT: "x" });
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/^Demo failed: PORT must be a whole number [^\n]+\n$/),
    ]);
  });

  it("says in one line that no server answers, and how to start one", async () => {
    const { code, stdout, stderr } = await demo({ MAILKEEP_URL: "http://127.0.0.1:9" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      'Demo failed: no server answers at http://127.0.0.1:9: start it with "npm start", or set MAILKEEP_URL\n',
    );
  });
});
