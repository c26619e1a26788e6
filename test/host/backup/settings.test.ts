import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { gunzipSync } from "node:zlib";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../src/server/main.ts";
import { FakeData, tempFolder } from "./rig.ts";

const PASSWORD = "a secret of the relay";
const KEY = "-----BEGIN PRIVATE KEY-----\nof the certificate\n-----END PRIVATE KEY-----\n";

let folderOfIdentity: string;
let identityFile: string;
let recipient: string;

beforeAll(async () => {
  const identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  folderOfIdentity = mkdtempSync(path.join(tmpdir(), "mailkeep-identity-"));
  identityFile = path.join(folderOfIdentity, "identity.txt");
  writeFileSync(identityFile, `${identity}\n`);
});
afterAll(() => rmSync(folderOfIdentity, { recursive: true }));

/** Runs a command of `mailkeep-server` in a pipe. */
async function run(words: readonly string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommand(words, {
    env,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    signal: new AbortController().signal,
    worker: () => Promise.reject(new Error("No worker is needed")),
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, json: (out.startsWith("{") ? JSON.parse(out) : {}) as Record<string, unknown>, out, err };
}

/** A machine: a data folder, a file of settings, and a certificate with its key. */
function machine() {
  const data = new FakeData();
  data.addMailbox("ada@mailkeep.test");
  const folder = tempFolder();
  const files = { TLS_CERT: path.join(folder, "cert.pem"), TLS_KEY: path.join(folder, "key.pem") };
  writeFileSync(files.TLS_CERT, "the certificate\n");
  writeFileSync(files.TLS_KEY, KEY);
  const envFile = path.join(folder, "mailkeep.env");
  const lines = [
    "# the relay",
    `DATA_DIR=${data.dir}`,
    `SMTP_URL='smtp://me:${PASSWORD}@relay.example'`,
    ...Object.entries(files).map(([name, file]) => `${name}=${file}`),
  ];
  writeFileSync(envFile, `${lines.join("\n")}\n`);
  return { data, envFile, files };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );

describe("an encrypted backup with --env-file", () => {
  it("has the settings, the certificate, its key and secrets.json, and gives all of them back", async () => {
    const { data, envFile, files } = machine();
    const dir = tempFolder();
    const made = await run(["backup", dir, "--recipient", recipient, "--env-file", envFile]);
    expect(made).toMatchObject({ code: 0, err: "", json: { has_secrets: true, has_settings: true } });
    for (const name of filesIn(dir)) {
      const stored = readFileSync(path.join(dir, name), "latin1");
      for (const secret of [PASSWORD, "of the certificate"]) expect(stored).not.toContain(secret);
    }
    expect((await run(["verify", dir, "--identity", identityFile, "--env-file", envFile])).code).toBe(0);

    const restored = path.join(tempFolder(), "data");
    const words = ["restore", dir, "--identity", identityFile];
    const all = await run([...words, "--data-dir", restored]);
    expect(all.code).toBe(0);
    const place = path.join(restored, "restored-settings");
    expect(all.json["settings"]).toEqual([
      { file: path.join(place, "mailkeep.env"), was: null },
      { file: path.join(place, "TLS_CERT.pem"), was: files.TLS_CERT },
      { file: path.join(place, "TLS_KEY.pem"), was: files.TLS_KEY },
    ]);
    const alone = path.join(tempFolder(), "settings");
    expect((await run([...words, "--settings", alone])).code).toBe(0);
    for (const folder of [place, alone]) {
      expect(readFileSync(path.join(folder, "mailkeep.env"), "utf8")).toBe(readFileSync(envFile, "utf8"));
      expect(readFileSync(path.join(folder, "TLS_KEY.pem"), "utf8")).toBe(KEY);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(folder))
        expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(path.join(alone, "secrets.json"))).toEqual(
      readFileSync(path.join(data.dir, "secrets.json")),
    );
    expect(await run([...words, "--settings", alone])).toMatchObject({
      code: 2,
      err: expect.stringContaining("the folder is not empty"),
    });
  });

  it("takes the settings of the environment without a file, and the recipient of BACKUP_RECIPIENT", async () => {
    const { data, files } = machine();
    const dir = tempFolder();
    const env = {
      DATA_DIR: data.dir,
      BACKUP_RECIPIENT: recipient,
      SMTP_URL: `smtp://o'me:"x"@relay.example`,
      DKIM_PRIVATE_KEY: KEY,
      TLS_KEY: files.TLS_KEY,
      PATH: "/bin",
    };
    expect(await run(["backup", dir], env)).toMatchObject({ code: 0, json: { has_settings: true } });
    const folder = path.join(tempFolder(), "settings");
    await run(["restore", dir, "--identity", identityFile, "--settings", folder]);
    const { BACKUP_RECIPIENT: _, PATH: _path, ...settings } = env;
    expect(parseEnv(readFileSync(path.join(folder, "mailkeep.env"), "utf8"))).toEqual(settings);
  });

  it("says which file it lacks because this user cannot read it, and ends with 1", async () => {
    const { envFile, files } = machine();
    // Root reads every file, but no folder as one.
    chmodSync(files.TLS_KEY, 0o600);
    writeFileSync(envFile, readFileSync(envFile, "utf8").replace(files.TLS_KEY, path.dirname(files.TLS_KEY)));
    const { code, err, json } = await run([
      "backup",
      tempFolder(),
      "--recipient",
      recipient,
      "--env-file",
      envFile,
    ]);
    expect(code).toBe(1);
    expect(json["unreadable_settings"]).toEqual([`TLS_KEY ${path.dirname(files.TLS_KEY)}`]);
    expect(err).toContain("cannot be read by this user");
  });

  it("follows no link in the place of the folder of restored settings", async () => {
    const { envFile } = machine();
    const dir = tempFolder();
    await run(["backup", dir, "--recipient", recipient, "--env-file", envFile]);
    const [restored, elsewhere] = [path.join(tempFolder(), "data"), tempFolder()];
    mkdirSync(restored);
    symlinkSync(elsewhere, path.join(restored, "restored-settings"));
    const words = ["restore", dir, "--identity", identityFile, "--data-dir", restored];
    expect((await run(words)).code).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

it("a plain backup has no settings and says so, and earlier versions can read it", async () => {
  const { envFile } = machine();
  const dir = tempFolder();
  const made = await run(["backup", dir, "--env-file", envFile]);
  expect(made).toMatchObject({ code: 0, json: { has_settings: false, has_secrets: false } });
  expect(made.err).toContain("secrets.json, the settings and the certificates are not in this backup");
  const [manifest = ""] = filesIn(dir).filter((name) => name.endsWith(".jsonl.gz"));
  const [head = ""] = gunzipSync(readFileSync(path.join(dir, manifest)))
    .toString()
    .split("\n");
  expect(JSON.parse(head)).toMatchObject({ format: 1 });
  for (const name of filesIn(dir)) {
    const stored = readFileSync(path.join(dir, name));
    expect((name.endsWith(".gz") ? gunzipSync(stored) : stored).toString("latin1")).not.toContain(PASSWORD);
  }
  expect(await run(["restore", dir, "--settings", path.join(tempFolder(), "new")])).toMatchObject({
    code: 2,
    err: expect.stringContaining("only encrypted ones have them"),
  });
});

describe("--env-file", () => {
  it("is named by the help of every command, and its values win over the environment", async () => {
    for (const name of ["serve", "backup", "restore", "verify", "up", "down", "doctor", "import"])
      expect((await run([name, "--help"])).out).toContain("--env-file");
    const { data, envFile } = machine();
    const { code } = await run(["backup", tempFolder(), `--env-file=${envFile}`], { DATA_DIR: "/nowhere" });
    expect([code, data.dir]).toEqual([0, expect.any(String)]);
  });

  it("is refused in one sentence where it is missing, a folder, or named twice", async () => {
    const { envFile } = machine();
    for (const [words, said] of [
      [["--env-file", "/nowhere/env"], "--env-file /nowhere/env: there is no such file"],
      [["--env-file", path.dirname(envFile)], "it cannot be read (EISDIR)"],
      [["--env-file"], "--env-file needs the name of one file"],
      [["--env-file", envFile, "--env-file", envFile], "--env-file needs the name of one file"],
    ] as const)
      for (const name of ["backup", "restore", "verify", "up", "down", "import"])
        expect(await run([name, "x", ...words])).toMatchObject({
          code: 2,
          err: expect.stringContaining(said),
        });
  });
});
