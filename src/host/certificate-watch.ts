import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { pairFault, type KeyPair, type KeyPairFiles } from "./pem-files.ts";

/** Files are polled, because programs renew them in several ways: they replace files, write them in place, or change links. */
const INTERVAL_MS = 2_000;

/** How changed files are used and reported. */
export interface CertificateWatch {
  /** Gets each new pair that is valid. */
  use: (pair: KeyPair) => void;
  log: (line: string) => void;
  /** How often the files are checked, in ms; undefined: every 2 s. */
  intervalMs?: number;
}

/**
 * Reads a certificate and its key again whenever one of the files changes. If they do not form a pair, for example while they
 * are being written, one line in the log says so, the old pair stays in use, and the files are read again until they form one.
 * Returns a function that ends the watch.
 */
export function watchKeyPair(files: KeyPairFiles, watch: CertificateWatch): () => void {
  let used: KeyPair = files;
  let seen = "";
  let complaint = "";
  let isReading = false;
  const look = async (): Promise<void> => {
    const now = await stampOf(files);
    if (now === seen && complaint === "") return;
    // The stamp is taken before the files are read, so a change in between is noticed the next time.
    const read = await readFiles(files);
    const fault = "fault" in read ? read.fault : faultText(read);
    if (fault !== null) {
      const line = `TLS: ${files.certFile} and ${files.keyFile} ${fault}; the certificate from before stays in use`;
      if (line !== complaint) watch.log(line);
      complaint = line;
      return;
    }
    [seen, complaint] = [now, ""];
    if ("fault" in read || (read.cert === used.cert && read.key === used.key)) return;
    used = read;
    watch.use(read);
    watch.log(`TLS: ${files.certFile} is in use, valid until ${endOf(read.cert).toISOString().slice(0, 10)}`);
  };
  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    void look().finally(() => (isReading = false));
  }, watch.intervalMs ?? INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** When the first certificate of a PEM text expires. */
export function endOf(cert: string): Date {
  return new X509Certificate(cert).validToDate;
}

/** Device, inode, size and mtime of both files, links followed. `-` for a file that is missing. */
async function stampOf({ certFile, keyFile }: KeyPairFiles): Promise<string> {
  const stats = await Promise.all([certFile, keyFile].map((file) => stat(file).catch(() => null)));
  return stats
    .map((one) => (one === null ? "-" : `${one.dev} ${one.ino} ${one.size} ${one.mtimeMs}`))
    .join("/");
}

async function readFiles({ certFile, keyFile }: KeyPairFiles): Promise<KeyPair | { fault: string }> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    return { cert, key };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { fault: `cannot be read (${code})` };
  }
}

function faultText(pair: KeyPair): string | null {
  const fault = pairFault(pair);
  if (fault === null) return null;
  if (fault.kind === "no-pair") return `are not a certificate and its own key (${fault.reason})`;
  return fault.kind === "no-key" ? "hold no private key in PEM" : "hold no certificate in PEM";
}
