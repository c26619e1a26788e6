import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { expectDataFolder, mailboxFile } from "../../../src/host/backup/data-folder.ts";
import { CHUNK_BYTES, readHeader, readManifest } from "../../../src/host/backup/format.ts";
import { withImage } from "../../../src/host/backup/image.ts";
import { refuseHalfRestored } from "../../../src/host/backup/mark.ts";
import { Repository, RepositoryTarget } from "../../../src/host/backup/repository.ts";
import { BEAT_MS, STALE_MS } from "../../../src/host/backup/run-lock.ts";
import { withScratch } from "../../../src/host/backup/scratch.ts";
import { ageSealer } from "../../../src/host/backup/seal.ts";
import { openerFor, readSnapshot } from "../../../src/host/backup/snapshot.ts";
import { TarTarget, unpackTar } from "../../../src/host/backup/tar.ts";
import { verify } from "../../../src/host/backup/verify.ts";
import { fileOfKey } from "../../../src/lib/disk-key.ts";
import { BUCKET, FakeData, tempFolder } from "./rig.ts";
import { backUpTo, checked, restoreTo } from "./rig-run.ts";

/** For tests that sync many files, in ms: disks are slow beside other work. */
const PATIENCE_MS = 120_000;
const ADA = "ada@mailkeep.test";
const BEN = "ben@mailkeep.test";

const newest = async (dir: string): Promise<string> =>
  (await (await Repository.open(dir)).snapshots()).at(-1) ?? "";

/** All rows of a query in a database of a data folder. */
function rows(dataDir: string, file: string, query: string): unknown[] {
  const database = new DatabaseSync(path.join(dataDir, file));
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** The stored files of a backup, without what no snapshot names. */
function storedFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^(?:chunks|snapshots)\/.*\.(?:gz|age|sha256)$/.test(file),
  );
}

describe("a backup", () => {
  it(
    "brings mailboxes and their large files back byte for byte, whatever their sizes",
    async () => {
      const size = fc.constantFrom(
        0,
        1,
        700_000,
        CHUNK_BYTES - 1,
        CHUNK_BYTES,
        CHUNK_BYTES + 1,
        2 * CHUNK_BYTES,
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(size, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
          async (blobs) => {
            const data = new FakeData();
            const mailbox = data.addMailbox(ADA);
            const contents = blobs.map((sizes) => sizes.map((bytes) => randomBytes(bytes)));
            for (const [at, parts] of contents.entries()) {
              data.addBlob(mailbox, `owner/${at}`, parts);
              data.addBlob(mailbox, `disk:owner/${at}`, parts);
            }
            const dir = tempFolder();
            await backUpTo(dir, data.dir);
            const restored = path.join(tempFolder(), "data");
            await restoreTo(restored, dir);
            const raw = (dataDir: string): unknown[] =>
              rows(dataDir, mailbox, "SELECT seq, raw, raw_key FROM content");
            expect(raw(restored)).toEqual(raw(data.dir));
            for (const [at, parts] of contents.entries()) {
              const [row] = rows(
                restored,
                data.bucketFile,
                `SELECT blob_id FROM _mf_objects WHERE key = 'owner/${at}'`,
              );
              const { blob_id: object } = row as { blob_id: string };
              for (const file of [object, fileOfKey(`disk:owner/${at}`)]) {
                const stored = readFileSync(path.join(restored, "r2", BUCKET, "blobs", file));
                expect(stored.equals(Buffer.concat(parts))).toBe(true);
              }
            }
          },
        ),
        { numRuns: 4, seed: 16 },
      );
    },
    PATIENCE_MS,
  );

  it("reads only what changed, also if somebody sets the time of a file back", async () => {
    const data = new FakeData();
    data.addMailbox(BEN);
    const ada = data.addMailbox(ADA);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    // Times that are younger than a second prove nothing, so the next run reads once more.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await backUpTo(dir, data.dir);
    expect((await backUpTo(dir, data.dir)).counts).toEqual({ read: 0, stored: 0, chunks: 0 });
    const before = statSync(path.join(data.dir, ada));
    data.change(ada, (database) => database.exec("UPDATE message SET status = 'rejected'"));
    utimesSync(path.join(data.dir, ada), before.atime, before.mtime);
    const { size } = statSync(path.join(data.dir, ada));
    expect((await backUpTo(dir, data.dir)).counts).toMatchObject({ read: size, chunks: 1 });
  });

  it("of a database that another process writes to has its state of one moment, and blocks no writer", async () => {
    const folder = tempFolder();
    const file = path.join(folder, "live.sqlite");
    const writer = spawn(process.execPath, ["-e", WRITER, file], { stdio: ["pipe", "pipe", "inherit"] });
    let wrote = "";
    writer.stdout.setEncoding("utf8").on("data", (text: string) => void (wrote += text));
    await once(writer.stdout, "data");
    const scratch = path.join(folder, "scratch");
    mkdirSync(scratch);
    const counts: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      await withImage(file, scratch, async (image) => {
        const database = image.open();
        const [sums] = database
          .prepare("SELECT (SELECT count(*) FROM a) AS a, (SELECT count(*) FROM b) AS b")
          .all();
        const [check] = database.prepare("PRAGMA integrity_check").all();
        database.close();
        const { a, b } = sums as { a: number; b: number };
        expect([a, check]).toEqual([b, { integrity_check: "ok" }]);
        counts.push(a);
      });
    }
    writer.stdin.end();
    await once(writer, "close");
    expect([counts.toSorted((a, b) => a - b), counts.length]).toEqual([counts, 8]);
    expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0);
    expect(wrote).toMatch(/ended without an error\n$/);
  });

  it.each([
    [3, "after"],
    // The last three writes are the last chunk, the manifest and the list.
    [-2, "before"],
    [-1, "before"],
    [-1, "after"],
  ] as const)(
    "killed at write %i (%s) leaves the earlier one whole, and the next run completes",
    async (at, moment) => {
      const data = new FakeData();
      data.addMailbox(BEN);
      const dir = tempFolder();
      await backUpTo(dir, data.dir);
      const before = await newest(dir);
      for (let box = 0; box < 4; box += 1) data.addMailbox(`box-${box}@mailkeep.test`, { isListed: false });
      // Four mailboxes, the manifest and the list.
      const count = at < 0 ? 6 + at + 1 : at;
      const words = [dir, data.dir, String(count), moment];
      const ended = spawnSync(process.execPath, [path.join(import.meta.dirname, "killed-run.ts"), ...words]);
      expect([ended.signal, ended.stderr.toString().includes("Error")]).toEqual(["SIGKILL", false]);
      const after = await newest(dir);
      expect(after === before).toBe(!(at === -1 && moment === "after"));
      expect((await checked(dir)).faults).toEqual([]);
      expect(await backUpTo(dir, data.dir)).toMatchObject({ mailboxes: 5, missing: [] });
      expect((await checked(dir)).faults).toEqual([]);
    },
  );

  it("says which mailbox is damaged or lacks a file, and takes all others", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    data.addBlob(ada, "owner/1", [randomBytes(100)]);
    rmSync(path.join(data.dir, "r2", BUCKET, "blobs"), { recursive: true });
    const ben = data.addMailbox(BEN);
    writeFileSync(path.join(data.dir, ben), randomBytes(20_000));
    data.addMailbox("eve@mailkeep.test");
    const dir = tempFolder();
    expect(await backUpTo(dir, data.dir)).toMatchObject({
      mailboxes: 3,
      missing: ["owner/1"],
      damaged: [ben],
    });
    expect((await checked(dir)).faults).toEqual([]);
  });

  it("names a mailbox that was cut off to its first page, and takes an address that was only asked for as nothing", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    writeFileSync(path.join(data.dir, ada), readFileSync(path.join(data.dir, ada)).subarray(0, 4_096));
    data.addObject(mailboxFile(BEN), "PRAGMA user_version");
    expect(await backUpTo(tempFolder(), data.dir)).toMatchObject({ mailboxes: 1, damaged: [ada] });
  });

  it("goes on beside databases whose first page, alarms, bucket or log is damaged, and so does its restore", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    data.addBlob(ada, "owner/1", [randomBytes(100)]);
    const alarms = "do/mailkeep-Mailbox/metadata.sqlite";
    const schema = data.addMailbox(BEN);
    const overwrite = (file: string, at: number, bytes: Buffer): void => {
      const whole = readFileSync(path.join(data.dir, file));
      bytes.copy(whole, at);
      writeFileSync(path.join(data.dir, file), whole);
    };
    // The number of the format of the tables, and all of the first page of tables.
    overwrite(schema, 44, Buffer.from([0, 0, 0, 99]));
    const header = data.addMailbox("eve@mailkeep.test", { isListed: false });
    overwrite(header, 0, randomBytes(4_096));
    const logged = data.addMailbox("kim@mailkeep.test", { isListed: false });
    overwrite(logged, 0, randomBytes(4_096));
    writeFileSync(path.join(data.dir, `${logged}-wal`), randomBytes(9_000));
    writeFileSync(path.join(data.dir, alarms), randomBytes(8_192));
    writeFileSync(path.join(data.dir, data.bucketFile), randomBytes(8_192));
    const dir = tempFolder();
    const result = await backUpTo(dir, data.dir);
    expect([...result.damaged].toSorted()).toEqual(
      [alarms, schema, header, logged, data.bucketFile].toSorted(),
    );
    expect(result).toMatchObject({ mailboxes: 4, missing: ["owner/1"] });
    expect((await checked(dir)).faults).toEqual([]);
    const repository = await Repository.open(dir);
    const opener = await openerFor(repository, null);
    if (opener === null) throw new Error("it is not encrypted");
    const { manifest } = await readSnapshot(repository, await newest(dir), opener);
    const digest = createHash("sha256").update(readFileSync(path.join(data.dir, header)));
    expect(manifest.entries).toContainEqual(
      expect.objectContaining({ path: header, sha256: digest.digest("hex") }),
    );
    const restored = path.join(tempFolder(), "data");
    const { damaged } = await restoreTo(restored, dir);
    expect(damaged.toSorted()).toEqual(result.damaged.toSorted());
    expect(rows(restored, ada, "SELECT address FROM account")).toEqual([{ address: ADA }]);
    expect(rows(restored, alarms, "SELECT count(*) AS alarms FROM _cf_ALARM")).toMatchObject([{}]);
    expect(existsSync(path.join(restored, header))).toBe(false);
    const aside = readFileSync(path.join(restored, `${header}.damaged`));
    expect(aside.equals(readFileSync(path.join(data.dir, header)))).toBe(true);
  });

  it(
    "with damaged parts pushes no older snapshot out, and says so",
    async () => {
      const data = new FakeData();
      const ada = data.addMailbox(ADA);
      const dir = tempFolder();
      const run = async (): Promise<{ code: number | null; err: string; snapshots: number }> => {
        const program = path.join(import.meta.dirname, "../../served/server-command.ts");
        const env = { ...process.env, DATA_DIR: data.dir };
        const ended = spawnSync(process.execPath, [program, "backup", dir, "--keep", "1"], { env });
        const { length } = await (await Repository.open(dir)).snapshots();
        return { code: ended.status, err: ended.stderr.toString(), snapshots: length };
      };
      await backUpTo(dir, data.dir);
      writeFileSync(path.join(data.dir, ada), randomBytes(20_000));
      const damaged = await run();
      expect(damaged).toMatchObject({ code: 1, snapshots: 2 });
      expect(damaged.err).toContain("--keep 1 removed nothing");
      rmSync(path.join(data.dir, ada));
      data.addMailbox(ADA, { isListed: false });
      expect(await run()).toMatchObject({ code: 0, snapshots: 1 });
    },
    PATIENCE_MS,
  );

  it("keeps the newest snapshots and the chunks that these need, as many as --keep says", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    const dir = tempFolder();
    for (let turn = 0; turn < 4; turn += 1) {
      data.change(
        ada,
        (database) => void database.prepare("UPDATE content SET raw = ?").run(randomBytes(3_000)),
      );
      await backUpTo(dir, data.dir);
    }
    const repository = await Repository.open(dir);
    const before = await repository.snapshots();
    expect(await repository.prune(2)).toEqual({ snapshots: 2, chunks: 2 });
    expect(await repository.snapshots()).toEqual(before.slice(2));
    expect((await checked(dir)).faults).toEqual([]);
  });

  it("of a folder without a server's data is refused, so that it replaces no good snapshot", () => {
    expect(() => expectDataFolder(tempFolder())).toThrow("holds no data of a server");
    expectDataFolder(new FakeData().dir);
  });

  it("refuses to run beside another backup; of several rivals one takes over the lock of a dead one", async () => {
    const dir = tempFolder();
    const repository = await Repository.openOrMake(dir, false);
    const release = await repository.lock();
    const file = path.join(dir, "backup.lock");
    const holder = JSON.parse(readFileSync(file, "utf8"));
    await expect(repository.lock()).rejects.toThrow("Another backup is writing");
    await release();
    for (let turn = 0; turn < 10; turn += 1) {
      writeFileSync(file, JSON.stringify({ ...holder, id: `dead ${turn}`, started: "another time" }));
      const rivals = await Promise.all(Array.from({ length: 6 }, () => Repository.open(dir)));
      const race = async () =>
        (await Promise.allSettled(rivals.map((rival) => rival.lock()))).filter(
          ({ status }) => status === "fulfilled",
        );
      const first = await race();
      // Rivals that stand in each other's way may all give up; never do two take it.
      const taken = first.length === 0 ? await race() : first;
      expect(taken.length).toBe(1);
      for (const one of taken) if (one.status === "fulfilled") await one.value();
    }
  });

  it.each([
    ["that is being written", ""],
    ["of another container", JSON.stringify({ id: "a", place: "other", pid: 1, started: "1" })],
  ])("takes over a lock %s only after minutes without a sign of life", async (_name, text) => {
    const dir = tempFolder();
    const repository = await Repository.openOrMake(dir, false);
    const file = path.join(dir, "backup.lock");
    writeFileSync(file, text);
    await expect(repository.lock()).rejects.toThrow("Another backup is writing");
    const long = Date.now() / 1_000 - 2 * (STALE_MS / 1_000);
    utimesSync(file, long, long);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const release = await repository.lock();
      utimesSync(file, long, long);
      vi.advanceTimersByTime(BEAT_MS);
      await expect.poll(() => statSync(file).mtimeMs).toBeGreaterThan(long * 1_000);
      await release();
    } finally {
      vi.useRealTimers();
    }
    expect(readdirSync(dir)).not.toContain("backup.lock");
  });

  it("that lost its lock or a chunk meanwhile makes no snapshot", async () => {
    const dir = tempFolder();
    const repository = await Repository.openOrMake(dir, false);
    const target = await RepositoryTarget.open(repository);
    const release = await repository.lock();
    const [one, two] = ["1".repeat(64), "2".repeat(64)];
    for (const name of [one, two]) await target.put(name, Buffer.from(name));
    const commit = (chunks: string[]): Promise<void> =>
      target.commit({
        id: "20261122T031500000Z-all",
        manifest: Buffer.from("m"),
        chunks: new Set(chunks),
      });
    rmSync(path.join(dir, `chunks/22/${two}.gz`));
    await expect(commit([one, two])).rejects.toThrow("was removed while this backup ran");
    writeFileSync(
      path.join(dir, "backup.lock"),
      JSON.stringify({ id: "b", place: "p", pid: 1, started: "1" }),
    );
    await expect(commit([one])).rejects.toThrow("took");
    await expect(repository.prune(1)).rejects.toThrow("took");
    await release();
    expect(readdirSync(dir)).toContain("backup.lock");
    expect(await repository.snapshots()).toEqual([]);
  });

  it("removes the copies of a killed run, and none of one that runs", async () => {
    const data = new FakeData();
    data.addMailbox(ADA);
    const folder = path.join(data.dir, "backup");
    const left = path.join(folder, `tmp-${randomUUID()}`);
    await withScratch(data.dir, async (scratch) => {
      mkdirSync(left, { recursive: true });
      writeFileSync(path.join(left, "a.sqlite"), "mail");
      await backUpTo(tempFolder(), data.dir);
      expect([existsSync(left), existsSync(scratch)]).toEqual([false, true]);
      expect([statSync(folder).mode & 0o777, statSync(scratch).mode & 0o777]).toEqual([0o700, 0o700]);
    });
    expect(readdirSync(folder).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  it("as an archive has the same contents", async () => {
    const content = randomBytes(700);
    const pieces: Uint8Array[] = [];
    const target = new TarTarget(async (bytes) => void pieces.push(Buffer.from(bytes)), ".gz");
    const name = createHash("sha256").update(content).digest("hex");
    await target.put(name, content);
    await target.commit({
      id: "20261122T031500000Z-all",
      manifest: Buffer.from("m"),
      chunks: new Set([name]),
    });
    const archive = Buffer.concat(pieces);
    const folder = tempFolder();
    writeFileSync(path.join(folder, "a.tar"), archive);
    // The system's tar reads it as well.
    execFileSync("tar", ["-xf", "a.tar"], { cwd: folder });
    const unpacked = tempFolder();
    const cut = fc.sample(fc.integer({ min: 1, max: 600 }), { numRuns: 1, seed: 3 })[0] ?? 1;
    await unpackTar(cutInto(archive, cut), unpacked);
    const file = `chunks/${name.slice(0, 2)}/${name}.gz`;
    expect(readFileSync(path.join(unpacked, file)).equals(content)).toBe(true);
    expect(readFileSync(path.join(folder, file)).equals(content)).toBe(true);
    await expect(unpackTar(cutInto(archive.subarray(0, 900), 100), tempFolder())).rejects.toThrow("cut off");
  });
});

/** Writes pairs of rows, a pair a transaction, until its input ends. */
const WRITER = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1]);
database.exec("PRAGMA journal_mode = WAL; CREATE TABLE a (x BLOB); CREATE TABLE b (x BLOB)");
let isOver = false;
process.stdin.resume().on("end", () => (isOver = true));
const bytes = Buffer.alloc(3000, "x");
function turn() {
  for (let count = 0; count < 20; count += 1) {
    database.exec("BEGIN IMMEDIATE");
    database.prepare("INSERT INTO a VALUES (?)").run(bytes);
    database.prepare("INSERT INTO b VALUES (?)").run(bytes);
    database.exec("COMMIT");
  }
  if (isOver) console.log("ended without an error");
  else setImmediate(turn);
}
console.log("begun");
turn();`;

async function* cutInto(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}

describe("a damaged chunk", () => {
  it.each([
    ["flipped", (bytes: Buffer) => bytes.map((byte, at) => (at === 20 ? byte ^ 4 : byte))],
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ["emptied", () => Buffer.alloc(0)],
  ])("that was %s is written again by the next run, changed files or not", async (_, damage) => {
    const data = new FakeData();
    data.addBlob(data.addMailbox(ADA), "owner/1", [randomBytes(CHUNK_BYTES + 5)]);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const chunks = storedFiles(dir).filter((file) => file.startsWith("chunks/"));
    for (const file of chunks) {
      const full = path.join(dir, file);
      const whole = readFileSync(full);
      writeFileSync(full, damage(whole));
      expect((await checked(dir)).faults).not.toEqual([]);
      const { counts } = await backUpTo(dir, data.dir);
      expect([file, counts.chunks]).toEqual([file, 1]);
      expect(readFileSync(full).equals(whole)).toBe(true);
    }
    expect((await checked(dir)).faults).toEqual([]);
  });

  it("of contents that are gone makes no new snapshot damaged", async () => {
    const data = new FakeData();
    const box = data.addMailbox(ADA);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const before = new Set(storedFiles(dir));
    data.addBlob(box, "owner/1", [randomBytes(1_000)]);
    for (const file of before) if (file.startsWith("chunks/")) writeFileSync(path.join(dir, file), "rotten");
    await backUpTo(dir, data.dir);
    const repository = await Repository.open(dir);
    const snapshots = (await repository.snapshots()).slice(-1);
    const opener = await openerFor(repository, null);
    const { signal } = new AbortController();
    expect((await verify({ repository, opener, snapshots, signal, onProgress: () => {} })).faults).toEqual(
      [],
    );
  });
});

describe("a check", () => {
  it("finds a flipped bit, a cut and a missing file, and names the file", async () => {
    const data = new FakeData();
    data.addBlob(data.addMailbox(ADA), "owner/1", [randomBytes(CHUNK_BYTES + 5)]);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    expect((await checked(dir)).faults).toEqual([]);
    const files = storedFiles(dir);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom("flip", "cut", "remove"),
        async (file, place, damage) => {
          const full = path.join(dir, file);
          const whole = readFileSync(full);
          const at = Math.floor(place * whole.byteLength);
          if (damage === "flip")
            writeFileSync(
              full,
              whole.map((byte, index) => (index === at ? byte ^ 4 : byte)),
            );
          if (damage === "cut") writeFileSync(full, whole.subarray(0, at));
          if (damage === "remove") rmSync(full);
          const { faults } = await checked(dir);
          // A list with another path or hash makes that file look damaged. Without its list a snapshot does not exist.
          const isUnmade = damage === "remove" && file.endsWith(".sha256");
          const named = file.endsWith(".sha256") ? dir : full;
          const isFound = faults.some((fault) => fault.includes(named));
          expect([file, damage, at, isFound]).toEqual([file, damage, at, !isUnmade]);
          writeFileSync(full, whole);
        },
      ),
      { numRuns: 40, seed: 16 },
    );
    expect((await checked(dir)).faults).toEqual([]);
  });

  it("refuses a newer format, a path that leads out of the folder, and a manifest that is cut off", () => {
    const hash = "a".repeat(64);
    const head = {
      kind: "snapshot",
      format: 1,
      id: "20261122T031500000Z-all",
      begun_at: "now",
      name_key: null,
    };
    const file = {
      kind: "file",
      path: "secrets.json",
      at: "now",
      size: 1,
      sha256: hash,
      chunks: [hash],
      name: null,
    };
    const end = { kind: "end", entries: 1 };
    const text = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    expect(readManifest(text(head, file, end), "m").entries).toEqual([file]);
    const bad: [unknown[], string][] = [
      [[{ ...head, format: 3 }, file, end], "use a newer version"],
      [[{ ...head, format: 3, more: 1, id: "?" }, { kind: "new" }], "use a newer version"],
      ...[
        "../x",
        "/etc/passwd",
        "do/mailkeep-Mailbox/../../x.sqlite",
        "do/mailkeep-/a.sqlite",
        "serve.lock",
      ].map((name): [unknown[], string] => [[head, { ...file, path: name }, end], "m, line 2: path is not"]),
      [[head, { ...file, chunks: [`../${hash}`] }, end], "m, line 2: chunks.0"],
      [[head, { ...file, size: CHUNK_BYTES + 1 }, end], "does not fit its chunks"],
      [[head, file], "cut off"],
      [[head, file, file, { ...end, entries: 2 }], "twice"],
      [[file, end], "first line"],
      [
        [
          head,
          { kind: "blob", bucket: "../x", key: "k", size: 1, sha256: hash, chunks: [hash], row: {} },
          end,
        ],
        "line 2",
      ],
    ];
    for (const [lines, message] of bad) expect(() => readManifest(text(...lines), "m")).toThrow(message);
    expect(() => readManifest(text(head, file, end).slice(0, -1), "m")).toThrow("cut off");
    expect(() => readHeader('{"mailkeep_backup": 2}', "h")).toThrow("use a newer version");
    expect(() => readHeader("{}", "h")).toThrow("does not describe a backup");
  });

  it("unpacks no archive with a name that no backup has", async () => {
    for (const name of ["../../etc/cron.d/x", "/etc/x", "chunks/../../x", "snapshots/x", "other"]) {
      const pieces: Uint8Array[] = [];
      const target = new TarTarget(async (bytes) => void pieces.push(Buffer.from(bytes)), ".gz");
      await target.add(name, Buffer.from("x"));
      const folder = tempFolder();
      await expect(unpackTar(cutInto(Buffer.concat(pieces), 512), folder)).rejects.toThrow("no backup has");
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

describe("an encrypted backup", () => {
  it("is read only with its identity, and continued without it", async () => {
    const identity = await generateX25519Identity();
    const recipient = await identityToRecipient(identity);
    const folder = tempFolder();
    const file = path.join(folder, "identity.txt");
    writeFileSync(file, `# a comment\n${identity}\n`);
    const other = path.join(folder, "other.txt");
    writeFileSync(other, `${await generateX25519Identity()}\n`);
    const data = new FakeData();
    const raw = randomBytes(2_000);
    const ada = data.addMailbox(ADA, { raw });
    const dir = tempFolder();
    const sealer = (state: { name_key: string }) => ageSealer([recipient], state.name_key);
    expect(await backUpTo(dir, data.dir, { sealer })).toMatchObject({ hasSecrets: true });
    expect((await backUpTo(dir, data.dir, { sealer })).counts.stored).toBe(0);

    expect(await checked(dir)).toMatchObject({ faults: [], isOpened: false });
    expect(await checked(dir, file)).toMatchObject({ faults: [], isOpened: true });
    await expect(checked(dir, other)).rejects.toThrow("no identity in");
    // Nothing in it, names included, tells who has mail here.
    const known = createHash("sha256")
      .update(readFileSync(path.join(data.dir, ada)))
      .digest("hex");
    const all = storedFiles(dir).map((name) => readFileSync(path.join(dir, name), "latin1") + name);
    for (const secret of [known, ADA, path.basename(ada)])
      expect(all.some((text) => text.includes(secret))).toBe(false);
    await expect(backUpTo(dir, data.dir)).rejects.toThrow("give --recipient");

    const restored = path.join(tempFolder(), "data");
    expect(await restoreTo(restored, dir, { identity: file })).toMatchObject({
      mailboxes: 1,
      hasSecrets: true,
    });
    expect(rows(restored, ada, "SELECT raw FROM content")).toEqual([{ raw: new Uint8Array(raw) }]);
    expect(statSync(path.join(restored, "secrets.json")).mode & 0o777).toBe(0o600);
  });

  const age = spawnSync("age", ["--version"]).status === 0;
  it.skipIf(!age)(`is opened by age and gzip${age ? "" : " (age is not installed)"}`, async () => {
    const identity = await generateX25519Identity();
    const recipient = await identityToRecipient(identity);
    const file = path.join(tempFolder(), "identity.txt");
    writeFileSync(file, `${identity}\n`);
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    const dir = tempFolder();
    const { snapshot } = await backUpTo(dir, data.dir, {
      sealer: (state) => ageSealer([recipient], state.name_key),
    });
    const open = (name: string): Buffer =>
      gunzipSync(execFileSync("age", ["--decrypt", "-i", file, path.join(dir, name)]));
    const { entries } = readManifest(open(`snapshots/${snapshot}.jsonl.gz.age`).toString(), "manifest");
    const [chunk = ""] = entries.find((entry) => entry.kind === "file" && entry.path === ada)?.chunks ?? [];
    const content = open(`chunks/${chunk.slice(0, 2)}/${chunk}.gz.age`);
    expect(content.equals(readFileSync(path.join(data.dir, ada)))).toBe(true);
    execFileSync("sha256sum", ["--check", "--quiet", `snapshots/${snapshot}.sha256`], { cwd: dir });
  });
});

describe("a restore", () => {
  /** A data folder with a mailbox that has a waiting message and an alarm. */
  function waiting(): { data: FakeData; ada: string } {
    const data = new FakeData();
    const ada = data.addMailbox(ADA);
    data.change(ada, (database) =>
      database.exec(`INSERT INTO message VALUES (2, 'queued'), (3, 'sent');
        INSERT INTO outbox VALUES (2, 5, 6), (3, NULL, NULL);
        INSERT INTO recipient VALUES (2, 0, 'queued', 1, NULL), (2, 1, 'handing', 1, NULL), (2, 2, 'sent', 1, NULL), (3, 0, 'sent', 1, NULL);
        INSERT INTO _cf_METADATA VALUES (1, 1797971862453000001)`),
    );
    return { data, ada };
  }

  it("sends nothing twice, skips numbers of the log, and sets alarms", async () => {
    const { data, ada } = waiting();
    writeFileSync(path.join(data.dir, "version.json"), "{}");
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const restored = path.join(tempFolder(), "data");
    expect(await restoreTo(restored, dir)).toMatchObject({ mailboxes: 1, uncertain: 2, hasSecrets: false });
    expect(readdirSync(restored).toSorted()).toEqual(["do", "r2", "version.json"]);
    expect(
      rows(restored, ada, "SELECT seq, state, diagnostic IS NOT NULL AS said FROM recipient"),
    ).toMatchObject([
      { seq: 2, state: "unknown", said: 1 },
      { seq: 2, state: "unknown", said: 1 },
      { seq: 2, state: "sent", said: 0 },
      { seq: 3, state: "sent", said: 0 },
    ]);
    expect(rows(restored, ada, "SELECT status FROM message WHERE seq > 1")).toMatchObject([
      { status: "unknown" },
      { status: "sent" },
    ]);
    expect(rows(restored, ada, "SELECT due_at, inside_due_at FROM outbox WHERE seq = 2")).toMatchObject([
      { due_at: null, inside_due_at: null },
    ]);
    expect(rows(restored, ada, "SELECT last_event, directory_due FROM account")).toMatchObject([
      { last_event: 2_000_000, directory_due: null },
    ]);
    expect(
      rows(
        restored,
        "do/mailkeep-Mailbox/metadata.sqlite",
        "SELECT actor_id, CAST(scheduled_time AS TEXT) AS at, length(actor_name) AS name FROM _cf_ALARM",
      ),
    ).toEqual([{ actor_id: path.basename(ada, ".sqlite"), at: "1797971862453000001", name: 32 }]);

    const again = path.join(tempFolder(), "data");
    expect(await restoreTo(again, dir, { sendsAgain: true })).toMatchObject({ uncertain: 0 });
    expect(rows(again, ada, "SELECT due_at FROM outbox WHERE seq = 2")).toMatchObject([{ due_at: 5 }]);
  });

  it("corrects the operator's list: mailboxes that it lacks report themselves, and mailboxes that the snapshot lacks leave it", async () => {
    const data = new FakeData();
    const ada = data.addMailbox(ADA, { isListed: false });
    data.list("gone@mailkeep.test");
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const restored = path.join(tempFolder(), "data");
    await restoreTo(restored, dir);
    expect(rows(restored, ada, "SELECT directory_due > 0 AS due FROM account")).toMatchObject([{ due: 1 }]);
    expect(
      rows(restored, "do/mailkeep-Mailbox/metadata.sqlite", "SELECT count(*) AS alarms FROM _cf_ALARM"),
    ).toMatchObject([{ alarms: 1 }]);
    const [list = ""] = readdirSync(path.join(restored, "do/mailkeep-Directory")).filter(
      (name) => name.length > 20,
    );
    expect(rows(restored, `do/mailkeep-Directory/${list}`, "SELECT * FROM entry")).toEqual([]);
  });

  it("of one mailbox adds it to a folder that lacks it, with its large files, and overwrites none", async () => {
    const { data, ada } = waiting();
    data.addBlob(ada, "owner/1", [Buffer.from("first "), Buffer.from("second")]);
    const ben = data.addMailbox(BEN);
    data.addBlob(ben, "other/1", [Buffer.from("of another mailbox")]);
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const target = new FakeData();
    target.addMailbox(BEN);
    target.addBlob(ben, "other/2", [Buffer.from("kept")]);
    expect(await restoreTo(target.dir, dir, { only: mailboxFile(ADA) })).toMatchObject({
      mailboxes: 1,
      blobs: 1,
    });
    expect(
      rows(target.dir, target.bucketFile, "SELECT key, size FROM _mf_objects ORDER BY key"),
    ).toMatchObject([{ key: "other/2" }, { key: "owner/1", size: 12 }]);
    await expect(restoreTo(target.dir, dir, { only: mailboxFile(ADA) })).rejects.toThrow("has this mailbox");
    await expect(restoreTo(target.dir, dir)).rejects.toThrow("holds data");
    await expect(restoreTo(target.dir, dir, { only: mailboxFile("eve@mailkeep.test") })).rejects.toThrow(
      "no such mailbox",
    );
  });

  it("that was interrupted keeps servers away, and is completed only by the same command", async () => {
    const { data, ada } = waiting();
    const dir = tempFolder();
    await backUpTo(dir, data.dir);
    const chunk = storedFiles(dir).find((file) => file.startsWith("chunks/")) ?? "";
    const bytes = readFileSync(path.join(dir, chunk));
    rmSync(path.join(dir, chunk));
    const restored = path.join(tempFolder(), "data");
    await expect(restoreTo(restored, dir)).rejects.toThrow(`${chunk}: it is missing`);
    expect(() => refuseHalfRestored(restored)).toThrow("incomplete restore");
    writeFileSync(path.join(dir, chunk), bytes);
    await expect(restoreTo(restored, dir, { only: ada })).rejects.toThrow("incomplete restore");
    expect(await restoreTo(restored, dir)).toMatchObject({ mailboxes: 1 });
    refuseHalfRestored(restored);
    expect(rows(restored, ada, "SELECT last_event FROM account")).toMatchObject([{ last_event: 2_000_000 }]);
  });
});
