import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** Arguments for strace whose log this file can parse. */
export const TRACE_ARGUMENTS = [
  "-f",
  "-qq",
  "-y",
  "-ttt",
  "--seccomp-bpf",
  "--string-limit=4000000",
  "--signal=none",
  "--trace=openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,getdents64",
] as const;

/** The bytes of a file as programs see them, and as the disk has them. */
interface TracedFile {
  seen: Buffer;
  /** The bytes at the last sync; null before the first. */
  synced: Buffer | null;
}

/** A finished system call. */
interface Call {
  name: string;
  /** As strace prints them. */
  args: string;
  result: number;
}

const LINE = /^(\d+)\s+(\d+\.\d+) (.*)$/;
const RESUMED = /^<\.\.\. \w+ resumed>(.*)$/;
const WHOLE = /^(\w+)\((.*)\)\s+= (-?\d+)/s;
const UNFINISHED = " <unfinished ...>";
const FD = /^\d+<([^>]*)>/;
const TEXT = /"((?:[^"\\]|\\.)*)"/g;

/**
 * A disk that has only what programs synced: the bytes of a file at its last sync, and the names in a folder at its last sync
 * (POSIX promises no more). It is built from strace's log up to a moment.
 */
export class TracedDisk {
  readonly #root: string;
  readonly #files = new Map<string, TracedFile>();
  /** Synced names. */
  readonly #named = new Map<string, TracedFile>();

  constructor(root: string) {
    this.#root = `${root}/`;
  }

  /** The disk under `root` as it would be if the power had failed at `untilMs`. */
  static async at(log: string, root: string, untilMs: number): Promise<TracedDisk> {
    const disk = new TracedDisk(root);
    for (const call of callsIn(await readFile(log, "latin1"), untilMs)) disk.#apply(call);
    return disk;
  }

  /** Writes the remaining files into a folder, without SQLite's shared memory, which is recreated on opening. */
  async writeTo(folder: string): Promise<void> {
    for (const [name, { synced }] of this.#named) {
      if (name.endsWith("-shm")) continue;
      const file = path.join(folder, name.slice(this.#root.length));
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, synced ?? "", { mode: 0o600 });
    }
  }

  #apply({ name, args, result }: Call): void {
    const texts = [...args.matchAll(TEXT)].map(([, text = ""]) => text);
    const file = FD.exec(args)?.[1] ?? "";
    const numbers = args.slice(args.lastIndexOf('"') + 1).split(",");
    switch (name) {
      case "openat":
        this.#open(args, texts[0] ?? "");
        return;
      case "write":
        this.#put(file, bytesOf(texts[0] ?? "").subarray(0, result), null);
        return;
      case "pwrite64":
        this.#put(file, bytesOf(texts[0] ?? "").subarray(0, result), Number(numbers.at(-1)));
        return;
      case "ftruncate":
        this.#truncate(file, Number(args.split(",").at(-1)));
        return;
      case "fsync":
      case "fdatasync":
        this.#sync(file);
        return;
      default:
        this.#rename(name, args, texts);
    }
  }

  #open(args: string, name: string): void {
    const file = this.#inside(path.resolve(folderOf(args), name));
    if (file === null || (!args.includes("O_CREAT") && !args.includes("O_TRUNC"))) return;
    const known = this.#files.get(file);
    if (known === undefined) this.#files.set(file, { seen: Buffer.alloc(0), synced: null });
    else if (args.includes("O_TRUNC")) known.seen = Buffer.alloc(0);
  }

  #put(name: string, bytes: Buffer, at: number | null): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    const offset = at ?? file.seen.length;
    const seen = Buffer.alloc(Math.max(file.seen.length, offset + bytes.length));
    file.seen.copy(seen);
    bytes.copy(seen, offset);
    file.seen = seen;
  }

  #truncate(name: string, length: number): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    const seen = Buffer.alloc(length);
    file.seen.copy(seen);
    file.seen = seen;
  }

  #sync(name: string): void {
    const file = this.#files.get(name);
    if (file !== undefined) {
      file.synced = file.seen;
      return;
    }
    for (const known of this.#named.keys()) {
      if (path.dirname(known) === name && !this.#files.has(known)) this.#named.delete(known);
    }
    for (const [known, one] of this.#files) if (path.dirname(known) === name) this.#named.set(known, one);
  }

  #rename(name: string, args: string, texts: readonly string[]): void {
    const [from = "", to] = texts;
    const old = path.resolve(folderOf(args), from);
    const file = this.#files.get(old);
    if (file === undefined) return;
    this.#files.delete(old);
    const fresh = to === undefined ? null : this.#inside(path.resolve(folderOf(args), to));
    if (name.startsWith("rename") && fresh !== null) this.#files.set(fresh, file);
  }

  #inside(file: string): string | null {
    return file.startsWith(this.#root) ? file : null;
  }
}

/** The successful calls up to a moment. strace writes a call that another thread interrupts in two parts. */
function* callsIn(log: string, untilMs: number): Generator<Call, void, void> {
  const begun = new Map<string, string>();
  for (const line of log.split("\n")) {
    const [, pid = "", at = "", text = ""] = LINE.exec(line) ?? [];
    if (Number(at) * 1_000 > untilMs) return;
    if (text.endsWith(UNFINISHED)) begun.set(pid, text.slice(0, -UNFINISHED.length));
    else {
      const resumed = RESUMED.exec(text)?.[1];
      const call = readCall(resumed === undefined ? text : `${begun.get(pid) ?? ""}${resumed}`);
      if (call !== null) yield call;
    }
  }
}

/** Null for a line that is not a call, and for a failed call. */
function readCall(text: string): Call | null {
  const [, name = "", args = "", result = "-1"] = WHOLE.exec(text) ?? [];
  return Number(result) < 0 ? null : { name, args, result: Number(result) };
}

/** The folder that a relative name refers to. */
function folderOf(args: string): string {
  return /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(args)?.[1] ?? "/";
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };
const BACKSLASH = 0x5c;
const ZERO = 0x30;

const isOctal = (code: number): boolean => code >= ZERO && code < ZERO + 8;

/** A string of C as bytes. Not by a regular expression: of random bytes two thirds are escapes, and they are megabytes. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      at += 1;
      const first = text.charAt(at);
      code = (ESCAPES[first] ?? first).charCodeAt(0);
      if (isOctal(code)) {
        const end = Math.min(at + 3, text.length);
        for (code -= ZERO; at + 1 < end && isOctal(text.charCodeAt(at + 1)); at += 1) {
          code = code * 8 + text.charCodeAt(at + 1) - ZERO;
        }
      }
    }
    bytes[length] = code;
    length += 1;
  }
  return bytes.subarray(0, length);
}
