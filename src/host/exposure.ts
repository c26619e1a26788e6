import { isLoopback } from "../lib/client-network.ts";
import type { Settings } from "./settings.ts";

type Told = Pick<Settings, "host" | "smtpHost" | "tls" | "smtpUrl" | "workerVars">;

/** A developer's afternoon of tests, on a machine that nobody else reaches. */
const LOCAL_BOOTSTRAPS_PER_HOUR = 1_000;

/** What the worker is told where the environment does not say. */
export function defaultsFor(told: Told): Record<string, string> {
  const isOpen = isReached(told) || mailLeaves(told);
  return {
    // Without a proxy that writes CF-Connecting-IP, every client could write one of its own.
    TRUST_CLIENT_ADDRESS: "false",
    // Who sits at this machine may approve. Where others come in, or mail goes out, the operator does.
    CLAIM_APPROVAL: isOpen ? "operator" : "open",
    ...(isReached(told) ? {} : { BOOTSTRAP_PER_HOUR: String(LOCAL_BOOTSTRAPS_PER_HOUR) }),
  };
}

/** A setting that opens something to strangers. */
interface Exposure {
  applies: (told: Told) => boolean;
  /** What it opens, and what to change. */
  line: string;
}

const isOn = (told: Told, variable: string): boolean => told.workerVars[variable] === "true";
const approvesOpenly = ({ workerVars }: Told): boolean => workerVars.CLAIM_APPROVAL === "open";

const EXPOSURES: readonly Exposure[] = [
  {
    applies: (told) => approvesOpenly(told) && mailLeaves(told),
    line: "CLAIM_APPROVAL=open: whoever reaches this server can approve a mailbox for himself and send mail with it through your relay. Set CLAIM_APPROVAL=operator.",
  },
  {
    applies: (told) => approvesOpenly(told) && !mailLeaves(told) && isReached(told),
    line: "CLAIM_APPROVAL=open: whoever reaches this server can approve a permanent mailbox for himself. Set CLAIM_APPROVAL=operator.",
  },
  {
    applies: (told) => isOn(told, "ALLOW_HTTP") && !isLoopbackHost(told.host),
    line: "ALLOW_HTTP=true: keys and mail go over the network in clear, unless a proxy in front ends TLS. Without one, set ALLOW_HTTP=false.",
  },
  {
    applies: (told) => isOn(told, "ALLOW_PRIVATE_WEBHOOKS") && isReached(told),
    line: "ALLOW_PRIVATE_WEBHOOKS=true: whoever has a permanent mailbox can make this server call this machine and its network. Set ALLOW_PRIVATE_WEBHOOKS=false.",
  },
  {
    applies: (told) =>
      told.workerVars.BOOTSTRAP !== "off" && isReached(told) && !isOn(told, "TRUST_CLIENT_ADDRESS"),
    line: "BOOTSTRAP=on and TRUST_CLIENT_ADDRESS=false: all clients share one budget, so one stranger can use it up. Set TRUST_CLIENT_ADDRESS=true behind a proxy that sets CF-Connecting-IP, or BOOTSTRAP=off.",
  },
  {
    applies: (told) => isOn(told, "TRUST_CLIENT_ADDRESS") && !isLoopbackHost(told.host),
    line: "TRUST_CLIENT_ADDRESS=true: who reaches this port past the proxy can claim any address, and has a budget for each. Let the proxy alone reach it, or set HOST=127.0.0.1.",
  },
  {
    applies: ({ smtpHost, tls }) => !isLoopbackHost(smtpHost) && tls === null,
    line: "SMTP_HOST is open to the network and SMTP offers no TLS: mail comes in in clear. Set SMTP_TLS_CERT and SMTP_TLS_KEY.",
  },
];

/** One line for each setting that opens something to strangers. */
export function exposures(told: Told): string[] {
  return EXPOSURES.filter(({ applies }) => applies(told)).map(({ line }) => line);
}

/** The same for the variables of a deployment on the platform, which everybody reaches. */
export function deploymentExposures(vars: Readonly<Record<string, unknown>>): string[] {
  const lines: (string | false)[] = [
    vars.CLAIM_APPROVAL === "open" &&
      "CLAIM_APPROVAL=open: anybody can approve a permanent mailbox for himself, and send mail with it where mail leaves the deployment. Set CLAIM_APPROVAL=operator.",
    vars.ALLOW_HTTP === "true" && "ALLOW_HTTP=true: keys and mail may go in clear. Set ALLOW_HTTP=false.",
    vars.TRUST_CLIENT_ADDRESS !== "true" &&
      "TRUST_CLIENT_ADDRESS is not true: all clients share one budget, so one stranger can use it up. Set TRUST_CLIENT_ADDRESS=true.",
  ];
  return lines.filter((line) => line !== false);
}

/** Whether others than who sits at this machine reach it: it listens to the network, or a proxy in front does. */
function isReached({ host, workerVars: vars }: Told): boolean {
  const isBehindProxy = vars.TRUST_CLIENT_ADDRESS === "true" || vars.ALLOW_HTTP === "true";
  const isPublished = vars.PUBLIC_URL !== undefined && !isLoopback(new URL(vars.PUBLIC_URL).hostname);
  return !isLoopbackHost(host) || isBehindProxy || isPublished;
}

/** Whether mail goes to other servers. */
function mailLeaves({ smtpUrl, workerVars: { OUTBOUND = "local" } }: Told): boolean {
  return smtpUrl !== null || !["local", "none"].includes(OUTBOUND);
}

function isLoopbackHost(host: string): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host.toLowerCase());
}
