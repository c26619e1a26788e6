import type { EventKind } from "../contract/event.ts";
import type { Reported } from "../mail/report/report-news.ts";

/**
 * What is known of one recipient of one message.
 *
 * `queued`: not taken yet, and tried (again) when due. `handing`: a transport has it, and whatever ends before the message
 * does can be tried again. `ending`: the end of the message was about to be said; who loses the connection from here on
 * cannot know whether it was taken. `sent`: the next host took it. `unknown`: it may have; nobody tries again by himself.
 */
export type RecipientState =
  | "queued"
  | "handing"
  | "ending"
  | "sent"
  | "delivered"
  | "bounced"
  | "complained"
  | "failed"
  | "unknown";

/** As the API shows it: on its way to the next host is still queued. */
export type ShownState = Exclude<RecipientState, "handing" | "ending">;

/** What a transport says of one recipient after it tried. */
export type HandOver =
  /** The host took the message for this recipient. */
  | { kind: "taken" }
  /** 5yz about the recipient or the message (RFC 5321 §4.2.1). */
  | { kind: "refused" }
  /** 4yz, no connection, or a connection that ended before the end of the message: nothing was taken. */
  | { kind: "deferred" }
  /** The connection ended after the end of the message and before the answer (RFC 1047). */
  | { kind: "unanswered" }
  /** Nothing that another try changes, and no fault of the recipient: too large for this transport, a wrong configuration. */
  | { kind: "impossible" };

/** What happens to a recipient. */
export interface Step {
  state: RecipientState;
  /** What the log tells of it; null = nothing that anybody has to hear. */
  event: EventKind | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after a try that was deferred (architecture 7). */
const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** One try and its retries: about 41 hours in all. */
export const MAX_TRIES = RETRY_AFTER_MS.length + 1;

/** When to try again, in ms since 1970, after `triesMade` of which the last ended at `endedAtMs`; null = give up. */
export function nextTryAt(triesMade: number, endedAtMs: number): number | null {
  const waitMs = RETRY_AFTER_MS[triesMade - 1];
  return waitMs === undefined ? null : endedAtMs + waitMs;
}

/** Order in which a message's status is looked for among its recipients (wire contract, part 5, States of a send). */
const STATUS_ORDER: readonly ShownState[] = [
  "queued",
  "unknown",
  "complained",
  "bounced",
  "failed",
  "sent",
  "delivered",
];

/** A recipient's state as the API shows it. */
export function shownState(state: RecipientState): ShownState {
  return state === "handing" || state === "ending" ? "queued" : state;
}

/** The status of a message: the first in the order of the contract that any of its recipients has. Throws without any. */
export function messageStatus(recipients: readonly RecipientState[]): ShownState {
  const shown = new Set(recipients.map(shownState));
  const status = STATUS_ORDER.find((state) => shown.has(state));
  if (status === undefined) throw new Error("A message without recipients has no status");
  return status;
}

/** Whether a try is under way. */
export function isHanding(state: RecipientState): boolean {
  return state === "handing" || state === "ending";
}

/**
 * A recipient after a try, the `triesMade`-th. What comes when no try is under way is late news, of a try that was given up
 * for lost, and changes nothing but an `unknown`; and a report of `delivered` that came while the host was about to refuse.
 */
export function afterTry(state: RecipientState, result: HandOver, triesMade: number): Step {
  if (state === "delivered" && result.kind === "refused")
    return { state: "bounced", event: "message.bounced" };
  const expected = isHanding(state) || state === "unknown";
  if (!expected) return { state, event: null };
  switch (result.kind) {
    case "taken":
      return { state: "sent", event: "message.sent" };
    case "refused":
      return { state: "bounced", event: "message.bounced" };
    case "impossible":
      return { state: "failed", event: null };
    case "unanswered":
      return { state: "unknown", event: null };
    case "deferred":
      // An unknown one is not tried again by itself, whatever is learned of the try.
      if (state === "unknown") return { state, event: null };
      return { state: triesMade < MAX_TRIES ? "queued" : "failed", event: null };
  }
}

/**
 * A recipient whose try was under way when the process died. Before the end of the message was said the host has dropped
 * it (RFC 5321 §4.1.1.4), so it is tried again; after that nobody knows.
 */
export function afterDeath(state: RecipientState): RecipientState {
  if (state === "handing") return "queued";
  return state === "ending" ? "unknown" : state;
}

/** Later news beats earlier news of lower rank, in whatever order they come: complained > bounced > delivered > sent. */
const RANK: Readonly<Record<RecipientState, number>> = {
  queued: 0,
  handing: 0,
  ending: 0,
  failed: 0,
  unknown: 0,
  sent: 1,
  delivered: 2,
  bounced: 3,
  complained: 4,
};

const REPORTED: Readonly<Record<Reported, { state: RecipientState; event: EventKind } | null>> = {
  delivered: { state: "delivered", event: "message.delivered" },
  bounced: { state: "bounced", event: "message.bounced" },
  complained: { state: "complained", event: "message.complained" },
  // Another host has it now, which may report again; a delay is no end.
  relayed: null,
  delayed: null,
};

/** Whose host has taken the message, or may have. */
const HANDED_OVER: ReadonlySet<RecipientState> = new Set<RecipientState>([
  "ending",
  "sent",
  "unknown",
  "delivered",
  "bounced",
  "complained",
]);

/**
 * A recipient after a mail that reports on it, which anybody may have written who has seen its token. It moves nobody whose
 * host has not taken the message as far as SMTP told us: what waits is tried on, and what was given up stays so.
 */
export function afterReport(state: RecipientState, report: Reported): Step {
  return HANDED_OVER.has(state) ? afterNews(state, report) : { state, event: null };
}

/**
 * A recipient after news that are certainly true. The same twice, and news that better ones have overtaken, change nothing
 * and are told to nobody. News prove that the message was taken, so they also settle an `unknown`, a `failed` and one under
 * way.
 */
export function afterNews(state: RecipientState, report: Reported): Step {
  const news = REPORTED[report];
  if (news === null || RANK[news.state] <= RANK[state]) return { state, event: null };
  return news;
}

/**
 * A recipient whose host was never reached, as the carrier says that took the message. It is no news of the recipient, so
 * the log tells nobody; better news that came before stands.
 */
export function afterFailure(state: RecipientState): Step {
  return { state: RANK[state] <= RANK.sent ? "failed" : state, event: null };
}

/** Whether nothing can happen to a recipient any more but reports. */
export function isSettled(state: RecipientState): boolean {
  return state !== "queued" && !isHanding(state);
}
