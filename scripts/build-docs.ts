import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

const ROOT = path.resolve(import.meta.dirname, "..");
/** Apache-2.0; its licence note stands at the head of the script. */
const SOURCE = path.join(ROOT, "node_modules/swagger-ui-dist");
const TARGET = path.join(ROOT, "src/pages/assets");
const FILES = ["swagger-ui-bundle.js", "swagger-ui.css"];

/**
 * Puts the API reference page's script and style, compressed, where the bundle imports them (`src/pages/assets`).
 * The same input gives the same bytes; what is up to date is left alone.
 */
export function buildDocs(): void {
  mkdirSync(TARGET, { recursive: true });
  for (const name of FILES) {
    const source = path.join(SOURCE, name);
    const target = path.join(TARGET, `${name}.gz`);
    if (writtenAt(target) >= writtenAt(source)) continue;
    const draft = `${target}.${process.pid}`;
    // The gzip header of zlib has no file name and time 0 (RFC 1952 §2.3.1).
    writeFileSync(draft, gzipSync(readFileSync(source), { level: 9 }));
    renameSync(draft, target);
  }
}

/** Milliseconds; 0 for a file that does not exist. Not mtime, which a package may bring along from its archive. */
function writtenAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}
