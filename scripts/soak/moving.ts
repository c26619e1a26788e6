import { open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { windowOn } from "../../src/cli/moving/file-window.ts";
import { BadExport, verifyExport } from "../../src/cli/moving/verify-export.ts";
import { readTarEntry } from "../../src/lib/archive/tar-reader.ts";
import type { Window } from "../../src/lib/archive/window.ts";
import { stored, type Box, type Copy } from "./ledger.ts";
import { sha256 } from "./mail.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";
import { ask } from "./stage.ts";

const EXPORT_LIMIT_MS = 120_000;

/** Exports a mailbox; the archive must be signed and hold every mail that was there before and is there after. */
export async function exportOne(stage: Stage, random: Random): Promise<void> {
  const box = random.pick(stage.ledger.open("permanent"));
  if (box === undefined) return;
  const file = path.join(stage.folder, `export-${random.whole(0, 1e9)}.tar`);
  try {
    await stage.ledger.holding([box], () => exportTo(stage, box, file));
  } finally {
    await rm(file, { force: true });
  }
}

async function exportTo(stage: Stage, box: Box, file: string): Promise<void> {
  const { server, ledger } = stage;
  const startedMs = performance.now();
  const before = stored(box);
  const answer = await server.service
    .call("/v1/export", { key: box.key, timeoutMs: EXPORT_LIMIT_MS })
    .catch(() => null);
  const keys = await ask(stage, "/.well-known/mailkeep-keys.json");
  if (answer?.status !== 200 || keys === null) {
    if (server.isCalmSince(startedMs)) ledger.wrong(`an export answered ${answer?.status ?? "nothing"}`);
    return;
  }
  await writeFile(file, answer.bytes);
  const handle = await open(file);
  try {
    const window = windowOn(handle, answer.bytes.length);
    await verifyExport(window, keys.body);
    await compare(stage, before, window);
    ledger.count("exported");
  } catch (error) {
    if (!(error instanceof BadExport)) throw error;
    const isCut = error.cut !== null && !server.isCalmSince(startedMs);
    if (!isCut) ledger.wrong(`an export of ${box.address}: ${error.message}`);
  } finally {
    await handle.close();
  }
}

/** Compares the messages of an archive with what was stored when it was asked for, unless it was deleted meanwhile. */
async function compare({ ledger }: Stage, before: readonly Copy[], window: Window): Promise<void> {
  const hashes = new Map<string, string>();
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at);
    if (entry === null) break;
    at = entry.next;
    const id = /^cur\/\d+\.([\w-]+)\.mailkeep:2,/.exec(entry.name)?.[1];
    if (id !== undefined) hashes.set(id, sha256(await window.at(entry.start, entry.sizeBytes)));
  }
  for (const { id, mail, isDeleted } of before) {
    if (isDeleted || mail.sha256 === "") continue;
    const found = hashes.get(id ?? "");
    if (found === undefined) ledger.wrong(`${mail.plan.serial} is missing in an export`);
    else if (found !== mail.sha256) ledger.wrong(`${mail.plan.serial} has other bytes in an export`);
  }
}

/** Backs the data folder up into `folder`/backup, which keeps two snapshots. */
export async function backUp(stage: Stage): Promise<void> {
  const { server, ledger, folder, ending } = stage;
  const startedMs = performance.now();
  const { code, output } = await server.command(["backup", path.join(folder, "backup"), "--keep", "2"]);
  if (code === 0) ledger.count("backups");
  else if (server.isCalmSince(startedMs) && !ending.aborted)
    ledger.wrong(`a backup ended with ${code}: ${output}`);
}

/** Backs up, verifies and restores everything into another folder, and returns that folder; null if that failed. */
export async function restoreElsewhere(stage: Stage): Promise<string | null> {
  const { server, ledger, folder } = stage;
  const backup = path.join(folder, "backup");
  const restored = path.join(folder, "restored");
  const steps: [string, string[], Record<string, string>][] = [
    ["backup", ["backup", backup, "--keep", "2"], {}],
    ["verify", ["verify", backup], {}],
    ["restore", ["restore", backup], { DATA_DIR: restored }],
  ];
  for (const [name, words, env] of steps) {
    const { code, output } = await server.command(words, env);
    if (code === 0) continue;
    ledger.wrong(`${name} at the end ended with ${code}: ${output}`);
    return null;
  }
  return restored;
}
