import * as z from "zod";
import { configOf } from "../config/env.ts";
import { Readiness, type UnreadyReason } from "../contract/readiness.ts";
import { beginDraining } from "../lib/draining.ts";
import { json } from "./answers.ts";
import { urlOf } from "./request-url.ts";

/** `npm start` adds this binding. It answers with the reasons why its process or its disk cannot take mail now, as a JSON list. */
interface HostBindings {
  HOST_STATE?: Fetcher;
}

/** Bindings without which mail cannot be received. */
const NEEDED = ["MAILBOX", "DIRECTORY", "CLIENT_BUDGET", "CLAIM_SESSION", "DOMAIN", "MONITOR"] as const;

export const PROBE_PATHS: readonly string[] = ["/livez", "/readyz"];

/** Whether a request is a probe. Probes reveal no secret, and monitors use plain http, so https is not required. */
export function isProbe(request: Request): boolean {
  return PROBE_PATHS.includes(urlOf(request).pathname);
}

/** GET /livez: the process runs. */
export function livez(): Response {
  return json({ status: "ok" });
}

/** GET /readyz: 200, or 503 with the reasons why no traffic should be sent here. */
export async function readyz(env: Env): Promise<Response> {
  const reasons = await unreadyReasons(env);
  const answer: Readiness = { status: reasons.length === 0 ? "ready" : "not_ready", reasons };
  return json(answer, reasons.length === 0 ? 200 : 503);
}

/** The reasons why no traffic should be sent here. */
export async function unreadyReasons(env: Env): Promise<UnreadyReason[]> {
  return [...(isConfigured(env) ? [] : (["misconfigured"] as const)), ...(await hostReasons(env))];
}

function isConfigured(env: Env): boolean {
  try {
    configOf(env);
    const bindings: Readonly<Record<string, unknown>> = { ...env };
    return NEEDED.every((name) => bindings[name] !== undefined);
  } catch {
    // A ConfigError. The answer to every other request names the wrong setting.
    return false;
  }
}

const HostReasons = z.array(Readiness.shape.reasons.element);

async function hostReasons({ HOST_STATE }: Env & HostBindings): Promise<UnreadyReason[]> {
  if (HOST_STATE === undefined) return [];
  try {
    const response = await HOST_STATE.fetch("http://host/readiness");
    const reasons = HostReasons.parse(await response.json());
    if (reasons.includes("draining")) beginDraining();
    return reasons;
  } catch (error) {
    console.error("The server's own process could not be asked whether it is ready:", error);
    return ["host_not_answering"];
  }
}
