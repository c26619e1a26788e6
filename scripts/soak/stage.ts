import type { Told } from "../../test/served/client.ts";
import type { VirtualClock } from "./clock.ts";
import type { Box, Ledger, Mail } from "./ledger.ts";
import { sha256 } from "./mail.ts";
import type { SoakOptions } from "./options.ts";
import { pause } from "./pause.ts";
import type { Random } from "./random.ts";
import type { SoakedServer } from "./server.ts";
import type { SmtpSink, WebhookSink } from "./sinks.ts";

/** Everything that an activity works with. */
export interface Stage {
  options: SoakOptions;
  folder: string;
  clock: VirtualClock;
  ledger: Ledger;
  server: SoakedServer;
  smtpSink: SmtpSink;
  webhookSink: WebhookSink;
  random: Random;
  /** Aborted when the load ends. */
  ending: AbortSignal;
}

/** How long something is tried again while nothing disturbs the server before that counts as wrong. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 150;

/** Repeats an attempt until it answers something else than null; null when the patience is over, which is then wrong. */
export async function surely<Result>(
  { ledger, server }: Stage,
  what: string,
  attempt: () => Promise<Result | null>,
): Promise<Result | null> {
  let calmMs = 0;
  while (calmMs < PATIENCE_MS) {
    const startedMs = performance.now();
    const result = await attempt();
    if (result !== null) return result;
    await pause(RETRY_MS);
    if (server.isCalmSince(startedMs)) calmMs += performance.now() - startedMs;
  }
  ledger.wrong(`${what}: no success within ${PATIENCE_MS / 1_000} s in which nothing disturbed the server`);
  return null;
}

/** A call of the API. */
export interface Call {
  box?: Box;
  method?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/**
 * Makes a call; null if it failed in a way that a kill or a full disk excuses: no answer, 429 or 5xx. Without such an
 * excuse that is wrong.
 */
export async function ask<Body>(stage: Stage, target: string, call: Call = {}): Promise<Told<Body> | null> {
  const { server, ledger } = stage;
  const startedMs = performance.now();
  const { box, ...rest } = call;
  const key = box?.key ?? server.service.operator;
  try {
    const told = await server.service.ask<Body>(target, { ...rest, key });
    if (told.status < 500 && told.status !== 429) return told;
    if (server.isCalmSince(startedMs)) {
      ledger.wrong(
        `${call.method ?? "GET"} ${shapeOf(target)} answered ${told.status}: ${JSON.stringify(told.body)}`,
      );
    }
  } catch (error) {
    if (server.isCalmSince(startedMs))
      ledger.wrong(`${call.method ?? "GET"} ${shapeOf(target)} failed: ${String(error)}`);
  }
  return null;
}

/** The answer to a request for raw bytes. */
export interface RawAnswer {
  status: number;
  bytes: Buffer;
}

/** Asks for the raw bytes of an email; null as `ask`. */
export async function rawOf({ server, ledger }: Stage, box: Box, id: string): Promise<RawAnswer | null> {
  const startedMs = performance.now();
  try {
    const answer = await server.service.call(`/v1/emails/${id}/raw`, { key: box.key });
    if (answer.status < 500 && answer.status !== 429) return answer;
    if (server.isCalmSince(startedMs)) ledger.wrong(`the raw bytes of an email answered ${answer.status}`);
  } catch (error) {
    if (server.isCalmSince(startedMs)) ledger.wrong(`the raw bytes of an email failed: ${String(error)}`);
  }
  return null;
}

/** Notes as wrong that raw bytes are refused, or are not those of the mail. */
export function compareRaw({ ledger }: Stage, box: Box, mail: Mail, { status, bytes }: RawAnswer): void {
  const { serial } = mail.plan;
  if (status !== 200) ledger.wrong(`the raw bytes of ${serial} in ${box.address} answered ${status}`);
  else if (sha256(bytes) !== mail.sha256)
    ledger.wrong(`${serial} in ${box.address} has other bytes than were sent`);
}

/** A path without ids and parameters. */
const shapeOf = (target: string): string => target.replace(/\?.*/s, "").replaceAll(/[0-9a-f-]{36}/g, ":id");
