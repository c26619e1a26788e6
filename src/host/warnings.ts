import type { WorkerValues } from "../config/env.ts";
import { endOf } from "./certificate-watch.ts";
import { exposureOf, isLoopbackHost, isSmtpReachable } from "./exposure.ts";
import type { Settings } from "./settings.ts";

type Reviewed = Pick<
  Settings,
  "host" | "smtpHost" | "httpTls" | "proxies" | "tls" | "senderChecks" | "metrics" | "worker"
>;

/** A setting that opens something to strangers. */
interface Risk {
  applies: (settings: Reviewed) => boolean;
  /** Says what it opens, and what to change. */
  line: string;
}

const RISKS: readonly Risk[] = [
  {
    applies: (settings) => settings.worker.CLAIM_APPROVAL === "open" && exposureOf(settings).sendsMail,
    line: "CLAIM_APPROVAL=open: everybody who reaches this server can approve a mailbox and send mail with it through your relay. Set CLAIM_APPROVAL=operator.",
  },
  {
    applies: (settings) => {
      const { isReachable, sendsMail } = exposureOf(settings);
      return settings.worker.CLAIM_APPROVAL === "open" && isReachable && !sendsMail;
    },
    line: "CLAIM_APPROVAL=open: everybody who reaches this server can approve a permanent mailbox. Set CLAIM_APPROVAL=operator.",
  },
  {
    applies: ({ host, worker }) => worker.ALLOW_HTTP && !isLoopbackHost(host),
    line: "ALLOW_HTTP=true: keys and mail cross the network unencrypted, unless a TLS proxy stands in front of this server. Without such a proxy, set ALLOW_HTTP=false.",
  },
  {
    applies: (settings) => settings.worker.ALLOW_PRIVATE_WEBHOOKS && exposureOf(settings).isReachable,
    line: "ALLOW_PRIVATE_WEBHOOKS=true: everybody who has a permanent mailbox can make this server call this machine and its network. Set ALLOW_PRIVATE_WEBHOOKS=false.",
  },
  {
    applies: (settings) =>
      settings.worker.BOOTSTRAP && !knowsClients(settings) && exposureOf(settings).isReachable,
    line: "BOOTSTRAP=on and TRUST_CLIENT_ADDRESS=false: all clients share one budget of new mailboxes, so one stranger can use it up. Set TRUST_CLIENT_ADDRESS=true behind a proxy that sets CF-Connecting-IP, or BOOTSTRAP=off.",
  },
  {
    applies: ({ host, worker }) => worker.TRUST_CLIENT_ADDRESS && !isLoopbackHost(host),
    line: "TRUST_CLIENT_ADDRESS=true: a client that reaches this port without the proxy can claim any address, and gets a budget for each. Let only the proxy reach this port, or set HOST=127.0.0.1.",
  },
  {
    applies: ({ metrics }) => metrics !== null && !isLoopbackHost(metrics.host),
    line: "METRICS_HOST is open to the network: everybody who reaches METRICS_PORT reads how much mail comes and goes. Let only Prometheus reach this port, or set METRICS_HOST=127.0.0.1.",
  },
  {
    applies: ({ smtpHost, tls }) => !isLoopbackHost(smtpHost) && tls === null,
    line: "SMTP_HOST is open to the network and SMTP offers no TLS: mail arrives unencrypted. Set SMTP_TLS_CERT and SMTP_TLS_KEY.",
  },
  {
    applies: (settings) => settings.senderChecks === false && isSmtpReachable(settings),
    line: "SENDER_CHECKS=off: nobody checks who sent a mail that comes by SMTP, so strangers can write in any name. Set SENDER_CHECKS=on.",
  },
];

/** Whether limits are counted for each client address: the server sees the addresses itself, or a proxy names them. */
function knowsClients({ httpTls, proxies, worker }: Reviewed): boolean {
  return httpTls !== null || proxies !== null || worker.TRUST_CLIENT_ADDRESS;
}

/** One line for each setting of `npm start` that opens something to strangers. */
export function startWarnings(settings: Reviewed): string[] {
  const risks = RISKS.filter(({ applies }) => applies(settings)).map(({ line }) => line);
  return [...risks, ...certificateWarnings(settings, Date.now())];
}

const DAY_MS = 86_400_000;
/** Programs renew certificates weeks before they expire, so one that expires sooner than this was not renewed. */
const MIN_DAYS_LEFT = 7;

/** One line for each certificate that has expired, or expires within days of `nowMs`. */
export function certificateWarnings(
  { httpTls, tls }: Pick<Reviewed, "httpTls" | "tls">,
  nowMs: number,
): string[] {
  const pairs = [
    { variable: "TLS_CERT", pair: httpTls },
    { variable: "SMTP_TLS_CERT", pair: tls?.certFile === httpTls?.certFile ? null : tls },
  ];
  return pairs.flatMap(({ variable, pair }) => {
    if (pair === null || pair === undefined) return [];
    const days = (endOf(pair.cert).getTime() - nowMs) / DAY_MS;
    if (days > MIN_DAYS_LEFT) return [];
    const end = endOf(pair.cert).toISOString().slice(0, 10);
    const what = days < 0 ? `ended on ${end}: clients refuse it` : `ends on ${end}`;
    return [
      `${variable}: the certificate ${what}. Renew it: the server reads the files again when they change.`,
    ];
  });
}

/** The same for a deployment on Cloudflare, which everybody reaches. */
export function deploymentWarnings(worker: WorkerValues): string[] {
  const lines: (string | false)[] = [
    worker.CLAIM_APPROVAL === "open" &&
      "CLAIM_APPROVAL=open: everybody can approve a permanent mailbox, and send mail with it if mail leaves the deployment. Set CLAIM_APPROVAL=operator.",
    worker.ALLOW_HTTP && "ALLOW_HTTP=true: keys and mail may travel unencrypted. Set ALLOW_HTTP=false.",
    !worker.TRUST_CLIENT_ADDRESS &&
      "TRUST_CLIENT_ADDRESS is not true: all clients share one budget of new mailboxes, so one stranger can use it up. Set TRUST_CLIENT_ADDRESS=true.",
  ];
  return lines.filter((line) => line !== false);
}
