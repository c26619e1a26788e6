import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { StoredData } from "./stored-data.ts";

/** Contains a folder for each version with stored data. */
const FOLDERS = path.resolve(import.meta.dirname, "../../fixtures/stored");
const DATA = "data.tar.br";
const EXPECTED = "expected.json";
/** Compression window in bits, larger than any archive here, so that all repetitions are found. */
const WINDOW_BITS = 24;
/** Limit of the output of `tar`, in bytes. */
const MAX_TAR_BYTES = 100_000_000;

/** The names of the versions with stored data. */
export function storedVersions(): string[] {
  return readdirSync(FOLDERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** Reads what the tests expect of a version's data. */
export function readExpected(version: string): StoredData {
  return JSON.parse(readFileSync(path.join(FOLDERS, version, EXPECTED), "utf8")) as StoredData;
}

/** Unpacks the data of a version into `dataDir`. */
export function unpack(version: string, dataDir: string): void {
  const tar = brotliDecompressSync(readFileSync(path.join(FOLDERS, version, DATA)));
  execFileSync("tar", ["-xf", "-", "-C", dataDir], { input: tar });
}

/** Writes the folder of a version; answers its size in bytes. */
export function pack(version: string, dataDir: string, expected: StoredData): number {
  const folder = path.join(FOLDERS, version);
  mkdirSync(folder, { recursive: true });
  const tar = execFileSync("tar", ["--sort=name", "--owner=0", "--group=0", "-cf", "-", "-C", dataDir, "."], {
    maxBuffer: MAX_TAR_BYTES,
  });
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  const data = brotliCompressSync(tar, { params });
  const text = expectedText(expected);
  writeFileSync(path.join(folder, DATA), data);
  writeFileSync(path.join(folder, EXPECTED), text);
  return data.length + Buffer.byteLength(text);
}

/** Writes one line for each read, so that a diff of two versions is readable. */
function expectedText({ reads, ...rest }: StoredData): string {
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, "");
  return `${head},\n  "reads": [\n    ${reads.map((read) => JSON.stringify(read)).join(",\n    ")}\n  ]\n}\n`;
}
