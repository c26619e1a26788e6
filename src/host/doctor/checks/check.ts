import type { Settings } from "../../settings.ts";
import type { Topic } from "../catalogue/catalogue.ts";
import type { Finding } from "../finding.ts";
import type { World } from "../ports/world.ts";

/** A machine that runs the server, as the checks see it. */
export interface Machine {
  settings: Settings;
  /** The file that the settings were read from; null: the environment. */
  envFile: string | null;
  /** The files of keys and certificates' keys that the settings name. */
  secretFiles: readonly string[];
  /** The URL of the server, as this machine reaches it. */
  local: URL;
  /** The operator key of the settings or of `secrets.json`; null where neither has one that can be read. */
  operatorKey: string | null;
  /** The option or variable that names the resolver, which may know names that public DNS does not; null: that of the system. */
  resolverFrom: string | null;
  /** Addresses at which others reach this machine, as the operator named them. */
  addresses: readonly string[];
  /** A URL whose server's clock is correct (`--clock-url`); null: `PUBLIC_URL` is used. */
  clockUrl: URL | null;
  /** The value of `--outward`; null where it is not given. */
  outward: { host: string; port: number } | null;
  /** Whether the doctor sends a mail of its own through the server (`--probe`). */
  probe: boolean;
}

/** A check: it changes nothing, and ends when the signal is aborted. A check that throws becomes `not-checked`. */
export interface Check<Subject> {
  topic: Topic;
  run(subject: Subject, world: World, signal: AbortSignal): Promise<Finding[]>;
}

/** The hosts that the MX records must name: those of the settings; empty where they name none. */
export function mailHosts({ worker: { MAIL_HOST, PUBLIC_URL } }: Settings): readonly string[] {
  if (MAIL_HOST !== null) return MAIL_HOST;
  const host = PUBLIC_URL === null ? null : publicHost(PUBLIC_URL);
  return host === null ? [] : [host];
}

/** The host of `PUBLIC_URL` if it is a name. */
export function publicHost(url: string): string | null {
  const { hostname } = new URL(url);
  return hostname.includes(":") || /^[\d.]+$/.test(hostname) || hostname === "localhost" ? null : hostname;
}
