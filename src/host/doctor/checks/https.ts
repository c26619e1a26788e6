import { isLoopback } from "../../../lib/client-network.ts";
import { PRODUCT } from "../../../contract/product.ts";
import type { Settings } from "../../settings.ts";
import { fine, quoted, wrong, type Finding } from "../finding.ts";
import { reasonOf, request } from "../ports/http.ts";
import type { World } from "../ports/world.ts";
import { setCommand } from "../setting-command.ts";
import { shellWord } from "../shell-word.ts";
import { certificateFinding } from "./certificate.ts";
import type { Check, Machine } from "./check.ts";

/** Checks who answers at PUBLIC_URL, and its certificate. */
export const httpsCheck: Check<Machine> = {
  topic: "https",
  async run({ settings, envFile }, world, signal) {
    const { PUBLIC_URL } = settings.worker;
    if (PUBLIC_URL === null || isLoopback(new URL(PUBLIC_URL).hostname)) return [];
    const url = new URL(PUBLIC_URL);
    if (url.protocol === "http:") {
      const secure = `https://${url.host}${url.pathname === "/" ? "" : url.pathname}`;
      return [wrong("https.plain", `PUBLIC_URL is ${url.href}`, setCommand(envFile, "PUBLIC_URL", secure))];
    }
    const health = new URL("/health", url);
    const look = `curl -sSv ${shellWord(health.href)}`;
    if ((await world.addresses(url.hostname.replace(/^\[(.*)\]$/, "$1"))).length === 0) return [];
    try {
      const answer = await request(world, health, signal);
      const certificate = certificateFinding(
        "https",
        { host: url.hostname, settings, ...answer },
        world.now(),
      );
      if (certificate !== null) return [certificate];
      if (workerOf(answer.body) === PRODUCT) {
        const redirect = await redirectFinding(settings, url, world, signal);
        return [redirect ?? fine("https", `${url.origin} answers, with a valid certificate`)];
      }
      const words = `${health.href} answers ${answer.status}: ${quoted(answer.body)}`;
      return [wrong("https.other", words, look)];
    } catch (error) {
      signal.throwIfAborted();
      return [wrong("https.unreachable", `${url.origin} does not answer: ${reasonOf(error)}`, look)];
    }
  },
};

/** The finding that plain http does not lead to HTTPS, on a machine that has a redirect; null where all is well. */
async function redirectFinding(
  { redirectPort, acmeWebroot }: Settings,
  { hostname }: URL,
  world: World,
  signal: AbortSignal,
): Promise<Finding | null> {
  if (redirectPort === null && acmeWebroot === null) return null;
  const plain = new URL("/health", `http://${hostname}`);
  const look = `curl -sSI ${shellWord(plain.href)}`;
  try {
    const { status } = await request(world, plain, signal);
    if (status === REDIRECTED) return null;
    return wrong("https.no-redirect", `${plain.href} answers ${status} and does not lead to HTTPS`, look);
  } catch (error) {
    signal.throwIfAborted();
    return wrong("https.no-redirect", `${plain.origin} does not answer: ${reasonOf(error)}`, look);
  }
}

/** The status of the server's own redirect. */
const REDIRECTED = 308;

/** The member `worker` of an answer of `/health`. */
export function workerOf(body: string): string | null {
  return memberOf(body, "worker");
}

/** A text of a JSON object; null where the body is none, or has no such text. */
export function memberOf(body: string, name: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null) return null;
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    return typeof member === "string" ? member : null;
  } catch {
    // Not JSON.
    return null;
  }
}
