import { readBatch, BatchOutcome, MAX_BATCH_REQUEST_BYTES, type BatchItem } from "../contract/hand-over.ts";
import { invalid, STATUS } from "../contract/problem.ts";
import { inboundRoutes } from "../contract/routes/inbound.ts";
import { configOf, type Config } from "../config/env.ts";
import { arrivingFrom } from "../service/arriving.ts";
import { receiveForAll } from "../service/receive-for-all.ts";
import { known } from "../service/sender-check.ts";
import { SharedCalls } from "../service/shared-calls.ts";
import { problemResponse, respond } from "./answers.ts";
import { readCaller } from "./caller.ts";
import type { AppContext } from "./dispatch.ts";
import { readBytes } from "./request-input.ts";
import { outcomeBody } from "./routes/inbound.ts";
import { describedMailbox } from "./routes/mailboxes.ts";

/** Answers each item of a batch of the SMTP listener as it is done. */
export async function takeBatch(c: AppContext): Promise<Response> {
  const { env } = c;
  const config = configOf(env);
  if (readCaller(c.req.raw, config).kind !== "operator") return c.notFound();
  const body = await readBytes(c.req.raw, MAX_BATCH_REQUEST_BYTES);
  const items = body === null ? null : readBatch(body);
  if (items === null)
    return problemResponse(invalid("body", "must be what the SMTP listener of this version sends"));
  const { readable, writable } = new IdentityTransformStream();
  const lines = new Lines(writable.getWriter());
  const looks = new LookUps(env, config);
  const sharedCalls = new SharedCalls(env);
  const work = items.map(async ({ item, bytes }, index) => {
    const outcomes =
      "lookUp" in item
        ? [await looks.at(item.lookUp)]
        : await stored(item, bytes, { env, config, sharedCalls });
    lines.add(`${JSON.stringify({ item: index, outcomes })}\n`);
  });
  // An item that fails gets no answer; the others get theirs.
  c.executionCtx.waitUntil(Promise.allSettled(work).then(() => lines.end()));
  return respond(readable, 200);
}

/** Writes lines as one piece if several came since the last piece was sent. A listener that is gone reads none. */
class Lines {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #text = "";
  #writing: Promise<void> | null = null;

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  add(line: string): void {
    this.#text += line;
    this.#writing ??= this.#write();
  }

  async end(): Promise<void> {
    await this.#writing;
    await this.#writer.close().catch(() => {});
  }

  async #write(): Promise<void> {
    while (this.#text !== "") {
      const bytes = new TextEncoder().encode(this.#text);
      this.#text = "";
      await this.#writer.write(bytes).catch(() => {});
    }
    this.#writing = null;
  }
}

/** The look-ups of a batch; it asks for each address once. */
class LookUps {
  readonly #env: Env;
  readonly #config: Config;
  readonly #asked = new Map<string, Promise<BatchOutcome>>();

  constructor(env: Env, config: Config) {
    this.#env = env;
    this.#config = config;
  }

  at(address: string): Promise<BatchOutcome> {
    let asked = this.#asked.get(address);
    if (asked === undefined) {
      asked = this.#ask(address);
      this.#asked.set(address, asked);
    }
    return asked;
  }

  async #ask(address: string): Promise<BatchOutcome> {
    try {
      const answer = await describedMailbox(address, this.#env, this.#config);
      return answer.ok ? { status: 200, full: answer.value.full } : { status: STATUS[answer.error.code] };
    } catch (error) {
      console.error("A recipient could not be looked up:", error);
      return { status: STATUS.internal };
    }
  }
}

/** Stores a message of a batch as `/v1/inbound` stores it, and says what became of it for each recipient. */
async function stored(
  { from, to, client, helo, sender }: Exclude<BatchItem, { lookUp: string }>,
  raw: Uint8Array,
  { env, config, sharedCalls }: { env: Env; config: Config; sharedCalls: SharedCalls },
): Promise<BatchOutcome[]> {
  const query = inboundRoutes.inbound.query.safeParse({ from, to, client, helo, via: "smtp" });
  if (!query.success) return to.map(() => ({ status: STATUS.invalid }));
  const check = known(sender === null ? null : { kind: "self", checked: sender });
  const envelope = { from, via: "smtp", clientAddress: client, helo } as const;
  const outcomes = await receiveForAll(
    arrivingFrom(raw),
    { envelope, recipients: to, sender: check, sharedCalls },
    env,
    config,
  );
  // Without the texts for people: a hundred of them would be longer than the line that the listener takes.
  return outcomes.map((outcome) => BatchOutcome.parse(outcomeBody(outcome)));
}
