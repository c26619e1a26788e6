import { URL } from "node:url";
import * as z from "zod";
import { CheckedSender } from "../../contract/checked-sender.ts";
import { BATCH_PATH, MAX_BATCH_BYTES, MAX_BATCH_ITEMS, type BatchOutcome } from "../../contract/hand-over.ts";
import { STATUS, type ProblemCode } from "../../contract/problem.ts";
import type { RuntimeGate } from "../runtime-gate.ts";
import { callBatch, type BatchEntry } from "./batch-call.ts";
import { Batches } from "./batches.ts";
import type { SpooledMessage } from "./spool.ts";
import { callWithMessage, workerAgent, type Answer } from "./worker-call.ts";

/** The worker's answer about a recipient. `unavailable`: it is not known, so the sender must try again later. */
export type Lookup = "known" | "full" | "unknown" | "unavailable";

/** The result of handing a message over for one recipient. Only `stored` means that the mail is safe. */
export type HandOver =
  | { kind: "stored"; id: string }
  | { kind: "refused"; reason: RuleCode }
  /** Its mailbox keeps it as refused, because DNS did not say who the sender is; a repeat may be stored. */
  | { kind: "unchecked" }
  | { kind: "unknown" }
  | { kind: "full" }
  | { kind: "too-large" }
  | { kind: "not-acceptable" }
  | { kind: "unavailable" };

/** The codes of a mail that the rules of its mailbox refuse, and keep apart. */
const RULE_CODES = z.enum([
  "sender_blocked",
  "sender_not_listed",
  "sender_not_verified",
] satisfies ProblemCode[]);
type RuleCode = z.infer<typeof RULE_CODES>;
/** The code of a mail whose sender could not be checked. */
const UNCHECKED = "sender_not_checked" satisfies ProblemCode;

/** The sender of a message as given in SMTP; `from` is "" for the null sender. */
export interface Envelope {
  from: string;
  clientAddress: string;
  helo: string;
  /** The findings about who sent it; null where nothing was checked. */
  sender: CheckedSender | null;
}

/** The result for one recipient. */
export interface Delivery {
  recipient: string;
  result: HandOver;
}

/** The two calls of the SMTP listener to the worker. Neither rejects. */
export interface Upstream {
  lookUp(address: string): Promise<Lookup>;
  /** Hands a message over for all of its recipients; one result for each. */
  handOver(message: SpooledMessage, recipients: readonly string[], envelope: Envelope): Promise<Delivery[]>;
  close(): void;
}

/** The meaning of the worker's refusals of a message; any other status means that the result is not known. */
const REFUSALS: Readonly<Record<number, Exclude<HandOver["kind"], "stored" | "refused" | "unchecked">>> = {
  400: "not-acceptable",
  404: "unknown",
  413: "too-large",
};
/** The status of a message that the rules of its mailbox refuse. */
const REFUSED_STATUS = STATUS.sender_blocked;
/**
 * Characters of a query: workerd takes 128 KB of request line and headers. A hundred recipients take some 5,000; only names of
 * domains that are long and not ASCII need a second request.
 */
const MAX_QUERY_CHARS = 60_000;
/** RFC 1035 §2.3.4: no host name is longer, and the worker refuses longer ones. smtp-server does not. */
const MAX_HELO_CHARS = 255;
/** A message up to this size shares a request with what comes in the same moment. Nearly all mail is smaller. */
const MAX_SHARED_BYTES = 65_536;
/**
 * Batches at a time. The worker has one thread, so what comes meanwhile makes the next batch larger, and each mail costs less. A
 * second one lets this process read mail while the worker stores some: a fifth more mail a second, measured with 16 sessions.
 */
const MAX_BATCHES = 2;
/** A batch that takes longer waits for a slow mailbox, and others are sent beside it. Storing one takes some 10 ms. */
const BATCH_PATIENCE_MS = 50;

/**
 * Calls the worker at `base` (such as `http://127.0.0.1:8787`) as its operator, while the gate is open.
 * `log` gets one line for each failure that makes a sender wait.
 */
export function connectUpstream(
  base: string,
  token: string,
  { gate, log }: { gate: RuntimeGate | undefined; log: (line: string) => void },
): Upstream {
  const agent = workerAgent();
  const orNull = async <T>(call: () => Promise<T>): Promise<T | null> => {
    try {
      if (gate !== undefined && !(await gate.passes())) throw new Error("it is being started again");
      return await call();
    } catch (error) {
      log(`smtp: the mail store did not answer (${error instanceof Error ? error.message : String(error)})`);
      return null;
    }
  };
  const place = { agent, url: new URL(BATCH_PATH, base), token };
  const batches = new Batches<BatchEntry, BatchOutcome[]>({
    send: async (entries, answered) => void (await orNull(() => callBatch(place, entries, answered))),
    weigh: ({ bytes }) => bytes?.byteLength ?? 0,
    maxItems: MAX_BATCH_ITEMS,
    maxBytes: MAX_BATCH_BYTES,
    maxUnderWay: MAX_BATCHES,
    patienceMs: BATCH_PATIENCE_MS,
  });
  const byItself = async (
    message: SpooledMessage,
    recipients: readonly string[],
    envelope: Envelope,
  ): Promise<(Outcome | null)[]> => {
    const outcomes: (Outcome | null)[] = [];
    for (const { query, some } of queriesOf(envelope, recipients)) {
      const url = new URL(`/v1/inbound?${query}`, base);
      const answer = await orNull(() =>
        callWithMessage(agent, token, { url, message, sender: envelope.sender }),
      );
      outcomes.push(...some.map((_, index) => outcomeOf(answer, some, index)));
    }
    return outcomes;
  };
  return {
    async lookUp(address) {
      const item = { lookUp: address.toWellFormed() };
      const [said] = (await batches.add({ item, bytes: null })) ?? [];
      if (said?.status === 200) return said.full === true ? "full" : "known";
      // 400: the worker does not take it for an address, and a repeat would not change that.
      if (said?.status === 404 || said?.status === 400) return "unknown";
      if (said) log(`smtp: the look-up of a recipient answered ${said.status}`);
      return "unavailable";
    },
    async handOver(message, recipients, envelope) {
      const bytes = message.sizeBytes > MAX_SHARED_BYTES ? null : message.open();
      const outcomes =
        bytes instanceof Uint8Array
          ? sharedOutcomes(await batches.add(entryOf(bytes, recipients, envelope)), recipients)
          : await byItself(message, recipients, envelope);
      logOdd(outcomes, log);
      return recipients.map((recipient, index) => ({ recipient, result: resultOf(outcomes[index] ?? null) }));
    },
    close: () => agent.destroy(),
  };
}

function entryOf(bytes: Uint8Array, recipients: readonly string[], envelope: Envelope): BatchEntry {
  const item = {
    from: envelope.from.toWellFormed(),
    to: recipients.map((recipient) => recipient.toWellFormed()),
    client: envelope.clientAddress,
    helo: envelope.helo.slice(0, MAX_HELO_CHARS).toWellFormed(),
    // No mail is refused because of findings that the worker does not take.
    sender: CheckedSender.safeParse(envelope.sender).data ?? null,
    bytes: bytes.byteLength,
  };
  return { item, bytes };
}

/** The outcomes of a message that shared a request. They are not known if they are not those of these recipients. */
function sharedOutcomes(
  outcomes: readonly BatchOutcome[] | null,
  recipients: readonly string[],
): (Outcome | null)[] {
  if (outcomes?.length !== recipients.length) return recipients.map(() => null);
  return outcomes.map((one) => ({ status: one.status, ...saidIn(one) }));
}

function logOdd(outcomes: readonly (Outcome | null)[], log: (line: string) => void): void {
  for (const status of new Set(outcomes.map((one) => one?.status ?? null))) {
    // 400 is logged too: the mistake may be this listener's, not the sender's.
    const isOdd =
      status !== null &&
      status !== 202 &&
      status !== REFUSED_STATUS &&
      (status === 400 || REFUSALS[status] === undefined);
    if (isOdd) log(`smtp: the hand-over of a message answered ${status}`);
  }
}

/** The queries that name all recipients: several only if the addresses are unusually long. */
function queriesOf(
  envelope: Envelope,
  recipients: readonly string[],
): { query: string; some: readonly string[] }[] {
  const common = new URLSearchParams({
    from: envelope.from,
    via: "smtp",
    client: envelope.clientAddress,
    helo: envelope.helo.slice(0, MAX_HELO_CHARS),
  }).toString();
  const queries: { query: string; some: string[] }[] = [];
  for (const recipient of recipients) {
    const to = `&to=${encoded(recipient)}`;
    const last = queries.at(-1);
    if (last === undefined || last.query.length + to.length > MAX_QUERY_CHARS) {
      queries.push({ query: common + to, some: [recipient] });
    } else {
      last.query += to;
      last.some.push(recipient);
    }
  }
  return queries;
}

/** A label in Punycode may hold half of a surrogate pair, which smtp-server decodes and no URL can carry. */
function encoded(address: string): string {
  return encodeURIComponent(address.toWellFormed());
}

/** The worker's outcome for one recipient. */
interface Outcome {
  status: number;
  /** The id of the stored message; null if the answer has none. */
  id: string | null;
  full: boolean;
  /** Why the rules of the mailbox refuse the message; null if they do not. */
  rule: RuleCode | typeof UNCHECKED | null;
}

/** Null if the result is not known: there was no answer, or it does not name this recipient. */
function outcomeOf(answer: Answer | null, recipients: readonly string[], index: number): Outcome | null {
  if (answer === null) return null;
  // A refusal of the whole message, or the answer for its only recipient.
  if (answer.status !== 202 || recipients.length === 1)
    return { status: answer.status, ...saidIn(parseJson(answer.body)) };
  const said = ANSWER_FOR_SEVERAL.safeParse(parseJson(answer.body));
  const one = said.success ? said.data.recipients[index] : undefined;
  // Using the result of another recipient would lose or duplicate a message.
  if (one === undefined || one.to !== recipients[index]) return null;
  return { status: one.status, ...saidBy(one) };
}

/** The status 202 says that the message is stored; the id is only shown. */
function resultOf(outcome: Outcome | null): HandOver {
  if (outcome === null) return { kind: "unavailable" };
  if (outcome.status === 202) return { kind: "stored", id: outcome.id ?? "stored" };
  if (outcome.status === 503 && outcome.full) return { kind: "full" };
  if (outcome.rule === UNCHECKED) return { kind: "unchecked" };
  if (outcome.rule !== null) return { kind: "refused", reason: outcome.rule };
  return { kind: REFUSALS[outcome.status] ?? "unavailable" };
}

const ANSWER_FOR_ONE = z.object({
  id: z.string().optional(),
  full: z.boolean().optional(),
  code: z
    .enum([...RULE_CODES.options, UNCHECKED])
    .optional()
    .catch(undefined),
});
const ANSWER_FOR_SEVERAL = z.object({
  recipients: z.array(ANSWER_FOR_ONE.extend({ to: z.string(), status: z.int() })),
});

/** Reads an answer. A mailbox that is not said to be full counts as having room; the hand-over finds out. */
function saidIn(answer: unknown): Omit<Outcome, "status"> {
  const said = ANSWER_FOR_ONE.safeParse(answer);
  return saidBy(said.success ? said.data : {});
}

function saidBy({ id, full, code }: z.infer<typeof ANSWER_FOR_ONE>): Omit<Outcome, "status"> {
  return { id: id ?? null, full: full === true, rule: code ?? null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON.
    return undefined;
  }
}
