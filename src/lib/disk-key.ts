import { sha256Hex } from "./hash.ts";

const PREFIX = "disk:";

/** The key of a blob that is a file of one machine. */
export function diskKey(owner: string, unique: string): string {
  return `${PREFIX}${owner}/${unique}`;
}

/** Whether a key names a blob that is a file. */
export function isDiskKey(key: string): boolean {
  return key.startsWith(PREFIX);
}

/** The name of the file of a blob. */
export function fileOfKey(key: string): string {
  return sha256Hex(key);
}
