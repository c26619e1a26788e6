import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { Mailkeep } from "../src/client/index.ts";
import { locatorOf } from "../src/contract/key.ts";
import { receiveEmail } from "../src/service/email-routing.ts";
import worker from "../src/index.ts";
import { checkAnswer } from "./answer-schema.ts";

/** The operator's credential in tests (test/vitest.config.ts). */
export const OPERATOR = "operator-token-for-tests-0123456789";
export const DOMAIN = "mailkeep.test";

/** A request: who asks, and with what. */
export interface Ask {
  key?: string;
  method?: string;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Other variables and bindings than the deployment's. */
  vars?: Record<string, unknown>;
}

/** Sends a request through the router, as over https. `path` may be a whole URL. */
export async function api(path: string, ask: Ask = {}): Promise<Response> {
  const headers = new Headers(ask.headers);
  if (ask.key !== undefined) headers.set("Authorization", `Bearer ${ask.key}`);
  if (ask.json !== undefined) headers.set("Content-Type", "application/json");
  const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
  // HTTP clients send Content-Length for a complete body.
  if (typeof body === "string" && !headers.has("Content-Length")) {
    headers.set("Content-Length", String(Buffer.byteLength(body)));
  }
  const url = new URL(path, "https://api.example");
  const request = new Request<unknown, IncomingRequestCfProperties>(url, {
    method: ask.method ?? (body === undefined ? "GET" : "POST"),
    headers,
    body,
    signal: ask.signal,
  });
  return checked(request, await worker.fetch(request, { ...env, ...ask.vars }, createExecutionContext()));
}

/** A response whose JSON is checked against the schema of its route when a test reads it. */
function checked({ method, url }: Request, response: Response): Response {
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) return response;
  const text = response.text.bind(response);
  const readText = async () => {
    const read = await text();
    if (read !== "") {
      const body: unknown = JSON.parse(read);
      checkAnswer({ method, path: new URL(url).pathname }, response.status, body);
      checkAdviceHeader(response, body);
    }
    return read;
  };
  return Object.assign(response, { text: readText, json: async () => JSON.parse(await readText()) });
}

/** Throws unless the header of a refusal has the advice of its body. */
function checkAdviceHeader({ status, headers }: Response, body: unknown): void {
  if (status < 400) return;
  const { fix } = Object(body) as { fix?: unknown };
  const header = headers.get("Mailkeep-Fix");
  const wanted = typeof fix === "string" ? fix.replaceAll(/[^\x20-\x7e]/g, "?") : header;
  if (header === null || header !== wanted) throw new Error(`Mailkeep-Fix is "${header}", not "${wanted}"`);
}

/** As `api`, and reads the JSON. */
export async function ask<Body = Record<string, unknown>>(
  path: string,
  request: Ask = {},
): Promise<{ status: number; body: Body; headers: Headers }> {
  const response = await api(path, request);
  return { status: response.status, body: await response.json<Body>(), headers: response.headers };
}

/** The SDK with a key; its requests go through the router, and its answers are checked as those of `api`. */
export function mail(key: string): Mailkeep {
  return new Mailkeep({
    url: "https://api.example",
    key,
    fetch: (url, { method, headers, body, signal }) =>
      api(url, {
        method,
        headers: Object.fromEntries(new Headers(headers).entries()),
        ...(body === null ? {} : { body }),
        ...(signal === null ? {} : { signal }),
      }),
  });
}

export interface TestMailbox {
  mailbox: string;
  api_key: string;
}

let made = 0;

/** Creates a mailbox for one test. */
export async function createMailbox(
  kind: "permanent" | "temporary" = "permanent",
  name = `box-${(made += 1)}-${Math.random().toString(36).slice(2, 8)}`,
): Promise<TestMailbox> {
  return mail(OPERATOR).mailboxes.create({ name, kind });
}

/** The actor of an address. */
export function actorOf(address: string) {
  return env.MAILBOX.getByName(locatorOf(address));
}

/** Gives a running actor other variables, until it is evicted. The configuration is read once for each environment. */
export async function setVariables(address: string, variables: Record<string, unknown>): Promise<void> {
  await runInDurableObject(actorOf(address), (instance) => {
    Reflect.set(instance, "env", { ...(Reflect.get(instance, "env") as object), ...variables });
  });
}

/** A message as text with CRLF; `lines` are its header lines, `body` what follows. */
export function message(lines: readonly string[], body = "Hello."): string {
  return `${[...lines, "", ...body.split("\n")].join("\r\n")}\r\n`;
}

let minted = 0;

/** A plain message with a Message-ID of its own. */
export function plainMessage(
  parts: { subject?: string; body?: string; from?: string; headers?: string[] } = {},
): string {
  const { subject = "Hello", body = "Hello.", from = "Ann <ann@example.com>", headers = [] } = parts;
  minted += 1;
  const id = `Message-ID: <m${minted}.${Math.random().toString(36).slice(2)}@example.com>`;
  return message([`From: ${from}`, `Subject: ${subject}`, id, ...headers], body);
}

/** Hands exact bytes and an envelope to POST /v1/inbound. */
export async function deliver(
  to: string,
  raw: string | Uint8Array,
  from = "sender@example.com",
  vars: Ask["vars"] = {},
): Promise<{ status: number; body: { id: string; duplicate: boolean } }> {
  const query = new URLSearchParams({ from, to });
  return ask(`/v1/inbound?${query.toString()}`, {
    key: OPERATOR,
    body: raw,
    headers: { "Content-Type": "message/rfc822" },
    vars,
  });
}

/** Passes exact bytes and an envelope to the email handler. Answers what it reported to the platform. */
export async function inject(
  raw: string | Uint8Array,
  from: string,
  to: string,
  vars: Ask["vars"] = {},
): Promise<{ rejected: string | null }> {
  const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
  let rejected: string | null = null;
  const email: ForwardableEmailMessage = {
    from,
    to,
    raw: new Blob([bytes]).stream(),
    rawSize: bytes.byteLength,
    headers: new Headers(),
    canBeForwarded: false,
    setReject: (reason) => {
      rejected = reason;
    },
    forward: () => Promise.reject(new Error("Nothing is forwarded")),
    reply: () => Promise.reject(new Error("Nothing is replied")),
  };
  await receiveEmail(email, { ...env, ...vars });
  return { rejected };
}

/** Evicts the actor: everything that it knows afterwards was read from disk. */
export async function evict(address: string): Promise<void> {
  await evictDurableObject(actorOf(address));
}

/** Kills the actor during whatever it does, as a crash would; confirmed writes stay. */
export async function kill(address: string): Promise<void> {
  await runInDurableObject(actorOf(address), (_, state) => state.abort("killed by a test")).catch(
    () => undefined,
  );
}

/** Sets the clock of the service. Timers are not affected. */
export function setClock(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: ms });
}

/** Moves the clock forward by `ms`. */
export function advance(ms: number): void {
  setClock(Date.now() + ms);
}

/** Restores the real clock. */
export function resetClock(): void {
  vi.useRealTimers();
}

/** Runs the actor's alarm now, whatever its time; false if none was set. */
export async function ringAlarm(address: string): Promise<boolean> {
  return runDurableObjectAlarm(actorOf(address));
}

/** Reads rows of the actor's storage. */
export async function rowsOf<Row extends Record<string, SqlStorageValue>>(
  address: string,
  sql: string,
  ...params: SqlStorageValue[]
): Promise<Row[]> {
  return runInDurableObject(actorOf(address), (_, state) => {
    try {
      return state.storage.sql.exec<Row>(sql, ...params).toArray();
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  });
}

/** The tables of a capability are made at its first write. */
const isMissingTable = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("no such table");

/** Names of the tables that the actor has made. */
export async function tablesOf(address: string): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    address,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
  );
  return tables.map((table) => table.name);
}

/** The time of the actor's alarm, in ms since 1970; null if none is set. */
export async function alarmOf(address: string): Promise<number | null> {
  return runInDurableObject(actorOf(address), async ({ life: { context } }, state) => {
    if (context.late.flush()) await context.arm();
    return state.storage.getAlarm();
  });
}

/** Gives the running actor other bindings as long as `work` lasts. */
export async function withBindings(
  address: string,
  bindings: Record<string, unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const rebind = (values: Record<string, unknown>) =>
    runInDurableObject(actorOf(address), (instance) => {
      const own = Reflect.get(instance, "env") as Record<string, unknown>;
      const before = Object.fromEntries(Object.keys(values).map((name) => [name, own[name]]));
      Object.assign(own, values);
      return before;
    });
  const before = await rebind(bindings);
  try {
    await work();
  } finally {
    await rebind(before);
  }
}

let clients = 0;

/** A client address that no other test uses. */
export function clientAddress(): string {
  clients += 1;
  return `198.18.${Math.floor(clients / 250)}.${clients % 250}`;
}

/** A temporary mailbox and its provisional key. */
export async function bootstrap(headers: Record<string, string> = {}): Promise<TestMailbox> {
  const made = await ask<TestMailbox>("/v1/bootstrap", {
    method: "POST",
    headers: { "CF-Connecting-IP": clientAddress(), ...headers },
  });
  if (made.status !== 201) throw new Error(`No temporary mailbox: ${JSON.stringify(made.body)}`);
  return made.body;
}
