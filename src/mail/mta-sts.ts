import { sha256Hex } from "../lib/hash.ts";

/** The modes of an MTA-STS policy: how senders treat a mail host without TLS or with an invalid certificate (RFC 8461). */
export const MTA_STS_MODES = ["off", "none", "testing", "enforce"] as const;

/** The MTA-STS policy of a deployment, for servers that send mail to it. */
export interface MtaSts {
  /** On a failure of TLS, senders report it and deliver (`testing`), or do not deliver (`enforce`). `none`: the policy is withdrawn. */
  mode: "none" | "testing" | "enforce";
  /** Names of mail hosts; `*.` in front stands for one label. */
  hosts: readonly string[];
  /** How long senders remember it, while it is in force. */
  maxAgeSeconds: number;
}

/** Where senders look for the policy, at a host whose name begins with {@link MTA_STS_HOST_START}. */
export const MTA_STS_PATH = "/.well-known/mta-sts.txt";
export const MTA_STS_HOST_START = "mta-sts.";
/** RFC 8461 §8.3: a policy that withdraws another one has a small `max_age`, such as a day. */
const WITHDRAWN_SECONDS = 86_400;
/** RFC 8461 §3.1: an id has up to 32 letters and digits. */
const ID_CHARS = 20;

/** The text of a policy (RFC 8461 §3.2). */
export function mtaStsPolicy({ mode, hosts, maxAgeSeconds }: MtaSts): string {
  const lines = [
    "version: STSv1",
    `mode: ${mode}`,
    ...hosts.map((host) => `mx: ${host}`),
    `max_age: ${mode === "none" ? Math.min(WITHDRAWN_SECONDS, maxAgeSeconds) : maxAgeSeconds}`,
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** The TXT record of `_mta-sts.<domain>`. Its id changes with the policy, so that senders fetch the policy again. */
export function mtaStsRecord(policy: MtaSts): string {
  return `v=STSv1; id=${sha256Hex(mtaStsPolicy(policy)).slice(0, ID_CHARS)};`;
}
