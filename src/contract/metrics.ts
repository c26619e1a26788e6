import type { Catalogue } from "../lib/metrics.ts";
import { STATUS, type ProblemCode } from "./problem.ts";
import { RefusalReason } from "./rules.ts";
import { DeliveryError } from "./webhook.ts";

/** How mail and requests come in: by the SMTP listener, by the API, or by Cloudflare's Email Routing. */
export const DOORS = ["smtp", "http", "cloudflare"] as const;
export type Door = (typeof DOORS)[number];

/** Reasons that only the SMTP listener has. */
export const SMTP_REASONS = [
  "unknown_mailbox",
  "not_acceptable",
  "too_many_connections",
  "too_many_unknown",
  "shutting_down",
] as const;

/** Why something was refused: the code of the problem, or the reply of the SMTP listener. */
const REASONS = [...(Object.keys(STATUS) as ProblemCode[]), ...SMTP_REASONS] as const;
export type Reason = (typeof REASONS)[number];

/** Groups of requests whose durations can be compared. */
export const REQUEST_KINDS = ["read", "write", "wait", "receive", "page"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** The results of an attempt for one recipient. `kept`: stored unsent, because no relay is configured. */
export const SEND_OUTCOMES = ["taken", "kept", "deferred", "refused", "unanswered", "impossible"] as const;

/** Upper bounds of the buckets, in seconds. A person or a mail server waits for what is measured. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Every metric that the worker counts, on one machine and on Cloudflare. */
export const METRICS = {
  mailkeep_receipts_total: {
    type: "counter",
    help: "Messages handed over, one count for each recipient, by door and result.",
    labels: { door: DOORS, result: ["stored", "duplicate", "refused"] },
  },
  mailkeep_received_bytes_total: {
    type: "counter",
    help: "Bytes of messages that were stored, one count for each recipient.",
    labels: { door: DOORS },
  },
  mailkeep_refusals_total: {
    type: "counter",
    help: "Refused recipients and messages (smtp, cloudflare) and refused requests (http), by reason.",
    labels: { door: DOORS, reason: REASONS },
  },
  mailkeep_rule_refusals_total: {
    type: "counter",
    help: "Messages that the rules of a mailbox refused, by reason; each is kept for 7 days.",
    labels: { reason: RefusalReason.options },
  },
  mailkeep_requests_total: {
    type: "counter",
    help: "Requests over HTTP by kind and class of status. Those of the SMTP listener count as http receive and read.",
    labels: { kind: REQUEST_KINDS, status: ["2xx", "3xx", "4xx", "5xx"] },
  },
  mailkeep_request_seconds: {
    type: "histogram",
    help: "Time from a request until its answer begins. Requests of kind wait are held open on purpose.",
    labels: { kind: REQUEST_KINDS },
    bounds: SECONDS,
  },
  mailkeep_receipt_seconds: {
    type: "histogram",
    help: "Time from the arrival of a message in the worker until it is on disk for all recipients.",
    labels: { door: DOORS },
    bounds: SECONDS,
  },
  mailkeep_notify_seconds: {
    type: "histogram",
    help: "Time from the commit of an event until it is written to the open streams.",
    labels: {},
    bounds: SECONDS,
  },
  mailkeep_sends_total: {
    type: "counter",
    help: "Attempts to hand a message over, one count for each recipient, by way and outcome. Deferred ones are attempted again.",
    labels: { way: ["inside", "outside"], outcome: SEND_OUTCOMES },
  },
  mailkeep_send_attempt_seconds: {
    type: "histogram",
    help: "Time of one attempt to hand a message over.",
    labels: { way: ["inside", "outside"] },
    bounds: SECONDS,
  },
  mailkeep_webhook_attempts_total: {
    type: "counter",
    help: "Attempts to deliver a webhook, by outcome.",
    labels: { outcome: ["delivered", ...DeliveryError.options] },
  },
  mailkeep_webhook_attempt_seconds: {
    type: "histogram",
    help: "Time of one attempt to deliver a webhook.",
    labels: {},
    bounds: SECONDS,
  },
  mailkeep_code_waits_total: {
    type: "counter",
    help: "Calls that asked for a verification code, by result.",
    labels: { result: ["found_at_once", "found_after_waiting", "timeout", "refused"] },
  },
  mailkeep_wakeups_total: {
    type: "counter",
    help: "Alarms that woke a mailbox.",
    labels: {},
  },
  mailkeep_queue_messages: {
    type: "gauge",
    help: "Outgoing messages and webhook deliveries that wait for an attempt.",
    labels: { queue: ["sends", "webhooks"] },
  },
  mailkeep_queue_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest of them; 0 if there is none.",
    labels: { queue: ["sends", "webhooks"] },
  },
  mailkeep_listeners: {
    type: "gauge",
    help: "Open event streams, and calls that wait for an event, a code or a send.",
    labels: { kind: ["stream", "wait"] },
  },
  mailkeep_sending_halted: {
    type: "gauge",
    help: "1 while the operator has halted all sending, else 0.",
    labels: {},
  },
} as const satisfies Catalogue;

/** The most numbers of one series: a histogram's buckets, the one over them, and the sum. */
export const MAX_SERIES_NUMBERS = SECONDS.length + 2;
