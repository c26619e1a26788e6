import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLAIM_MIGRATIONS } from "../../src/claim/schema.ts";
import { VERSION } from "../../src/contract/product.ts";
import { BUDGET_MIGRATIONS, DIRECTORY_MIGRATIONS, DOMAIN_MIGRATIONS } from "../../src/directory/schema.ts";
import {
  currentDataVersion,
  FORMATS,
  readDataVersion,
  refuseNewerData,
  VERSION_FILE,
  writeDataVersion,
} from "../../src/host/data-version.ts";
import { serve } from "../../src/host/serve.ts";
import { EARLIER_STEPS } from "../../src/mailbox/earlier-schema.ts";
import { SCHEMAS } from "../../src/mailbox/schemas.ts";
import { storedVersions, unpack } from "../served/stored/archive.ts";
import { vi } from "vitest";

let dir: string;
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), "mailkeep-version-")), "data");
  await mkdir(dir);
});
afterEach(() => rm(path.dirname(dir), { recursive: true, force: true }));

const write = (contents: unknown) =>
  writeFile(path.join(dir, VERSION_FILE), typeof contents === "string" ? contents : JSON.stringify(contents));

/** Every file and folder with its contents, times, mode and owner. */
async function picture(): Promise<unknown[]> {
  const names = (await readdir(dir, { recursive: true })).toSorted();
  return Promise.all(
    [".", ...names].map(async (name) => {
      const file = path.join(dir, name);
      const { mtimeMs, ctimeMs, mode, uid, size, ino } = await stat(file);
      const isFile = (await stat(file)).isFile();
      return [
        name,
        mtimeMs,
        ctimeMs,
        mode,
        uid,
        size,
        ino,
        isFile ? (await readFile(file)).toString("base64") : null,
      ];
    }),
  );
}

describe("a data folder", () => {
  it("says which version wrote it, also when it is opened again", async () => {
    expect(readDataVersion(dir)).toBeNull();
    await writeDataVersion(dir);
    expect(readDataVersion(dir)).toEqual({
      format: FORMATS.at(-1)?.format,
      written_by: VERSION,
      readable_from: FORMATS.at(-1)?.since,
    });
    await utimes(path.join(dir, VERSION_FILE), 1, 1);
    await writeDataVersion(dir);
    expect((await stat(path.join(dir, VERSION_FILE))).mtimeMs).toBe(1_000);
    expect(await readdir(dir)).toEqual([VERSION_FILE]);
    await write({ ...currentDataVersion(), written_by: "0.0.9" });
    await writeDataVersion(dir);
    expect(readDataVersion(dir)?.written_by).toBe(VERSION);
  });

  it("without the file, of the same format and of an older one is accepted", async () => {
    for (const folder of [dir, path.join(dir, "not", "there")]) refuseNewerData(folder);
    for (const { format, since } of FORMATS) {
      await write({ format, written_by: "9.9.9", readable_from: since });
      expect(() => refuseNewerData(dir)).not.toThrow();
    }
  });

  it("of a newer format is refused with the version that can read it and the command to get it", async () => {
    await write({ format: currentDataVersion().format + 1, written_by: "9.1.2", readable_from: "9.0.0" });
    expect(() => refuseNewerData(dir)).toThrow(/was written by Mailkeep 9\.1\.2\. .*nothing was changed/);
    expect(() => refuseNewerData(dir)).toThrow(/from 9\.0\.0 on .*git pull && npm start/);
  });

  it("with a damaged file is refused, as its version is unknown", async () => {
    const damaged = ["", "{", "[]", '{"format":0,"written_by":"1.0.0","readable_from":"1.0.0"}'];
    const hostile = { format: 99, written_by: "1.0.0; rm -rf ~", readable_from: "\u001b[2J1.0.0" };
    for (const contents of [...damaged, hostile]) {
      await write(contents);
      expect(() => refuseNewerData(dir)).toThrow(/version\.json is damaged/);
    }
  });

  it("of a newer version is left byte for byte as it is by a start: no lock, no secret, no time changed", async () => {
    await mkdir(path.join(dir, "do", "mailkeep-Mailbox"), { recursive: true });
    await writeFile(path.join(dir, "do", "mailkeep-Mailbox", "ab.sqlite"), "data");
    // The lock of a process that no longer runs, and secrets with a mode that a start would mend.
    await writeFile(path.join(dir, "serve.lock"), '{"pid":1073741824,"started":"1","runtime":null}');
    await writeFile(path.join(dir, "secrets.json"), "{}", { mode: 0o644 });
    await write({ format: 99, written_by: "9.1.2", readable_from: "9.0.0" });
    const before = await picture();
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    const worker = () => Promise.reject(new Error("The worker must not be built"));
    const env = { DATA_DIR: dir, PORT: "0", SMTP_PORT: "0" };
    await expect(serve({ env, args: [], worker })).rejects.toThrow("exit 1");
    expect(lines.join("")).toContain("was written by Mailkeep 9.1.2");
    expect(await picture()).toEqual(before);
  });
});

/** The steps that the actors of a data folder recorded. */
async function recordedSteps(): Promise<Set<string>> {
  const files = (await readdir(path.join(dir, "do"), { recursive: true })).filter((name) =>
    name.endsWith(".sqlite"),
  );
  const steps = files.flatMap((name) => {
    const db = new DatabaseSync(path.join(dir, "do", name), { readOnly: true });
    try {
      const texts = (query: string) =>
        db
          .prepare(query)
          .all()
          .flatMap(Object.values<unknown>)
          .map(String);
      const has = (query: string) => db.prepare(query).get() !== undefined;
      if (has("SELECT 1 FROM sqlite_master WHERE name = 'migration'"))
        return texts("SELECT id FROM migration");
      // Mailboxes that were made since 0.2.0 record their steps in their row.
      return has("SELECT 1 FROM pragma_table_info('account') WHERE name = 'steps'")
        ? texts("SELECT steps FROM account").flatMap((line) => line.split(" "))
        : [];
    } finally {
      db.close();
    }
  });
  return new Set(steps);
}

describe("the formats of stored data", () => {
  const known = new Set([
    ...[EARLIER_STEPS, DIRECTORY_MIGRATIONS, BUDGET_MIGRATIONS, DOMAIN_MIGRATIONS, CLAIM_MIGRATIONS]
      .flat()
      .map(({ id }) => id),
    ...SCHEMAS.flatMap(({ name, steps }) => steps.map((_, index) => `${name}-${index + 1}`)),
  ]);

  it("rise by one, each with the version that first wrote it, and none is newer than this version", () => {
    expect(FORMATS.map(({ format }) => format)).toEqual(FORMATS.map((_, index) => index + 1));
    const numbers = (version: string) => version.split(".").map(Number);
    const asNumber = (version: string) => numbers(version).reduce((sum, part) => sum * 1_000 + part, 0);
    const versions = FORMATS.map(({ since }) => asNumber(since));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(Math.max(...versions)).toBeLessThanOrEqual(asNumber(VERSION));
  });

  it.each(storedVersions())(
    "rise where tables changed since the data of %s was stored, and only older data is stored",
    async (version) => {
      unpack(version, dir);
      const steps = await recordedSteps();
      expect(steps.size).toBeGreaterThan(10);
      expect([...steps].filter((id) => !known.has(id) && !/^v\d/.test(id))).toEqual([]);
      const format = readDataVersion(dir)?.format ?? 1;
      const later = SCHEMAS.flatMap(({ name, steps: all }) =>
        all.map((_, index) => `${name}-${index + 1}`),
      ).filter(
        // The first step of a schema may have been made by the chain of steps before there were schemas.
        (id) => !steps.has(id) && !id.endsWith("-1"),
      );
      expect(currentDataVersion().format).toBeGreaterThanOrEqual(later.length > 0 ? format + 1 : format);
    },
  );
});
