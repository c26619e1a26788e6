import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

const CORPUS = path.resolve(import.meta.dirname, "../../../shared/corpus");

export interface CorpusMessage {
  /** Folder and file; of an mbox also the number of the message. */
  name: string;
  bytes: Buffer;
}

/** False if the corpus is not on this machine. */
export const corpusIsThere = existsSync(CORPUS);

/** Every message of the corpus, those in its mbox files included. */
export function corpusMessages(): CorpusMessage[] {
  if (!corpusIsThere) return [];
  const files = readdirSync(CORPUS, { recursive: true, encoding: "utf8" }).toSorted();
  return files.flatMap((name) => {
    if (name.endsWith(".eml")) return [{ name, bytes: readFileSync(path.join(CORPUS, name)) }];
    if (name.endsWith(".mbox")) return messagesOf(name, readFileSync(path.join(CORPUS, name), "latin1"));
    return [];
  });
}

/** A message begins after each line that begins with "From " (RFC 4155). */
function messagesOf(name: string, mbox: string): CorpusMessage[] {
  const texts = mbox.split(/^From .*\r?\n/m).slice(1);
  return texts.map((text, index) => ({ name: `${name} ${index + 1}`, bytes: Buffer.from(text, "latin1") }));
}
