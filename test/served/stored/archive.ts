import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { StoredData } from "./stored-data.ts";

/** A folder for each version whose data is kept. */
const FOLDERS = path.resolve(import.meta.dirname, "../../fixtures/stored");
const DATA = "data.tar.br";
const EXPECTED = "expected.json";
/** Larger than any archive here: repeated bytes are found wherever they stand. */
const WINDOW_BITS = 24;
/** Of the output of `tar`. */
const MAX_TAR_BYTES = 100_000_000;

/** The names of the versions whose data is kept. */
export function storedVersions(): string[] {
  return readdirSync(FOLDERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** What the version said of its data. */
export function readExpected(version: string): StoredData {
  return JSON.parse(readFileSync(path.join(FOLDERS, version, EXPECTED), "utf8")) as StoredData;
}

/** Puts the data of a version into `dataDir`. */
export function unpack(version: string, dataDir: string): void {
  const tar = brotliDecompressSync(readFileSync(path.join(FOLDERS, version, DATA)));
  execFileSync("tar", ["-xf", "-", "-C", dataDir], { input: tar });
}

/** Writes the folder of a version; answers how many bytes it has. */
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

/** One line for each reading, so that a difference between two versions can be read. */
function expectedText({ reads, ...rest }: StoredData): string {
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, "");
  return `${head},\n  "reads": [\n    ${reads.map((read) => JSON.stringify(read)).join(",\n    ")}\n  ]\n}\n`;
}
