import { outboundOf } from "../config/env.ts";
import type { Exposure } from "../config/setting.ts";
import { isLoopback } from "../lib/client-network.ts";
import type { Settings } from "./settings.ts";

/** Who reaches the server with these settings, and whether it sends mail. */
export function exposureOf({
  host,
  proxies,
  worker,
}: Pick<Settings, "host" | "proxies" | "worker">): Exposure {
  const isBehindProxy = proxies !== null || worker.TRUST_CLIENT_ADDRESS || worker.ALLOW_HTTP;
  const isPublished = worker.PUBLIC_URL !== null && !isLoopback(new URL(worker.PUBLIC_URL).hostname);
  return {
    isReachable: !isLoopbackHost(host) || isBehindProxy || isPublished,
    // A relay that OUTBOUND does not use now may be used after the next restart.
    sendsMail: worker.SMTP_URL !== null || !["local", "none"].includes(outboundOf(worker)),
  };
}

/** Whether others than this machine reach the SMTP listener, as far as the settings say. */
export function isSmtpReachable({ smtpHost, proxies }: Pick<Settings, "smtpHost" | "proxies">): boolean {
  return proxies !== null || !isLoopbackHost(smtpHost);
}

/** Whether an address to listen on is reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host.toLowerCase());
}
