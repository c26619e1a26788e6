import { abortAllDurableObjects } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { WebhookDeliveries, WebhookDelivery } from "../src/contract/webhook.ts";
import {
  advance,
  alarmOf,
  ask,
  createMailbox,
  deliver,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  type TestMailbox,
  setVariables,
} from "./harness.ts";

/** A request that the service sent. */
export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Its body, read. */
  json: { event_id: string; seq: number; subject: string };
}

/** How a target answers a request; one that never resolves hangs. */
export type Answer = (sent: Sent) => Response | Promise<Response>;

export const ok: Answer = () => new Response("thanks");
export const broken: Answer = () => new Response("no", { status: 500 });
export const hanging: Answer = () => new Promise<never>(() => undefined);

/** Receives every request that the service makes, in order. */
export interface Outside {
  sent: Sent[];
  /** Requests to URLs with this prefix. */
  to: (url: string) => Sent[];
  answer: Answer;
}

/** Replaces the network until mocks are restored. */
export function outside(answer: Answer = ok): Outside {
  const world: Outside = {
    sent: [],
    to: (url) => world.sent.filter((one) => one.url.startsWith(url)),
    answer,
  };
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const headers = Object.fromEntries(request.headers);
    const body = typeof init?.body === "string" ? init.body : "";
    const json = (body === "" ? {} : JSON.parse(body)) as Sent["json"];
    const sent = { url: request.url, headers, body, json };
    world.sent.push(sent);
    return Promise.resolve(world.answer(sent));
  });
  return world;
}

/** Call after each test: ends its attempts, so that none continues in the next test or on the real network. */
export async function endOutside(): Promise<void> {
  await abortAllDurableObjects();
  vi.restoreAllMocks();
  resetClock();
}

/** Whether no webhook is due: the alarm is not set, or only for the end of the log's retention, weeks ahead. */
export async function hasQuietAlarm(box: TestMailbox): Promise<boolean> {
  const alarm = await alarmOf(box.mailbox);
  return alarm === null || alarm > Date.now() + 20 * 86_400_000;
}

export const HOOK = "https://hooks.example.com/in";

/** PATCH /v1/mailbox. */
export async function configure(box: TestMailbox, json: Record<string, unknown>): Promise<void> {
  const answer = await ask("/v1/mailbox", { key: box.api_key, method: "PATCH", json });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
}

/** PUT /v1/mailbox/routes. */
export async function route(box: TestMailbox, label: string, url: string): Promise<void> {
  const json = { label, webhook_url: url };
  const answer = await ask("/v1/mailbox/routes", { key: box.api_key, method: "PUT", json });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
}

/** The log of deliveries, oldest first. */
export async function deliveriesOf(box: TestMailbox, query = ""): Promise<WebhookDelivery[]> {
  const { body } = await ask<WebhookDeliveries>(`/v1/webhook/deliveries?limit=100${query}`, {
    key: box.api_key,
  });
  return body.deliveries.toReversed();
}

/** Waits in real time until `holds()` is true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let count = 0; count < 1_000; count += 1) {
    if (await holds()) return;
    await scheduler.wait(5);
  }
  throw new Error("What was waited for did not happen");
}

/** Waits until no attempt is under way. */
export function settled(box: TestMailbox): Promise<void> {
  return until(async () => {
    const [row] = await rowsOf<{ count: number }>(
      box.mailbox,
      "SELECT count(*) AS count FROM delivery WHERE begun_at IS NOT NULL",
    );
    return row?.count === 0;
  });
}

/** Sets the clock an hour ahead, so that alarms ring only when the test rings them. */
export function holdAlarms(): void {
  setClock(Date.now() + 3_600_000);
}

/** Gives the running actor other variables, until it is evicted. */
export function withVariables(box: TestMailbox, variables: Record<string, unknown>): Promise<void> {
  return setVariables(box.mailbox, variables);
}

/** Delivers a message. */
export const receive = (box: TestMailbox, subject = "Hello") =>
  deliver(box.mailbox, plainMessage({ subject }));

/** The URL of the label `newsletter`. */
export const LETTERS = "https://letters.example.com/";
/** A message that gets the label `newsletter`. */
export const newsletter = () => plainMessage({ headers: ["List-Id: <news.example.com>"] });

/** Creates a mailbox with a webhook. */
export async function hooked(url = HOOK): Promise<TestMailbox> {
  const box = await createMailbox();
  await configure(box, { webhook_url: url });
  return box;
}

/** Moves the clock forward and rings the alarm. */
export async function later(box: TestMailbox, ms: number): Promise<void> {
  advance(ms);
  await ringAlarm(box.mailbox);
}

/** Moves the clock and runs attempts until no delivery is waiting. */
export async function drain(box: TestMailbox): Promise<void> {
  for (let round = 0; round < 500; round += 1) {
    await settled(box);
    const pending = await deliveriesOf(box, "&state=pending");
    if (pending.length === 0) return;
    await later(box, 1_000);
  }
  throw new Error("The deliveries never end");
}
