import type { Answer } from "../../contract/problem.ts";
import { TimeLimit } from "../../lib/time-limit.ts";
import type { Overview } from "../../mailbox/account/overview.ts";
import { AS_OPERATOR } from "../../service/access.ts";
import { mailboxAt, type MailboxStub } from "../../service/mailbox-stub.ts";

/** How long a page waits for the mailboxes that it shows, in ms. */
const WAIT_MS = 2_000;

/**
 * Asks mailboxes, all at once. The value is null for one that did not answer in time, that failed, or that was erased since the
 * directory heard of it.
 */
export async function answersOf<Entry extends { address: string }, Value>(
  env: Env,
  entries: readonly Entry[],
  ask: (mailbox: MailboxStub) => PromiseLike<Answer<Value>>,
): Promise<{ entry: Entry; value: Value | null }[]> {
  const limit = new TimeLimit({ ms: WAIT_MS });
  try {
    return await Promise.all(
      entries.map(async (entry) => {
        const asked = limit.race(Promise.resolve(ask(mailboxAt(env, entry.address))));
        const answer = await asked.catch(() => null);
        return { entry, value: answer?.ok === true ? answer.value : null };
      }),
    );
  } finally {
    limit.clear();
  }
}

/** Asks mailboxes for their overviews, as `answersOf` does. */
export async function overviewsOf<Entry extends { address: string }>(
  env: Env,
  entries: readonly Entry[],
): Promise<{ entry: Entry; overview: Overview | null }[]> {
  const answers = await answersOf(env, entries, (mailbox) => mailbox.overview(AS_OPERATOR));
  return answers.map(({ entry, value }) => ({ entry, overview: value }));
}
