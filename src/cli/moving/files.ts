import { open, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { readNote } from "../../lib/archive/entry-note.ts";
import { readMailName } from "../../lib/archive/maildir.ts";
import { formatOf } from "../../lib/archive/format.ts";
import { HEAD_BYTES } from "../../lib/archive/mail-head.ts";
import { readMboxEntry } from "../../lib/archive/mbox-reader.ts";
import { BadArchive, readTarEntry } from "../../lib/archive/tar-reader.ts";
import type { Window } from "../../lib/archive/window.ts";
import { CliError, EXIT } from "../exit.ts";
import { windowOn } from "./file-window.ts";
import type { MovedMessage, Source, TooLarge } from "./message.ts";

type Found = MovedMessage | TooLarge;

/** The messages of files and folders: mbox, tar, `.eml`, and folders of a Maildir or of such files. */
export function filesSource(files: readonly string[]): Source {
  let place = "";
  async function* messages(): AsyncGenerator<Found, void> {
    for (const file of files) {
      place = path.basename(file);
      yield* messagesOf(file);
    }
  }
  return { messages: messages(), place: () => place };
}

async function* messagesOf(file: string): AsyncGenerator<Found, void> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new CliError(EXIT.usage, `${file}: no such file`);
  if (found.isDirectory()) yield* inFolder(file, "");
  else yield* inFile(file, found.size);
}

async function* inFolder(root: string, folder: string): AsyncGenerator<Found, void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((one, two) => (one.name < two.name ? -1 : 1))) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* inFolder(root, name);
    if (!entry.isFile() || readMailName(name) === null) continue;
    const file = path.join(root, name);
    const { size, mtimeMs } = await stat(file);
    const modifiedMs = /\.eml$/i.test(name) ? 0 : Math.round(mtimeMs);
    if (size > MAX_MESSAGE_BYTES) yield { tooLarge: name };
    else if (size > 0) yield { raw: await readFile(file), name, modifiedMs, note: {} };
  }
}

async function* inFile(file: string, size: number): AsyncGenerator<Found, void> {
  const handle = await open(file);
  try {
    const window = windowOn(handle, size);
    const head = (await window.at(0, HEAD_BYTES)).slice();
    if (head[0] === 0x1f && head[1] === 0x8b)
      throw new CliError(EXIT.usage, `${file}: unpack it first (gunzip)`);
    const format = formatOf(head, "auto");
    if (format === "tar") yield* inTar(file, window);
    else if (format === "mbox") yield* inMbox(window);
    else if (format === null)
      throw new CliError(EXIT.usage, `${file} is neither a tar, nor an mbox, nor one email`);
    else if (size > MAX_MESSAGE_BYTES) yield { tooLarge: file };
    else yield { raw: (await window.at(0, size)).slice(), name: "one.eml", modifiedMs: 0, note: {} };
  } finally {
    await handle.close();
  }
}

async function* inTar(file: string, window: Window): AsyncGenerator<Found, void> {
  for (let at = 0; ;) {
    const entry = await readTarEntry(window, at).catch((error: unknown) => {
      throw error instanceof BadArchive ? new CliError(EXIT.usage, `${file}: ${error.message}`) : error;
    });
    if (entry === null) return;
    at = entry.next;
    const { name, isFile, start, sizeBytes, comment, modifiedMs } = entry;
    if (!isFile || readMailName(name) === null || sizeBytes === 0) continue;
    if (sizeBytes > MAX_MESSAGE_BYTES) {
      yield { tooLarge: name };
      continue;
    }
    const raw = (await window.at(start, sizeBytes)).slice();
    if (raw.length < sizeBytes)
      throw new CliError(EXIT.usage, `${file}: The archive ends within an entry: it was cut off`);
    yield { raw, name, modifiedMs: modifiedMs ?? 0, note: readNote(comment) };
  }
}

async function* inMbox(window: Window): AsyncGenerator<Found, void> {
  for (let at = 0, number = 1; ; number += 1) {
    const entry = await readMboxEntry(window, at, MAX_MESSAGE_BYTES);
    if (entry === null) return;
    at = entry.next;
    const { raw, fromMs } = entry;
    if (raw === null) yield { tooLarge: `message ${number}` };
    else if (raw.length > 0) yield { raw, name: `new/${number}`, modifiedMs: fromMs ?? 0, note: {} };
  }
}
