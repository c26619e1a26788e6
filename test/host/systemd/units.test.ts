import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readSettings } from "../../../src/host/settings.ts";
import { refuseHidden } from "../../../src/host/systemd/program.ts";
import { copyPem, installedFiles, type InstalledFile } from "../../../src/host/systemd/units.ts";
import { staleSettings } from "../../../src/server/commands/install.ts";

/** Programs that every machine of the tests has, in the place of an installed package. */
const PROGRAM = { node: "/bin/sh", serve: "/usr/lib/mailkeep/serve.js", command: "/usr/lib/mailkeep/bin.js" };
/** The exposure that systemd-analyze computes; 10 is a service without any restriction. */
const MAX_EXPOSURE = 2.0;

const files = installedFiles(PROGRAM, { http: "443", smtp: "25", redirect: "80" });
const units = files.filter((file) => file.path.startsWith("/etc/systemd/system/"));
const services = units.filter((unit) => unit.path.endsWith(".service"));
const nameOf = (unit: { path: string }): string => path.basename(unit.path);
const settingsOf = (all: readonly InstalledFile[]): InstalledFile | undefined =>
  all.find((file) => file.path === "/etc/mailkeep/mailkeep.env");
const textOf = (name: string): string => units.find((unit) => nameOf(unit) === name)?.text ?? "";

const isMissing = spawnSync("systemd-analyze", ["--version"]).error !== undefined;
if (isMissing) console.warn("Skipped: the units are judged by systemd-analyze, of Debian's package systemd");

describe.skipIf(isMissing)("the units, as systemd reads them", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "mailkeep-units-"));
    for (const unit of units) writeFileSync(path.join(folder, nameOf(unit)), unit.text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are understood without a warning", () => {
    const names = units.map((unit) => path.join(folder, nameOf(unit)));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...names], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("are a server, and a timer with its service for backups and for the doctor", () => {
    expect(units.map(nameOf).toSorted()).toEqual([
      "mailkeep-backup.service",
      "mailkeep-backup.timer",
      "mailkeep-doctor.service",
      "mailkeep-doctor.timer",
      "mailkeep-http.socket",
      "mailkeep-redirect.socket",
      "mailkeep-smtp.socket",
      "mailkeep.service",
    ]);
  });

  it.each(services.map(nameOf))("leave %s few rights", (name) => {
    const args = ["security", "--offline=true", "--no-pager", path.join(folder, name)];
    const judged = execFileSync("systemd-analyze", args, { encoding: "utf8" });
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(judged)?.[1]);
    expect(exposure).toBeLessThanOrEqual(MAX_EXPOSURE);
  });
});

it("give the server no capability, because systemd opens port 25 for it", () => {
  expect(textOf("mailkeep.service")).toMatch(/^CapabilityBoundingSet=$/m);
  expect(textOf("mailkeep-smtp.socket")).toMatch(
    /^ListenStream=25\nBindIPv6Only=both\nFileDescriptorName=smtp$/m,
  );
});

it("open port 80 for the redirect, and not without one", () => {
  const named = /mailkeep-http\.socket mailkeep-smtp\.socket( mailkeep-redirect\.socket)?$/gm;
  expect(textOf("mailkeep.service").match(named)).toHaveLength(3);
  expect(textOf("mailkeep-redirect.socket")).toMatch(/^ListenStream=80\n.*\nFileDescriptorName=redirect$/m);
  const without = installedFiles(PROGRAM, { http: "127.0.0.1:8787", smtp: "25", redirect: null });
  expect(without.filter(({ path: name, text }) => `${name} ${text}`.includes("redirect.socket"))).toEqual([]);
});

it("keep the settings secret, and never write them anew", () => {
  expect(settingsOf(files)).toMatchObject({ mode: 0o600, isKept: true });
});

it.each([
  [
    { http: "127.0.0.1:8787", smtp: "25", redirect: null },
    { HOST: "127.0.0.1", PORT: "8787", SMTP_HOST: "0.0.0.0", SMTP_PORT: "25" },
  ],
  [
    { http: "[::1]:443", smtp: "192.0.2.1:25", redirect: "80" },
    { HOST: "::1", PORT: "443", SMTP_HOST: "192.0.2.1", SMTP_PORT: "25" },
  ],
])("tell commands that are run by hand where the sockets %o listen", (listen, variables) => {
  const settings = settingsOf(installedFiles(PROGRAM, listen));
  // All other lines are comments: an installation without a change is a server with its defaults.
  const folders = { DATA_DIR: "/var/lib/mailkeep/data", ACME_WEBROOT: "/var/lib/mailkeep-acme" };
  expect(parseEnv(settings?.text ?? "")).toEqual({ ...folders, ...variables });
  expect(readSettings({ ...variables, DATA_DIR: "/nowhere" })).toMatchObject({
    host: variables.HOST,
    smtpPort: Number(variables.SMTP_PORT),
  });
});

it("name the settings that differ from where the sockets listen", () => {
  const listen = { http: "443", smtp: "25", redirect: "80" };
  expect(staleSettings("HOST=127.0.0.1\nPORT=443\nSMTP_PORT=2525\n", listen)).toEqual([
    "HOST=0.0.0.0",
    "SMTP_PORT=25",
  ]);
  expect(staleSettings("", listen)).toEqual([]);
});

describe("the copies of PEM files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "mailkeep-pem-"));
    mkdirSync(path.join(folder, "etc"));
    mkdirSync(path.join(folder, "run"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const copy = (to = path.join(folder, "copies")): number | null =>
    spawnSync("/bin/sh", ["-c", copyPem(path.join(folder, "etc"), { to, userOf: path.join(folder, "run") })])
      .status;

  it("are for the user of the service alone, and follow links", () => {
    writeFileSync(path.join(folder, "archive-7"), "new");
    symlinkSync(path.join(folder, "archive-7"), path.join(folder, "etc/privkey.pem"));
    for (const _ of ["a start", "a reload"]) expect(copy()).toBe(0);
    const copied = path.join(folder, "copies/privkey.pem");
    expect(readFileSync(copied, "utf8")).toBe("new");
    const { mode, uid } = lstatSync(copied);
    expect([mode & 0o777, uid]).toEqual([0o400, statSync(path.join(folder, "run")).uid]);
  });

  it("are none where there is no PEM file", () => {
    expect(copy()).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(["etc", "run"]);
  });
});

it.each(["/home/ann/.nvm/bin/node", "/root/node", "/tmp/serve.js"])(
  "do not run %s, which they cannot see",
  (file) => {
    expect(() => refuseHidden(file)).toThrow("which services do not see");
  },
);

it.each(["/opt/a b/node", "/opt/50%/node", "/opt/$HOME/node", '/opt/"/node'])(
  "do not name %s, which systemd would read otherwise",
  (file) => {
    expect(() => refuseHidden(file)).toThrow("has characters that a unit cannot name");
  },
);
