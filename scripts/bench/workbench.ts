import type { Miniflare } from "miniflare";
import { locatorOf } from "../../src/contract/key.ts";
import type { RowCost } from "../../src/lib/sql.ts";
import { benchWorker, embed, productWorker } from "./bundles.ts";
import { composeMail } from "./mail.ts";
import { NEEDLE_EVERY, NEEDLES } from "./needles.ts";
import { preparedMail } from "./prepared.ts";
import type { FilledMail } from "./worker/fill.ts";

/** A mailbox of the bench. */
export interface Box {
  address: string;
  key: string;
  /** Some of its emails, spread over its whole age. */
  ids: string[];
}

const PLAIN_BYTES = 2_048;
/** Messages handed to the actor at once. */
const BATCH = 250;
/** Batches at the same time: one is prepared while another is stored. */
const PARALLEL_BATCHES = 3;
const SAMPLE_IDS = 200;

/** The service's actors, reached from inside: fills mailboxes and counts rows. */
export class Workbench {
  readonly #runtime: Miniflare;
  readonly #token: string;

  private constructor(runtime: Miniflare, token: string) {
    this.#runtime = runtime;
    this.#token = token;
  }

  /** `bindings` hold AUTH_TOKEN and whatever else the service is started with. */
  static async open(dataDir: string, benchDir: string, bindings: Record<string, string>): Promise<Workbench> {
    const bench = benchWorker(benchDir, null);
    bench.durableObjects = {
      ...bench.durableObjects,
      MAILBOX: { className: "Mailbox", scriptName: "mailkeep" },
    };
    const runtime = await embed(dataDir, [productWorker(bindings), bench]);
    return new Workbench(runtime, bindings["AUTH_TOKEN"] ?? "");
  }

  async createBox(name: string): Promise<Box> {
    const answer = await this.request("POST", "/v1/mailboxes", {
      key: this.#token,
      body: JSON.stringify({ name }),
    });
    const { mailbox, api_key: key } = JSON.parse(answer) as { mailbox: string; api_key: string };
    return { address: mailbox, key, ids: [] };
  }

  /** A request to the service; anything but 2xx fails the bench. */
  async request(method: string, target: string, call: { key?: string; body?: string } = {}): Promise<string> {
    const response = await this.#runtime.dispatchFetch(`http://localhost${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${call.key ?? this.#token}`,
        ...(call.body?.startsWith("{") ? { "Content-Type": "application/json" } : {}),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${text}`);
    return text;
  }

  /** Stores `count` plain messages with the actor's `receive`, parsed here as the router does it. */
  async fill(box: Box, count: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const every = Math.max(1, Math.floor(count / SAMPLE_IDS));
    for (let from = 0; from < count; from += BATCH) {
      const batch = await prepareBatch(box.address, from, Math.min(count, from + BATCH));
      if (underWay.size >= PARALLEL_BATCHES) await Promise.race(underWay);
      const stored = this.#ask<string[]>("fill", box, JSON.stringify(batch)).then((ids) => {
        box.ids.push(...ids.filter((_, index) => (from + index) % every === 0));
        underWay.delete(stored);
      });
      underWay.add(stored);
    }
    await Promise.all(underWay);
  }

  /** Rows read and written in `box` since the last call. */
  takeRowCost(box: Box): Promise<RowCost> {
    return this.#ask<RowCost>("cost", box);
  }

  /** The name of the file that holds `box`, without its ending. */
  objectId(box: Box): Promise<string> {
    return this.#ask<string>("object", box);
  }

  close(): Promise<void> {
    return this.#runtime.dispose();
  }

  async #ask<T>(what: string, box: Box, body?: string): Promise<T> {
    const bench = await this.#runtime.getWorker("bench");
    const target = `http://bench/${what}?box=${locatorOf(box.address)}`;
    const response = await bench.fetch(target, body === undefined ? {} : { method: "POST", body });
    if (!response.ok) throw new Error(`${what} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

async function prepareBatch(to: string, from: number, until: number): Promise<FilledMail[]> {
  const batch: FilledMail[] = [];
  for (let index = from; index < until; index += 1) {
    const needle = NEEDLES[index % NEEDLE_EVERY];
    const rawText = composeMail({ to, serial: `fill${index}`, sizeBytes: PLAIN_BYTES, needle });
    batch.push({ ...(await preparedMail(rawText, to)), rawText });
  }
  return batch;
}
