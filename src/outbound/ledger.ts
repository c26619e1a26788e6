import type { EventKind } from "../contract/event.ts";
import type { Reported } from "../mail/report/report-news.ts";

/**
 * The state of one recipient of one message (docs/sending.md#states).
 * - `queued`: not taken yet; an attempt is due.
 * - `handing`: an attempt is under way; if it fails before the end of the message, another one follows.
 * - `ending`: the end of the message was about to be sent; if the connection is lost now, the host may have taken the
 *   message.
 * - `sent`: the receiving host took the message.
 * - `unknown`: the host may have taken the message, and no further attempt is made.
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

/** The state as the API shows it: `handing` and `ending` are shown as `queued`. */
export type ShownState = Exclude<RecipientState, "handing" | "ending">;

/** The result of an attempt for one recipient. */
export type HandOver =
  /** The host took the message for this recipient. */
  | { kind: "taken" }
  /** 5yz about the recipient or the message (RFC 5321 §4.2.1). */
  | { kind: "refused" }
  /** 4yz, no connection, or a connection that ended before the end of the message: nothing was taken. */
  | { kind: "deferred" }
  /** The connection ended after the end of the message and before the answer (RFC 1047). */
  | { kind: "unanswered" }
  /**
   * No other attempt can succeed, and the recipient is not at fault: the message is too large for this transport, or the
   * configuration is wrong.
   */
  | { kind: "impossible" };

/** The next state of a recipient. */
export interface Step {
  state: RecipientState;
  /** The event to write into the log; null = none. */
  event: EventKind | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after an attempt that was deferred, in ms (docs/limits.md#sending). */
const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** The first attempt and its retries: about 41 hours in all. */
export const MAX_TRIES = RETRY_AFTER_MS.length + 1;

/** When the next attempt is due, in ms since 1970, if the last of `triesMade` attempts ended at `endedAtMs`; null = give up. */
export function nextTryAt(triesMade: number, endedAtMs: number): number | null {
  const waitMs = RETRY_AFTER_MS[triesMade - 1];
  return waitMs === undefined ? null : endedAtMs + waitMs;
}

/** The status of a message is the first of these that one of its recipients has (docs/sending.md#states). */
const STATUS_ORDER: readonly ShownState[] = [
  "queued",
  "unknown",
  "complained",
  "bounced",
  "failed",
  "sent",
  "delivered",
];

/** The state as the API shows it. */
export function shownState(state: RecipientState): ShownState {
  return state === "handing" || state === "ending" ? "queued" : state;
}

/** The status of a message, from the states of its recipients. Throws without recipients. */
export function messageStatus(recipients: readonly RecipientState[]): ShownState {
  const shown = new Set(recipients.map(shownState));
  const status = STATUS_ORDER.find((state) => shown.has(state));
  if (status === undefined) throw new Error("A message without recipients has no status");
  return status;
}

/** Whether an attempt is under way. */
export function isHanding(state: RecipientState): boolean {
  return state === "handing" || state === "ending";
}

/**
 * The state after attempt number `triesMade`. If no attempt is under way, the result comes late, from an attempt that was
 * given up. It then changes only `unknown`; and a refusal changes `delivered`, because that report came while the host was
 * about to refuse.
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
      // An `unknown` recipient gets no further attempt, whatever the result.
      if (state === "unknown") return { state, event: null };
      return { state: triesMade < MAX_TRIES ? "queued" : "failed", event: null };
  }
}

/**
 * The state after the process died during an attempt. If the end of the message was not sent, the host has dropped the
 * message (RFC 5321 §4.1.1.4), and another attempt is due; else the state is `unknown`.
 */
export function afterDeath(state: RecipientState): RecipientState {
  if (state === "handing") return "queued";
  return state === "ending" ? "unknown" : state;
}

/** News of higher rank replaces news of lower rank, in whatever order they come: complained > bounced > delivered > sent. */
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
  // `relayed`: another host has the message and may report again. A delay is not final either.
  relayed: null,
  delayed: null,
};

/** States in which the host has taken the message, or may have. */
const HANDED_OVER: ReadonlySet<RecipientState> = new Set<RecipientState>([
  "ending",
  "sent",
  "unknown",
  "delivered",
  "bounced",
  "complained",
]);

/**
 * The state after a delivery report, which anybody who saw the token may have written. It changes nothing unless SMTP said
 * that the host took the message or may have: a queued recipient stays queued, and a failed one stays failed.
 */
export function afterReport(state: RecipientState, report: Reported): Step {
  return HANDED_OVER.has(state) ? afterNews(state, report) : { state, event: null };
}

/**
 * The state after a trustworthy report. Repeated reports, and those of lower rank than an earlier one, change nothing and
 * write no event. A report proves that the message was taken, so it also changes `unknown`, `failed` and the states of a
 * current attempt.
 */
export function afterNews(state: RecipientState, report: Reported): Step {
  const news = REPORTED[report];
  if (news === null || RANK[news.state] <= RANK[state]) return { state, event: null };
  return news;
}

/**
 * The state after the sending service says that it never reached the recipient's host. The recipient is not at fault, so no
 * event is written; an earlier report stays valid.
 */
export function afterFailure(state: RecipientState): Step {
  return { state: RANK[state] <= RANK.sent ? "failed" : state, event: null };
}

/** Whether only reports can still change the recipient. */
export function isSettled(state: RecipientState): boolean {
  return state !== "queued" && !isHanding(state);
}
