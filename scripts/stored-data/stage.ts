import type { StoredData } from "../../test/served/stored/stored-data.ts";
import type { Surroundings } from "../../test/served/stored/surroundings.ts";
import type { MailboxKey } from "../../test/served/client.ts";
import type { Server } from "../../test/served/server.ts";
import type { Target } from "../../test/served/target.ts";

/** The means to fill mailboxes. */
export interface Stage {
  server: Server;
  around: Surroundings;
  hooks: Target;
  /** The expectations of the tests so far. */
  known: Partial<StoredData>;
}

const POLL_MS = 20;
const PATIENCE_MS = 120_000;

/** Resolves once `holds`; rejects when that takes too long. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Not in ${PATIENCE_MS / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Sends a request; rejects unless the answer is a success. */
export async function must<Body = Record<string, unknown>>(
  { server }: Stage,
  key: string,
  request: string,
  json?: unknown,
): Promise<Body> {
  const [method = "GET", path = ""] = request.split(" ");
  const { status, body } = await server.service.ask<Body>(path, { key, method, json });
  if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A permanent mailbox of that name. */
export async function create(stage: Stage, name: string): Promise<MailboxKey> {
  const box = await must<MailboxKey>(stage, stage.server.token, "POST /v1/mailboxes", { name });
  remember(stage, name, box);
  return box;
}

/** Records the key of a mailbox for the tests. */
export function remember({ known }: Stage, name: string, { mailbox, api_key }: MailboxKey): void {
  known.keys = { ...known.keys, [name]: api_key };
  known.mailboxes = { ...known.mailboxes, [name]: mailbox };
}

/** Hands a message over by HTTP; answers its id. */
export async function receive({ server }: Stage, to: string, raw: Uint8Array): Promise<string> {
  const { status, body } = await server.service.handOver(to, raw, "ann@example.com");
  if (status !== 202) throw new Error(`A message was not taken: ${JSON.stringify(body)}`);
  return body.id;
}
