import { GapError } from "../../client/index.ts";
import { follow, newestSeq } from "../../client/events.ts";
import type { Api, EventKind } from "../../client/api.ts";
import { done } from "../../lib/outcome.ts";
import { postDelivery, type AttemptResult } from "../../webhooks/post.ts";
import { signatureHeaders } from "../../webhooks/sign.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, usageError, type ExitCode } from "../exit.ts";
import { plainPost } from "./plain-post.ts";
import { Forwarder } from "./forwarder.ts";
import { Ledger, type Forwarded, type Verdict } from "./ledger.ts";
import { takeName } from "./lock.ts";
import { attemptLine } from "./report.ts";
import { seqBefore } from "./since.ts";
import {
  newWebhookSecret,
  readState,
  routeDigest,
  stateFile,
  writeState,
  type ListenState,
  type Progress,
  type Route,
} from "./state.ts";

type Change = Api["changes"]["answer"]["events"][number];

/** An order of `mailkeep listen --forward`. */
export interface ForwardRequest {
  /** Where to; http or https, any host and port. */
  url: string;
  types: readonly EventKind[];
  /** Where to begin; undefined to go on where the last run ended, or now. */
  since: string | undefined;
}

/** Which events are read, and until when. */
interface Reading {
  types?: readonly EventKind[];
  signal: AbortSignal;
}

/** The events of the log with the body of each one's webhook. */
function events({ mail }: Context, after: number, { types, signal }: Reading) {
  const changes: typeof mail.changes = (query, options) =>
    mail.changes({ ...query, webhook_body: true }, options);
  return follow(changes, Promise.resolve(after), { types, signal });
}

/** The part of an event that is sent; null for one that webhooks do not deliver. */
function forwardedOf({ seq, event, data, webhook_body }: Change): Forwarded | null {
  if (webhook_body === undefined) {
    throw new CliError(
      EXIT.transient,
      "this deployment is too old: it does not tell what its webhooks send",
      "mailkeep events",
    );
  }
  return webhook_body === null ? null : { seq, event, emailId: data.email_id, body: webhook_body };
}

/** Sends an event as the service sends a webhook: the same body, headers and signatures. */
function send(url: string, secret: string, { event, emailId, body }: Forwarded): Promise<AttemptResult> {
  const message = {
    id: eventIdOf(body),
    timestampSeconds: Math.floor(Date.now() / 1_000),
    event,
    emailId,
  };
  const headers = signatureHeaders(body, message, { current: secret, previous: [] });
  const tools = { fetch: plainPost, now: () => performance.now() };
  // Whoever runs the command chose the target: any host and port.
  return postDelivery({ url, headers, body }, tools, (target) => Promise.resolve(done(target)));
}

/** `event_id`, which is the `webhook-id` of every attempt. */
function eventIdOf(body: string): string {
  const { event_id } = JSON.parse(body) as { event_id: string };
  return event_id;
}

/** The URL to forward to. Throws a usage error for a text that is none. */
export function checkTarget(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw usageError(`--forward must be a URL such as http://localhost:3000/hook, not "${text}"`, "listen");
  }
  return url.href;
}

/** The secret that signs: MAILKEEP_WEBHOOK_SECRET, or one that the route keeps. */
function secretOf({ env }: Context, state: ListenState | null): string {
  return env.MAILKEEP_WEBHOOK_SECRET || (state?.secret ?? newWebhookSecret());
}

async function routeOf(context: Context, { url, types }: ForwardRequest): Promise<Route> {
  const { account, mail, signal } = context;
  // The operator's key may name any mailbox; a mailbox's key is of one, which its profile knows.
  const mailbox = account.mailbox ?? (await mail.me({ signal })).mailbox;
  if (mailbox === null) throw usageError("name the mailbox with --mailbox", "listen");
  return { url: account.url, mailbox, forward: url, types };
}

/**
 * Posts every event of the mailbox to a URL, as its webhooks would, until the command is ended. The next run goes on at the
 * first event that was not settled.
 */
export async function forwardEvents(context: Context, request: ForwardRequest): Promise<ExitCode> {
  const { env, output, signal } = context;
  const route = await routeOf(context, request);
  const file = stateFile(env, route);
  const state = readState(file);
  const secret = secretOf(context, state);
  output.note(`signing secret: ${secret}`);
  if (!(await takeName(`mailkeep-listen-${routeDigest(env, route)}`))) {
    throw new CliError(
      EXIT.usage,
      `another process forwards ${route.mailbox} to ${route.forward}`,
      "end it first",
    );
  }
  const progress = await startOf(context, request, state);
  const ledger = new Ledger(progress);
  const save = (): void => writeState(file, route, { secret, progress: ledger.progress });
  save();
  announce(context, route, ledger, progress);
  const forwarder = new Forwarder({
    ledger,
    save,
    send: (forwarded) => send(route.forward, secret, forwarded),
    report: (report) => void attemptLine(output, report),
    now: Date.now,
  });
  const end = new AbortController();
  const { types } = request;
  const reading = readOn(context, forwarder, progress.after, {
    types,
    signal: AbortSignal.any([signal, end.signal]),
  });
  try {
    // Forwarding ends when the receiver counts as failed, although the log goes on.
    await Promise.race([reading, forwarder.failed()]);
  } finally {
    end.abort();
    await forwarder.stop();
  }
  if (signal.aborted) return EXIT.ok;
  throw new CliError(
    EXIT.transient,
    "ten deliveries in a row failed at every attempt, so that forwarding stopped as a webhook does",
    `start the receiver, then: mailkeep listen --forward ${route.forward}; failed events again: --replay <seq>`,
  );
}

async function readOn(
  context: Context,
  forwarder: Forwarder,
  after: number,
  reading: Reading,
): Promise<void> {
  try {
    for await (const change of events(context, after, reading)) {
      await forwarder.take(change.seq, forwardedOf(change));
    }
  } catch (error) {
    if (!(error instanceof GapError)) throw error;
    throw new CliError(
      EXIT.transient,
      error.message,
      "go on at the oldest event that is kept: --since start",
    );
  }
}

/** Where a run begins: where the last one ended, unless `--since` says otherwise; the first run begins now. */
async function startOf(
  context: Context,
  { since }: ForwardRequest,
  state: ListenState | null,
): Promise<Progress> {
  const { mail, signal } = context;
  if (since === undefined && state !== null) return state.progress;
  const after =
    since === undefined ? await newestSeq(mail.changes, { signal }) : await seqBefore(mail, since, signal);
  return { after, settled: [], failed: new Map(), underway: [] };
}

function announce(
  { output }: Context,
  { mailbox, forward }: Route,
  { interrupted }: Ledger,
  { after }: Progress,
): void {
  output.note(`forwarding ${mailbox} to ${forward}, after event ${after}`);
  for (const seq of interrupted) {
    output.note(
      `event ${seq} was being sent when the last run ended: it is sent again under the same webhook-id`,
    );
  }
}

/** Forwards events of the log once more, from `first` to `last`, and leaves the cursor where it is. */
export async function replayEvents(
  context: Context,
  request: ForwardRequest,
  { first, last }: { first: number; last: number },
): Promise<ExitCode> {
  const { output, env, mail, signal } = context;
  const route = await routeOf(context, request);
  const secret = secretOf(context, readState(stateFile(env, route)));
  output.note(`signing secret: ${secret}`);
  if (last > (await newestSeq(mail.changes, { signal }))) {
    throw new CliError(
      EXIT.notFound,
      `the log has no event ${last} yet`,
      "mailkeep events --after 0 --no-follow",
    );
  }
  const ledger = new Ledger({ after: first - 1, settled: [], failed: new Map(), underway: [] });
  const states: Verdict[] = [];
  const forwarder = new Forwarder({
    ledger,
    save: () => {},
    send: (forwarded) => send(route.forward, secret, forwarded),
    report: (report) => {
      states.push(report.state);
      void attemptLine(output, report);
    },
    now: Date.now,
  });
  // All kinds: the last one may be of a kind that webhooks do not deliver.
  for await (const change of events(context, first - 1, { signal })) {
    await forwarder.take(change.seq, forwardedOf(change));
    if (change.seq >= last) break;
  }
  await forwarder.drained();
  await forwarder.stop();
  if (signal.aborted || states.includes("failed")) return EXIT.transient;
  if (states.includes("delivered")) return EXIT.ok;
  throw new CliError(
    EXIT.notFound,
    "webhooks deliver none of these events",
    "mailkeep events --after 0 --no-follow",
  );
}
