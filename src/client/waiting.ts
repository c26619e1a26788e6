import type { Api } from "./api.ts";
import type { CallOptions } from "./core.ts";
import { MailkeepError } from "./error.ts";
import { follow, newestSeq, untilAnswered, type OnAttempt } from "./events.ts";
import { Lifetime } from "./lifetime.ts";
import type { MailboxOption, Method, Methods } from "./methods.ts";

/** An email with its texts and files. */
export type Email = Api["email"]["answer"];
/** A code or a link that was found in an email. */
export type FoundCode = Api["code"]["answer"] & { id: string };

/** How long a call waits. */
export interface WaitOptions extends Pick<CallOptions, "signal">, MailboxOption {
  /** How long to wait, in ms: 60 s unless given. */
  timeoutMs?: number;
}

/**
 * Which code to wait for. Without `since` and `max_age`, one of the last ten minutes (`max_age: 600`) or the next: a second sign-up
 * does not get the code of the first. `max_age: 0` accepts a code of any age.
 */
export type CodeOptions = WaitOptions & Omit<Api["code"]["query"], "timeout">;

/** Which email to wait for; all that is given must fit. */
export interface EmailOptions extends WaitOptions {
  /** Part of the sender's address or name. */
  from?: string;
  /** Part of the subject. */
  subject?: string;
  /** The thread that it belongs to. */
  thread?: string;
  /** Counts emails too that came after this time and before the call; without it, only those that come from now on. */
  since?: Date | string;
}

/** The methods of a client that waiting uses. */
export interface Sources {
  changes: Method<"changes">;
  code: Method<"code">;
  emails: Methods<"emails">;
  inbox: Methods<"inbox">;
  thread: Method<"thread">;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** The age up to which a code counts that came before the call. The service measures it by its own clock. */
const RECENT_CODE_SECONDS = 600;
/** The most seconds that the service holds a poll for a code. */
const MAX_POLL_SECONDS = 55;
/** The most seconds for which the service expects mail. */
const MAX_WITHIN_SECONDS = 3_600;
/** A poll that is not answered so long after its time has lost its connection, in ms. */
const LATE_MS = 15_000;

/** Waits for a code, by as many polls as it takes. Null if none came in time. */
export function waitForCode(code: Method<"code">, options: CodeOptions): Promise<FoundCode | null> {
  const { mailbox } = options;
  const age = options.since === undefined ? { max_age: RECENT_CODE_SECONDS } : {};
  const query = { ...age, ...options, signal: undefined, timeoutMs: undefined, mailbox: undefined };
  const isHandedOutOnce = query.consume === true;
  return withinTime(options, async (lifetime, onAttempt) => {
    for (let isFirst = true; ; isFirst = false) {
      const seconds = Math.floor(lifetime.remainingMs / 1_000);
      // The answer of a poll that is given up could be the only one with this code.
      if (isHandedOutOnce && seconds < 1 && !isFirst) return null;
      const timeout = Math.max(1, Math.min(MAX_POLL_SECONDS, seconds));
      const found = await untilAnswered(
        () =>
          code(
            { ...query, timeout },
            { ...pollOptions(lifetime, mailbox), timeoutMs: timeout * 1_000 + LATE_MS },
          ),
        lifetime.signal,
        (failure, pauseMs) => {
          if (isHandedOutOnce && failure !== null && failure.status === 0) throw failure;
          onAttempt(failure, pauseMs);
        },
      );
      if (found.id !== undefined) return { ...found, id: found.id };
    }
  });
}

/** The mail that is expected, and for how long: `within_seconds`, or until `signal` aborts. */
export type ExpectOptions = Pick<CallOptions, "signal"> & MailboxOption & Api["createExpectation"]["body"];
/** A mail that was expected: its code, its link or both. */
export type ExpectedCode = Expectation & { status: "matched" };
type Expectation = Api["expectation"]["answer"];

/**
 * Expects mail of a domain, runs `signUp`, and waits for the mail. Null if it did not come in time. If `signUp` rejects or the signal
 * aborts, the expectation is cancelled.
 */
export async function expectCode(
  { create, get, cancel }: Methods<"expectations">,
  { signal, mailbox, ...wanted }: ExpectOptions,
  signUp: (expectation: Expectation) => unknown,
): Promise<ExpectedCode | null> {
  const made = await create(wanted, { signal, mailbox });
  try {
    await signUp(made);
    // The service says when the time is over.
    const options = { signal, timeoutMs: 1_000 * (wanted.within_seconds ?? MAX_WITHIN_SECONDS) + LATE_MS };
    return await withinTime(options, async (lifetime, onAttempt) => {
      for (;;) {
        const asked = { wait: MAX_POLL_SECONDS };
        const timeoutMs = MAX_POLL_SECONDS * 1_000 + LATE_MS;
        const found = await untilAnswered(
          () => get(made.id, asked, { ...pollOptions(lifetime, mailbox), timeoutMs }),
          lifetime.signal,
          onAttempt,
        );
        if (isMatched(found)) return found;
        if (found.status !== "waiting") return null;
      }
    });
  } catch (error) {
    // The expectation ends by itself too, if this call is lost.
    await cancel(made.id, { mailbox, retries: 0 }).catch(() => {});
    throw error;
  }
}

function isMatched(found: Expectation): found is ExpectedCode {
  return found.status === "matched";
}

/** Waits for an email. Null if none came in time. */
export function waitForEmail(sources: Sources, options: EmailOptions): Promise<Email | null> {
  const { mailbox, since } = options;
  return withinTime(options, async (lifetime, onAttempt) => {
    const { signal } = lifetime;
    const start = await newestSeq(sources.changes, { signal, mailbox }, onAttempt);
    const before = since === undefined ? null : await newestSince(sources, options, signal);
    return before ?? (await nextEmail(sources, { options, signal, start, onAttempt }));
  });
}

/** Waits for the first email of others in a thread after the last one that was sent in it. Null if none came in time. */
export function waitForReply(
  sources: Sources,
  threadId: string,
  options: WaitOptions,
): Promise<Email | null> {
  const { mailbox } = options;
  return withinTime(options, async (lifetime, onAttempt) => {
    const { signal } = lifetime;
    const start = await newestSeq(sources.changes, { signal, mailbox }, onAttempt);
    const { emails } = await untilAnswered(
      () => sources.thread(threadId, {}, { signal, mailbox }),
      signal,
      onAttempt,
    );
    const lastSent = emails.findLastIndex(({ direction }) => direction === "outbound");
    const reply = emails.slice(lastSent + 1).find(({ direction }) => direction === "inbound");
    const wanted = { ...options, thread: threadId };
    return reply ?? (await nextEmail(sources, { options: wanted, signal, start, onAttempt }));
  });
}

/** A call that goes on for longer after a failure has reached the service, which holds it, in ms. */
const REACHED_MS = 2_000;

/** Runs `work` until it finds something; null when the time is over, unless the service did not answer then. */
async function withinTime<Found>(
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: WaitOptions,
  work: (lifetime: Lifetime, onAttempt: OnAttempt) => Promise<Found | null>,
): Promise<Found | null> {
  const lifetime = new Lifetime(signal, timeoutMs);
  let failure: MailkeepError | null = null;
  let isAwayUntilMs = 0;
  try {
    return await work(lifetime, (last, pauseMs) => {
      failure = last;
      isAwayUntilMs = performance.now() + pauseMs + REACHED_MS;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (!lifetime.isLate) throw error;
    if (failure !== null && performance.now() < isAwayUntilMs) throw failure;
    return null;
  } finally {
    lifetime.end();
  }
}

function pollOptions({ signal }: Lifetime, mailbox: string | undefined): CallOptions & MailboxOption {
  return { signal, mailbox, retries: 0 };
}

/** The newest email that fits and came before the call; null without one. */
async function newestSince(
  { inbox, emails }: Sources,
  options: EmailOptions,
  signal: AbortSignal,
): Promise<Email | null> {
  const { from, subject, since, mailbox } = options;
  const listed = inbox.list({ from, subject, since, direction: "inbound" }, { signal, mailbox });
  for await (const { id, thread_id } of listed) {
    if (options.thread !== undefined && options.thread !== thread_id) continue;
    const email = await found(emails.get(id, { signal, mailbox }));
    if (email !== null) return email;
  }
  return null;
}

interface Wanted {
  options: EmailOptions;
  signal: AbortSignal;
  /** `seq` of the event after which emails count. */
  start: number;
  onAttempt: OnAttempt;
}

async function nextEmail({ changes, emails }: Sources, wanted: Wanted): Promise<Email | null> {
  const { options, signal, start, onAttempt } = wanted;
  const { mailbox, thread } = options;
  const types = ["message.received"] as const;
  for await (const { data } of follow(
    changes,
    Promise.resolve(start),
    { signal, mailbox, types },
    onAttempt,
  )) {
    if (thread !== undefined && thread !== data.thread_id) continue;
    const email = await untilAnswered(
      () => found(emails.get(data.email_id, { signal, mailbox })),
      signal,
      onAttempt,
    );
    if (email !== null && fits(email, options)) return email;
  }
  // The events end only when the time is over or the caller's signal aborts.
  throw signal.reason;
}

function fits(email: Email, { from = "", subject = "" }: EmailOptions): boolean {
  const sender = `${email.from_name} <${email.from_address}>`;
  return includes(sender, from) && includes(email.subject, subject);
}

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** The email; null if it was erased meanwhile. */
async function found(email: Promise<Email>): Promise<Email | null> {
  try {
    return await email;
  } catch (error) {
    if (error instanceof MailkeepError && error.code === "not_found") return null;
    throw error;
  }
}
