import { isLoopback } from "../../../lib/client-network.ts";
import { fine, wrong } from "../finding.ts";
import { request } from "../ports/http.ts";
import type { World } from "../ports/world.ts";
import { publicHost, type Check, type Machine } from "./check.ts";

/** Receivers of webhooks and of signed tokens usually allow five minutes. */
const WRONG_MS = 300_000;
/** The precision of the comparison: a Date field has whole seconds, and the answer takes some time. */
const DRIFTING_MS = 30_000;

/** Compares this machine's clock with that of another server. */
export const clockCheck: Check<Machine> = {
  topic: "clock",
  async run(machine, world, signal) {
    const url = await peerOf(machine, world);
    if (url === null) return [];
    const asked = world.now();
    const { date } = await request(world, url, signal);
    const told = Date.parse(date ?? "");
    if (Number.isNaN(told)) return [];
    const off = Math.round((asked + world.now()) / 2) - told;
    const words = `This machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${off > 0 ? "ahead of" : "behind"} that of ${url.host}`;
    const command = "timedatectl set-ntp true";
    if (Math.abs(off) > WRONG_MS) return [wrong("clock.wrong", words, command)];
    if (Math.abs(off) > DRIFTING_MS) return [wrong("clock.drifting", words, command)];
    return [fine("clock", `This machine's clock agrees with that of ${url.host}`)];
  },
};

/**
 * The URL that is asked for the time: that of `--clock-url`, else `PUBLIC_URL` if another machine answers there. No other server
 * is asked, so that the doctor reveals the deployment to nobody.
 */
async function peerOf({ clockUrl, settings }: Machine, world: World): Promise<URL | null> {
  const { PUBLIC_URL } = settings.worker;
  if (clockUrl !== null || PUBLIC_URL === null) return clockUrl;
  const url = new URL("/health", PUBLIC_URL);
  if (isLoopback(url.hostname) || publicHost(PUBLIC_URL) === null) return null;
  const own = new Set(world.interfaces());
  const addresses = await world.addresses(url.hostname);
  return addresses.length === 0 || addresses.some((address) => own.has(address)) ? null : url;
}
