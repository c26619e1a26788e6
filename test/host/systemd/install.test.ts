import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runCommand } from "../../../src/server/main.ts";
import { writeInstallation } from "../../../src/host/systemd/write.ts";
import { installedFiles, SETTINGS_FILE } from "../../../src/host/systemd/units.ts";

const PROGRAM = {
  node: "/usr/bin/node",
  serve: "/usr/lib/node_modules/mailkeep-server/lib/serve.js",
  command: "/usr/lib/node_modules/mailkeep-server/bin/mailkeep-server.js",
};
const files = installedFiles(PROGRAM, { http: "443", smtp: "25", redirect: "80" });
const SERVICE = "/etc/systemd/system/mailkeep.service";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "mailkeep-root-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (file: string): string => path.join(root, file);
const said = (): string[] => {
  const lines: string[] = [];
  writeInstallation(files, root, (line) => lines.push(line));
  return lines;
};

it("writes every file with its mode, and says so", () => {
  expect(said()).toEqual(files.map((file) => `written   ${file.path}`));
  for (const file of files) {
    expect(readFileSync(at(file.path), "utf8")).toBe(file.text);
    expect(statSync(at(file.path)).mode & 0o777).toBe(file.mode);
  }
  expect(statSync(at("/etc/mailkeep/pem")).mode & 0o777).toBe(0o700);
  // The service reads the challenges that root puts there.
  expect(statSync(at("/var/lib/mailkeep-acme")).mode & 0o777).toBe(0o755);
});

it("changes nothing the second time", () => {
  said();
  expect(new Set(said().map((line) => line.split(" ")[0]))).toEqual(new Set(["unchanged", "kept"]));
});

it("keeps settings that are there, and writes units of an earlier version anew", () => {
  said();
  writeFileSync(at(SETTINGS_FILE), "MAIL_DOMAIN=agents.example.org\n");
  writeFileSync(at(SERVICE), "[Service]\n");
  const lines = said();
  expect(lines).toContain(`kept      ${SETTINGS_FILE}`);
  expect(lines).toContain(`changed   ${SERVICE}`);
  expect(readFileSync(at(SETTINGS_FILE), "utf8")).toBe("MAIL_DOMAIN=agents.example.org\n");
});

it("goes on where an interrupted installation ended", () => {
  mkdirSync(path.dirname(at(SERVICE)), { recursive: true });
  writeFileSync(`${at(SERVICE)}.new`, "[Serv");
  said();
  expect(readFileSync(at(SERVICE), "utf8")).toContain("ExecStart=/usr/bin/node ");
});

it("writes beside a link that stands in the place of a unit, not through it", () => {
  mkdirSync(path.dirname(at(SERVICE)), { recursive: true });
  writeFileSync(at("/elsewhere"), "mine");
  symlinkSync(at("/elsewhere"), at(SERVICE));
  said();
  expect(readFileSync(at("/elsewhere"), "utf8")).toBe("mine");
});

it.each([
  [
    ["--install"],
    /^serve --install needs the installed package: npm run pack, .* sudo mailkeep-server serve --install\n$/,
  ],
  [[], /^To serve from the sources: npm start\n$/],
  [
    ["--install", "--http", "localhost:80"],
    /^--http localhost:80: must be a port, or an IP address and a port/,
  ],
  [["--install", "--redirect", "no"], /^--redirect no: must be a port/],
  [["--install", "--smtp", "70000"], /^--smtp 70000: must be a port/],
  [["--install", "--http", "[127.0.0.1]:80"], /^--http \[127\.0\.0\.1\]:80: must be a port/],
  [["--install", "--port", "1"], /Unknown option '--port'.*; try mailkeep-server serve --install --help\n$/],
])("refuses serve %o from the sources, and names the next step", async (words, refusal) => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const { stdin, stdout, stderr } = process;
  const worker = (): never => expect.fail("asked for the worker");
  const context = { env: {}, stdin, stdout, stderr, signal: new AbortController().signal, worker };
  const code = await runCommand(["serve", ...words], context);
  const lines = said.mock.calls.map(([text]) => String(text)).join("");
  said.mockRestore();
  expect(code).toBe(2);
  expect(lines).toMatch(refusal);
});
