import type { ChildProcess } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inParallel, type MailboxKey } from "../../served/client.ts";
import { message } from "../../served/messages.ts";
import { Server } from "../../served/server.ts";
import { answer, Target, type Behaviour, type Received } from "../../served/target.ts";
import { linesOf, Program } from "../program.ts";

const EVENTS = 1_000;
/** Of each side. A server gives up at the sixth kill of its workerd within a minute. */
const KILLS = 5;

let server: Server;
let program: Program;
let target: Target;

beforeAll(async () => {
  [server, target] = await Promise.all([
    Server.start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } }),
    Target.start(),
  ]);
  program = await Program.build({ MAILKEEP_URL: server.url });
}, 180_000);

afterAll(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await server.stop();
  await target.stop();
  await program.remove();
});

/** A report of an attempt, as `listen` prints it. */
interface Report {
  seq: number;
  state: string;
  attempt: number;
  status: number | null;
  repeat: boolean;
}

/** A running `mailkeep listen --forward`. */
class Listener {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";

  constructor({ api_key }: MailboxKey, url: string, words: readonly string[] = []) {
    this.child = program.start(["listen", "--forward", url, ...words], { env: { MAILKEEP_KEY: api_key } });
    this.child.stdin?.end();
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => void (this.stdout += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => void (this.stderr += text));
  }

  /** Resolves when it forwards. */
  async ready(): Promise<this> {
    for (let left = 3_000; left > 0 && !/after event \d+/.test(this.stderr); left -= 1) await pause(20);
    return this;
  }

  get secret(): string {
    return /^signing secret: (\S+)/.exec(this.stderr)?.[1] ?? "";
  }

  /** Events that were under way when the run before ended, as this one said. */
  get interrupted(): number[] {
    return [...this.stderr.matchAll(/^event (\d+) was being sent/gm)].map(([, seq]) => Number(seq));
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = new Promise<void>((resolve) => void this.child.once("close", () => resolve()));
    this.child.kill(signal);
    await ended;
    return this.child.exitCode;
  }
}

const running: Listener[] = [];

function listen(box: MailboxKey, url: string, words: readonly string[] = []): Promise<Listener> {
  const listener = new Listener(box, url, words);
  running.push(listener);
  return listener.ready();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const idOf = ({ headers }: Received): string => String(headers["webhook-id"]);
const seqOf = ({ body }: Received): number => (JSON.parse(body.toString()) as { seq: number }).seq;

/** Sends the same bytes until they are acknowledged, as a sender does. */
async function receive(box: MailboxKey, subject: string): Promise<void> {
  const bytes = message({ subject });
  for (;;) {
    const received = await server.service.handOver(box.mailbox, bytes).catch(() => null);
    if (received?.status === 202) return;
    await pause(50);
  }
}

it("sends the bodies, headers and signatures of the server's own webhooks", async () => {
  const box = await server.service.createMailbox();
  const listener = await listen(box, target.url("/equal-cli"));
  const ask = { key: box.api_key, method: "PATCH" };
  const json = { webhook_url: target.url("/equal-server"), webhook_secret: listener.secret };
  expect((await server.service.call("/v1/mailbox", { ...ask, json })).status).toBe(200);
  await receive(box, "First \u{1f4e7} “quoted” \u2028");
  // Mail that is sent tells of its delivery: with members of its own, and message.sent without a webhook.
  const sent = await server.service.call("/v1/send", {
    key: box.api_key,
    json: { to: box.mailbox, subject: "To myself", text: "Hello" },
  });
  expect(sent.status).toBe(200);
  const own = await target.heard("/equal-server", 3);
  const forwarded = await target.heard("/equal-cli", 3);
  const bySeq = (one: Received, other: Received) => seqOf(one) - seqOf(other);
  const pairs = own.toSorted(bySeq).map((one, at) => [one, forwarded.toSorted(bySeq)[at]] as const);
  for (const [expected, got] of pairs) {
    expect(got?.body.toString()).toBe(expected.body.toString());
    // Signatures of Standard Webhooks hold the time of the attempt, and the connection is each side's own.
    const varies = ["webhook-timestamp", "webhook-signature", "connection"];
    const steady = ({ headers }: Received) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !varies.includes(name)));
    expect(got === undefined ? {} : steady(got)).toEqual(steady(expected));
    const verifiers = [new Webhook(listener.secret), new SvixWebhook(listener.secret)];
    for (const { headers, body } of [expected, got ?? expected]) {
      const given = headers as Record<string, string>;
      for (const one of verifiers) {
        expect(() => one.verify(body.toString(), given)).not.toThrow();
        expect(() => one.verify(body.toString(), { ...given, "webhook-id": "evt_other" })).toThrow(
          /signature/i,
        );
      }
    }
  }
  expect(new Set(own.map(({ headers }) => headers["x-webhook-event"]))).toEqual(
    new Set(["message.received", "message.delivered"]),
  );
  expect(await listener.end("SIGINT")).toBe(0);
});

// These three wait most of their time.
it.concurrent("retries as webhooks do, holds nothing up meanwhile, and replays what it gave up", async ({
  expect,
}) => {
  const box = await server.service.createMailbox();
  const stubborn: Behaviour = (response, received) =>
    void response.writeHead(seqOf(received) === 1 ? 503 : 204).end();
  const url = target.plan("/stubborn", stubborn);
  const listener = await listen(box, url);
  await receive(box, "Refused");
  await receive(box, "Taken");
  const reports = (): Report[] => linesOf(listener.stdout.slice(0, listener.stdout.lastIndexOf("\n") + 1));
  await expect
    .poll(() => reports().filter(({ state }) => state === "failed").length, { timeout: 60_000 })
    .toBe(1);
  expect(reports().map(({ seq, attempt, status, state }) => [seq, attempt, status, state])).toEqual([
    [1, 1, 503, "retry"],
    [2, 1, 204, "delivered"],
    [1, 2, 503, "retry"],
    [1, 3, 503, "retry"],
    [1, 4, 503, "failed"],
  ]);
  expect(await listener.end("SIGTERM")).toBe(0);
  target.plan("/stubborn", answer(200));
  const replayed = await program.json<Report>(["listen", "--forward", url, "--replay", "1"], {
    env: { MAILKEEP_KEY: box.api_key },
  });
  expect(replayed).toMatchObject([{ seq: 1, state: "delivered" }]);
  const again = target.at("/stubborn").at(-1);
  expect(
    new Set(
      target
        .at("/stubborn")
        .filter((one) => seqOf(one) === 1)
        .map(idOf),
    ).size,
  ).toBe(1);
  const none = await program.run(["listen", "--forward", url, "--replay", "99"], {
    env: { MAILKEEP_KEY: box.api_key },
  });
  expect([none.code, none.stderr]).toEqual([5, expect.stringContaining("the log has no event 99 yet")]);
  // The secret of a URL stays the same from run to run.
  expect(
    new Webhook(listener.secret).verify(String(again?.body), again?.headers as Record<string, string>),
  ).toBeTruthy();
});

it.concurrent("ends when ten events in a row failed at every attempt, and goes on with the next when it is started again", async ({
  expect,
}) => {
  const box = await server.service.createMailbox();
  const url = target.plan("/broken", answer(500));
  const listener = await listen(box, url);
  const ended = new Promise<number | null>((resolve) => void listener.child.once("close", resolve));
  await inParallel(Array.from({ length: 11 }), 4, (_, number) => receive(box, `Mail ${number}`));
  expect(await ended).toBe(1);
  expect(listener.stderr).toMatch(/ten deliveries in a row failed[^]*\nnext: start the receiver/);
  const settled = linesOf<Report>(listener.stdout).filter(({ state }) => state === "failed");
  expect(settled.length).toBe(10);
  target.plan("/broken", answer(200));
  const next = await listen(box, url);
  await expect.poll(() => linesOf<Report>(next.stdout)).toMatchObject([{ state: "delivered" }]);
  const [left] = linesOf<Report>(next.stdout);
  expect(settled.map(({ seq }) => seq)).not.toContain(left?.seq);
}, 120_000);

it.concurrent("lets one process forward a mailbox to a URL", async ({ expect }) => {
  const box = await server.service.createMailbox();
  const url = target.url("/one-of-them");
  await listen(box, url);
  const second = await program.run(["listen", "--forward", url], { env: { MAILKEEP_KEY: box.api_key } });
  expect([second.code, second.stderr]).toEqual([2, expect.stringContaining("another process forwards")]);
});

it("delivers a thousand events through ten kills of either side, and repeats only what it says it may", async () => {
  const box = await server.service.createMailbox();
  const failedOnce = new Set<string>();
  // Refuses the first attempt of some, so that retries wait at each kill, and answers after a while, so that kills find requests open.
  const reluctant: Behaviour = (response, received) => {
    const id = idOf(received);
    const refuses = seqOf(received) % 50 === 0 && !failedOnce.has(id);
    if (refuses) failedOnce.add(id);
    setTimeout(() => response.writeHead(refuses ? 503 : 200).end("ok"), Math.random() * 6);
  };
  const url = target.plan("/thousand", reluctant);
  let listener = await listen(box, url);
  const secrets = new Set([listener.secret]);
  const restarted: boolean[] = [];
  const arrived = () => new Set(target.at("/thousand").map(idOf)).size;
  const numbers = Array.from({ length: EVENTS }, (_, number) => number);
  const sending = inParallel(numbers, 8, (number) => receive(box, `Mail ${number}`));
  const announced: number[] = [];
  for (let kill = 1; kill <= 2 * KILLS; kill += 1) {
    const wanted = (kill * EVENTS) / (2 * KILLS + 1);
    await target.until(() => arrived() >= wanted, `${wanted} events`, 60_000);
    await pause(Math.random() * 10);
    if (kill % 2 === 0) {
      restarted.push(await server.killWorkerd());
      continue;
    }
    await listener.end("SIGKILL");
    listener = await listen(box, url);
    secrets.add(listener.secret);
    announced.push(...listener.interrupted);
  }
  await sending;
  await target.until(() => arrived() >= EVENTS, `${EVENTS} events`, 60_000);
  const requests = () => Map.groupBy(target.at("/thousand"), seqOf);
  // A refused one is tried again after a second.
  const triedAgain = () => [...requests()].filter(([seq, all]) => seq % 50 === 0 && all.length > 1);
  await expect.poll(() => triedAgain().length).toBe(EVENTS / 50);
  expect(await listener.end("SIGTERM")).toBe(0);

  expect([restarted, secrets.size]).toEqual([Array.from({ length: KILLS }, () => true), 1]);
  expect([...requests().keys()].toSorted((a, b) => a - b)).toEqual(numbers.map((number) => number + 1));
  for (const [seq, all] of requests()) {
    expect([seq, new Set(all.map(({ body }) => body.toString())).size, new Set(all.map(idOf)).size]).toEqual([
      seq,
      1,
      1,
    ]);
    const refused = seq % 50 === 0 ? 1 : 0;
    const mayRepeat = announced.filter((one) => one === seq).length;
    expect([seq, all.length]).toEqual([
      seq,
      expect.toSatisfy((count: number) => count >= 1 + refused && count <= 1 + refused + mayRepeat),
    ]);
  }
  // Each kill of the forwarder interrupted at most the two requests that it makes at once.
  expect(announced.length).toBeLessThanOrEqual(2 * KILLS);
  const repeats = [...requests()].reduce(
    (sum, [seq, all]) => sum + all.length - 1 - (seq % 50 === 0 ? 1 : 0),
    0,
  );
  console.log(
    `${KILLS} kills of each side: ${announced.length} events said to be repeated, ${repeats} of them were known`,
  );
});
