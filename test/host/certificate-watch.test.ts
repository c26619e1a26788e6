import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { generateKeyPairSync } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchKeyPair } from "../../src/host/certificate-watch.ts";
import type { KeyPair } from "../../src/host/pem-files.ts";
import { certificateWarnings } from "../../src/host/warnings.ts";
import { PAIR, pem } from "./front/rig.ts";

const OTHER = { cert: pem("other"), key: pem("key") };
const FOREIGN_KEY = String(
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }),
);

const folder = mkdtempSync(path.join(tmpdir(), "mailkeep-certificates-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("certificate files that change", () => {
  const certFile = path.join(folder, "live", "fullchain.pem");
  const keyFile = path.join(folder, "live", "privkey.pem");
  let used: KeyPair[];
  let lines: string[];
  let wake: () => void;
  let stop: () => void;

  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  /** Waits until so many pairs were taken. */
  async function taken(count: number): Promise<void> {
    while (used.length < count) await next();
  }
  /** Waits until so many lines were logged. */
  async function logged(count: number): Promise<void> {
    while (lines.length < count) await next();
  }

  /** Replaces a file whole, so that nobody sees a part of it. */
  function put(file: string, text: string): void {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  beforeEach(() => {
    rmSync(path.join(folder, "live"), { recursive: true, force: true });
    mkdirSync(path.join(folder, "live"));
    writeFileSync(certFile, PAIR.cert);
    writeFileSync(keyFile, PAIR.key);
    [used, lines, wake] = [[], [], () => {}];
    stop = watchKeyPair(
      { ...PAIR, certFile, keyFile },
      {
        use: (pair) => {
          used.push(pair);
          wake();
        },
        log: (line) => {
          lines.push(line);
          wake();
        },
        intervalMs: 2,
      },
    );
  });
  afterEach(() => stop());

  it("are used when they are written in place", async () => {
    writeFileSync(certFile, OTHER.cert);
    await taken(1);
    await logged(1);
    expect(used).toEqual([OTHER]);
    expect(lines).toEqual([`TLS: ${certFile} is in use, valid until 2120-01-01`]);
  });

  it("are used when links to them change, as with certbot", async () => {
    writeFileSync(path.join(folder, "cert2.pem"), OTHER.cert);
    symlinkSync("../cert2.pem", path.join(folder, "live", "next"));
    renameSync(path.join(folder, "live", "next"), certFile);
    await taken(1);
    expect(used).toEqual([OTHER]);
  });

  it("are used when a link to their folder changes, as on container platforms", async () => {
    for (const [name, pair] of Object.entries({ one: PAIR, two: OTHER })) {
      mkdirSync(path.join(folder, name), { recursive: true });
      writeFileSync(path.join(folder, name, "c.pem"), pair.cert);
      writeFileSync(path.join(folder, name, "k.pem"), pair.key);
    }
    symlinkSync("one", path.join(folder, "now"));
    stop();
    const files = { certFile: path.join(folder, "now", "c.pem"), keyFile: path.join(folder, "now", "k.pem") };
    const use = (pair: KeyPair): void => {
      used.push(pair);
      wake();
    };
    stop = watchKeyPair({ ...PAIR, ...files }, { use, log: () => {}, intervalMs: 2 });
    symlinkSync("two", path.join(folder, "next"));
    renameSync(path.join(folder, "next"), path.join(folder, "now"));
    await taken(1);
    expect(used).toEqual([OTHER]);
  });

  it("are ignored with one line in the log while they do not form a pair, and are used once they do", async () => {
    const complaint = `TLS: ${certFile} and ${keyFile} ARE; the certificate from before stays in use`;
    const is = (what: string) => expect.stringMatching(new RegExp(`^${complaint.replace("ARE", what)}$`));
    put(keyFile, FOREIGN_KEY);
    await logged(1);
    put(certFile, OTHER.cert.slice(0, 200));
    await logged(2);
    rmSync(keyFile);
    await logged(3);
    put(certFile, OTHER.cert);
    put(keyFile, OTHER.key);
    await taken(1);
    await logged(4);
    expect(used).toEqual([OTHER]);
    expect(lines).toEqual([
      is("are not a certificate and its own key .*"),
      is("hold no certificate in PEM"),
      is("cannot be read \\(ENOENT\\)"),
      `TLS: ${certFile} is in use, valid until 2120-01-01`,
    ]);
  });
});

describe("a certificate's end", () => {
  const of = (name: string) => ({ cert: pem(name), key: pem("key"), certFile: name, keyFile: "key" });
  const end = Date.parse("2020-02-01T00:00:00Z");
  const DAY_MS = 86_400_000;

  it("is warned of from a week before, once for each pair of files", () => {
    const expired = of("expired");
    const warn = (nowMs: number) => certificateWarnings({ httpTls: expired, tls: expired }, nowMs);
    expect(warn(end - 8 * DAY_MS)).toEqual([]);
    expect(warn(end - 6 * DAY_MS)).toEqual([
      expect.stringMatching(/^TLS_CERT: .* ends on 2020-02-01\. Renew it/),
    ]);
    expect(warn(end + DAY_MS)).toEqual([
      expect.stringMatching(/^TLS_CERT: .* ended on 2020-02-01: clients refuse it/),
    ]);
    const own = certificateWarnings({ httpTls: of("localhost"), tls: expired }, end + DAY_MS);
    expect(own).toEqual([expect.stringMatching(/^SMTP_TLS_CERT: /)]);
  });
});
